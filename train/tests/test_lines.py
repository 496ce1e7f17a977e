"""What a line network looks up, against the board walked cell by cell."""

import json
from functools import cache
from itertools import product

import numpy as np
import pytest
from test_golden import CASES, planes_of

from carozero.samples.schema import GOMOKU
from carozero_train.line import lines
from carozero_train.line.lines import CODES, DIRECTIONS, SHAPES, Lines



def walk(cells, x, y, dx, dy):
    """The contents of up to five cells from (x, y) outward, nearest first."""
    out = []
    for i in range(1, 6):
        if (x + i * dx, y + i * dy) not in cells:
            break
        out.append(cells[x + i * dx, y + i * dy])
    return tuple(out)


@cache
def arms_in_order():
    """All arms by their numbers: shorter ones first, then as numbers to base 3
    whose last digit is the farthest cell."""
    return [tuple(reversed(a)) for n in range(6) for a in product((0, 1, 2), repeat=n)]


@cache
def arm_numbers():
    return {arm: i for i, arm in enumerate(arms_in_order())}


@cache
def rows_in_order():
    """All lines by their rows: a triangle of pairs of arms for each content."""
    arms = arms_in_order()
    pairs = [(hi, lo) for hi in range(len(arms)) for lo in range(hi + 1)]
    return [(c, {arms[hi], arms[lo]}) for c in (0, 1, 2) for hi, lo in pairs]


@cache
def codes_in_order():
    n = range(14)
    return {(a, b, c, d): i for i, (a, b, c, d) in enumerate(
        (a, b, c, d) for a in n for b in range(a + 1) for c in range(b + 1) for d in range(c + 1)
    )}


def exchanged(arm):
    return tuple((0, 2, 1)[c] for c in arm)


def shape_of(rule, arms, first):
    """The shapes of own's and of the opponent's stone, where own is 1 in the arms."""
    seen = arms if first else tuple(map(exchanged, arms))
    both = int(lines.shapes()[rule][arm_numbers()[seen[0]], arm_numbers()[seen[1]]])
    return (both % 16, both // 16) if first else (both // 16, both % 16)


def by_walking(size, planes, rule, first):
    """The content, lines and codes of each cell: content, [4] sets of arms, codes."""
    cells = {}
    for y, x in product(range(size), repeat=2):
        own, other = planes[1:3, y * size + x]
        cells[x, y] = 1 if own else 2 if other else 0
    out = []
    for y, x in product(range(size), repeat=2):
        around = [(walk(cells, x, y, -dx, -dy), walk(cells, x, y, dx, dy)) for dx, dy in DIRECTIONS]
        codes = [CODES, CODES]
        if cells[x, y] == 0:
            shapes = np.array([shape_of(rule, arms, first) for arms in around])
            codes = [codes_in_order()[tuple(sorted(map(int, s), reverse=True))] for s in shapes.T]
        out.append((cells[x, y], around, codes))
    return out


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['rule']}-{c['size']}")
def test_lines_and_codes_of_the_engines_positions(case):
    """The engine's own planes and globals: so they say which rule set it is."""
    size, rule = case["size"], case["rule"]
    planes = planes_of(case["planes"], size)
    scalars = np.array([case["globals"]], np.float32)
    got = Lines(planes.reshape(1, -1, size, size), scalars)
    want = by_walking(size, planes, rule, case["to_move"] == "first")
    for c, (content, around, codes) in enumerate(want):
        for d, arms in enumerate(around):
            assert rows_in_order()[got.rows[0, d, 0, c]] == (content, set(arms))
            other = (0, 2, 1)[content], set(map(exchanged, arms))
            assert rows_in_order()[got.rows[1, d, 0, c]] == other
        assert got.codes[:, 0, c].tolist() == codes


def test_a_batch_may_mix_rule_sets():
    """Each row has the tables of its own rule set, whatever stands beside it."""
    random = np.random.default_rng(1)
    some = {case["rule"]: case for case in CASES if case["to_move"] == "second"}
    planes = np.zeros((len(some), len(GOMOKU.planes), 9, 9), np.uint8)
    content = random.integers(0, 3, planes.shape[2:])
    planes[:, 0], planes[:, 1], planes[:, 2] = 1, content == 1, content == 2
    scalars = np.array([case["globals"] for case in some.values()], np.float32)
    got = Lines(planes, scalars)
    for i, rule in enumerate(some):
        want = by_walking(9, planes[i].reshape(-1, 81), rule, False)
        assert got.codes[:, i].T.tolist() == [codes for _, _, codes in want]
    assert len({got.codes[:, i].tobytes() for i in range(len(some))}) > 4


def test_only_renju_tells_the_sides_apart():
    tables = lines.tables()
    differ = [rule for i, rule in enumerate(lines.RULES) if (tables[2 * i] != tables[2 * i + 1]).any()]
    assert differ == ["renju"]
    for table in lines.shapes().values():
        assert (table == table.T).all() and (table & 15).max() < SHAPES > (table >> 4).max()


def test_the_digest_is_of_the_listed_rule_sets():
    assert lines.shapes_digest(["caro", "renju"]) == lines.shapes_digest(["renju", "caro"])
    assert lines.shapes_digest(["caro"]) != lines.shapes_digest(["caro-edge"])
    assert json.dumps(sorted(lines.shapes())) == json.dumps(sorted(GOMOKU.rules))
