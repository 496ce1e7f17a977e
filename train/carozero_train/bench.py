"""How fast a run trains, and whether its loader keeps it from being faster: the trainer's
whole step on one batch that is on the device already ("fixed"), and on the batches of its
loader ("loader"), timed in turn, so that other work on the machine meets them alike.
"""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from itertools import islice

import torch

from . import reader
from .config import Config
from .trainer import Trainer

# Rounds, steps of each loop a round, and steps before the first round on CUDA, which tunes
# its convolutions in them.
ROUNDS, STEPS, WARM_UP = 4, 6, 20


def bench(config: Config, directories: list, report) -> dict:
    """Measures on the rows of run directories and returns the rows a second of each loop.
    Calls report with a line for the machine, and for each round as soon as it is known.
    Writes nothing but to a temporary directory."""
    with tempfile.TemporaryDirectory() as out:
        trainer = Trainer.start(replace(config, steps=10**9), directories, out)
        learner, batches = trainer.learner, trainer.batches()
        cuda = learner.device.type == "cuda"
        # Without a GPU, PyTorch may have no cuDNN to tell the version of.
        machine = "cpu"
        if cuda:
            machine = f"{torch.cuda.get_device_name(learner.device)}  cuDNN {torch.backends.cudnn.version()}"
        report(f"{machine}  torch {torch.__version__}  {learner.setup}")
        fixed = learner.to_device(next(batches))
        loops = {
            "fixed": lambda: trainer.train_step(fixed),
            "loader": lambda: trainer.train_step(learner.to_device(next(batches))),
        }
        total = dict.fromkeys(loops, 0.0)
        for turn in range(ROUNDS + 1):  # of which the first is a warm-up
            line = f"round {turn} "
            for name, step in loops.items():
                # Discard prefetched batches: they would flatter the loader.
                list(islice(batches, reader.AHEAD if name == "loader" else 0))
                wall, cpu = _timed(step, WARM_UP if cuda and turn == 0 else STEPS, cuda)
                total[name] += wall if turn > 0 else 0
                line += f" {name} {STEPS * config.batch / wall:.1f} ({STEPS * config.batch / cpu:.1f})"
            if turn > 0:
                report(f"{line}  samples/s (a CPU second)")
        batches.close()
    return {name: STEPS * ROUNDS * config.batch / seconds for name, seconds in total.items()}


def _timed(step, times: int, cuda: bool) -> tuple:
    """Returns the seconds of some steps by the clock and by processor time."""
    wait = torch.cuda.synchronize if cuda else lambda: None
    wait()
    wall, cpu = time.perf_counter(), time.process_time()
    for _ in range(times):
        step()
    wait()
    return time.perf_counter() - wall, time.process_time() - cpu
