"""Every row once an epoch, the same batches every time, the right targets."""

from collections import Counter
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
import shards
import torch

from carozero.samples import rows, shard, symmetry
from carozero.samples.schema import UNPROVEN
from carozero.samples.stream import Stream, in_validation, row_split
from carozero_train import reader
from carozero_train.config import Config
from carozero_train.errors import DataError

OPTIONS = Config(batch=10, val_fraction=0.0, shuffle_rows=60, symmetries=False)


def refs_of(runs):
    return [ref for run in runs for ref in shard.manifest(run)]


def take(refs, options, count, start=0):
    return list(islice(reader.loader(refs, options, start, False), count))


def fingerprints(batch):
    """A key of each row's content: planes and value target."""
    return [
        (planes.numpy().tobytes(), value.numpy().tobytes(), origin.item())
        for planes, value, origin in zip(batch["planes"], batch["value"], batch["origin"])
    ]


def all_rows(refs, options):
    out = Counter()
    for origin, ref in enumerate(refs):
        data = shard.read(ref)
        index = np.arange(ref.skip, data.rows)
        part = rows.from_shard(data, index, origin, options.policy_target)
        arrays = rows.batch(part, np.zeros(len(index), int), options.q_share, "all")
        tensors = {k: torch.from_numpy(v) for k, v in arrays.items()}
        out.update(fingerprints(tensors))
    return out


@pytest.mark.parametrize("workers", [0, 2])
def test_batches_repeat_and_resume_exactly(runs, workers):
    refs = refs_of(runs)
    options = replace(OPTIONS, workers=workers, symmetries=True, val_fraction=0.2)
    first = take(refs, options, 41)  # more than an epoch
    again = take(refs, options, 41)
    late = take(refs, options, 24, start=17)
    for want, got in list(zip(first, again)) + list(zip(first[17:], late)):
        assert want.keys() == got.keys()
        for name in want:
            assert torch.equal(want[name], got[name]), name
    other = take(refs, replace(options, seed=2), 41)
    assert [fingerprints(b) for b in other] != [fingerprints(b) for b in first]


def test_rows_are_shuffled(runs):
    refs = refs_of(runs[:1])
    stream = take(refs, replace(OPTIONS, batch=40, shuffle_rows=1000), 3)
    for batch in stream:
        assert len(set(batch["origin"].tolist())) == 3


def test_validation_games_are_whole_and_apart(runs, monkeypatch):
    refs = refs_of(runs)
    options = replace(OPTIONS, val_fraction=0.3)
    val = Counter()
    for batch in reader.validation(refs, options):
        val.update(fingerprints(batch))
    train = Counter()
    stream = Stream(refs, options, 0, 0)
    for origin, ref in enumerate(refs):
        data = shard.read(ref)
        left, right = row_split(data, 0, 0.3)
        games = data.columns["game"]
        assert not set(games[left]) & set(games[right])
        part = stream._load(origin, 0)[0]
        arrays = rows.batch(part, np.zeros(len(part), int), options.q_share, "all")
        train.update(fingerprints({k: torch.from_numpy(v) for k, v in arrays.items()}))
    assert train + val == all_rows(refs, options) and val and train
    share = in_validation(5, np.arange(20000), 0.3).mean()
    assert share == pytest.approx(0.3, abs=0.02)
    few = Counter()
    monkeypatch.setattr(reader, "VALIDATION_ROWS", 10)
    for batch in reader.validation(refs, options):
        few.update(fingerprints(batch))
    assert 0 < sum(few.values()) < sum(val.values()) and not few - val


def test_weights_repeat_rows(runs, tmp_path):
    data = shard.read(refs_of(runs)[0])
    weight = np.tile(np.array([0.0, 1.0, 2.0, 0.5], np.float32), 10)
    data.columns["weight"] = weight
    counts = np.zeros(40)
    epochs = 200
    stream = Stream([shard.Ref("x", 40, "", "")], OPTIONS, 0, 0)
    read, shard.read = shard.read, lambda ref: data
    try:
        index = np.arange(40, dtype=np.float32)
        data.columns["globals"] = index[:, None]  # a label for each row
        for epoch in range(epochs):
            np.add.at(counts, stream._load(0, epoch)[0].globals[:, 0].astype(int), 1)
    finally:
        shard.read = read
    np.testing.assert_array_equal(counts[weight == 0], 0)
    np.testing.assert_array_equal(counts[weight == 1], epochs)
    np.testing.assert_array_equal(counts[weight == 2], 2 * epochs)
    assert counts[weight == 0.5].mean() == pytest.approx(epochs / 2, rel=0.15)


