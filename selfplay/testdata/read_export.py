"""Compares what `samples export` has written as npz, bits and bytes, with the run that
it comes from: read_export.py RUN NPZ UNPACKED. Needs msgpack, zstandard and numpy."""

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


def unpacked(header, array, entry):
    h, w = entry["height"], entry["width"]
    bits = np.unpackbits(array["planes"], axis=2)[:, :, : h * w]
    legal = np.unpackbits(array["legal"], axis=1)[:, : entry["actions"]]
    return {**array, "planes": bits.reshape(header["rows"], -1, h, w), "legal": legal}


def same(want, path):
    got = np.load(path)
    assert set(got.files) == set(want), path
    for name, array in want.items():
        assert got[name].dtype == array.dtype and got[name].shape == array.shape, (path, name)
        assert np.array_equal(got[name], array), (path, name)


def main():
    run, bits, whole = map(pathlib.Path, sys.argv[1:4])
    lines = [json.loads(line) for line in (run / "manifest.jsonl").read_text().splitlines()]
    index = [json.loads((folder / "export.json").read_text()) for folder in (bits, whole)]
    assert all(len(i["shards"]) == len(lines) for i in index)
    for entry, packed, plain in zip(lines, index[0]["shards"], index[1]["shards"]):
        header, array = shard(run / entry["file"])
        assert packed["source_sha256"] == plain["source_sha256"] == entry["sha256"]
        same(array, bits / packed["rows"]["file"])
        same(unpacked(header, array, plain), whole / plain["rows"]["file"])
        games = [json.loads(line) for line in (bits / packed["games"]["file"]).read_text().splitlines()]
        keys = ("id", "seed", "from", "moves", "result", "reason", "plies")
        assert [[g[k] for k in keys] for g in games] == [[g[k] for k in keys] for g in header["games"]]
    print(f"{len(lines)} shards are the same arrays")


main()
