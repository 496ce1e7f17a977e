"""How long a run trains, how far it is, and its learning rate."""

from __future__ import annotations

import math
import time

SCHEDULES = ("cosine", "linear", "constant")

# The last factor of the learning rate, but for "constant".
FINAL = 0.01

# The warm-up takes so many steps, or this share of the run if that is less.
WARMUP_STEPS, WARMUP_SHARE = 200, 0.05


def to_steps(config, rows: float) -> None:
    """Turns epochs over so many rows, and samples, into steps."""
    if config.epochs:
        config.steps = max(1, math.ceil(config.epochs * rows / config.batch))
    elif config.samples:
        config.steps = math.ceil(config.samples / config.batch)
    config.epochs, config.samples = 0.0, 0


class Budget:
    """A run's end: after `steps` steps, or after `minutes` of training, those
    before an interruption included (`seconds`). Validation and reading count."""

    def __init__(self, config, seconds: float = 0.0, clock=time.monotonic):
        self.steps, self.limit = config.steps, config.minutes * 60
        self.before, self.clock, self.since = seconds, clock, None

    def begin(self) -> None:
        """Starts the clock."""
        self.since = self.clock()

    @property
    def seconds(self) -> float:
        """Seconds trained so far."""
        return self.before + (self.clock() - self.since if self.since is not None else 0)

    def over(self, step: int) -> bool:
        """Tells whether the run ends before this step, 0 the first, which every run makes."""
        return step >= self.steps if self.steps else step > 0 and self.seconds >= self.limit

    def warm(self, step: int) -> float:
        """Returns the factor of the warm-up at a step, 1 behind it."""
        if self.steps:
            return min(1.0, (step + 1) / max(1, self._warmup_steps()))
        share = self.seconds / self.limit / WARMUP_SHARE
        return min(1.0, max(share, (step + 1) / WARMUP_STEPS))

    def progress(self, step: int) -> float:
        """Returns the share of the run behind a step, 0..1; of a run of steps
        the share behind the warm-up."""
        if self.steps:
            start = self._warmup_steps()
            return min(1.0, max(0.0, (step - start) / max(1, self.steps - start)))
        return min(1.0, self.seconds / self.limit)

    def _warmup_steps(self) -> int:
        return min(WARMUP_STEPS, int(self.steps * WARMUP_SHARE))

    def left(self, step: int) -> str:
        """Says how far the run is, for messages."""
        if self.steps:
            return f"step {step} of {self.steps}"
        return f"step {step}, minute {self.seconds / 60:.1f} of {self.limit / 60:g}"


def rate(schedule: str, warm: float, progress: float) -> float:
    """Returns the factor of the learning rate: that of the warm-up while it is
    below 1, then that of the schedule at the run's progress, 0..1.

    "cosine" falls from 1 to FINAL along half a cosine, "linear" along a line,
    and "constant" stays at 1.
    """
    if warm < 1:
        return warm
    if schedule == "cosine":
        return FINAL + (1 - FINAL) * 0.5 * (1 + math.cos(math.pi * progress))
    if schedule == "linear":
        return 1 - (1 - FINAL) * progress
    return 1.0
