"""The reference implementation of a line network: what it computes, in integers.

The engine and the exported file must agree with it. It is slow, goes cell by cell, and
shares no code with the network in training. A shift to the right rounds down. One unit
of an integer stands for 1/32 in tables and features, 1/2048 in means and hidden layers,
1/1024 in weights, 1/64 in those of the convolution and 1/256 in the last policy layer's.

    features  acc[p][c] = four lines of the cell and, if it is empty, its codes
              f = acc within 0..127
    means     x[r][p] = the mean of f over each ninth of the board, g[p] over all
    value     three layers of x and the extras: win, draw, loss; unit 2**-21
    policy    v = a 3x3 convolution by channels of half of either side's f; each of
              P scores of a cell is a product of v and weights that a hidden layer
              of g makes; their weighted sum is the logit, unit 2**-15
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .lines import DIRECTIONS, PAIRS, REACH, shapes

# Scores of a cell, units of the hidden layers, further inputs of the heads.
SCORES, HIDDEN, EXTRAS = 16, 32, 16

# The largest feature, hidden unit, weight of a score, bias of one, and score.
FEATURE, UNIT, WEIGHT, BIAS, SCORE = 127, 32767, 32767, 1 << 24, 4095

# The largest number among the inputs of the heads, an extra; means are smaller.
INPUT = 8192


@dataclass(frozen=True)
class Position:
    """Stones of the side to move and of the other, cells y * size + x; whether First
    is to move; the stones that either has captured."""

    rule: str
    size: int
    own: tuple
    opponent: tuple
    first: bool
    captured_own: int = 0
    captured_opponent: int = 0


@dataclass(frozen=True)
class Output:
    """acc [2, cells, K] before the clipping, value [3], policy [cells]."""

    acc: np.ndarray
    value: np.ndarray
    policy: np.ndarray


def evaluate(tensors: dict, position: Position) -> Output:
    """Returns what the network of those integer tensors says of a position. All
    numbers are held in 64 bits, those that the engine has in 32 are seen to fit."""
    acc = features(tensors, position)
    f = np.clip(acc, 0, FEATURE)
    ninths, means = _means(f, position.size)
    extra = extras(position)
    return Output(
        acc,
        _value(tensors, np.concatenate([ninths.reshape(-1), extra])),
        _policy(tensors, f, np.concatenate([means.reshape(-1), extra]), position.size),
    )


def features(tensors: dict, position: Position) -> np.ndarray:
    """Returns acc [2, cells, K]."""
    table, own, other = (tensors[name].astype(np.int64) for name in ("T", "E1", "E2"))
    size = position.size
    content = np.zeros((2, size * size), np.int64)
    for p, (mine, theirs) in enumerate(((position.own, position.opponent), (position.opponent, position.own))):
        content[p, list(mine)], content[p, list(theirs)] = 1, 2
    acc = np.zeros((2, size * size, table.shape[1]), np.int64)
    for c in range(size * size):
        for p in (0, 1):
            for direction in DIRECTIONS:
                acc[p, c] += table[row(content[p], size, c, direction)]
        if content[0, c] == 0:
            code = cell_codes(position, content, c)
            for p in (0, 1):
                acc[p, c] += own[code[p]] + other[code[1 - p]]
    return acc


def arm(content: np.ndarray, size: int, cell: int, dx: int, dy: int) -> int:
    """Returns the number of the arm from a cell into a direction."""
    x, y, digits = cell % size, cell // size, []
    for _ in range(REACH):
        x, y = x + dx, y + dy
        if not (0 <= x < size and 0 <= y < size):
            break
        digits.append(int(content[y * size + x]))
    return (3 ** len(digits) - 1) // 2 + sum(d * 3**i for i, d in enumerate(digits))


def row(content: np.ndarray, size: int, cell: int, direction: tuple) -> int:
    """Returns the row of T of the line through a cell in a direction."""
    dx, dy = direction
    behind, ahead = arm(content, size, cell, -dx, -dy), arm(content, size, cell, dx, dy)
    hi, lo = max(behind, ahead), min(behind, ahead)
    return int(content[cell]) * PAIRS + hi * (hi + 1) // 2 + lo


def cell_codes(position: Position, content: np.ndarray, cell: int) -> list:
    """Returns the codes of an empty cell for own's and for the opponent's stone.
    The engine's tables are by First's and Second's stones."""
    table, size = shapes()[position.rule], position.size
    absolute = content[0 if position.first else 1]
    found = [[], []]
    for dx, dy in DIRECTIONS:
        both = table[arm(absolute, size, cell, -dx, -dy), arm(absolute, size, cell, dx, dy)]
        found[0].append(int(both) & 15)
        found[1].append(int(both) >> 4)
    own, other = map(code, found if position.first else found[::-1])
    return [own, other]


