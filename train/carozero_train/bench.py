"""How much of the machine's training speed a run reaches.

The trainer's whole step (fetching a batch, forward, loss, backward, clipping,
optimiser, average) against the bare loop (forward, backward) of the same net
over the same batches on the same threads, in every memory format and
precision. Both are timed in turn, round by round, so that other work on the
machine meets them alike.
"""

from __future__ import annotations

import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice

from . import reader
from .config import Config
from .speed import CPU_PRECISIONS, FORMATS, Bare, Setup
from .trainer import Trainer


class Times:
    """Seconds on the wall and of the processor, summed over rounds. The second
    tells more where the machine has other work."""

    def __init__(self):
        self.wall = self.cpu = 0.0

    @contextmanager
    def measured(self):
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.wall += time.perf_counter() - wall
        self.cpu += time.process_time() - cpu


@dataclass(frozen=True)
class Result:
    """Rows timed, the trainer's setup and times, and those bare in each setup."""

    rows: int
    setup: Setup
    trainer: Times
    bare: dict

    def rate(self, times: Times, clock: str = "wall") -> float:
        """Returns rows a second of a clock, "wall" or "cpu"."""
        return self.rows / getattr(times, clock)

    def share(self, clock: str) -> float:
        """Returns the trainer's speed as a share of the fastest bare loop's."""
        return min(getattr(t, clock) for t in self.bare.values()) / getattr(self.trainer, clock)

    def plain(self) -> dict:
        bare = {
            f"{setup.memory_format}/{setup.precision}": round(self.rate(times), 1)
            for setup, times in self.bare.items()
        }
        return {
            "setup": self.setup.plain(),
            "trainer": round(self.rate(self.trainer), 1),
            "bare": bare,
            "share": round(self.share("wall"), 4),
            "share_cpu": round(self.share("cpu"), 4),
        }


def bench(config: Config, directories: list, steps: int, rounds: int) -> Result:
    """Measures on the rows of run directories; a first round is not counted.
    Nothing is written but to a temporary directory."""
    with tempfile.TemporaryDirectory() as out:
        trainer = Trainer.start(replace(config, steps=10**9), directories, out)
        learner, batches = trainer.learner, trainer.batches()
        kinds = [
            replace(learner.setup, memory_format=m, precision=p)
            for p in CPU_PRECISIONS
            for m in FORMATS
        ]
        bare = {kind: Bare(learner.net, kind) for kind in kinds}
        for turn in range(rounds + 1):
            if turn < 2:  # the first round warms up
                own, others = Times(), {kind: Times() for kind in kinds}
            # What was prefetched while the bare loops ran would be a present.
            list(islice(batches, reader.AHEAD))
            seen = []
            with own.measured():
                for _ in range(steps):
                    seen.append(learner.move(next(batches)))
                    trainer.train_step(seen[-1])
            for kind, times in others.items():
                with times.measured():
                    for batch in seen:
                        bare[kind](batch["planes"], batch["globals"])
        batches.close()
    return Result(steps * rounds * config.batch, learner.setup, own, others)
