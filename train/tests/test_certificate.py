"""The second checker of certificates, which knows FORMAT.md and the rules alone, against
the engine's: on golden certificates, and on damaged ones with the engine's verdict."""

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "game" / "gomoku" / "certificate"
CHECKER = FOLDER / "check.py"
GOLDEN = sorted((FOLDER / "testdata").glob("*.cert"))


def run(*paths):
    done = subprocess.run([sys.executable, str(CHECKER), *map(str, paths)], capture_output=True, text=True)
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


@pytest.fixture(scope="module")
def checker():
    sys.path.insert(0, str(FOLDER))
    try:
        import check
    finally:
        sys.path.remove(str(FOLDER))
    return check


def damaged():
    """Files of testdata/damaged.txt, each with the engine's verdict."""
    for line in (FOLDER / "testdata" / "damaged.txt").read_text().splitlines():
        holds, name, digest, *edits = line.split(" ")
        data = (FOLDER / "testdata" / name).read_bytes()
        for edit in edits:
            at, cut, put = edit.split(":")
            data = data[: int(at)] + bytes.fromhex(put) + data[int(at) + int(cut) :]
        if digest == "true":
            data = data[:-32] + hashlib.sha256(data[:-32]).digest()
        yield line, data, holds == "true"


def test_the_engines_certificates_hold():
    assert len(GOLDEN) >= 27
    status, lines = run(*GOLDEN)
    assert status == 0 and len(lines) == len(GOLDEN)
    for path, line in zip(GOLDEN, lines):
        head = path.read_bytes().split(b"\n\n")[0].decode()
        said = dict(row.split(" ", 1) for row in head.splitlines()[1:])
        if "winner" in said:
            assert line == f"{path}: {said['winner']} wins in {said['plies']} plies: {said['nodes']} nodes"
        else:
            held = "a draw" if said["holds"] == "both" else f"{said['holds']} does not lose"
            assert line == f"{path}: {held}: {said['words']} words"


def test_damaged_certificates_get_the_engines_verdict(checker):
    seen = {True: 0, False: 0}
    for line, data, holds in damaged():
        try:
            checker.check(data)
            verdict = True
        except checker.Refused as err:
            assert "\n" not in str(err)
            verdict = False
        assert verdict == holds, line
        seen[verdict] += 1
    assert seen[True] >= 5 and seen[False] >= 300


def test_a_refusal_is_a_line_and_a_status(tmp_path):
    bad = tmp_path / "bad.cert"
    bad.write_bytes(GOLDEN[0].read_bytes()[:-1])
    status, lines = run(GOLDEN[0], bad, tmp_path / "none.cert")
    assert status == 1 and len(lines) == 3
    assert "wins in" in lines[0]
    assert all(": refused: " in line for line in lines[1:])
    assert run() == (1, [])


def test_the_checker_is_small_and_needs_nothing_else():
    lines = CHECKER.read_text().splitlines()
    assert len(lines) <= 400
    assert [line for line in lines if line.startswith(("import", "from"))] == ["import hashlib", "import re", "import sys"]