def code(four: list) -> int:
    """Returns the number of four shapes: their place in the list of all quadruples
    a >= b >= c >= d, the last one running fastest."""
    a, b, c, d = sorted(four, reverse=True)
    before_a = sum((i + 1) * (i + 2) * (i + 3) // 6 for i in range(a))
    before_b = sum((i + 1) * (i + 2) // 2 for i in range(b))
    return before_a + before_b + c * (c + 1) // 2 + d


def extras(position: Position) -> np.ndarray:
    """Returns the further inputs [EXTRAS], unit 1/2048."""
    out = np.zeros(EXTRAS, np.int64)
    stones = len(position.own) + len(position.opponent)
    out[0] = stones * 4096 // position.size**2
    out[1] = position.captured_own * 256
    out[2] = position.captured_opponent * 256
    return out


def _means(f: np.ndarray, size: int):
    """Returns the means of f [2, cells, K] over the ninths [9, 2, K] and over the
    board [2, K], unit 1/2048."""
    sums = np.zeros((9, 2, f.shape[2]), np.int64)
    cells = [0] * 9
    for c in range(size * size):
        ninth = 3 * (3 * (c // size) // size) + 3 * (c % size) // size
        sums[ninth] += f[:, c]
        cells[ninth] += 1
    reciprocals = np.array([(1 << 20) // n for n in cells])
    ninths = _word(sums * reciprocals[:, None, None]) >> 14
    return ninths, _word(sums.sum(0) * ((1 << 20) // size**2)) >> 14


def _value(t: dict, x: np.ndarray) -> np.ndarray:
    a1 = np.clip(_layer(t["W1"], t["B1"], x) >> 10, 0, UNIT)
    a2 = np.clip(_layer(t["W2"], t["B2"], a1) >> 10, 0, UNIT)
    return _layer(t["W3"], t["B3"], a2)


def _policy(t: dict, f: np.ndarray, x: np.ndarray, size: int) -> np.ndarray:
    k = f.shape[2]
    h = np.clip(_layer(t["G1"], t["Gb1"], x) >> 10, 0, UNIT)
    z = _layer(t["G2"], t["Gb2"], h)
    scores = len(t["O"])
    weights = np.clip(z[: scores * k] >> 11, -WEIGHT, WEIGHT).reshape(scores, k)
    biases = np.clip(z[scores * k :] >> 6, -BIAS, BIAS)
    s = _word(_convolved(t, f, size) @ weights.T + biases)
    s = np.where(s >= 0, s, s >> 3)
    s = np.clip(s >> 8, -SCORE, SCORE)
    return _word(s @ t["O"].astype(np.int64))


def _convolved(t: dict, f: np.ndarray, size: int) -> np.ndarray:
    """Returns v [cells, K]."""
    half = f.shape[2] // 2
    u = np.zeros((size + 2, size + 2, 2 * half), np.int64)
    u[1:-1, 1:-1, :half] = f[0, :, :half].reshape(size, size, half)
    u[1:-1, 1:-1, half:] = f[1, :, :half].reshape(size, size, half)
    total = np.zeros((size, size, 2 * half), np.int64) + t["Db"].astype(np.int64)
    for dy in range(3):
        for dx in range(3):
            tap = t["D"][3 * dy + dx].astype(np.int64)
            total += tap * u[dy : dy + size, dx : dx + size]
    return np.clip(total >> 6, 0, FEATURE).reshape(size * size, -1)


def _layer(weights: np.ndarray, biases: np.ndarray, x: np.ndarray) -> np.ndarray:
    w, b = weights.astype(np.int64), biases.astype(np.int64)
    return _word(w @ x + b)


def _word(x: np.ndarray) -> np.ndarray:
    """Returns x, which must fit 32 bits."""
    if len(x) and np.abs(x).max() >= 1 << 31:
        raise OverflowError(f"{np.abs(x).max()} does not fit 32 bits")
    return x
