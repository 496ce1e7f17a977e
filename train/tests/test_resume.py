"""Runs that are killed, go on, and take up more data; their checkpoints."""

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from contextlib import suppress

import pytest
import shards
import torch

from carozero_train import checkpoint, process
from carozero_train.records import Journal
from carozero_train.config import OPTIONS, Config, from_plain
from carozero_train.errors import DataError, Interrupted, NonFinite
from carozero_train.trainer import Trainer
from training import assert_same, config, records


@pytest.mark.parametrize("workers, size", [(0, "b2c16"), (2, "b2c16"), (0, "line16")])
def test_resume_is_exact(runs, tmp_path, monkeypatch, workers, size):
    options = {"steps": 13, "workers": workers, "size": size, "save_every": 100, "soft_weight": 0.5, "future_weight": 0.5}
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
    for name in ("net", "average", "heads"):
        for key, tensor in whole[name].items():
            assert torch.equal(tensor, again[name][key]), f"{name} {key}"
    for key, state in whole["optimizer"].items():
        for name, value in state.items():
            same = torch.equal(value, again["optimizer"][key][name]) if value is not None else True
            assert same, f"optimizer {key} {name}"
    val = [[r for r in records(tmp_path / d) if r["kind"] == "val"] for d in ("whole", "part")]
    assert val[0][-1] == val[1][-1]


# The options of config() that flags can say.
PLAIN = (
    "size steps batch val_fraction shuffle_rows save_every val_every policy_rows"
    " precision memory_format threads"
).split()


def test_a_killed_run_goes_on(runs, tmp_path):
    """SIGKILL between two checkpoints, in a process of its own."""
    options = config(steps=24, size="b2c16", save_every=2, val_every=12)
    flags = [f"{OPTIONS[name].flag}={value}" for name, value in vars(options).items() if name in PLAIN]
    command = [sys.executable, "-m", "carozero_train", "train", "--out", str(tmp_path / "killed")]
    process = subprocess.Popen([*command, *map(str, runs), *flags])
    path = tmp_path / "killed" / "checkpoint.pt"
    while process.poll() is None and not path.exists():
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.01)
    process.kill()
    process.wait()
    (path.parent / "checkpoint.pt.1234abcd.tmp").write_text("half a checkpoint")
    Trainer.resume(path.parent, {}).run()
    Trainer.start(options, runs, tmp_path / "whole").run()
    assert_same(tmp_path / "killed", tmp_path / "whole")
    assert not list(path.parent.glob("checkpoint.pt.*"))


def grown(path, directories=(), **changes):
    trainer = Trainer.resume(path, changes, list(directories))
    return trainer, sum(ref.rows - ref.skip for ref in trainer.refs)


def test_a_directory_is_for_one_run_at_a_time(runs, tmp_path):
    out = tmp_path / "out"
    first = Trainer.start(config(steps=3), runs, out)
    with process.lock_directory(out):
        with pytest.raises(DataError, match=f"out is in use by process {os.getpid()}: wait"):
            first.run()
        assert [path.name for path in out.iterdir()] == ["lock"]
    first.run()
    with process.lock_directory(out), pytest.raises(DataError, match="in use"):
        Trainer.resume(out, {"steps": 6}).run()


def test_a_run_goes_on_with_more_data(runs, tmp_path):
    first = shards.write_run(tmp_path / "first", size=5, shards=2, seed=9)
    out = tmp_path / "out"
    Trainer.start(config(steps=9), [first], out).run()
    before = checkpoint.load(out / "checkpoint.pt")
    plain, rows = grown(out, steps=14)
    assert (rows, plain.data_version, plain.data_step) == (80, 0, 0)  # nothing is new

    manifest = (first / "manifest.jsonl").read_text()
    shards.write_run(tmp_path / "more", size=5, shards=3, seed=9)
    for name in ("shard-000002.msgpack.zst",):
        (first / name).write_bytes((tmp_path / "more" / name).read_bytes())
    line = (tmp_path / "more" / "manifest.jsonl").read_text().splitlines()[2]
    (first / "manifest.jsonl").write_text(manifest + line + "\n")
    assert sum(ref.rows for ref in Trainer.resume(out, {}).refs) == 80
    trainer, rows = grown(out, [runs[1]], steps=14)
    assert (rows, trainer.data_version, trainer.data_step, trainer.step) == (200, 1, 9, 9)
    assert trainer.provenance["rules"] == ["caro", "renju"]
    assert trainer.provenance["boards"] == [5, 7] and trainer.provenance["rows"] == 200
    for key, state in trainer.learner.optimizer.state_dict()["state"].items():
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


