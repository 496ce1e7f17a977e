"""Writes sample shards of made-up games by the contract, for tests.

The games are stones put down at random by turns. The policy's target is the
empty cells nearest to the centre, the outcome tells who has more stones on
the nine cells in the middle; both can be learnt and know no direction.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import msgpack
import numpy as np
import zstandard

from carozero.samples.schema import COLUMNS, GOMOKU, NO_REPLY, UNPROVEN

GLOBALS, PLANES = GOMOKU.globals, GOMOKU.planes

LETTERS = "abcdefghijklmnopqrstuv"


def notation(size, cells):
    """The moves of a game in the engine's notation."""
    return "".join(f"{LETTERS[c % size]}{c // size + 1}" for c in cells)


def make_game(random, size, plies):
    return [int(c) for c in random.permutation(size * size)[:plies]]


def nearest_empty(size, moves):
    """The empty cells that are nearest to the centre."""
    taken, middle = set(moves), (size - 1) / 2

    def distance(cell):
        return (cell % size - middle) ** 2 + (cell // size - middle) ** 2

    free = [c for c in range(size * size) if c not in taken]
    least = min(map(distance, free))
    return [c for c in free if distance(c) == least]


def row_arrays(size, moves):
    """Planes [12, cells], globals [13], legal [cells] of the position."""
    planes = np.zeros((len(PLANES), size * size), np.uint8)
    planes[0] = 1
    own, opp = moves[len(moves) % 2 :: 2], moves[(len(moves) + 1) % 2 :: 2]
    planes[1, own], planes[2, opp] = 1, 1
    scalars = np.zeros(len(GLOBALS), np.float32)
    scalars[GLOBALS.index("fill")] = len(moves) / size**2
    scalars[GLOBALS.index("size")] = size / 20
    return planes, scalars, 1 - planes[1] - planes[2]


def columns(random, size, games):
    """The columns of all positions of games (lists of cells)."""
    out = {name: [] for name in COLUMNS}
    out["visit_offsets"].append(0)
    for index, moves in enumerate(games):
        for ply in range(len(moves)):
            planes, scalars, legal = row_arrays(size, moves[:ply])
            best = nearest_empty(size, moves[:ply])
            others = [c for c in np.flatnonzero(legal) if c not in best][:2]
            actions = sorted([*best, *others])
            visits = [60 if a in best else 5 for a in actions]
            nine = np.s_[:, size // 2 - 1 : size // 2 + 2, size // 2 - 1 : size // 2 + 2]
            own, opp = planes[1:3].reshape(2, size, size)[nine].sum(axis=(1, 2), dtype=int)
            lead = own - opp
            row = {
                "planes": np.packbits(planes, axis=1),
                "globals": scalars,
                "legal": np.packbits(legal),
                "outcome": int(np.sign(lead)),
                "root_q": np.tanh(lead),
                "net_q": 0.0,
                "played": moves[ply],
                "reply": moves[ply + 1] if ply + 1 < len(moves) else NO_REPLY,
                "game": index,
                "ply": ply,
                "plies_left": len(moves) - ply,
                "full_search": int(random.random() < 0.75),
                "proven": UNPROVEN,
                "weight": 1.0,
            }
            for name, value in row.items():
                out[name].append(value)
            out["visit_actions"] += actions
            out["visit_counts"] += visits
            out["policy_target"] += [v / sum(visits) for v in visits]
            out["visit_offsets"].append(len(out["visit_actions"]))
    return {name: np.array(values, np.dtype(COLUMNS[name][0])) for name, values in out.items()}


def header(size, games, first_id, seed, rule, rows):
    return {
        "format": "carozero-samples",
        "version": 1,
        "game": "gomoku",
        "rule": {"name": rule},
        "size": size,
        "planes": {"version": "gomoku-1", "names": list(PLANES)},
        "globals": list(GLOBALS),
        "model": "uniform",
        "model_sha256": "",
        "engine": {"version": "test", "commit": ""},
        "search": {"playouts": 100},
        "seed": seed,
        "rows": rows,
        "games": [
            {
                "id": first_id + i,
                "seed": seed * 1000 + first_id + i,
                "from": "",
                "moves": notation(size, moves),
                "result": "draw",
                "reason": "limit",
                "plies": len(moves),
            }
            for i, moves in enumerate(games)
        ],
    }


def write(directory, number, head, cols, listed=True):
    """Writes one shard and, if listed, its line of the manifest."""
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    packed = {
        name: {"dtype": COLUMNS[name][0], "shape": list(a.shape), "data": a.tobytes()}
        for name, a in cols.items()
    }
    data = msgpack.packb(head) + msgpack.packb(packed)
    data = zstandard.ZstdCompressor().compress(data)
    path = directory / f"shard-{number:06d}.msgpack.zst"
    path.write_bytes(data)
    if listed:
        entry = {
            "file": path.name,
            "rows": head["rows"],
            "games": len(head["games"]),
            "bytes": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
            "model_sha256": "",
            "created": f"2024-01-01T00:00:{number:02d}Z",
        }
        with open(directory / "manifest.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
    return path


def write_run(directory, size=7, shards=3, games=4, plies=10, seed=1, rule="caro"):
    """Writes a run directory of shards * games * plies rows."""
    random = np.random.default_rng(seed)
    for number in range(shards):
        played = [make_game(random, size, plies) for _ in range(games)]
        cols = columns(random, size, played)
        head = header(size, played, number * games, seed, rule, games * plies)
        write(directory, number, head, cols)
    return directory


def unpacked(path):
    """Returns the header and the packed columns of a shard."""
    with open(path, "rb") as file:
        stream = zstandard.ZstdDecompressor().stream_reader(file)
        unpacker = msgpack.Unpacker(stream, raw=False)
        return unpacker.unpack(), unpacker.unpack()


def repack(path, head, packed):
    """Writes a shard's two objects again, whatever they hold."""
    data = msgpack.packb(head) + msgpack.packb(packed)
    path.write_bytes(zstandard.ZstdCompressor().compress(data))
