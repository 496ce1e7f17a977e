"""Targets that only training has: recomputed one by one, and their gradients."""

from dataclasses import replace

import numpy as np
import pytest
import shards
import torch

from carozero.samples import rows, shard, symmetry
from carozero.samples.schema import NO_REPLY, UNPROVEN
from carozero_train import auxiliary, checkpoint, export, metrics
from carozero_train.auxiliary import HEADS, Auxiliary
from carozero_train.cli import main
from carozero_train.config import Config
from carozero_train.networks import build
from carozero_train.trainer import Trainer

WEIGHTS = {"soft": 8.0, "reply": 0.5, "future": 0.25, "left": 2.0, "error": 0.75, "optimistic": 3.0}


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
    visits = rows.ragged(offsets[:-1][kept], np.diff(offsets)[kept])
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


def test_replies_move_with_the_board(data):
    n = data.rows
    part = rows.from_shard(data, np.arange(n), 0, "target")
    for s in range(8):
        got = rows.batch(part, np.full(n, s), 0.0, "all")
        for i, reply in enumerate(data.columns["reply"]):
            want = -1 if reply == NO_REPLY else symmetry.transform(5, s, int(reply))
            assert got["reply"][i] == want
        np.testing.assert_array_equal(got["left"], data.columns["plies_left"])
    assert (got["reply"] == -1).any() and (got["reply"] >= 0).any()


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
    heads.error.bias.data.fill_(-4.6)  # errors on both sides of the least that counts
    with torch.no_grad():
        features = net.features(batch["planes"], batch["globals"])
        outputs, values = heads(features), 3 * net.outputs(features)[1]
    assert tuple(outputs) == HEADS
    out = {name: value.double().numpy() for name, value in outputs.items()}
    b = {name: value.double().numpy() for name, value in batch.items()}
    target = np.where(b["policy"] > 0, b["policy"] ** 0.25, 0)
    target /= target.sum(1, keepdims=True)
    logs = np.log(softmax(np.where(b["legal"] > 0, out["soft"], -np.inf)) + 1e-300)
    soft = -(target * logs).sum(1)[b["policy_weight"] > 0].mean()
    known = np.flatnonzero(b["reply"] >= 0)
    reply = -np.log(softmax(out["reply"])[known, b["reply"][known].astype(int)]).mean()
    won, share = 1 / (1 + np.exp(-out["future"])), (1 + b["future"]) / 2
    future = -(share * np.log(won) + (1 - share) * np.log(1 - won)).mean()
    off = np.abs(out["left"] - np.log(1 + b["left"]))
    left = np.where(off < 1, off**2 / 2, off - 0.5).mean()
    won, _, lost = softmax(values.double().numpy()).T
    surprise = b["future"][:, 0] - (won - lost)
    error = ((out["error"] - surprise**2) ** 2).mean()
    z = surprise / np.sqrt(np.maximum(out["error"], 0.01))
    weight = b["policy_weight"] / (1 + np.exp(-3 * (z - 1.5)))
    assert weight.max() > 0.5 and weight.min() < 0.01
    assert out["error"].min() < 0.01 < out["error"].max()
    logs = np.log(softmax(np.where(b["legal"] > 0, out["optimistic"], -np.inf)) + 1e-300)
    optimistic = -(weight * (b["policy"] * logs).sum(1)).sum() / b["policy_weight"].sum()
    want = 8 * soft + 0.5 * reply + 0.25 * future + 2 * left + 0.75 * error + 3 * optimistic
    assert heads.loss(outputs, batch, values).item() == pytest.approx(want, rel=1e-5)


@pytest.mark.parametrize("optimistic", (0.0, 3.0))
def test_gradients_are_finite_differences(data, optimistic):
    """The error and what the net's own value says are no functions of the weights for the
    optimistic policy: beside it only weights behind them are moved."""
    batch = {k: v.double() if v.is_floating_point() else v for k, v in tensors(data).items()}
    net = build("b2c16", 1).double().eval()
    heads = Auxiliary(net, {**WEIGHTS, "optimistic": optimistic}).double()
    with torch.no_grad():
        judged = net(batch["planes"], batch["globals"])[1]

    def loss():
        features = net.features(batch["planes"], batch["globals"])
        main, _ = metrics.losses(*net.outputs(features), batch, 1.0)
        return main.double() + heads.loss(heads(features), batch, judged).double()

    loss().backward()
    moved = [(heads.policy.weight, (1, 2, 0, 0))]
    if optimistic:
        moved += [(heads.optimistic.weight, (0, place, 0, 0)) for place in range(3)]
    else:
        moved += [(net.stem.conv.weight, (3, 1, 1, 1)), (heads.error.weight, (0, 5))]
    steepest = 0.0
    for weight, place in moved:
        step = 1e-2  # the heads' losses are computed in float32
        with torch.no_grad():
            weight[place] += step
            above = loss().item()
            weight[place] -= 2 * step
            below = loss().item()
            weight[place] += step
        slope = (above - below) / (2 * step)
        assert slope == pytest.approx(weight.grad[place].item(), rel=0.02, abs=2e-3)
        steepest = max(steepest, abs(slope))
    assert steepest > 1e-2


