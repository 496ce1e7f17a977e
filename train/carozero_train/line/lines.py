"""The lines through every cell of a board, as numbers: what a line network looks up.

An arm is up to five cells outward from a cell, nearest first, that end at the
board's edge. With the content of each (0 empty, 1 and 2 the stones of either side)
it is a number, ARMS in all:

    number = (3**length - 1) / 2 + sum of content_i * 3**i     (i = 0 the nearest)

which is the sum of 3**i * (content_i + 1) over the cells on the board. A line is a
cell's content and its two arms in one of four directions, and the same read either
way: row = content * PAIRS + hi * (hi + 1) / 2 + lo, of the arms' numbers.

A code is the multiset of the shapes that a stone of one side makes on an empty cell
in the four directions. Shapes are those of the engine's line patterns, one table a
rule set, in shapes.npz: [ARMS, ARMS] bytes by the arms behind and ahead, where 1 is
a stone of First; the low four bits are First's shape, the high four Second's.
"""

from __future__ import annotations

from functools import cache
from math import comb
from pathlib import Path

import numpy as np

from carozero.samples.schema import GOMOKU
from carozero.samples.shard import digest

REACH = 5
ARMS = (3 ** (REACH + 1) - 1) // 2
PAIRS = ARMS * (ARMS + 1) // 2
ROWS = 3 * PAIRS

SHAPES = 14
CODES = comb(SHAPES + 3, 4)

# Steps (x, y) of the row, the column and the two diagonals.
DIRECTIONS = ((1, 0), (0, 1), (1, 1), (-1, 1))

# The globals that tell the rule sets apart, and the values of each. Renju's are
# for First to move; the others hold for either side.
FLAGS = GOMOKU.globals[: GOMOKU.globals.index("captured_own")]
RULES = {
    "freestyle": (),
    "standard": ("exact_own", "exact_opp"),
    "renju": ("exact_own", "renju_own"),
    "caro": ("exact_own", "exact_opp", "opp_blocks"),
    "caro-overline": ("opp_blocks", "overline_free"),
    "caro-edge": ("exact_own", "exact_opp", "opp_blocks", "edge_blocks"),
    "caro-edge-overline": ("opp_blocks", "edge_blocks", "overline_free"),
    "school42": ("double_three", "captures"),
}


@cache
def shapes() -> dict:
    """Returns the engine's table of shapes of each rule set, uint8 [ARMS, ARMS]."""
    with np.load(Path(__file__).with_name("shapes.npz")) as file:
        return {name: file[name] for name in file.files}


def shapes_digest(rules) -> str:
    """Returns the SHA-256 of the tables of some rule sets, by name."""
    return digest(*(name.encode() + shapes()[name].tobytes() for name in sorted(rules)))


@cache
def contents() -> np.ndarray:
    """Returns [ARMS, REACH]: content + 1 of each cell of an arm, nearest first, 0
    beyond the edge."""
    out = np.zeros((ARMS, REACH), np.int64)
    for length in range(1, REACH + 1):
        first = (3**length - 1) // 2
        for i in range(length):
            out[first : first + 3**length, i] = np.arange(3**length) // 3**i % 3 + 1
    return out


@cache
def opposite() -> np.ndarray:
    """Returns [ARMS]: the number of each arm with the sides exchanged."""
    exchanged = np.array([0, 1, 3, 2])[contents()]
    return exchanged @ 3 ** np.arange(REACH)


