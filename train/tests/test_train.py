"""Whole runs on tiny data: learning, resuming, refusing."""

import json
import shutil
import subprocess
import sys
from contextlib import suppress

import numpy as np
import pytest
import shards
import torch

from carozero_train import checkpoint, metrics, optim
from carozero_train.budget import Budget
from carozero_train.config import Config, flag, from_plain
from carozero_train.data import window_rows
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
        Trainer.start(config(window=10, window_power=0.0), runs, tmp_path / "out")
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
        budget = Budget(Config(steps=100, warmup=10))
        return [
            optim.rate(name, budget.warm(step), budget.progress(step), 0.05) for step in range(100)
        ]

    for name in optim.SCHEDULES:
        assert rates(name)[:10] == pytest.approx([(i + 1) / 10 for i in range(10)])
    cosine, linear = rates("cosine"), rates("linear")
    assert cosine[10] == 1 and cosine[55] == pytest.approx(0.525)
    assert all(a > b for a, b in zip(cosine[10:], cosine[11:])) and 0.05 < cosine[99] < 0.06
    assert linear[10] == 1 and linear[55] == pytest.approx(0.525)
    assert linear[10] - linear[11] == pytest.approx(linear[98] - linear[99])
    step = rates("step")
    assert (step[54], step[55], step[99]) == (1.0, 0.1, 0.01)
    assert rates("constant")[99] == 1


def test_a_budget_of_minutes_counts_interruptions_out():
    now = [1000.0]
    budget = Budget(Config(minutes=10.0), 0.0, lambda: now[0])
    budget.begin()
    assert (budget.warm(0), budget.progress(0)) == (1 / 200, 0)
    assert budget.warm(199) == 1 and not budget.over(10**6)
    now[0] += 240
    assert budget.warm(0) == 1 and budget.progress(3) == pytest.approx(0.4)
    later = Budget(Config(minutes=10.0), budget.seconds, lambda: now[0])
    now[0] += 5000  # between two processes
    later.begin()
    assert later.progress(3) == pytest.approx(0.4)
    now[0] += 359
    assert not later.over(3)
    now[0] += 1
    assert later.over(3) and later.progress(3) == 1
    assert later.left(3) == "step 3, minute 10.0 of 10"


def test_samples_become_steps(runs, tmp_path):
    trainer = Trainer.start(config(steps=0, samples=100), runs, tmp_path / "out")
    assert (trainer.config.steps, trainer.config.samples) == (7, 0)


@pytest.mark.parametrize("reads", range(30, 37))
def test_minutes_end_a_run(runs, tmp_path, reads):
    """Time is up wherever in a step the clock is read."""
    options = config(steps=0, minutes=reads / 30, size="b2c16")
    trainer = Trainer.start(options, runs, tmp_path)
    ticks = iter(range(0, 10**6, 2))  # the clock goes on 2 s each time it is read
    trainer.budget.clock = lambda: next(ticks)
    result = trainer.run()
    state = checkpoint.load(tmp_path / "checkpoint.pt")
    assert result["kind"] == "val" and state["seconds"] >= 60
    assert result["step"] == state["step"] == trainer.step
    assert 0 < state["step"] < 30
    lrs = [r["lr"] for r in records(tmp_path) if r["kind"] == "train"]
    assert lrs[-1] < 0.5 * max(lrs)
    assert Trainer.resume(tmp_path, {}).budget.over(state["step"])
    assert not Trainer.resume(tmp_path, {"minutes": 5.0}).budget.over(state["step"])
    assert Trainer.resume(tmp_path, {"steps": 50}).config.minutes == 0


def test_a_signal_while_validating_ends_the_next_step(runs, tmp_path, monkeypatch):
    trainer = Trainer.start(config(steps=9), runs, tmp_path)
    evaluate = trainer.evaluate

    def interrupted(*arguments):
        trainer.stop = True
        return evaluate(*arguments)

    monkeypatch.setattr(trainer, "evaluate", interrupted)
    with pytest.raises(Interrupted, match="step 4 of 9"):
        trainer.run()
    assert checkpoint.load(tmp_path / "checkpoint.pt")["step"] == 4


def weights(out):
    state = checkpoint.load(out / "checkpoint.pt")
    return state["step"], {**state["net"], **{"average " + k: v for k, v in state["average"].items()}}


def assert_same(a, b):
    (step, one), (other_step, other) = weights(a), weights(b)
    assert step == other_step
    for name, tensor in one.items():
        assert torch.equal(tensor, other[name]), name


# The options of config() that flags can say.
PLAIN = (
    "size steps batch val_fraction shuffle_rows save_every val_every policy_rows"
    " precision memory_format threads"
).split()


