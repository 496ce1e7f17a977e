"""The options of a training run, each declared once.

A field of Config is the option: its name is the flag and the key in checkpoints, and
the declaration has its default, help, range and what a resumed run may do with it.
The command line, the checks and what a checkpoint keeps follow from that.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields, replace

from .errors import Usage
from .networks import SIZES
from .optim import DEFAULT_DECAY, DEFAULT_LR, OPTIMIZERS, SCHEDULES
from .options import Option
from .speed import FORMATS, TYPES

# When a run's option may be changed: only where it starts; where it goes on with more
# data; wherever it is resumed, for it does not alter the batches.
START, GROW, RESUME = range(3)

_MANY = 10**12


@dataclass(frozen=True)
class RunOption(Option):
    """An option of a run.

    change    START, GROW or RESUME
    budget    whether it says how long a run trains; a run has one such option
    was       its name in older checkpoints
    """

    change: int = START
    budget: bool = False
    was: str = ""

    @property
    def metavar(self) -> str | None:
        return None if self.choices else type(self.default).__name__.upper()


def option(default, help, low=None, high=None, **more):
    """Returns a field of Config: its default, and the RunOption less its key."""
    declared = RunOption("", default, help, low, high, **more)
    return field(default=default, metadata={"option": declared})


@dataclass
class Config:
    """The options of a run; `train` has a flag for each."""

    size: str = option("b4c32", "network", choices=tuple(SIZES))

    steps: int = option(0, "length of the run as optimiser steps", 0, _MANY, budget=True, change=RESUME)
    epochs: float = option(
        0.0, "length of the run as passes over the training rows", 0, _MANY, budget=True, change=RESUME
    )
    samples: int = option(0, "length of the run as rows seen", 0, _MANY, budget=True, change=RESUME)
    minutes: float = option(
        0.0, "length of the run on the clock, its interruptions left out", 0, _MANY, budget=True, change=RESUME
    )

    batch: int = option(256, "rows a step", 2, 1 << 20)
    window: int = option(
        0, "rows from which on only the newest are trained on; 0: all are", 0, _MANY, change=GROW
    )
    window_power: float = option(
        0.65, "of N rows, the newest WINDOW*(N/WINDOW)^POWER are trained on", 0, 1, change=GROW
    )

    optimizer: str = option("adamw", "optimiser", choices=OPTIMIZERS)
    lr: float = option(
        0.0, "highest learning rate; 0: 2e-3 for adamw, 5e-2 for sgd", 0, 100, change=RESUME
    )
    momentum: float = option(0.9, "momentum of sgd, first beta of adamw", 0, 0.9999)
    weight_decay: float = option(
        0.0, "0: 2e-2 for adamw, 1e-4 for sgd; norms and biases have none", 0, 100
    )
    schedule: str = option(
        "cosine", "learning rate after the warm-up", choices=SCHEDULES, change=RESUME
    )
    warmup: int = option(0, "steps of warm-up; 0: a twentieth of the run, 200 at most", 0, _MANY)
    lr_final: float = option(
        0.01, "last learning rate of cosine as a share of the highest", 0, 1, change=RESUME
    )
    clip: float = option(5.0, "bound of the gradient's norm; 0: none", 0, _MANY)
    ema: float = option(
        0.999, "decay of the averaged weights, which are exported; 0: none", 0, 0.999999
    )

    value_weight: float = option(1.0, "weight of the value loss", 0, 1000)
    q_share: float = option(
        0.3, "share of root_q in the value target; the rest is the outcome", 0, 1, was="value_q"
    )
    soft_weight: float = option(0.0, "weight of the policy at temperature 4 as a further target", 0, 1000)
    reply_weight: float = option(0.0, "weight of the opponent's reply as a further target", 0, 1000)
    future_weight: float = option(
        0.0, "weight of the values 4 and 12 plies ahead as further targets", 0, 1000
    )
    left_weight: float = option(0.0, "weight of the plies left as a further target", 0, 1000)
    distill: str = option("", "ONNX network whose outputs are mixed into the targets")
    distill_share: float = option(0.5, "its share of them", 0, 1)
    policy_target: str = option(
        "target", "column policy_target, or visits as shares", choices=("target", "visits")
    )
    policy_rows: str = option(
        "full", "full: cheap searches give no policy loss", choices=("full", "all")
    )

    symmetries: bool = option(True, "see each row under a random one of the game's symmetries")
    shuffle_rows: int = option(200_000, "rows in the shuffle buffer, about a kilobyte each", 1, _MANY)
    workers: int = option(0, "loader processes; 0: load in the training process", 0, 1024)
    val_fraction: float = option(0.05, "share of the games kept for validation", 0, 0.9)
    val_rows: int = option(8192, "rows of the validation set, at most about", 1, _MANY)
    check_sha256: bool = option(False, "compare every shard with the manifest first", change=GROW)

    device: str = option("auto", "auto, cpu, cuda or cuda:N", change=RESUME)
    precision: str = option(
        "auto",
        "number type of a step; auto: float16 on CUDA, what is faster on a CPU",
        choices=("auto", *TYPES),
        change=RESUME,
    )
    memory_format: str = option(
        "auto", "layout of images; auto: what is faster", choices=("auto", *FORMATS), change=RESUME
    )
    threads: int = option(0, "CPU threads; 0: what is faster", 0, 4096, change=RESUME)
    seed: int = option(1, "of the initial weights and of all sampling", 0, 2**63 - 1)

    log_every: int = option(50, "steps between lines of metrics.jsonl", 1, _MANY, change=RESUME)
    val_every: int = option(
        500, "steps between validations; 0: at each save", 0, _MANY, change=RESUME
    )
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

    @property
    def rate(self) -> float:
        return self.lr or DEFAULT_LR[self.optimizer]

    @property
    def decay(self) -> float:
        return self.weight_decay or DEFAULT_DECAY[self.optimizer]


# The declarations by key, in order.
OPTIONS = {f.name: replace(f.metadata["option"], key=f.name) for f in fields(Config)}

BUDGETS = tuple(key for key, declared in OPTIONS.items() if declared.budget)


def from_plain(values: dict) -> Config:
    """Returns the Config that plain() wrote; unknown names are left out, and
    those of older versions translated."""
    renamed = {declared.was: key for key, declared in OPTIONS.items() if declared.was}
    new = {renamed.get(name, name): value for name, value in values.items()}
    return Config(**{name: value for name, value in new.items() if name in OPTIONS})
