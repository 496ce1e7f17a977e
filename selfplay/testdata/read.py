"""Reads a run's shards by the sample format's page alone and checks what a
trainer relies on. Usage: read.py DIR"""
import hashlib
import json
import pathlib
import sys
import zlib

import msgpack
import numpy as np
import zstandard


def rows_of(columns, name, rows):
    """Yields the bytes of each row in one column."""
    c = columns[name]
    width = int(np.dtype(c["dtype"]).itemsize)
    offsets = array(columns, "visit_offsets").tolist()
    for i in range(rows):
        if name == "visit_offsets":
            lo, hi = i, i + 2
        elif name in ("visit_actions", "visit_counts", "policy_target"):
            lo, hi = offsets[i], offsets[i + 1]
        else:
            per = int(np.prod(c["shape"][1:], dtype=int))
            lo, hi = i * per, (i + 1) * per
        yield c["data"][lo * width:hi * width]


def array(columns, name):
    c = columns[name]
    return np.frombuffer(c["data"], c["dtype"]).reshape(c["shape"])


def read(path):
    with zstandard.ZstdDecompressor().stream_reader(path.open("rb")) as stream:
        header, columns = msgpack.Unpacker(stream, max_buffer_size=2**31 - 1)
    return header, columns


def check(path, entry):
    data = path.read_bytes()
    assert len(data) == entry["bytes"]
    assert hashlib.sha256(data).hexdigest() == entry["sha256"]
    header, columns = read(path)
    rows, size = header["rows"], header["size"]
    assert header["format"] == "carozero-samples" and header["version"] == 1
    assert (rows, len(header["games"])) == (entry["rows"], entry["games"])
    planes = np.unpackbits(array(columns, "planes"), axis=2)[:, :, :size * size]
    assert planes.shape == (rows, len(header["planes"]["names"]), size * size)
    assert array(columns, "globals").shape == (rows, len(header["globals"]))
    legal = np.unpackbits(array(columns, "legal"), axis=1)
    offsets = array(columns, "visit_offsets")
    actions, target = array(columns, "visit_actions"), array(columns, "policy_target")
    for i in range(rows):
        lo, hi = offsets[i], offsets[i + 1]
        assert legal[i, actions[lo:hi]].all()
        assert abs(target[lo:hi].sum() - 1) < 1e-4
        game = header["games"][array(columns, "game")[i]]
        assert array(columns, "ply")[i] + array(columns, "plies_left")[i] == game["plies"]
    sums = [0] * rows
    for name in columns:
        if name != "row_crc":
            sums = [zlib.crc32(b, s) for b, s in zip(rows_of(columns, name, rows), sums)]
    assert sums == array(columns, "row_crc").tolist()
    return rows


def main():
    run = pathlib.Path(sys.argv[1])
    lines = (run / "manifest.jsonl").read_text().splitlines()
    total = sum(check(run / e["file"], e) for e in map(json.loads, lines))
    print(f"{len(lines)} shards, {total} rows")


main()
