"""Whole runs on tiny data: learning, resuming, refusing."""

import json

import pytest
import shards
import torch

from carozero_train import checkpoint, metrics
from carozero_train.errors import DataError
from carozero_train.learner import Average
from carozero_train.trainer import Trainer
from training import config, records


def test_learns_a_simple_rule(tmp_path):
    shards.write_run(tmp_path / "run", size=5, shards=2, games=24, plies=10)
    options = config(size="b4c32", steps=120, batch=64, lr=4e-3, ema=0.9, log_every=20, save_every=120)
    Trainer.start(options, [tmp_path / "run"], tmp_path / "out").run()
    train = [r for r in records(tmp_path / "out") if r["kind"] == "train"]
    val = [r for r in records(tmp_path / "out") if r["kind"] == "val"][-1]
    first, last = train[0], train[-1]
    assert last["policy_loss"] - last["policy_floor"] < 0.3 * (first["policy_loss"] - first["policy_floor"])
    assert last["value_loss"] < 0.8 * first["value_loss"]
    # The averaged weights know games that were not trained on.
    assert val["policy_loss"] - val["policy_floor"] < 0.3


def test_same_seed_same_net(runs, tmp_path):
    for name in "ab":
        Trainer.start(config(), runs, tmp_path / name).run()
    assert records(tmp_path / "a") == records(tmp_path / "b")


def test_next_generation_starts_from_the_last(runs, tmp_path):
    Trainer.start(config(), runs[:1], tmp_path / "one").run()
    first = checkpoint.load(tmp_path / "one" / "checkpoint.pt")
    trainer = Trainer.start(config(), runs[1:], tmp_path / "two", tmp_path / "one" / "checkpoint.pt")
    for key, tensor in trainer.learner.net.state_dict().items():
        assert torch.equal(tensor, first["average"][key])
    assert trainer.provenance["rules"] == ["caro", "renju"]
    assert trainer.provenance["boards"] == [5, 7]
    assert trainer.provenance["steps_before"] == 6



def test_mixed_precision_trains_on_the_cpu(runs, tmp_path):
    result = Trainer.start(config(precision="bfloat16"), runs, tmp_path / "mixed").run()
    exact = Trainer.start(config(), runs, tmp_path / "exact").run()
    assert result["loss"] == pytest.approx(exact["loss"], rel=0.05)
    assert result["loss"] != exact["loss"]


def test_data_errors(runs, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "manifest.jsonl").write_text("")
    with pytest.raises(DataError, match="no rows"):
        Trainer.start(config(), [tmp_path / "empty"], tmp_path / "out")
    with pytest.raises(DataError, match="fewer than a batch of 500"):
        Trainer.start(config(batch=500), runs, tmp_path / "out")
    with pytest.raises(DataError, match="fewer than a batch"):
        Trainer.start(config(window=1, batch=32), runs, tmp_path / "out")
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


def test_the_average_forgets_the_start_and_then_lags():
    net = torch.nn.BatchNorm1d(1)
    torch.nn.init.constant_(net.weight, 0.0)
    average = Average(net, 0.99)
    average.update(net)
    torch.nn.init.constant_(net.weight, 1.0)
    net.running_mean.fill_(1.0)
    net.num_batches_tracked.fill_(7)
    for _ in range(50):
        average.update(net)
    expected = 1.0
    for t in range(1, 51):
        expected *= min(0.99, (1 + t) / (10 + t))
    for mean in (average.net.weight, average.net.running_mean):
        assert mean.item() == pytest.approx(1 - expected, abs=1e-5)
    assert average.net.num_batches_tracked == 7


def test_no_average_is_the_net_itself():
    net = torch.nn.Linear(2, 2)
    average = Average(net, 0.0)
    for _ in range(3):
        torch.nn.init.normal_(net.weight)
        average.update(net)
        assert torch.equal(average.net.weight, net.weight)


def test_illegal_actions_have_no_share_in_the_loss():
    batch = {
        "legal": torch.tensor([[1, 1, 0]]),
        "policy": torch.tensor([[0.5, 0.5, 0.0]]),
        "policy_weight": torch.ones(1),
        "value": torch.tensor([[1.0, 0.0, 0.0]]),
        "outcome": torch.tensor([0]),
    }
    policy = torch.tensor([[2.0, 2.0, 50.0]])
    _, parts = metrics.losses(policy, torch.zeros(1, 3), batch)
    numbers = metrics.summary(parts)
    assert numbers["policy_loss"] == pytest.approx(0.6931, abs=1e-3)
    assert numbers["policy_floor"] == pytest.approx(0.6931, abs=1e-3)
    assert numbers["value_loss"] == pytest.approx(1.0986, abs=1e-3)
    assert json.dumps(numbers)