def test_a_killed_run_goes_on(runs, tmp_path):
    """SIGKILL between two checkpoints, in a process of its own."""
    options = config(steps=24, size="b2c16", save_every=2, val_every=12)
    flags = [f"{flag(name)}={value}" for name, value in vars(options).items() if name in PLAIN]
    command = [sys.executable, "-m", "carozero_train", "train", "--out", str(tmp_path / "killed")]
    process = subprocess.Popen([*command, *map(str, runs), *flags])
    path = tmp_path / "killed" / "checkpoint.pt"
    while process.poll() is None and not path.exists():
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.01)
    process.kill()
    process.wait()
    (path.parent / "checkpoint.pt.torn").write_text("half a checkpoint")
    Trainer.resume(path.parent, {}).run()
    Trainer.start(options, runs, tmp_path / "whole").run()
    assert_same(tmp_path / "killed", tmp_path / "whole")
    assert not list(path.parent.glob("checkpoint.pt.*"))


def grown(path, directories=(), **changes):
    trainer = Trainer.resume(path, changes, list(directories))
    return trainer, sum(ref.rows - ref.skip for ref in trainer.refs)


def test_a_run_goes_on_with_more_data(runs, tmp_path):
    first = shards.write_run(tmp_path / "first", size=5, shards=2, seed=9)
    out = tmp_path / "out"
    Trainer.start(config(steps=9), [first], out).run()
    before = checkpoint.load(out / "checkpoint.pt")
    plain, rows = grown(out, steps=14)
    assert (rows, plain.segment, plain.data_step) == (80, 0, 0)  # nothing is new

    manifest = (first / "manifest.jsonl").read_text()
    shards.write_run(tmp_path / "more", size=5, shards=3, seed=9)
    for name in ("shard-000002.msgpack.zst",):
        (first / name).write_bytes((tmp_path / "more" / name).read_bytes())
    line = (tmp_path / "more" / "manifest.jsonl").read_text().splitlines()[2]
    (first / "manifest.jsonl").write_text(manifest + line + "\n")
    assert sum(ref.rows for ref in Trainer.resume(out, {}).refs) == 80
    trainer, rows = grown(out, [runs[1]], steps=14)
    assert (rows, trainer.segment, trainer.data_step, trainer.step) == (200, 1, 9, 9)
    assert trainer.provenance["rules"] == ["caro", "renju"]
    assert trainer.provenance["boards"] == [5, 7] and trainer.provenance["rows"] == 200
    for key, state in trainer.optimizer.state_dict()["state"].items():
        assert torch.equal(state["exp_avg"], before["optimizer"][key]["exp_avg"])
    trainer.run()

    # A run that grew and is then interrupted ends as one that is not.
    again = tmp_path / "again"
    shutil.copytree(out, again)
    checkpoint.save(again / "checkpoint.pt", *split(before))
    part, _ = grown(again, [runs[1]], steps=14)
    step = part.train_step

    def stop_after_eleven(batch):
        part.stop = part.step == 10
        return step(batch)

    part.train_step = stop_after_eleven
    with pytest.raises(Interrupted):
        part.run()
    Trainer.resume(again, {}).run()
    assert_same(out, again)


def split(state):
    """The plain values and the tensors of a loaded checkpoint."""
    tensors = {name: state[name] for name in ("net", "average", "optimizer", "rng", "heads")}
    plain = {k: v for k, v in state.items() if k not in tensors and k not in ("format", "version")}
    return plain, tensors


def test_the_window_grows_slower_than_the_data():
    assert window_rows(90, 100, 0.65) == 90 and window_rows(90, 0, 0.65) == 90
    assert window_rows(100, 100, 0.65) == 100
    rows = np.array([1e5, 2e5, 8e5, 6.4e6])
    windows = [window_rows(int(n), 50_000, 0.65) for n in rows]
    slope = np.diff(np.log(windows)) / np.diff(np.log(rows))
    np.testing.assert_allclose(slope, 0.65, atol=1e-3)
    assert window_rows(10**6, 50_000, 0.0) == 50_000


def test_the_average_forgets_the_start_and_then_lags():
    net = torch.nn.BatchNorm1d(1)
    torch.nn.init.constant_(net.weight, 0.0)
    average = optim.average(net, 0.99)
    average.update_parameters(net)
    torch.nn.init.constant_(net.weight, 1.0)
    net.running_mean.fill_(1.0)
    net.num_batches_tracked.fill_(7)
    for _ in range(50):
        average.update_parameters(net)
    expected = 1.0
    for t in range(1, 51):
        expected *= min(0.99, (1 + t) / (10 + t))
    for mean in (average.module.weight, average.module.running_mean):
        assert mean.item() == pytest.approx(1 - expected, abs=1e-5)
    assert average.module.num_batches_tracked == 7


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


def test_options_of_older_checkpoints_are_understood():
    assert from_plain({"value_q": 0.4, "amp": "on", "steps": 3}) == Config(q_share=0.4, steps=3)
