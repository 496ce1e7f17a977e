"""The options of a training run, each declared once.

Each field of Config declares an option: its key, type, default, help (what it sets and
in which unit), its range, and whether a resumed run may change it. The flags of `train`
and `bench`, the checks of values, the lines of errors and the configuration that a
checkpoint keeps follow from that. To add an option, add a field and read it where it is
needed.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from carozero.samples.stream import Options, option

from .budget import SCHEDULES
from .errors import Usage
from .networks import BY_SIZE
from .options import GROW, RESUME, Option
from .speed import FORMATS, TYPES

_MANY = 10**12


@dataclass
class Config(Options):
    """The options of a run; `train` has a flag for each. Some of the loader's have other defaults here."""

    q_share: float = option(0.3, "share of root_q in the value target; the rest is the outcome", 0, 1)
    val_fraction: float = option(0.05, "share of the games kept for validation", 0, 0.9)
    workers: int = option(-1, "loader processes; 0: load in the training process; -1: 2 on CUDA, else 0", -1, 1024)

    size: str = option("b4c32", "network", choices=tuple(BY_SIZE))

    steps: int = option(0, "length of the run as optimiser steps", 0, _MANY, change=RESUME)
    epochs: float = option(0.0, "length of the run as passes over the training rows", 0, _MANY, change=RESUME)
    samples: int = option(0, "length of the run as rows seen", 0, _MANY, change=RESUME)
    minutes: float = option(0.0, "length of the run on the clock, without interruptions", 0, _MANY, change=RESUME)

    window: int = option(0, "of N rows, train on the newest WINDOW*(N/WINDOW)^0.65; 0: on all", 0, _MANY, change=GROW)
    check_sha256: bool = option(False, "compare every shard with the manifest first", change=GROW)

    lr: float = option(2e-3, "highest learning rate", 1e-9, 100, change=RESUME)
    weight_decay: float = option(2e-2, "weight decay; norms and biases have none", 1e-9, 100)
    schedule: str = option("cosine", "learning rate after the warm-up", choices=SCHEDULES, change=RESUME)
    ema: float = option(0.999, "decay of the averaged weights, which are exported; 0: none", 0, 0.999999)
    soft_weight: float = option(0.0, "weight of the policy at temperature 4 as a further target", 0, 1000)
    future_weight: float = option(0.0, "weight of the values 4 and 12 plies ahead as further targets", 0, 1000)

    device: str = option("auto", "auto, cpu, cuda or cuda:N", change=RESUME)
    precision: str = option("auto", "numbers of a step; auto: the fastest", choices=("auto", *TYPES), change=RESUME)
    memory_format: str = option("auto", "layout of images; auto: the faster", choices=("auto", *FORMATS), change=RESUME)
    threads: int = option(0, "CPU threads; 0: what is faster", 0, 4096, change=RESUME)

    log_every: int = option(50, "steps between lines of metrics.jsonl", 1, _MANY, change=RESUME)
    val_every: int = option(500, "steps between validations; 0: at each save", 0, _MANY, change=RESUME)
    save_every: int = option(500, "steps between checkpoints", 1, _MANY, change=RESUME)
    save_minutes: float = option(3.0, "most minutes between checkpoints; 0: by steps only", 0, _MANY, change=RESUME)
    tensorboard: bool = option(False, "write the metrics for TensorBoard too, into OUT/tensorboard", change=RESUME)

    def check(self) -> None:
        """Raises Usage for an impossible value, naming its flag."""
        for declared in OPTIONS.values():
            declared.check(getattr(self, declared.key))
        if sum(getattr(self, name) > 0 for name in BUDGETS) != 1:
            raise Usage(f"want one of {', '.join(OPTIONS[name].flag for name in BUDGETS)}, above 0")


# The options of a run by key, in the order of the help, and those that say how long it trains.
OPTIONS = {f.name: Option(f.name, f.default, **f.metadata) for f in fields(Config)}
BUDGETS = ("steps", "epochs", "samples", "minutes")


def from_plain(values: dict) -> Config:
    """Returns the Config of a checkpoint's plain values. Unknown keys of older checkpoints are
    ignored; their value_q is q_share, and an lr or weight_decay of 0 is the default."""
    new = {"q_share" if name == "value_q" else name: value for name, value in values.items()}
    for name in ("lr", "weight_decay"):
        if not new.get(name):
            new.pop(name, None)
    return Config(**{name: value for name, value in new.items() if name in OPTIONS})
