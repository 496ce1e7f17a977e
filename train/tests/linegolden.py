"""Writes what the trainer and the engine must both say of a line network:

    python tests/linegolden.py

makes nn/line/testdata/tiny.line.gz, a network of random weights so large that every
clamp acts, and golden.json: random positions with its outputs by the definition in
reference. `acc` are the sums over the cells, for each side, of the channels 0 to 3.
"""

from __future__ import annotations

import gzip
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import safetensors.numpy

from carozero_train.line import file, reference
from carozero_train.line.reference import EXTRAS, HIDDEN, SCORES, Position
from carozero_train.line.lines import CODES, DIRECTIONS, ROWS

DIRECTORY = Path(__file__).resolve().parents[2] / "nn" / "line" / "testdata"

RULES = ("freestyle", "caro", "renju", "school42")

# Rule sets that the network of the file does not name, with fewer positions.
MORE = ("standard", "caro-overline", "caro-edge", "caro-edge-overline")

# Rows of the table that differ: few, so that the file compresses.
DIFFERENT = 1021


def read(data: bytes) -> tuple:
    """Returns the tensors, in the order of the format, and the metadata of a file."""
    found = safetensors.numpy.load(data)
    metadata = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])["__metadata__"]
    return {name: found[name] for name in file.layout(found["T"].shape[1])}, metadata


def tensors(random, k: int = 16) -> dict:
    """Random integer weights within the bounds."""

    def normal(std, *shape):
        return np.round(random.normal(0, std, shape))

    generated = SCORES * k + SCORES
    scale = random.choice([50.0, 150.0, 400.0, 1500.0], (generated, 1), p=[0.3, 0.4, 0.2, 0.1])
    last = normal(2**27, generated)
    last[-SCORES:-SCORES + 3] = 1.6e9, -1.6e9, 1.2e9  # beyond the bound of a bias
    scale[-SCORES:-SCORES + 3] = 200
    t = {
        "T": np.tile(normal(45, DIFFERENT, k), (ROWS // DIFFERENT + 1, 1))[:ROWS],
        "E1": normal(30, CODES, k),
        "E2": normal(30, CODES, k),
        "W1": normal(600, HIDDEN, 18 * k + EXTRAS),
        "B1": normal(2**24, HIDDEN),
        "W2": normal(400, HIDDEN, HIDDEN),
        "B2": normal(2**24, HIDDEN),
        "W3": normal(800, 3, HIDDEN),
        "B3": normal(2**24, 3),
        "D": normal(26, 9, k),
        "Db": normal(2000, k),
        "G1": normal(1500, HIDDEN, 2 * k + EXTRAS),
        "Gb1": normal(2**24, HIDDEN),
        "G2": normal(1, generated, HIDDEN) * scale,
        "Gb2": last,
        "O": normal(3000, SCORES),
    }
    limits = {np.int8: 127, np.int16: 32767, np.int32: 2**31 - 1}
    for name, (kind, _) in file.layout(k).items():
        t[name] = np.clip(t[name], -limits[kind], limits[kind]).astype(kind)
    return file.clip(t)[0]


def position(random, rule: str, size: int) -> Position:
    """Stones at random by turns, gathered about a cell so that lines have many, but
    no five; as if some had been captured where the rules know that."""
    while True:
        p = drawn(random, rule, size)
        if not any(fives(set(stones), size) for stones in (p.own, p.opponent)):
            return p


def fives(stones: set, size: int) -> bool:
    """Whether some five stones are in a row."""

    def run(cell, dx, dy):
        x, y = cell % size + 4 * dx, cell // size + 4 * dy
        inside = 0 <= x < size and y < size
        return inside and all(cell + i * (dx + dy * size) in stones for i in range(5))

    return any(run(cell, *step) for cell in stones for step in DIRECTIONS)


def drawn(random, rule: str, size: int) -> Position:
    """A position as it comes."""
    count = int(random.integers(0, min(size * size, 120) + 1))
    y, x = np.divmod(np.arange(size * size), size)
    middle = random.integers(0, size, 2)
    near = np.hypot(y - middle[0], x - middle[1]) + random.gumbel(0, size / 6, size * size)
    cells = np.argsort(near, kind="stable")[:count]
    cells = [int(c) for c in random.permutation(cells)]
    first, second = tuple(sorted(cells[::2])), tuple(sorted(cells[1::2]))
    captured = [0, 0]
    if rule == "school42":
        captured = [int(2 * n) for n in random.integers(0, 5, 2)]
    sides = (first, second) if count % 2 == 0 else (second, first)
    return Position(rule, size, *sides, count % 2 == 0, *captured)


def positions(random) -> list:
    """Ten sizes of each rule set, four of each further one."""
    sizes = [(rule, size) for rule in RULES for size in (5, 7, 9, 9, 15, 15, 15, 19, 19, 22)]
    sizes += [(rule, size) for rule in MORE for size in (7, 9, 15, 19)]
    return [position(random, rule, size) for rule, size in sizes]


def case(network: dict, p: Position) -> dict:
    """The entry of golden.json."""
    out = reference.evaluate(network, p)
    return {
        "rule": p.rule,
        "size": p.size,
        "to_move": "first" if p.first else "second",
        "own": list(p.own),
        "opponent": list(p.opponent),
        "captured_own": p.captured_own,
        "captured_opponent": p.captured_opponent,
        "y3": out.value.tolist(),
        "logits": out.policy.tolist(),
        "acc": out.acc[:, :, :4].sum(1).tolist(),
    }


def tiny_file() -> bytes:
    """The network of the golden file, as a file has it."""
    return gzip.decompress((DIRECTORY / "tiny.line.gz").read_bytes())


def main(directory: Path) -> None:
    random = np.random.default_rng(15)
    network = tensors(random)
    run = {"size": "line16", "seed": 15, "note": "random weights for tests"}
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tiny.line"
        file.write(path, network, RULES, "5-22", run)
        (directory / "tiny.line.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))
    cases = [case(network, p) for p in positions(random)]
    head = {"format": "carozero-line-golden-1", "model": "tiny.line.gz"}
    lines = ",\n".join(json.dumps(c, separators=(",", ":")) for c in cases)
    text = json.dumps(head, indent=0)[:-2] + ',\n"positions": [\n' + lines + "\n]\n}\n"
    (directory / "golden.json").write_text(text)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DIRECTORY)
