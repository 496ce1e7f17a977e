"""A larger network's outputs in the targets, and metrics for TensorBoard."""

import sys
import types

import numpy as np
import pytest
import torch

from carozero.samples import shard
from carozero.samples.schema import GOMOKU, ONITAMA
from carozero_train import export, reader
from carozero_train.board import Board
from carozero_train.config import Config
from carozero_train.distill import Teacher
from carozero_train.errors import DataError, Usage
from carozero_train.networks import build
from carozero_train.trainer import Trainer


@pytest.fixture(scope="module")
def net(tmp_path_factory):
    path = tmp_path_factory.mktemp("teacher") / "net.onnx"
    export.export(build("b2c16", 5), path, ["caro"], [5, 7], {})
    return path


def test_a_missing_teacher_is_found_before_a_run_begins(runs, tmp_path):
    options = Config(size="b2c16", steps=1, batch=8, distill=str(tmp_path / "none.onnx"))
    with pytest.raises(DataError, match="no such file"):
        Trainer.start(options, runs, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_missing_tensorboard_leaves_the_metrics(runs, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    (tmp_path / "metrics.jsonl").write_text("{}\n")
    with pytest.raises(Usage, match="pip install tensorboard"):
        Trainer.start(Config(size="b2c16", steps=1, batch=8, tensorboard=True), runs, tmp_path).run()
    assert (tmp_path / "metrics.jsonl").read_text() == "{}\n"


def test_targets_are_mixed_with_the_teachers(runs, net):
    refs = shard.manifest(runs[0])
    options = Config(batch=8, val_fraction=0.0)
    plain = next(reader.loader(refs, options, 0, False))
    taught = next(reader.loader(refs, options, 0, False, Teacher(net, 0.25, GOMOKU).teach))
    with torch.no_grad():
        policy, value = build("b2c16", 5).eval()(plain["planes"].float(), plain["globals"])
    policy = np.where(plain["legal"] > 0, np.exp(policy.double()), 0)
    policy /= policy.sum(1, keepdims=True)
    value = np.exp(value.double().numpy())
    value /= value.sum(1, keepdims=True)
    for name, own in (("policy", policy), ("value", value)):
        np.testing.assert_allclose(taught[name], 0.75 * plain[name] + 0.25 * own, atol=1e-4)
    for name in plain:
        if name not in ("policy", "value"):
            assert torch.equal(plain[name], taught[name])


def test_a_run_learns_from_a_teacher(runs, net, tmp_path):
    pins = {"precision": "float32", "memory_format": "contiguous", "threads": 1}
    options = {"steps": 2, "batch": 16, "size": "b2c16", "val_fraction": 0.0}
    losses = []
    for name, share in (("own", 0.0), ("taught", 1.0)):
        config = Config(**options, **pins, distill=str(net), distill_share=share)
        losses.append(Trainer.start(config, runs, tmp_path / name).run()["policy_floor"])
    assert losses[1] > losses[0] + 0.5  # an untrained teacher spreads its policy


def test_a_teacher_of_another_game_is_refused(net):
    with pytest.raises(Usage, match="planes are gomoku-1, want onitama-2"):
        Teacher(net, 0.5, ONITAMA)


def test_tensorboard_gets_the_metrics(monkeypatch, tmp_path):
    written = []

    class Writer:
        def __init__(self, directory, purge_step):
            written.append((directory, purge_step))

        def add_scalar(self, name, value, step):
            written.append((name, value, step))

        def close(self):
            written.append("closed")

    monkeypatch.setitem(
        sys.modules, "torch.utils.tensorboard", types.SimpleNamespace(SummaryWriter=Writer)
    )
    board = Board(tmp_path, 6)
    board.write({"kind": "val", "step": 7, "loss": 0.5, "grad_norm": None})
    board.close()
    assert written == [(str(tmp_path), 7), ("loss/val", 0.5, 7), "closed"]


def test_tensorboard_is_named_where_it_lacks(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(Usage, match="pip install tensorboard"):
        Board(tmp_path, 0)
