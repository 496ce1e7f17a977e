"""How fast a run trains, and what keeps it from being faster.

Three loops over the same net, on the same threads and in the same formats, timed in turn,
round by round, so that other work on the machine meets them alike:

    bare    forward and backward alone
    fixed   the trainer's whole step on one batch that is on the device already
    loader  the trainer's whole step on the batches of its loader
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from itertools import islice

import torch

from . import reader
from .config import Config
from .speed import ForwardBackward
from .trainer import Trainer

LOOPS = ("bare", "fixed", "loader")

# Steps of each loop before the first round on CUDA, which tunes its convolutions in them.
WARM_UP = 20


def bench(config: Config, directories: list, steps: int, rounds: int, report=lambda line: None) -> dict:
    """Measures on the rows of run directories and returns rows a second, by the clock and
    by processor time. Calls report with a line for the machine and for each round as soon
    as it is known. Writes nothing but to a temporary directory."""
    with tempfile.TemporaryDirectory() as out:
        trainer = Trainer.start(replace(config, steps=10**9), directories, out)
        learner, batches = trainer.learner, trainer.batches()
        cuda = learner.device.type == "cuda"
        report(_machine(learner.device) + f"  {learner.setup}")
        bare, fixed = ForwardBackward(learner.net, learner.setup), learner.to_device(next(batches))
        loops = {
            "bare": lambda: bare(fixed["planes"], fixed["globals"]),
            "fixed": lambda: trainer.train_step(fixed),
            "loader": lambda: trainer.train_step(learner.to_device(next(batches))),
        }
        seconds = {name: (0.0, 0.0) for name in LOOPS}
        for turn in range(rounds + 1):
            taken = {}
            for name, step in loops.items():
                # Discard prefetched batches: they would flatter the loader.
                list(islice(batches, reader.AHEAD if name == "loader" else 0))
                taken[name] = _timed(step, WARM_UP if cuda and turn == 0 else steps, cuda)
            if turn == 0:
                continue  # the warm-up
            seconds = {name: tuple(map(sum, zip(seconds[name], taken[name]))) for name in LOOPS}
            report(f"round {turn}  {_line(taken, steps * config.batch)}")
        batches.close()
    rows = steps * rounds * config.batch
    report(f"all      {_line(seconds, rows)}")
    return {
        "device": _machine(learner.device),
        "setup": learner.setup.plain(),
        **{name: round(rows / seconds[name][0], 1) for name in LOOPS},
        "cpu": {name: round(rows / seconds[name][1], 1) for name in LOOPS},
    }


def _timed(step, times: int, cuda: bool) -> tuple:
    """Returns the seconds of some steps by the clock and by processor time."""
    if cuda:
        torch.cuda.synchronize()
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(times):
        step()
    if cuda:
        torch.cuda.synchronize()
    return time.perf_counter() - wall, time.process_time() - cpu


def _line(seconds: dict, rows: int) -> str:
    parts = (f"{name} {rows / wall:.1f} ({rows / cpu:.1f})" for name, (wall, cpu) in seconds.items())
    return "  ".join(parts) + "  samples/s (a CPU second)"


def _machine(device: torch.device) -> str:
    if device.type != "cuda":
        return f"{device}  torch {torch.__version__}"
    card = torch.cuda.get_device_name(device)
    return f"{card}  torch {torch.__version__}  cuDNN {torch.backends.cudnn.version()}"
