"""The options of a training run, each declared once.

Each field of Config declares an option: its key, type, default, help (what it sets and
in which unit), its range, and whether a resumed run may change it. The flags of `train`
and `bench`, the checks of values, the lines of errors and the configuration that a
checkpoint keeps follow from that. To add an option, add a field and read it where it is
needed.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields

from carozero.samples.stream import Options, option

from .budget import SCHEDULES
from .errors import Usage
from .networks import BY_SIZE
from .options import Option
from .speed import FORMATS, TYPES

# When an option of a run may be changed. START: only before its first step. GROW: also
# when it goes on with more data (--resume --grow). RESUME: whenever it is resumed; such an
# option must leave the batches as they are, since a resumed run goes on among them.
START, GROW, RESUME = range(3)

_MANY = 10**12


@dataclass(frozen=True)
class RunOption(Option):
    """An option of a run.

    change    when it may be changed: START, GROW or RESUME
    budget    whether it says how long the run trains; a run needs exactly one of those
    was       its key in older checkpoints, if that was another
    """

    change: int = START
    budget: bool = False
    was: str = ""

    @property
    def metavar(self) -> str | None:
        return None if self.choices else type(self.default).__name__.upper()


def again(key: str, default, **changes):
    """Returns a field that declares an option of the loader again, with other properties."""
    declared = next(f for f in fields(Options) if f.name == key)
    return field(default=default, metadata={**declared.metadata, **changes})


@dataclass
class Config(Options):
    """The options of a run; `train` has a flag for each."""

    batch: int = again("batch", 256, low=2)
    q_share: float = again("q_share", 0.3, was="value_q")
    val_fraction: float = again("val_fraction", 0.05)
    workers: int = again(
        "workers", -1, low=-1, help="loader processes; 0: load in the training process; -1: 2 on CUDA, else 0"
    )
    seed: int = again("seed", 1, help="of the initial weights and of all sampling")

    size: str = option("b4c32", "network", choices=tuple(BY_SIZE))

    steps: int = option(0, "length of the run as optimiser steps", 0, _MANY, budget=True, change=RESUME)
    epochs: float = option(
        0.0, "length of the run as passes over the training rows", 0, _MANY, budget=True, change=RESUME
    )
    samples: int = option(0, "length of the run as rows seen", 0, _MANY, budget=True, change=RESUME)
    minutes: float = option(
        0.0, "length of the run on the clock, its interruptions left out", 0, _MANY, budget=True, change=RESUME
    )

    window: int = option(
        0,
        "rows from which on only the newest are trained on: of N, WINDOW*(N/WINDOW)^0.65; 0: all are",
        0,
        _MANY,
        change=GROW,
    )
    check_sha256: bool = option(False, "compare every shard with the manifest first", change=GROW)

    lr: float = option(2e-3, "highest learning rate", 1e-9, 100, change=RESUME)
    weight_decay: float = option(2e-2, "weight decay; norms and biases have none", 1e-9, 100)
    schedule: str = option("cosine", "learning rate after the warm-up", choices=SCHEDULES, change=RESUME)
    ema: float = option(0.999, "decay of the averaged weights, which are exported; 0: none", 0, 0.999999)
    soft_weight: float = option(0.0, "weight of the policy at temperature 4 as a further target", 0, 1000)
    future_weight: float = option(0.0, "weight of the values 4 and 12 plies ahead as further targets", 0, 1000)

    device: str = option("auto", "auto, cpu, cuda or cuda:N", change=RESUME)
    precision: str = option(
        "auto",
        "number type of a step; auto: bfloat16 on CUDA, or else float16; what is faster on a CPU",
        choices=("auto", *TYPES),
        change=RESUME,
    )
    memory_format: str = option(
        "auto", "layout of images; auto: what is faster", choices=("auto", *FORMATS), change=RESUME
    )
    threads: int = option(0, "CPU threads; 0: what is faster", 0, 4096, change=RESUME)

    log_every: int = option(50, "steps between lines of metrics.jsonl", 1, _MANY, change=RESUME)
    val_every: int = option(500, "steps between validations; 0: at each save", 0, _MANY, change=RESUME)
    save_every: int = option(500, "steps between checkpoints", 1, _MANY, change=RESUME)
    save_minutes: float = option(
        3.0, "most minutes between checkpoints; 0: by steps only", 0, _MANY, change=RESUME
    )
    tensorboard: bool = option(
        False, "write the metrics for TensorBoard as well, into OUT/tensorboard", change=RESUME
    )

    def plain(self) -> dict:
        """Returns the options as plain values."""
        return asdict(self)

    def check(self) -> None:
        """Raises Usage for an impossible value, naming its flag."""
        for declared in OPTIONS.values():
            declared.check(getattr(self, declared.key))
        if sum(getattr(self, name) > 0 for name in BUDGETS) != 1:
            raise Usage(f"want one of {', '.join(OPTIONS[name].flag for name in BUDGETS)}, above 0")


# The options of a run by key, in the order of the help.
OPTIONS = {f.name: RunOption(f.name, f.default, **f.metadata) for f in fields(Config)}

BUDGETS = tuple(key for key, declared in OPTIONS.items() if declared.budget)


def from_plain(values: dict) -> Config:
    """Returns the Config of what plain() returned. Keys of older checkpoints are
    translated, unknown ones are ignored; their lr and weight_decay of 0 are defaults."""
    renamed = {declared.was: key for key, declared in OPTIONS.items() if declared.was}
    new = {renamed.get(name, name): value for name, value in values.items()}
    for name in ("lr", "weight_decay"):
        if not new.get(name):
            new.pop(name, None)
    return Config(**{name: value for name, value in new.items() if name in OPTIONS})