def test_options_of_older_checkpoints_are_understood():
    assert from_plain({"value_q": 0.4, "amp": "on", "steps": 3}) == Config(q_share=0.4, steps=3)


def test_a_file_that_is_no_checkpoint(tmp_path):
    for name, data in (("junk", b"junk"), ("empty", b"")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(DataError, match="no checkpoint") as err:
            checkpoint.load(tmp_path / name)
        assert "\n" not in str(err.value)
    torch.save({"x": 1}, tmp_path / "other")
    with pytest.raises(DataError, match="no checkpoint of this trainer"):
        checkpoint.load(tmp_path / "other")
    with pytest.raises(DataError, match="none: No such file"):
        checkpoint.load(tmp_path / "none")


def test_flipped_bits_of_a_checkpoint_are_seen(runs, tmp_path):
    path = tmp_path / "out" / "checkpoint.pt"
    Trainer.start(config(steps=2), runs, path.parent).run()
    data = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        parts = [archive.read(entry) for entry in archive.infolist() if "/data/" in entry.filename]
    for part in sorted(parts, key=len)[-4:]:
        at = data.index(part)
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(DataError, match=r"checkpoint.pt: a damaged checkpoint: .* its CRC-32$"):
            checkpoint.load(path)


def test_a_killed_run_measures_as_one_that_was_not(runs, tmp_path, monkeypatch):
    options = {"steps": 12, "log_every": 3, "save_every": 2, "val_every": 12}
    Trainer.start(config(**options), runs, tmp_path / "whole").run()
    killed = Trainer.start(config(**options), runs, tmp_path / "killed")
    step = killed.train_step

    def die_at_five(batch):
        if killed.step == 5:
            raise KeyboardInterrupt
        return step(batch)

    monkeypatch.setattr(killed, "train_step", die_at_five)
    with pytest.raises(KeyboardInterrupt):
        killed.run()
    assert checkpoint.load(tmp_path / "killed" / "checkpoint.pt")["step"] == 4
    Trainer.resume(tmp_path / "killed", {}).run()
    assert records(tmp_path / "killed") == records(tmp_path / "whole")


def test_a_full_disk_is_one_error(runs, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    for place, name in ((Journal, "write"), (process.os, "write")):
        with monkeypatch.context() as patch:
            patch.setattr(place, name, full)
            trainer = Trainer.start(config(steps=2), runs, tmp_path / "out")
            with pytest.raises(DataError, match="out: No space left"):
                trainer.run()


def test_no_digest_is_of_another_content(tmp_path, monkeypatch):
    """Killed between a file and its digest: the old digest would make the new file unusable."""
    path, write = tmp_path / "net.onnx", checkpoint.write_atomic
    checkpoint.write_with_digest(path, b"old")
    assert (tmp_path / "net.onnx.sha256").read_text() == hashlib.sha256(b"old").hexdigest() + "  net.onnx\n"

    def killed_behind_the_file(*arguments):
        write(*arguments)
        raise KeyboardInterrupt

    monkeypatch.setattr(checkpoint, "write_atomic", killed_behind_the_file)
    with pytest.raises(KeyboardInterrupt):
        checkpoint.write_with_digest(path, b"new")
    assert path.read_bytes() == b"new" and [p.name for p in tmp_path.iterdir()] == ["net.onnx"]


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