def test_targets(runs):
    data = shard.read(refs_of(runs)[0])
    part = rows.from_shard(data, np.arange(40), 0, "target")
    plain = rows.batch(part, np.zeros(40, int), 0.0, "full")
    offsets, actions = data.columns["visit_offsets"], data.columns["visit_actions"]
    for i in range(40):
        visited = slice(offsets[i], offsets[i + 1])
        want = np.zeros(25, np.float32)
        want[actions[visited]] = data.columns["policy_target"][visited]
        np.testing.assert_allclose(plain["policy"][i], want, atol=1e-6)
    np.testing.assert_array_equal(plain["policy_weight"], data.columns["full_search"])
    np.testing.assert_array_equal(plain["value"].argmax(1), 1 - data.columns["outcome"])
    assert rows.batch(part, np.zeros(40, int), 0.0, "all")["policy_weight"].all()
    # Actions move with the planes.
    for s in range(8):
        moved = rows.batch(part, np.full(40, s), 0.0, "full")
        for name in ("policy", "legal"):
            want = symmetry.apply(plain[name], np.full(40, s), 5)
            np.testing.assert_array_equal(moved[name], want)
        flat = plain["planes"].reshape(40, 12, 25)
        want = symmetry.apply(flat, np.full(40, s), 5).reshape(40, 12, 5, 5)
        np.testing.assert_array_equal(moved["planes"], want)


def test_lost_rows_in_which_all_moves_count_alike_have_no_policy(runs):
    data = shard.read(refs_of(runs)[0])
    columns = {name: column.copy() for name, column in data.columns.items()}
    offsets = columns["visit_offsets"].astype(int)
    columns["full_search"][:] = 1
    # Rows 0 to 3: lost and alike, lost and not alike, won and alike, open and alike.
    for row, proven, alike in ((0, -1, True), (1, -1, False), (2, 1, True), (3, UNPROVEN, True)):
        columns["proven"][row] = proven
        visited = slice(offsets[row], offsets[row + 1])
        if alike:
            columns["policy_target"][visited] = 1 / (offsets[row + 1] - offsets[row])
    # Row 4: lost, and its only move has all of the target.
    keep = np.ones(offsets[-1], bool)
    keep[offsets[4] + 1 : offsets[5]] = False
    offsets[5:] -= (~keep).sum()
    for name in ("visit_actions", "visit_counts", "policy_target"):
        columns[name] = columns[name][keep]
    columns["visit_offsets"] = offsets.astype(np.uint32)
    columns["proven"][4], columns["policy_target"][offsets[4]] = -1, 1
    part = rows.from_shard(replace(data, columns=columns), np.arange(5), 0, "target")
    weights = rows.batch(part, np.zeros(5, int), 0.0, "full")["policy_weight"]
    np.testing.assert_array_equal(weights, [0, 1, 1, 1, 1])
    assert rows.batch(part, np.zeros(5, int), 0.0, "all")["policy_weight"].all()


def test_value_target_mixes_outcome_and_search():
    outcome, q = np.array([1, 0, -1], np.int8), np.array([0.5, 0.0, -2.0], np.float32)
    np.testing.assert_allclose(rows.value_target(outcome, q, 0.0), np.eye(3))
    np.testing.assert_allclose(rows.value_target(outcome, q, 0.5), [[0.875, 0, 0.125], [0.25, 0.5, 0.25], [0, 0, 1]])


@pytest.mark.parametrize("target", ["target", "visits"])
def test_rows_of_a_teacher_without_visits_keep_their_target(runs, target):
    data = shard.read(refs_of(runs)[0])
    want = rows.batch(rows.from_shard(data, np.arange(40), 0, "target"), np.zeros(40, int), 0, "all")
    zeros = np.zeros_like(data.columns["visit_counts"])
    silent = replace(data, columns={**data.columns, "visit_counts": zeros})
    part = rows.from_shard(silent, np.arange(40), 0, target)
    got = rows.batch(part, np.zeros(40, int), 0, "all")
    assert got["policy_weight"].all()
    np.testing.assert_allclose(got["policy"], want["policy"], atol=1e-6)


def test_forks_are_where_their_games_are(tmp_path):
    random = np.random.default_rng(3)
    played = [shards.make_game(random, 7, 6) for _ in range(40)]
    head = shards.header(7, played, 0, 1, "caro", 240)
    for game in head["games"][1::2]:
        game["fork"] = {"of": game["id"] - 1, "ply": 3}
    shards.write(tmp_path, 0, head, shards.columns(random, 7, played))
    data = shard.read(shard.manifest(tmp_path)[0])
    _, val = row_split(data, 0, 0.4)
    games = set(data.columns["game"][val].tolist())
    assert 0 < len(games) < 40
    assert games == {game ^ 1 for game in games}
    head["games"][1]["fork"] = {"ply": 3}
    shards.write(tmp_path / "bad", 0, head, shards.columns(random, 7, played))
    with pytest.raises(DataError, match="lacks or misuses"):
        shard.read(shard.manifest(tmp_path / "bad")[0])
