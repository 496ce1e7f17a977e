"""Compares what `samples export` has written as npz with the run that it
comes from: read_export.py RUN NPZ. Needs msgpack, zstandard and numpy."""

import json
import pathlib
import sys

import msgpack
import numpy as np
import zstandard


def shard(path):
    with zstandard.ZstdDecompressor().stream_reader(path.open("rb")) as stream:
        header, columns = msgpack.Unpacker(stream, max_buffer_size=2**31 - 1)
    return header, {n: np.frombuffer(c["data"], c["dtype"]).reshape(c["shape"]) for n, c in columns.items()}


def same(want, path):
    got = np.load(path)
    assert set(got.files) == set(want), path
    for name, array in want.items():
        assert got[name].dtype == array.dtype and got[name].shape == array.shape, (path, name)
        assert np.array_equal(got[name], array), (path, name)


def main():
    run, bits = map(pathlib.Path, sys.argv[1:3])
    lines = [json.loads(line) for line in (run / "manifest.jsonl").read_text().splitlines()]
    index = json.loads((bits / "export.json").read_text())
    assert len(index["shards"]) == len(lines)
    for entry, packed in zip(lines, index["shards"]):
        header, array = shard(run / entry["file"])
        assert packed["source_sha256"] == entry["sha256"]
        same(array, bits / packed["rows"]["file"])
        games = [json.loads(line) for line in (bits / packed["games"]["file"]).read_text().splitlines()]
        keys = ("id", "seed", "from", "moves", "result", "reason", "plies")
        assert [[g[k] for k in keys] for g in games] == [[g[k] for k in keys] for g in header["games"]]
    print(f"{len(lines)} shards are the same arrays")


main()