def test_the_heads_teach_nothing_to_what_they_are_judged_by(data):
    batch = tensors(data)
    net = build("b2c16", 1)
    heads = Auxiliary(net, {"error": 1.0, "optimistic": 1.0})
    features = net.features(batch["planes"], batch["globals"])
    heads.loss(heads(features), batch, net.outputs(features)[1]).backward()
    assert net.value_out.weight.grad is None and net.policy_out.weight.grad is None
    assert net.stem.conv.weight.grad.abs().sum() > 0
    alone = heads.error.weight.grad.clone()
    heads.zero_grad()
    features = net.features(batch["planes"], batch["globals"])
    heads.weights["optimistic"] = 0.0
    heads.loss(heads(features), batch, net.outputs(features)[1]).backward()
    assert torch.equal(heads.error.weight.grad, alone)


@pytest.mark.parametrize("size", ("b2c16", "line16"))
def test_an_export_mixes_the_optimistic_policy(runs, tmp_path, size, capsys):
    """The logits of a share are that mean of the policies', which the heads' own layer
    and the file of none of it give."""
    pins = {"precision": "float32", "memory_format": "contiguous", "threads": 1}
    config = Config(size=size, steps=3, batch=16, error_weight=1.0, optimistic_weight=1.0, **pins)
    trained = Trainer.start(config, runs, tmp_path / "out")
    trained.run()
    whole, weights = str(tmp_path / "out" / "checkpoint.pt"), str(tmp_path / "w.pt")
    assert main(["export", whole, "--average", "--out", weights]) == 0
    learner = trained.learner
    planes, scalars = map(torch.from_numpy, export.inputs(np.random.default_rng(1), 2, 9))
    scalars = scalars.round()
    average = learner.average.module.eval()
    with torch.no_grad():
        features = average.features(planes, scalars)
        own, _ = average.outputs(features)
        optimistic = learner.heads(features)["optimistic"]
    assert (own - optimistic).abs().max() > 0.01
    for source, flags in ((whole, ["--average"]), (weights, [])):
        for share in (0.0, 0.25, 1.0):
            path = tmp_path / f"{share}.onnx"
            assert main(["export", source, *flags, "--optimism", str(share), "--out", str(path)]) == 0
            inputs = {"planes": planes.numpy(), "globals": scalars.numpy()}
            got = export.session(path).run(["policy"], inputs)[0]
            want = (own + share * (optimistic - own)).numpy()
            np.testing.assert_allclose(got, want, atol=1e-3)
    capsys.readouterr()
    for source, out, flag, told in (
        (whole, "a.onnx", "1.5", "--optimism 1.5: want 0..1"),
        (whole, "a.onnx", "nan", "--optimism nan: want 0..1"),
        (whole, "a.pt", "0.5", "keeps both policies apart"),
    ):
        assert main(["export", source, "--optimism", flag, "--out", str(tmp_path / out)]) == 2
        assert told in capsys.readouterr().err
    assert main(["train", str(runs[0]), "--steps", "1", "--optimistic-weight", "1", "--out", str(tmp_path / "b")]) == 2
    assert "--optimistic-weight 1: want --error-weight above 0 too" in capsys.readouterr().err


@pytest.mark.parametrize("size", ("b2c16", "line16"))
def test_heads_alone_leave_the_net_as_it_is(runs, tmp_path, size, capsys):
    pins = {"precision": "float32", "memory_format": "contiguous", "threads": 1}
    options = {"size": size, "batch": 16, **pins}
    Trainer.start(Config(steps=3, **options), runs, tmp_path / "net").run()
    parent = tmp_path / "net" / "checkpoint.pt"
    heads = Config(steps=4, heads_only=True, lr=0.01, error_weight=1.0, optimistic_weight=1.0, **options)
    child = Trainer.start(heads, runs, tmp_path / "heads", parent)
    begun = {name: tensor.clone() for name, tensor in child.learner.heads.state_dict().items()}
    child.run()
    was, now = checkpoint.load(parent), checkpoint.load(tmp_path / "heads" / "checkpoint.pt")
    for part in ("net", "average"):
        for name, tensor in was["average"].items():
            assert torch.equal(now[part][name], tensor), (part, name)
    assert all(not torch.equal(now["heads"][name], tensor) for name, tensor in begun.items())
    capsys.readouterr()
    train = ["train", str(runs[0]), "--steps", "1", "--heads-only", "--out", str(tmp_path / "none")]
    assert main(train) == 2
    assert "--heads-only: want a weight above 0 of a further head: soft, reply" in capsys.readouterr().err


def test_a_net_without_an_optimistic_policy_has_none_to_mix(runs, tmp_path, capsys):
    Trainer.start(Config(size="b2c16", steps=1, batch=16), runs, tmp_path / "out").run()
    capsys.readouterr()
    path = tmp_path / "net.onnx"
    assert main(["export", str(tmp_path / "out" / "checkpoint.pt"), "--optimism", "0.5", "--out", str(path)]) == 2
    assert "has no such head: train with --optimistic-weight" in capsys.readouterr().err and not path.exists()


def test_the_metrics_judge_by_the_outcome(data):
    batch = tensors(data)
    value = torch.randn(data.rows, 3, generator=torch.Generator().manual_seed(1))
    policy = torch.zeros_like(batch["policy"])
    numbers = metrics.summary(metrics.losses(policy, value, batch, 1.0)[1], 1.0)
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
    export.check_model(net)
    child = Trainer.start(replace(config, steps=3), runs, tmp_path / "c", out / "checkpoint.pt")
    assert torch.equal(child.learner.heads.policy.weight, trained.learner.heads.policy.weight)


def test_no_weight_no_head():
    heads = Auxiliary(build("b2c16", 1), dict.fromkeys(HEADS, 0.0))
    assert not list(heads.parameters()) and heads((None, None)) == {}
    assert auxiliary.soften(torch.tensor([[0.0, 0.0]])).tolist() == [[0.0, 0.0]]