@cache
def pairs() -> np.ndarray:
    """Returns [2, ARMS * ARMS] int32: the row of an empty cell's line, less the
    part of its content, by the arms' numbers a * ARMS + b seen from the side that
    they are numbered for, and from the other."""
    numbers = np.stack([np.arange(ARMS), opposite()])
    a, b = numbers[:, :, None], numbers[:, None, :]
    hi, lo = np.maximum(a, b), np.minimum(a, b)
    return (hi * (hi + 1) // 2 + lo).reshape(2, -1).astype(np.int32)


@cache
def codes() -> np.ndarray:
    """Returns [2**16] uint16: the code of four shapes, four bits each, in any order."""
    quads = np.arange(1 << 16)
    s = np.sort(np.stack([quads >> 4 * i & 15 for i in range(4)]), axis=0)
    number = sum(_choose(s[i] + i, i + 1) for i in range(4))
    return np.where(s[3] < SHAPES, number, 0).astype(np.uint16)


def _choose(n: np.ndarray, k: int) -> np.ndarray:
    """Returns the binomial coefficients of n over k."""
    return np.array([comb(i, k) for i in range(int(n.max()) + 1)])[n]


@cache
def tables() -> np.ndarray:
    """Returns [2 * rule sets, ARMS * ARMS] uint8: the shapes of own's stone in the
    low four bits and the opponent's in the high ones, by arms in which 1 is an own
    stone. Of each rule set first the table where own is First, then Second."""
    out, other = [], opposite()
    for name in RULES:
        table = shapes()[name]
        seen = table[other][:, other]
        out += [table, seen >> 4 | seen << 4]
    return np.stack(out).reshape(2 * len(RULES), -1)


@cache
def table_numbers_by_bits() -> np.ndarray:
    """Returns [2**flags]: the number in tables() by the bits of FLAGS. Of what no
    rule set has it is freestyle's."""
    out = np.zeros(1 << len(FLAGS), np.int64)
    for i, names in enumerate(RULES.values()):
        exchanged = [flag.replace("_own", "_opp") for flag in names]
        if len(set(exchanged)) == len(names) and exchanged != list(names):
            out[_bits(exchanged)] = 2 * i + 1
        out[_bits(names)] = 2 * i
    return out


def _bits(flags) -> int:
    return sum(1 << FLAGS.index(flag) for flag in flags)


def table_numbers(scalars: np.ndarray) -> np.ndarray:
    """Returns [n]: which of tables() the globals [n, g] of positions ask for."""
    bits = scalars[:, : len(FLAGS)] > 0.5
    return table_numbers_by_bits()[bits @ (1 << np.arange(len(FLAGS)))]


def arms(board: np.ndarray, content: np.ndarray) -> np.ndarray:
    """Returns [4, 2, n, h, w] uint16: the arms of every cell, behind and ahead in
    each direction. board [n, h, w] has 1 on the board, content 0, 1, 2."""
    n, h, w = board.shape
    digits = np.zeros((n, h + 2 * REACH, w + 2 * REACH), np.uint16)
    digits[:, REACH:-REACH, REACH:-REACH] = board * (content + 1)
    out = np.empty((len(DIRECTIONS), 2, n, h, w), np.uint16)
    for d, (dx, dy) in enumerate(DIRECTIONS):
        for ahead, sign in enumerate((-1, 1)):
            number = out[d, ahead]
            for i in range(REACH, 0, -1):
                y, x = REACH + sign * i * dy, REACH + sign * i * dx
                cells = digits[:, y : y + h, x : x + w]
                if i == REACH:
                    number[:] = cells
                else:
                    number *= 3
                    number += cells
    return out


class Lines:
    """What is to be looked up for the cells of positions, p = 0 seen from the side
    to move and p = 1 from the other.

    rows [2, 4, n, cells] int32, the line in each direction; codes [2, n, cells]
    int32, that of side p, CODES on a cell with a stone.
    """

    def __init__(self, planes: np.ndarray, scalars: np.ndarray):
        """planes [n, planes, h, w] of zeros and ones, globals [n, g]."""
        n, h, w = len(planes), *planes.shape[2:]
        board, own, other = (planes[:, i] > 0.5 for i in range(3))
        content = (board * np.where(own, 1, 2 * other)).astype(np.uint16)
        behind, ahead = np.moveaxis(arms(board, content), 1, 0).astype(np.int32)
        both = (behind * ARMS + ahead).reshape(len(DIRECTIONS), n, h * w)
        content = content.reshape(n, h * w).astype(np.int32)
        self.rows = np.empty((2, *both.shape), np.int32)
        for p, seen in enumerate((content, np.array([0, 2, 1], np.int32)[content])):
            np.take(pairs()[p], both, out=self.rows[p], mode="clip")
            self.rows[p] += seen * PAIRS
        first = table_numbers(scalars).astype(np.int32) * (ARMS * ARMS)
        shape = tables().reshape(-1).take(both + first[:, None]).astype(np.uint16)
        quads = [sum((shape[d] >> 4 * p & 15) << 4 * d for d in range(4)) for p in (0, 1)]
        self.codes = codes().take(np.stack(quads)).astype(np.int32)
        self.codes[:, content > 0] = CODES
