"""Whole runs on tiny data: learning, resuming, refusing."""

import json

import pytest
import shards
import torch

from carozero_train import checkpoint, metrics, optim
from carozero_train.config import Config
from carozero_train.errors import DataError, Interrupted, NonFinite, Usage
from carozero_train.trainer import Trainer


def config(**changes):
    options = {
        "steps": 6,
        "batch": 16,
        "val_fraction": 0.2,
        "shuffle_rows": 60,
        "log_every": 2,
        "save_every": 3,
        "val_every": 3,
        "policy_rows": "all",
        "precision": "float32",
        "memory_format": "channels_last",
        "threads": 1,
    }
    return Config(**{**options, **changes})


def records(out):
    """The metrics without what depends on the clock."""
    rows = metrics.read_journal(out / "metrics.jsonl")
    return [{k: v for k, v in row.items() if k != "samples_per_s"} for row in rows]


def test_learns_a_simple_rule(tmp_path):
    shards.write_run(tmp_path / "run", size=5, shards=2, games=24, plies=10)
    options = config(steps=120, batch=64, lr=4e-3, ema=0.9, log_every=20, save_every=120)
    Trainer.start(options, [tmp_path / "run"], tmp_path / "out").run()
    train = [r for r in records(tmp_path / "out") if r["kind"] == "train"]
    val = [r for r in records(tmp_path / "out") if r["kind"] == "val"][-1]
    first, last = train[0], train[-1]
    assert last["policy_loss"] - last["policy_floor"] < 0.3 * (
        first["policy_loss"] - first["policy_floor"]
    )
    assert last["value_loss"] < 0.8 * first["value_loss"]
    # The averaged weights know games that were not trained on.
    assert val["policy_loss"] - val["policy_floor"] < 0.3


@pytest.mark.parametrize("optimizer, workers", [("adamw", 0), ("sgd", 2)])
def test_resume_is_exact(runs, tmp_path, monkeypatch, optimizer, workers):
    options = {"steps": 13, "optimizer": optimizer, "workers": workers, "save_every": 100}
    Trainer.start(config(**options), runs, tmp_path / "whole").run()

    part = Trainer.start(config(**options), runs, tmp_path / "part")
    step = part.train_step

    def stop_after_seven(batch):
        part.stop = part.step == 6
        return step(batch)

    monkeypatch.setattr(part, "train_step", stop_after_seven)
    with pytest.raises(Interrupted, match="step 7 of 13"):
        part.run()
    Trainer.resume(tmp_path / "part", {}).run()

    whole = checkpoint.load(tmp_path / "whole" / "checkpoint.pt")
    again = checkpoint.load(tmp_path / "part" / "checkpoint.pt")
    assert whole["step"] == again["step"] == 13
    for name in ("net", "average"):
        for key, tensor in whole[name].items():
            assert torch.equal(tensor, again[name][key]), f"{name} {key}"
    for key, state in whole["optimizer"].items():
        for name, value in state.items():
            same = torch.equal(value, again["optimizer"][key][name]) if value is not None else True
            assert same, f"optimizer {key} {name}"
    val = [[r for r in records(tmp_path / d) if r["kind"] == "val"] for d in ("whole", "part")]
    assert val[0][-1] == val[1][-1]


def test_same_seed_same_net(runs, tmp_path):
    for name in "ab":
        Trainer.start(config(), runs, tmp_path / name).run()
    assert records(tmp_path / "a") == records(tmp_path / "b")


def test_next_generation_starts_from_the_last(runs, tmp_path):
    Trainer.start(config(), runs[:1], tmp_path / "one").run()
    first = checkpoint.load(tmp_path / "one" / "checkpoint.pt")
    trainer = Trainer.start(
        config(), runs[1:], tmp_path / "two", tmp_path / "one" / "checkpoint.pt"
    )
    for key, tensor in trainer.net.state_dict().items():
        assert torch.equal(tensor, first["average"][key])
    assert trainer.provenance["rules"] == ["caro", "renju"]
    assert trainer.provenance["boards"] == [5, 7]
    assert trainer.provenance["steps_before"] == 6
    with pytest.raises(Usage, match="b4c32 net; --size must match"):
        Trainer.start(
            config(size="b4c64"), runs, tmp_path / "x", tmp_path / "one" / "checkpoint.pt"
        )


def test_a_loss_that_is_not_finite_keeps_the_good_checkpoint(runs, tmp_path, monkeypatch):
    out = tmp_path / "out"
    trainer = Trainer.start(config(), runs[:1], out)
    step = trainer.train_step

    def spoil_the_fifth(batch):
        if trainer.step == 4:
            batch = {**batch, "globals": batch["globals"] * float("inf")}
        return step(batch)

    monkeypatch.setattr(trainer, "train_step", spoil_the_fifth)
    with pytest.raises(NonFinite, match=r"step 5: .* shard-0|step 5: .*shard-0"):
        trainer.run()
    state = checkpoint.load(out / "checkpoint.pt")
    assert state["step"] == 3
    assert all(torch.isfinite(t).all() for t in state["net"].values())
    assert [r["step"] for r in records(out)] == [2, 3, 4]
    Trainer.resume(out, {"steps": 4}).run()
    assert [r["step"] for r in records(out) if r["kind"] == "train"] == [2, 4]


