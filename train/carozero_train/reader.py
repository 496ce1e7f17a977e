"""The training batches of a run, made ahead of time, and its validation set."""

from __future__ import annotations

import signal
from collections import deque
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from carozero.samples import shard
from carozero.samples.rows import batch, concat, from_shard
from carozero.samples.stream import Stream, row_split

from .config import Config
from .errors import DataError, TrainError

# Rows of the validation set, at most about.
VALIDATION_ROWS = 8192

# Batches that are made while the net trains on the one before them.
AHEAD = 4


class Batches(IterableDataset):
    """The streams of all workers, taken in turn, from batch `start` on. Batch i
    is the next one of worker i mod workers."""

    def __init__(self, refs: list, options: Config, start: int, data_version: int):
        super().__init__()
        self.refs, self.options, self.start, self.data_version = refs, options, start, data_version

    def __iter__(self):
        info = get_worker_info()
        workers = max(1, self.options.workers)
        worker = ((info.id if info else 0) + self.start) % workers
        done = (self.start - worker + workers - 1) // workers
        try:
            for arrays in Stream(self.refs, self.options, worker, done, self.data_version):
                yield {name: torch.from_numpy(array) for name, array in arrays.items()}
        except TrainError as err:
            if info is None:
                raise
            yield {"error": str(err)}


def _ignore_interrupts(_worker: int) -> None:
    """Leaves Ctrl-C to the training process, which ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def prefetch(source, depth: int):
    """Yields what the iterable source yields, made up to depth items ahead in a
    thread of its own, which ends with the generator. Raises source's error after
    the items that precede it."""
    items, end = iter(source), object()
    with ThreadPoolExecutor(1) as thread:
        ahead = deque(thread.submit(next, items, end) for _ in range(depth))
        try:
            while True:
                item = ahead.popleft().result()
                if item is end:
                    return
                ahead.append(thread.submit(next, items, end))
                yield item
        finally:
            for future in ahead:
                future.cancel()


def loader(refs: list, options: Config, start: int, pin_memory: bool, data_version: int = 0):
    """Yields batches (dicts of tensors, see rows.batch) for ever, the first one
    being number `start` of the sequence that begins at 0; data_version as for Stream."""
    workers, batches = max(0, options.workers), Batches(refs, options, start, data_version)
    leave_interrupts = _ignore_interrupts if workers else None
    source = DataLoader(batches, None, num_workers=workers, pin_memory=pin_memory, worker_init_fn=leave_interrupts)
    good = map(_checked, source)
    yield from good if workers else prefetch(good, AHEAD)


def _checked(tensors: dict) -> dict:
    """Returns a batch; raises the error that a worker sent instead."""
    if "error" in tensors:
        raise DataError(tensors["error"])
    return tensors


def validation(refs: list, options: Config) -> list:
    """Returns the batches of the validation set, each of one board size, under
    the identity. May be empty. Where the games kept out have more than about
    VALIDATION_ROWS rows, it has those of some shards, in the order of their digests:
    so a run whose data grow keeps most of its validation set."""
    parts: dict = {}
    have = 0
    order = sorted(range(len(refs)), key=lambda origin: (refs[origin].sha256, origin))
    for origin in order if options.val_fraction > 0 else []:
        data = shard.read(refs[origin])
        _, val = row_split(data, refs[origin].skip, options.val_fraction)
        if len(val):
            rows = from_shard(data, val, origin, options.policy_target)
            parts.setdefault(rows.size, []).append(rows)
        have += len(val)
        if have >= VALIDATION_ROWS:
            break
    out = []
    for size in sorted(parts):
        rows = concat(parts[size])
        for i in range(0, len(rows), options.batch):
            index = np.arange(i, min(i + options.batch, len(rows)))
            identity = np.zeros(len(index), np.int64)
            arrays = batch(rows.take(index), identity, options.q_share, options.policy_rows)
            out.append({name: torch.from_numpy(array) for name, array in arrays.items()})
    return out
