"""Every option of a training run, with its default."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

from .budget import BUDGETS
from .errors import Usage
from .networks import SIZES
from .optim import DEFAULT_DECAY, DEFAULT_LR, OPTIMIZERS, SCHEDULES

# Options that a resumed run may change: none of them alters the batches, and
# all behind `lr_final` leave the result bit for bit.
RESUMABLE = (
    "threads",
    "device",
    "precision",
    "memory_format",
    *BUDGETS,
    "lr",
    "schedule",
    "lr_final",
    "log_every",
    "val_every",
    "save_every",
    "save_minutes",
    "tensorboard",
)

# Options that a run resumed with more data may change as well.
GROWABLE = ("window", "window_power", "check_sha256")

MEMORY_FORMATS = ("contiguous", "channels_last")
PRECISIONS = ("float32", "bfloat16", "float16")


@dataclass
class Config:
    """Options of `train`; the command line has a flag for each.

    Zero means: lr, weight_decay the optimiser's default, window all rows,
    warmup a twentieth of the run (200 steps at most), save_minutes by steps only,
    clip no clipping, ema no averaging, threads a measured number,
    val_every at saves only.
    """

    size: str = "b4c32"
    steps: int = 0
    epochs: float = 0.0
    samples: int = 0
    minutes: float = 0.0
    batch: int = 256
    window: int = 0
    window_power: float = 0.65
    optimizer: str = "adamw"
    lr: float = 0.0
    momentum: float = 0.9
    weight_decay: float = 0.0
    schedule: str = "cosine"
    warmup: int = 0
    lr_final: float = 0.01
    clip: float = 5.0
    ema: float = 0.999
    value_weight: float = 1.0
    q_share: float = 0.3
    soft_weight: float = 0.0
    reply_weight: float = 0.0
    future_weight: float = 0.0
    left_weight: float = 0.0
    distill: str = ""
    distill_share: float = 0.5
    policy_target: str = "target"
    policy_rows: str = "full"
    symmetries: bool = True
    shuffle_rows: int = 200_000
    workers: int = 0
    val_fraction: float = 0.05
    val_rows: int = 8192
    check_sha256: bool = False
    device: str = "auto"
    precision: str = "auto"
    memory_format: str = "auto"
    threads: int = 0
    seed: int = 1
    log_every: int = 50
    val_every: int = 500
    save_every: int = 500
    save_minutes: float = 3.0
    tensorboard: bool = False

    def plain(self) -> dict:
        """Returns the options as plain values."""
        return asdict(self)

    def check(self) -> None:
        """Raises Usage for an impossible value, naming its flag."""
        for name, low, high in RANGES:
            value = getattr(self, name)
            if not low <= value <= high:
                raise Usage(f"{flag(name)} {value}: want {low}..{high:g}")
        for name, choices in CHOICES.items():
            if getattr(self, name) not in choices:
                raise Usage(f"{flag(name)} {getattr(self, name)!r}: want {', '.join(choices)}")
        if sum(getattr(self, name) > 0 for name in BUDGETS) != 1:
            raise Usage(f"want one of {', '.join(map(flag, BUDGETS))}, above 0")

    @property
    def rate(self) -> float:
        return self.lr or DEFAULT_LR[self.optimizer]

    @property
    def decay(self) -> float:
        return self.weight_decay or DEFAULT_DECAY[self.optimizer]


CHOICES = {
    "size": tuple(SIZES),
    "optimizer": OPTIMIZERS,
    "schedule": SCHEDULES,
    "policy_target": ("target", "visits"),
    "policy_rows": ("full", "all"),
    "precision": ("auto", *PRECISIONS),
    "memory_format": ("auto", *MEMORY_FORMATS),
}

# Options that an older checkpoint has under another name.
RENAMED = {"value_q": "q_share"}

_MANY = 10**12

RANGES = (
    ("steps", 0, _MANY),
    ("epochs", 0, _MANY),
    ("batch", 2, 1 << 20),
    ("samples", 0, _MANY),
    ("minutes", 0, _MANY),
    ("window", 0, _MANY),
    ("window_power", 0, 1),
    ("lr", 0, 100),
    ("momentum", 0, 0.9999),
    ("weight_decay", 0, 100),
    ("warmup", 0, _MANY),
    ("lr_final", 0, 1),
    ("clip", 0, _MANY),
    ("ema", 0, 0.999999),
    ("value_weight", 0, 1000),
    ("q_share", 0, 1),
    ("distill_share", 0, 1),
    ("soft_weight", 0, 1000),
    ("reply_weight", 0, 1000),
    ("future_weight", 0, 1000),
    ("left_weight", 0, 1000),
    ("shuffle_rows", 1, _MANY),
    ("workers", 0, 1024),
    ("val_fraction", 0, 0.9),
    ("val_rows", 1, _MANY),
    ("threads", 0, 4096),
    ("seed", 0, 2**63 - 1),
    ("log_every", 1, _MANY),
    ("val_every", 0, _MANY),
    ("save_every", 1, _MANY),
    ("save_minutes", 0, _MANY),
)


def flag(name: str) -> str:
    """Returns the command line's name of an option."""
    return "--" + name.replace("_", "-")


def from_plain(values: dict) -> Config:
    """Returns the Config that plain() wrote; unknown names are left out, and
    those of older versions translated."""
    known = {f.name for f in fields(Config)}
    new = {RENAMED.get(name, name): value for name, value in values.items()}
    return Config(**{name: value for name, value in new.items() if name in known})