def test_mixed_precision_trains_on_the_cpu(runs, tmp_path):
    result = Trainer.start(config(precision="bfloat16"), runs, tmp_path / "mixed").run()
    exact = Trainer.start(config(), runs, tmp_path / "exact").run()
    assert result["loss"] == pytest.approx(exact["loss"], rel=0.05)
    assert result["loss"] != exact["loss"]


def test_epochs_become_steps(runs, tmp_path):
    trainer = Trainer.start(config(steps=0, epochs=3, val_fraction=0.0), runs, tmp_path / "out")
    assert trainer.config.steps == 38  # 3 * 200 rows / 16


def test_data_errors(runs, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "manifest.jsonl").write_text("")
    with pytest.raises(DataError, match="no rows"):
        Trainer.start(config(), [tmp_path / "empty"], tmp_path / "out")
    with pytest.raises(DataError, match="fewer than a batch of 500"):
        Trainer.start(config(batch=500), runs, tmp_path / "out")
    with pytest.raises(DataError, match="fewer than a batch"):
        Trainer.start(config(window=10), runs, tmp_path / "out")
    damaged = shards.write_run(tmp_path / "damaged", size=5)
    victim = damaged / "shard-000001.msgpack.zst"
    data = victim.read_bytes()
    victim.write_bytes(data[: len(data) - 100])
    with pytest.raises(DataError, match="shard-000001.*sha256"):
        Trainer.start(config(check_sha256=True), [damaged], tmp_path / "out")
    for workers in (0, 1):
        options = config(workers=workers, val_fraction=0.0)
        with pytest.raises(DataError, match="shard-000001.*corrupted") as err:
            Trainer.start(options, [damaged], tmp_path / "o").run()
        assert "\n" not in str(err.value)


def test_a_file_that_is_no_checkpoint(tmp_path):
    for name, data in (("junk", b"junk"), ("empty", b"")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(DataError, match="no checkpoint") as err:
            checkpoint.load(tmp_path / name)
        assert "\n" not in str(err.value)
    torch.save({"x": 1}, tmp_path / "other")
    with pytest.raises(DataError, match="no checkpoint of this trainer"):
        checkpoint.load(tmp_path / "other")
    with pytest.raises(DataError, match="no such checkpoint"):
        checkpoint.load(tmp_path / "none")


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "file"
    checkpoint.write_atomic(path, b"old")

    def full(_handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(checkpoint.os, "fsync", full)
    with pytest.raises(DataError, match="No space left"):
        checkpoint.write_atomic(path, b"new")
    assert [p.name for p in tmp_path.iterdir()] == ["file"]
    assert path.read_bytes() == b"old"


def test_schedules():
    def rates(name):
        return [optim.rate(name, step, 100, 10, 0.05) for step in range(100)]

    for name in optim.SCHEDULES:
        assert rates(name)[:10] == pytest.approx([(i + 1) / 10 for i in range(10)])
    cosine = rates("cosine")
    assert cosine[10] == 1 and cosine[55] == pytest.approx(0.525)
    assert all(a > b for a, b in zip(cosine[10:], cosine[11:])) and 0.05 < cosine[99] < 0.06
    step = rates("step")
    assert (step[54], step[55], step[99]) == (1.0, 0.1, 0.01)
    assert rates("constant")[99] == 1


def test_the_average_forgets_the_start_and_then_lags():
    net = torch.nn.Linear(1, 1)
    torch.nn.init.constant_(net.weight, 0.0)
    average = optim.Average(net, 0.99)
    torch.nn.init.constant_(net.weight, 1.0)
    for _ in range(50):
        average.update(net)
    expected = 1.0
    for t in range(50):
        expected *= min(0.99, (1 + t) / (10 + t))
    assert average.net.weight.item() == pytest.approx(1 - expected, abs=1e-5)


def test_illegal_actions_have_no_share_in_the_loss():
    batch = {
        "legal": torch.tensor([[1, 1, 0]]),
        "policy": torch.tensor([[0.5, 0.5, 0.0]]),
        "policy_weight": torch.ones(1),
        "value": torch.tensor([[1.0, 0.0, 0.0]]),
        "outcome": torch.tensor([0]),
    }
    policy = torch.tensor([[2.0, 2.0, 50.0]])
    _, parts = metrics.losses(policy, torch.zeros(1, 3), batch, 1.0)
    numbers = metrics.summary(parts, 1.0)
    assert numbers["policy_loss"] == pytest.approx(0.6931, abs=1e-3)
    assert numbers["policy_floor"] == pytest.approx(0.6931, abs=1e-3)
    assert numbers["value_loss"] == pytest.approx(1.0986, abs=1e-3)
    assert json.dumps(numbers)
