"""A line network, read from a file's bytes and evaluated as nn/line/FORMAT.md says it.

It was written from the section "Every number" of that page, uses nothing of the
trainer, and does everything the slow way: in the order of the page, cell by cell, in
whole numbers of any size.
"""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache

EMPTY, OWN, OTHER, EDGE = ".xo#"

STEPS = ((1, 0), (0, 1), (1, 1), (-1, 1))

# Rule sets: what blocks an end, and whether First and Second need exactly five.
BLOCKS = {
    "caro": OTHER,
    "caro-overline": OTHER,
    "caro-edge": OTHER + EDGE,
    "caro-edge-overline": OTHER + EDGE,
}
EXACT = {"standard": (True, True), "caro": (True, True), "caro-edge": (True, True), "renju": (True, False)}


# The file.


def read(data: bytes) -> tuple:
    """Returns the tensors of a file, nested lists, and its metadata."""
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    metadata = header.pop("__metadata__")
    body, tensors, raw = data[8 + length :], {}, {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        width = {"I8": 1, "I16": 2, "I32": 4}[entry["dtype"]]
        raw[name] = body[begin:end]
        cells = [
            int.from_bytes(raw[name][i : i + width], "little", signed=True)
            for i in range(0, end - begin, width)
        ]
        for n in reversed(entry["shape"][1:]):
            cells = [cells[i : i + n] for i in range(0, len(cells), n)]
        tensors[name] = cells
    order = "T E1 E2 W1 W2 W3 B1 B2 B3 D Db G1 Gb1 G2 Gb2 O".split()
    digest = hashlib.sha256(b"".join(raw[name] for name in order)).hexdigest()
    if metadata["format"] != "carozero-line-1" or metadata["carozero.weights"] != digest:
        raise ValueError("not a whole line network")
    return tensors, metadata


# Lines.


def arm(cells: list) -> int:
    """The number of an arm, of the contents 0, 1, 2 of its cells, the nearest first."""
    return (3 ** len(cells) - 1) // 2 + sum(a * 3**i for i, a in enumerate(cells))


def outward(size: int, x: int, y: int, dx: int, dy: int) -> list:
    """The cells (x, y) of the arm from a cell."""
    cells = [(x + i * dx, y + i * dy) for i in range(1, 6)]
    return [(a, b) for a, b in cells if 0 <= a < size and 0 <= b < size]


# Shapes and codes. A line is a text of eleven cells seen by one side, its stone in
# the middle.


def run(line: str) -> tuple:
    """Where the run begins, and where what follows it does."""
    begin = end = 5
    while begin > 0 and line[begin - 1] == OWN:
        begin -= 1
    while end < 11 and line[end] == OWN:
        end += 1
    return begin, end


def wins(line: str, rule: str, first: bool) -> bool:
    begin, end = run(line)
    exact = EXACT.get(rule, (False, False))[0 if first else 1]
    if end - begin != 5:
        return end - begin > 5 and not exact
    blocks = BLOCKS.get(rule, "")
    return not (line[begin - 1] in blocks and line[end] in blocks)


def put(line: str, at: int, content: str) -> str:
    return line[:at] + content + line[at + 1 :]


def completing(line: str, rule: str, first: bool) -> list:
    begin, end = run(line)
    beside = [i for i in (begin - 1, end) if 0 <= i < 11 and line[i] == EMPTY]
    return [i for i in beside if wins(put(line, i, OWN), rule, first)]


def lasts(line: str, rule: str, first: bool) -> bool:
    empty = [i for i in range(11) if line[i] == EMPTY]
    return len(completing(line, rule, first)) == 2 and all(
        completing(put(line, i, OTHER), rule, first) for i in empty
    )


def foul(line: str, rule: str, first: bool) -> bool:
    begin, end = run(line)
    two = end - begin < 4 and len(completing(line, rule, first)) == 2
    return rule == "renju" and first and (end - begin > 5 or two)


@lru_cache(maxsize=None)
def distances(line: str, rule: str, first: bool, deep: int) -> tuple:
    """Four, open and ways, looked for with so many further stones."""
    if foul(line, rule, first):
        return 4, 4, 0
    four = 0 if completing(line, rule, first) else 4
    open_ = 0 if lasts(line, rule, first) else 4
    if deep == 0 or open_ == 0:
        return four, open_, 0
    after = [
        distances(put(line, i, OWN), rule, first, deep - 1) for i in range(11) if line[i] == EMPTY
    ]
    four = min([four] + [a[0] + 1 for a in after])
    open_ = min([open_] + [a[1] + 1 for a in after])
    return four, open_, sum(a[1] == open_ - 1 for a in after)


@lru_cache(maxsize=None)
def shape(line: str, rule: str, first: bool) -> int:
    if wins(line, rule, first):
        return 12
    if foul(line, rule, first):
        return 13
    four, open_, ways = distances(line, rule, first, 3)
    if open_ == 0:
        return 11
    if four == 0:
        return 10
    if open_ == 1:
        return 8 if ways == 1 else 9
    if four == 1:
        return 7
    if open_ == 2:
        return 4 if ways <= 2 else 5 if ways == 3 else 6
    if four == 2:
        return 3
    if open_ == 3:
        return 2
    return 1 if four == 3 else 0


def code(shapes: list) -> int:
    a, b, c, d = sorted(shapes, reverse=True)
    return a * (a + 1) * (a + 2) * (a + 3) // 24 + b * (b + 1) * (b + 2) // 6 + c * (c + 1) // 2 + d


# The network.


def clip(x: int, low: int, high: int) -> int:
    return min(max(x, low), high)


def layer(weights: list, biases: list, inputs: list) -> list:
    return [sum(w * x for w, x in zip(row, inputs)) + b for row, b in zip(weights, biases)]


def hidden(sums: list) -> list:
    return [clip(x >> 10, 0, 32767) for x in sums]


class Position:
    """own and other are cells c = y S + x, by the side to move; first tells whether
    that is First; captured are the stones that either has captured."""

    def __init__(self, rule: str, size: int, own, other, first: bool, captured=(0, 0)):
        self.rule, self.size, self.first, self.captured = rule, size, first, captured
        self.content = [[0] * (size * size) for _ in range(2)]
        for p, (mine, theirs) in enumerate(((own, other), (other, own))):
            for c in mine:
                self.content[p][c] = 1
            for c in theirs:
                self.content[p][c] = 2

    def contents(self, p: int, cells: list) -> list:
        return [self.content[p][y * self.size + x] for x, y in cells]

    def row(self, p: int, x: int, y: int, dx: int, dy: int) -> int:
        arms = [
            arm(self.contents(p, outward(self.size, x, y, s * dx, s * dy))) for s in (-1, 1)
        ]
        hi, lo = max(arms), min(arms)
        return self.content[p][y * self.size + x] * 66430 + hi * (hi + 1) // 2 + lo

    def code(self, p: int, x: int, y: int) -> int:
        seen = 4 if self.rule in ("freestyle", "school42") else 5
        found = []
        for dx, dy in STEPS:
            sides = []
            for s in (-1, 1):
                cells = self.contents(p, outward(self.size, x, y, s * dx, s * dy)[:seen])
                sides.append("".join((EMPTY, OWN, OTHER)[a] for a in cells).ljust(5, EDGE))
            line = sides[0][::-1] + OWN + sides[1]
            found.append(shape(line, self.rule, self.first == (p == 0)))
        return code(found)


def features(t: dict, pos: Position) -> list:
    """acc[p][c], K numbers each."""
    size = pos.size
    codes = {
        (p, y * size + x): pos.code(p, x, y)
        for p in (0, 1)
        for y in range(size)
        for x in range(size)
        if pos.content[0][y * size + x] == 0
    }
    acc = []
    for p in (0, 1):
        acc.append([])
        for c in range(size * size):
            rows = [t["T"][pos.row(p, c % size, c // size, dx, dy)] for dx, dy in STEPS]
            if (p, c) in codes:
                rows += [t["E1"][codes[p, c]], t["E2"][codes[1 - p, c]]]
            acc[p].append([sum(channel) for channel in zip(*rows)])
    return acc


def evaluate(t: dict, pos: Position) -> tuple:
    """Returns the value's three logits and the policy's of every cell."""
    size, k = pos.size, len(t["T"][0])
    f = [[[clip(x, 0, 127) for x in cell] for cell in side] for side in features(t, pos)]
    stones = sum(content > 0 for content in pos.content[0])
    extras = [4096 * stones // size**2, 256 * pos.captured[0], 256 * pos.captured[1]] + [0] * 13
    return value(t, f, size, k, extras), policy(t, f, size, k, extras)


def mean(f: list, cells: list, j: int) -> int:
    return sum(f[c][j] for c in cells) * (2**20 // len(cells)) >> 14


def value(t: dict, f: list, size: int, k: int, extras: list) -> list:
    regions = [[] for _ in range(9)]
    for c in range(size * size):
        x, y = c % size, c // size
        regions[3 * (3 * y // size) + 3 * x // size].append(c)
    x = [mean(f[p], cells, j) for cells in regions for p in (0, 1) for j in range(k)] + extras
    h1 = hidden(layer(t["W1"], t["B1"], x))
    h2 = hidden(layer(t["W2"], t["B2"], h1))
    return layer(t["W3"], t["B3"], h2)


def policy(t: dict, f: list, size: int, k: int, extras: list) -> list:
    board = list(range(size * size))
    g = [mean(f[p], board, j) for p in (0, 1) for j in range(k)] + extras
    z = layer(t["G2"], t["Gb2"], hidden(layer(t["G1"], t["Gb1"], g)))
    weights = [[clip(z[q * k + j] >> 11, -32767, 32767) for j in range(k)] for q in range(16)]
    biases = [clip(z[16 * k + q] >> 6, -(2**24), 2**24) for q in range(16)]
    u = [f[0][c][: k // 2] + f[1][c][: k // 2] for c in board]
    return [logit(t, mixed(t, u, size, k, c), weights, biases) for c in board]


def mixed(t: dict, u: list, size: int, k: int, c: int) -> list:
    sums = list(t["Db"])
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            x, y = c % size + dx, c // size + dy
            if 0 <= x < size and 0 <= y < size:
                tap, cell = t["D"][3 * (dy + 1) + dx + 1], u[y * size + x]
                for j in range(k):
                    sums[j] += tap[j] * cell[j]
    return [clip(x >> 6, 0, 127) for x in sums]


def logit(t: dict, v: list, weights: list, biases: list) -> int:
    total = 0
    for q in range(16):
        s = biases[q] + sum(w * x for w, x in zip(weights[q], v))
        if s < 0:
            s >>= 3
        total += t["O"][q] * clip(s >> 8, -4095, 4095)
    return total
