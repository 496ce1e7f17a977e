"""What tests of training share: small configurations, records, comparisons."""

import torch

from carozero_train import checkpoint, records as journals
from carozero_train.config import Config


def config(**changes):
    options = {
        "size": "b2c16",
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
    rows = journals.read_journal(out / "metrics.jsonl")
    return [{k: v for k, v in row.items() if k != "samples_per_s"} for row in rows]


def weights(out):
    state = checkpoint.load(out / "checkpoint.pt")
    return state["step"], {**state["net"], **{"average " + k: v for k, v in state["average"].items()}}


def assert_same(a, b):
    (step, one), (other_step, other) = weights(a), weights(b)
    assert step == other_step
    for name, tensor in one.items():
        assert torch.equal(tensor, other[name]), name
