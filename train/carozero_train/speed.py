"""How a training step is computed: device, memory format, precision, threads, and the
quick measurement that chooses them.

Which is fastest depends on the processor, on PyTorch and on what else runs. On
a server with AVX-512 BF16, channels last and bfloat16 train more than twice as
fast as float32 in the usual format; on others bfloat16 is emulated and slow.
"""

from __future__ import annotations

import copy
import os
import time
from contextlib import nullcontext
from dataclasses import dataclass, replace
from statistics import median

import torch

from .errors import DataError, Usage

# The precisions and memory formats, and torch's names for them.
TYPES = {"float32": None, "bfloat16": torch.bfloat16, "float16": torch.float16}
FORMATS = {"contiguous": torch.contiguous_format, "channels_last": torch.channels_last}

# Rows of a measured step, and how often each candidate is timed. For format and
# precision the least processor time on one thread counts, which other work on
# the machine hardly touches. For the number of threads the median of the time
# on the wall does, since there other work is the question.
ROWS, ROUNDS = 64, 4

# Another setting must be faster by this factor than the one before it in the
# list. With fewer threads than processors by more: threads that sleep while they
# wait lose little on a loaded machine, and win when the load goes.
MARGIN, THREADS_MARGIN = 1.05, 1.25


def pick_device(name: str) -> torch.device:
    """Returns the named device; "auto" is CUDA where there is one."""
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    kind, _, number = name.partition(":")
    if kind not in ("cpu", "cuda") or not (number or "0").isdigit():
        raise Usage(f"--device {name!r}: want auto, cpu, cuda or cuda:N")
    if kind == "cuda" and int(number or 0) >= torch.cuda.device_count():
        raise DataError(f"--device {name}: there are {torch.cuda.device_count()} CUDA devices, from cuda:0 on")
    return torch.device(name)


def grad_scaler(enabled: bool):
    """Returns a gradient scaler for CUDA; older PyTorch has it elsewhere."""
    scaler = getattr(torch.amp, "GradScaler", None)
    return scaler("cuda", enabled=enabled) if scaler else torch.cuda.amp.GradScaler(enabled=enabled)


@dataclass(frozen=True)
class Setup:
    """How steps are computed: memory_format "channels_last" or "contiguous",
    precision "float32", "bfloat16" or "float16", CPU threads."""

    memory_format: str
    precision: str
    threads: int

    @property
    def layout(self) -> torch.memory_format:
        return FORMATS[self.memory_format]

    def autocast(self, device: torch.device):
        """Returns the context in which the net is run."""
        kind = TYPES[self.precision]
        return torch.autocast(device.type, kind) if kind else nullcontext()

    def __str__(self) -> str:
        return f"{self.memory_format}  {self.precision}  threads {self.threads}"


def cores() -> int:
    """Returns the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def thread_counts() -> list:
    """Returns the numbers of threads to try, all processors first."""
    return sorted({1, max(1, cores() // 2), cores()}, reverse=True)


def choose(net, pinned: Setup | None, config, size: int, device: torch.device) -> Setup:
    """Returns the setup for a net on boards of one size: what config pins, else
    what `pinned` (of a checkpoint) says, else the fastest in a measurement of
    some seconds. Sets the number of threads of this process."""
    if device.type == "cuda":
        precision = "bfloat16" if torch.cuda.is_bf16_supported() else "float16"
        to_try = {"memory_format": ["channels_last"], "precision": [precision], "threads": [cores()]}
    else:
        to_try = {"memory_format": list(FORMATS), "precision": ["float32", "bfloat16"], "threads": thread_counts()}
    wanted = {}
    for name, values in to_try.items():
        given = getattr(config, name)
        pin = given if given not in ("auto", 0) else pinned and getattr(pinned, name)
        wanted[name] = [pin] if pin else values
    first = Setup(*(values[0] for values in wanted.values()))
    if all(len(values) == 1 for values in wanted.values()):
        torch.set_num_threads(first.threads)
        return first
    kinds = [Setup(m, p, 1) for p in wanted["precision"] for m in wanted["memory_format"]]
    best = fastest(net, kinds, size, time.process_time, min, MARGIN)
    counts = [replace(best, threads=n) for n in wanted["threads"]]
    best = fastest(net, counts, size, time.perf_counter, median, THREADS_MARGIN)
    torch.set_num_threads(best.threads)
    return best


def fastest(net, setups: list, size: int, clock, judge, margin: float) -> Setup:
    """Returns the setup whose steps take least time by a clock and by judge
    (of a list of seconds); a later one must be faster by margin. Timed in turn."""
    if len(setups) == 1:
        return setups[0]
    rows = random_rows(net.game, size, ROWS)
    steps = [forward_backward(net, setup, clock) for setup in setups]
    rounds = [[step(*rows) for step in steps] for _ in range(ROUNDS + 1)]
    times = [judge(seconds) for seconds in zip(*rounds[1:])]  # after a round to warm up
    best = 0
    for i in range(1, len(setups)):
        if times[i] * margin < times[best]:
            best = i
    return setups[best]


def random_rows(game, size: int, rows: int):
    """Returns planes and globals of random numbers; torch's own source of
    random numbers is left alone."""
    source = torch.Generator().manual_seed(1)
    planes = torch.rand(rows, len(game.planes), size, size, generator=source)
    return (planes < 0.25).float(), torch.rand(rows, len(game.globals), generator=source)


def forward_backward(net, setup: Setup, clock):
    """Returns a function that goes forward and backward on planes and globals, with a copy
    of a net and a sum over its outputs for a loss, and returns the seconds of a clock."""
    net = copy.deepcopy(net).train().to(memory_format=setup.layout)

    def step(planes, scalars) -> float:
        torch.set_num_threads(setup.threads)
        planes = planes.contiguous(memory_format=setup.layout)
        start = clock()
        net.zero_grad(set_to_none=True)
        with setup.autocast(planes.device):
            policy, value = net(planes, scalars)
        (policy.float().square().mean() + value.float().square().mean()).backward()
        return clock() - start

    return step
