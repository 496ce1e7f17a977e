"""The planes that the engine computed, against the trainer's reading of them
and an independent computation from the moves."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from carozero.samples import symmetry
from carozero.samples.rows import unpack
from carozero.samples.schema import GOMOKU

GLOBALS = GOMOKU.globals
GOLDEN = json.loads((Path(__file__).parent / "golden" / "planes.json").read_text())
CASES = GOLDEN["cases"]
DIRECTIONS = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if (dx, dy) != (0, 0)]


def planes_of(packed, size):
    data = np.array([list(bytes.fromhex(text)) for text in packed], np.uint8)
    return unpack(data, size * size)


def replay(size, position, captures):
    """Stones by cell (0 first, 1 second), captured stones by side, side to move."""
    stones, captured, side = {}, [0, 0], 0
    for column, row in re.findall(r"([a-v])(\d+)", position):
        x, y = ord(column) - ord("a"), int(row) - 1
        stones[x, y] = side
        for dx, dy in DIRECTIONS if captures else ():
            line = [(x + i * dx, y + i * dy) for i in (1, 2, 3)]
            if [stones.get(p) for p in line] == [1 - side, 1 - side, side]:
                del stones[line[0]], stones[line[1]]
                captured[side] += 2
        side = 1 - side
    return {y * size + x: s for (x, y), s in stones.items()}, captured, side


def test_names_and_coverage():
    assert GOLDEN["version"] == GOMOKU.planes_version
    assert tuple(GOLDEN["plane_names"]) == GOMOKU.planes
    assert tuple(GOLDEN["global_names"]) == GLOBALS
    assert {case["rule"] for case in CASES} == set(GOMOKU.rules)
    assert any("symmetries" in case for case in CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c['rule']}-{c['size']}")
def test_stones_and_scalars(case):
    size = case["size"]
    stones, captured, side = replay(size, case["position"], case["rule"] == "school42")
    planes = planes_of(case["planes"], size)
    want = np.zeros((3, size * size), np.uint8)
    want[0] = 1
    for cell, owner in stones.items():
        want[1 if owner == side else 2, cell] = 1
    np.testing.assert_array_equal(planes[:3], want)
    assert case["to_move"] == ("first", "second")[side]
    numbers = dict(zip(GLOBALS, case["globals"]))
    assert numbers["fill"] == pytest.approx(len(stones) / size**2, abs=1e-6)
    assert numbers["size"] == pytest.approx(size / 20, abs=1e-6)
    assert numbers["captured_own"] == pytest.approx(captured[side] / 10, abs=1e-6)
    assert numbers["captured_opp"] == pytest.approx(captured[1 - side] / 10, abs=1e-6)
    # Forbidden and tactical points are empty cells.
    assert not (planes[3:10] & (want[1] | want[2])).any()


@pytest.mark.parametrize("case", [c for c in CASES if "symmetries" in c], ids=lambda c: f"{c['rule']}-{c['size']}")
def test_symmetries_equal_the_engines(case):
    size = case["size"]
    planes = planes_of(case["planes"], size)
    assert len(case["symmetries"]) == symmetry.SYMMETRIES
    for s, packed in enumerate(case["symmetries"]):
        moved = symmetry.apply(planes[None], np.array([s]), size)[0]
        np.testing.assert_array_equal(moved, planes_of(packed, size), err_msg=f"symmetry {s}")
