"""The page nn/line/FORMAT.md, against the numbers that trainer and engine agree upon: its
section "Every number" is evaluated by linetwin, which was written from it alone."""

import json
import random

import linetwin
import numpy as np
import pytest
from linegolden import DIRECTORY, tiny_file

from carozero_train.line import lines

GOLDEN = json.loads((DIRECTORY / "golden.json").read_text())["positions"]


@pytest.fixture(scope="module")
def tensors():
    return linetwin.read(tiny_file())[0]


@pytest.mark.parametrize("rule", lines.RULES)
def test_the_page_gives_the_golden_numbers(rule, tensors):
    cases = {g["size"]: g for g in GOLDEN if g["rule"] == rule}  # one of each size
    assert len(cases) >= 4
    for g in cases.values():
        captured = g["captured_own"], g["captured_opponent"]
        first = g["to_move"] == "first"
        at = linetwin.Position(rule, g["size"], g["own"], g["opponent"], first, captured)
        assert linetwin.evaluate(tensors, at) == (g["y3"], g["logits"]), g


@pytest.mark.parametrize("rule", lines.RULES)
def test_the_page_gives_the_shapes(rule):
    """Lines at random, with stones of one side more often than of the other: few are
    met in positions."""
    draw = random.Random(rule)
    seen = 4 if rule in ("freestyle", "school42") else 5
    table, found = lines.shapes()[rule], set()
    for n in range(1200):
        likely = [(3, 3, 3), (3, 6, 1), (3, 1, 6), (6, 1, 1), (9, 4, 1), (20, 1, 1)][n % 6]
        arms = [draw.choices((0, 1, 2), likely, k=draw.choice((2, 4, 5, 5, 5))) for _ in range(2)]
        behind, ahead = map(linetwin.arm, arms)
        for first in (True, False):
            words = [
                "".join(".xo"[a if first else (0, 2, 1)[a]] for a in arm[:seen]).ljust(5, "#")
                for arm in arms
            ]
            want = int(table[behind, ahead]) >> (0 if first else 4) & 15
            assert linetwin.shape(f"{words[0][::-1]}x{words[1]}", rule, first) == want
            found.add(want)
    assert found >= set(range(13)) and (13 in found) == (rule == "renju")


def test_the_page_gives_the_codes():
    shapes = range(lines.SHAPES)
    four = [(a, b, c, d) for a in shapes for b in shapes[: a + 1] for c in shapes[: b + 1] for d in shapes[: c + 1]]
    assert [linetwin.code(f[::-1]) for f in four] == list(range(lines.CODES))


def test_damage_is_seen():
    data = bytearray(tiny_file())
    assert np.frombuffer(data[-32:], np.int16).any()
    data[-1] ^= 1
    with pytest.raises(ValueError):
        linetwin.read(bytes(data))
