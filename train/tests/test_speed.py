"""The choice of how steps are computed, and the comparison with a bare loop."""

import pytest
import torch

from carozero_train import bench, checkpoint, reader, speed
from carozero_train.config import Config
from carozero_train.errors import DataError
from carozero_train.speed import Setup
from carozero_train.trainer import Trainer

CPU = torch.device("cpu")
SLOW, FAST = Setup("contiguous", "float32", 1), Setup("channels_last", "bfloat16", 1)


class Clock:
    """Stands for forward_backward: steps take the seconds that a table says."""

    def __init__(self, seconds):
        self.seconds, self.made = seconds, []

    def __call__(self, _net, setup, _clock):
        self.made.append(setup)
        return lambda _planes, _scalars: self.seconds(setup)


@pytest.fixture
def net():
    from carozero_train.networks import build

    return build("b2c16", 1)


def chosen(monkeypatch, net, seconds, pinned=None, **options):
    clock = Clock(seconds)
    monkeypatch.setattr(speed, "forward_backward", clock)
    monkeypatch.setattr(speed, "thread_counts", lambda: [4, 1])
    monkeypatch.setattr(torch, "set_num_threads", lambda n: None)
    return speed.choose(net, pinned, Config(**options), 9, CPU), clock.made


def test_the_fastest_is_chosen(monkeypatch, net):
    def seconds(setup):
        return (1 + (setup.memory_format == "contiguous")) * (
            3 if setup.precision == "bfloat16" else 1
        ) + (setup.threads == 4)

    setup, made = chosen(monkeypatch, net, seconds)
    assert setup == Setup("channels_last", "float32", 1)
    assert len(made) == 4 + 2


def test_flags_and_checkpoints_pin(monkeypatch, net):
    fast = {"memory_format": "contiguous", "precision": "bfloat16", "threads": 3}
    setup, made = chosen(monkeypatch, net, None, **fast)
    assert setup == Setup(**fast) and not made
    setup, made = chosen(monkeypatch, net, None, pinned=FAST)
    assert setup == FAST and not made
    setup, made = chosen(monkeypatch, net, None, pinned=FAST, threads=2)
    assert setup == Setup("channels_last", "bfloat16", 2) and not made


def test_a_resumed_run_keeps_its_setup(runs, tmp_path):
    options = {"steps": 1, "batch": 16, "size": "b2c16"}
    pins = {"precision": "bfloat16", "memory_format": "contiguous", "threads": 1}
    Trainer.start(Config(**options, **pins), runs, tmp_path).run()
    state = checkpoint.load(tmp_path / "checkpoint.pt")
    assert state["setup"] == pins
    unpinned = {name: getattr(Config(), name) for name in pins}
    assert Trainer.resume(tmp_path, unpinned).learner.setup == Setup("contiguous", "bfloat16", 1)


def test_bench_times_three_loops(runs, monkeypatch):
    lines = []
    monkeypatch.setattr(bench, "ROUNDS", 2)
    options = Config(size="b2c16", batch=16, val_fraction=0.0, threads=1, precision="float32", memory_format="contiguous")
    result = bench.bench(options, runs, lines.append)
    assert min(result.values()) > 0 and list(result) == ["fixed", "loader"]
    assert lines[0].startswith("cpu  torch ") and [line[:7] for line in lines[1:]] == ["round 1", "round 2"]


def test_prefetching_changes_nothing_and_ends():
    made = []

    def source():
        for i in range(10):
            made.append(i)
            yield i
        raise ValueError("after ten")

    stream = reader.prefetch(source(), 3)
    assert [next(stream) for _ in range(4)] == [0, 1, 2, 3]
    stream.close()
    assert len(made) <= 4 + 3 + 1
    got = []
    with pytest.raises(ValueError, match="after ten"):
        for item in reader.prefetch(source(), 3):
            got.append(item)
    assert got == list(range(10))
    assert list(reader.prefetch([], 1)) == []


def test_a_device_that_is_not_there(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert [str(speed.pick_device(name)) for name in ("auto", "cuda:1")] == ["cuda", "cuda:1"]
    with pytest.raises(DataError, match="--device cuda:2: there are 2 CUDA devices"):
        speed.pick_device("cuda:2")
