"""Targets that only training has: recomputed one by one, and their gradients."""

from dataclasses import replace

import numpy as np
import pytest
import shards
import torch

from carozero.samples import rows, shard
from carozero.samples.schema import UNPROVEN
from carozero_train import auxiliary, export, metrics
from carozero_train.auxiliary import HEADS, Auxiliary
from carozero_train.cli import main
from carozero_train.config import Config
from carozero_train.networks import build
from carozero_train.trainer import Trainer

WEIGHTS = {"soft": 8.0, "future": 0.25}


@pytest.fixture
def data(tmp_path):
    """A shard whose games lack some rows and have proven ones."""
    shards.write_run(tmp_path, size=5, shards=1, games=6, plies=18)
    whole = shard.read(shard.manifest(tmp_path)[0])
    random = np.random.default_rng(1)
    columns = dict(whole.columns)
    columns["root_q"] = random.uniform(-1, 1, whole.rows).astype(np.float32)
    columns["proven"] = random.choice([-1, 0, 1, UNPROVEN, UNPROVEN], whole.rows).astype(np.int8)
    kept = random.random(whole.rows) < 0.7
    offsets = columns["visit_offsets"].astype(int)
    visits = rows.visit_indices(offsets[:-1][kept], np.diff(offsets)[kept])
    for name, array in columns.items():
        if name == "visit_offsets":
            counts = np.diff(offsets)[kept]
            columns[name] = np.concatenate([[0], np.cumsum(counts)]).astype(np.uint32)
        elif name in ("visit_actions", "visit_counts", "policy_target"):
            columns[name] = array[visits]
        else:
            columns[name] = array[kept]
    return shard.Shard("x", {**whole.header, "rows": int(kept.sum())}, columns)


def test_values_ahead_are_those_of_later_rows(data):
    c = data.columns
    part = rows.from_shard(data, np.arange(data.rows), 0, "target")
    seen = set()
    for i in range(data.rows):
        for k, plies in enumerate((4, 12)):
            want = float(c["outcome"][i])
            for j in sorted(range(data.rows), key=lambda j: c["ply"][j], reverse=True):
                if c["game"][j] == c["game"][i] and c["ply"][j] >= c["ply"][i] + plies:
                    q = c["proven"][j] if c["proven"][j] != UNPROVEN else c["root_q"][j]
                    odd = (int(c["ply"][j]) - int(c["ply"][i])) % 2
                    want = -float(q) if odd else float(q)
                    seen.add(odd)
            assert part.future[i, k] == pytest.approx(want)
    assert seen == {0, 1}


def tensors(data):
    part = rows.from_shard(data, np.arange(data.rows), 0, "target")
    arrays = rows.batch(part, np.zeros(data.rows, int), 0.3, "full")
    out = {name: torch.from_numpy(array) for name, array in arrays.items()}
    return {**out, "planes": out["planes"].float()}


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def test_losses_are_those_of_numpy(data):
    batch = tensors(data)
    torch.manual_seed(1)
    net = build("b2c16", 1)
    heads = Auxiliary(net, WEIGHTS)
    with torch.no_grad():
        features = net.features(batch["planes"], batch["globals"])
        outputs = heads(features)
    assert tuple(outputs) == HEADS
    out = {name: value.double().numpy() for name, value in outputs.items()}
    b = {name: value.double().numpy() for name, value in batch.items()}
    target = np.where(b["policy"] > 0, b["policy"] ** 0.25, 0)
    target /= target.sum(1, keepdims=True)
    logs = np.log(softmax(np.where(b["legal"] > 0, out["soft"], -np.inf)) + 1e-300)
    soft = -(target * logs).sum(1)[b["policy_weight"] > 0].mean()
    won, share = 1 / (1 + np.exp(-out["future"])), (1 + b["future"]) / 2
    future = -(share * np.log(won) + (1 - share) * np.log(1 - won)).mean()
    want = 8 * soft + 0.25 * future
    assert heads.loss(outputs, batch).item() == pytest.approx(want, rel=1e-5)


def test_the_metrics_judge_by_the_outcome(data):
    batch = tensors(data)
    value = torch.randn(data.rows, 3, generator=torch.Generator().manual_seed(1))
    policy = torch.zeros_like(batch["policy"])
    numbers = metrics.summary(metrics.losses(policy, value, batch)[1])
    shares, truth = softmax(value.double().numpy()), np.eye(3)[1 - data.columns["outcome"]]
    assert numbers["outcome_loss"] == pytest.approx(-np.log((shares * truth).sum(1)).mean(), rel=1e-5)
    assert numbers["brier"] == pytest.approx(((shares - truth) ** 2).sum(1).mean(), rel=1e-5)


def test_a_net_trained_with_all_heads_is_exported_without(runs, tmp_path):
    out, net = tmp_path / "out", tmp_path / "net.onnx"
    options = {f"{name}_weight": weight for name, weight in WEIGHTS.items()}
    pins = {"precision": "float32", "memory_format": "contiguous", "threads": 1}
    config = Config(size="b2c16", steps=3, batch=16, **options, **pins)
    first = Trainer.start(config, runs, out)
    first.run()
    trained = Trainer.resume(out, {"steps": 4})
    for name, tensor in first.learner.heads.state_dict().items():
        assert torch.equal(tensor, trained.learner.heads.state_dict()[name])
    trained.run()
    assert main(["export", str(out / "checkpoint.pt"), "--out", str(net)]) == 0
    session = export.session(net)
    assert [o.name for o in session.get_outputs()] == ["policy", "value"]
    child = Trainer.start(replace(config, steps=3), runs, tmp_path / "c", out / "checkpoint.pt")
    assert torch.equal(child.learner.heads.policy.weight, trained.learner.heads.policy.weight)
