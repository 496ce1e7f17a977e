"""What a good shard gives and what a bad one says."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
import shards

from carozero.errors import DataError
from carozero.samples import shard


def one_shard(tmp_path, change_header=None, change_columns=None):
    random = np.random.default_rng(3)
    games = [shards.make_game(random, 5, 6) for _ in range(2)]
    cols = shards.columns(random, 5, games)
    head = shards.header(5, games, 0, 9, "caro", 12)
    if change_header:
        change_header(head)
    if change_columns:
        change_columns(cols)
    shards.write(tmp_path, 0, head, cols)
    return shard.manifest(tmp_path)[0]


def test_columns_come_back_as_written(tmp_path):
    ref = one_shard(tmp_path)
    random = np.random.default_rng(3)
    games = [shards.make_game(random, 5, 6) for _ in range(2)]
    want = shards.columns(random, 5, games)
    data = shard.read(ref)
    assert data.rows == 12 and data.size == 5
    for name, array in want.items():
        np.testing.assert_array_equal(data.columns[name], array, err_msg=name)
    shard.check_sha256(ref)


HEADERS = {
    "format": ("format", "other", "format is 'other'"),
    "game": ("game", "chess", "game is 'chess'"),
    "rows": ("rows", 11, "rows is 11, want 12"),
    "size": ("size", 23, "size is 23, want 5..22"),
    "planes": ("planes", {"version": "gomoku-2", "names": []}, "planes.version is 'gomoku-2'"),
    "seed": ("seed", "1", "must be integers"),
    "games": ("games", [{}], "lacks or misuses 'id'"),
    "rule": ("rule", {}, "lacks or misuses 'name'"),
}


@pytest.mark.parametrize("case", HEADERS)
def test_bad_headers(tmp_path, case):
    key, value, text = HEADERS[case]
    ref = replace(one_shard(tmp_path, lambda head: head.update({key: value})), rows=12)
    with pytest.raises(DataError, match=text) as err:
        shard.read(ref)
    assert "shard-000000" in str(err.value) and "\n" not in str(err.value)


def set_column(name, index, value):
    def change(cols):
        cols[name][index] = value

    return change


COLUMNS = {
    "missing": (lambda c: c.pop("weight"), "column weight is missing"),
    "shape": (lambda c: c.update(outcome=c["outcome"][:-1]), r"column outcome is \|?i1 \[11\]"),
    "visits": (lambda c: c.update(visit_counts=c["visit_counts"][:-1]), "column visit_counts"),
    "span": (set_column("visit_offsets", -1, 3), "visit_offsets do not span"),
    "falls": (set_column("visit_offsets", 4, 40), "visit_offsets fall"),
    "action": (set_column("visit_actions", 2, 25), "visit action is off the board"),
    "game": (set_column("game", 5, 2), "game index is out of range"),
    "outcome": (set_column("outcome", 1, -128), "outcome is not"),
    "nan": (set_column("policy_target", 1, np.nan), "policy_target has a value that is not"),
    "infinite": (set_column("root_q", 1, np.inf), "root_q has a value that is not finite"),
    "negative": (set_column("weight", 1, -1), "weight has a negative"),
    "heavy": (set_column("weight", 1, 1025), "a weight is more than 1024"),
    "reply": (set_column("reply", 2, 25), "a reply is off the board"),
    "played": (set_column("played", 2, 25), "an action played is off the board"),
    "proven": (set_column("proven", 2, 3), "proven is not"),
    "legal": (set_column("legal", 3, 0), "a visit action is not legal"),
    "twice": (lambda c: c["visit_actions"].__setitem__(1, c["visit_actions"][0]), "visit actions do not ascend"),
}


@pytest.mark.parametrize("case", COLUMNS)
def test_bad_columns(tmp_path, case):
    change, text = COLUMNS[case]
    ref = one_shard(tmp_path, change_columns=change)
    with pytest.raises(DataError, match=text):
        shard.read(ref)


def test_any_damaged_byte_is_found(tmp_path):
    ref = one_shard(tmp_path)
    path = tmp_path / "shard-000000.msgpack.zst"
    good = path.read_bytes()
    for cut in range(0, len(good), 97):
        path.write_bytes(good[:cut])
        with pytest.raises(DataError, match="corrupted"):
            shard.read(ref)
    for at in range(0, len(good), 101):
        path.write_bytes(good[:at] + bytes([good[at] ^ 0x40]) + good[at + 1 :])
        with pytest.raises(DataError, match="sha256"):
            shard.check_sha256(ref)
        try:  # what the checksum would find must at least not crash the reader
            shard.read(ref)
        except DataError as err:
            assert "\n" not in str(err)


def test_manifest_decides(tmp_path):
    shards.write_run(tmp_path, shards=3)
    lines = (tmp_path / "manifest.jsonl").read_text().splitlines()
    (tmp_path / "manifest.jsonl").write_text(lines[0] + "\n" + lines[2] + "\n" + lines[1][:40])
    refs = shard.manifest(tmp_path)
    assert [re.search(r"shard-\d+", r.path)[0] for r in refs] == ["shard-000000", "shard-000002"]
    entry = {**json.loads(lines[0]), "file": "../x"}
    (tmp_path / "manifest.jsonl").write_text(json.dumps(entry) + "\n")
    with pytest.raises(DataError, match="line 1: want a plain file name"):
        shard.manifest(tmp_path)
    (tmp_path / "manifest.jsonl").write_text("{}\n")
    with pytest.raises(DataError, match="line 1: no manifest entry"):
        shard.manifest(tmp_path)
    with pytest.raises(DataError, match="not found; want a directory"):
        shard.manifest(tmp_path / "none")


def test_a_shard_is_listed_once(tmp_path):
    """As the program has it: a second line would count its rows twice."""
    path = shards.write_run(tmp_path, shards=2) / "manifest.jsonl"
    path.write_text(path.read_text() + path.read_text().splitlines()[0] + "\n")
    with pytest.raises(DataError, match="a shard is listed twice"):
        shard.manifest(tmp_path)


def test_newest_rows():
    refs = [shard.Ref(f"s{i}", 10, "", f"t{i}") for i in (2, 0, 1)]
    assert [r.path for r in shard.newest(refs, 0)] == ["s0", "s1", "s2"]
    kept = shard.newest(refs, 14)
    assert [(r.path, r.skip) for r in kept] == [("s1", 6), ("s2", 0)]
    assert [r.path for r in shard.newest(refs, 10)] == ["s2"]
    assert sum(r.rows - r.skip for r in shard.newest(refs, 99)) == 30
