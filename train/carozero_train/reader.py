"""Streams of training batches over shards, and the validation set.

The stream of worker w among W is an endless, pure function of the shards, the
options and the seed, so a run resumes at batch k by asking for the stream from
k on. An epoch visits the shards in a random order; as soon as the rows read
reach the shuffle buffer's size they are shuffled, cut into batches of one
board size and emitted in a random order, and what is left over joins the next
round. Workers read the same shards and share out their rows, so that each has
the same number of rows and an epoch has every row once.
"""

from __future__ import annotations

import queue
import signal
import threading
from itertools import islice

import numpy as np
import torch
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

from . import shard, symmetry
from .config import Config
from .errors import DataError, TrainError
from .rows import Rows, batch, concat, from_shard

# Streams of random numbers, kept apart by the first word of their seed.
EPOCH_ORDER, WEIGHTS, SHUFFLE = 1, 2, 3

# Batches that are made while the net trains on the one before them.
AHEAD = 4


def in_validation(seed: int, game_ids: np.ndarray, fraction: float) -> np.ndarray:
    """Returns which games are for validation: a hash of the run's seed and the
    game's id (the finaliser of splitmix64) falls below the fraction."""
    with np.errstate(over="ignore"):
        x = np.asarray(game_ids).astype(np.uint64)
        x = x * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed & 0xFFFFFFFFFFFFFFFF)
        x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        x = x ^ (x >> np.uint64(31))
    return (x >> np.uint64(11)).astype(np.float64) / 2.0**53 < fraction


def row_split(data: shard.Shard, skip: int, fraction: float):
    """Returns the indices of a shard's training and validation rows. A game that
    forks from another is where that one is."""
    header = data.header
    ids = np.array([shard.origin(game) for game in header["games"]], dtype=np.uint64)
    index = np.arange(skip, data.rows)
    if len(ids) == 0 or fraction <= 0:
        return index, index[:0]
    val = in_validation(header["seed"], ids, fraction)[data.columns["game"][index]]
    return index[~val], index[val]


class Stream:
    """The batches of one worker, a role 0..workers-1, from batch `start` on. The
    segment is how often the run's data have changed."""

    def __init__(self, refs: list, options: Config, role: int, start: int, segment: int = 0):
        self.refs, self.options, self.segment = refs, options, segment
        self.role, self.start = role, start
        self.roles = max(1, options.workers)
        self.carry: dict = {}

    def __iter__(self):
        o = self.options
        for rows, index, symmetries in islice(self._plans(), self.start, None):
            yield batch(rows.take(index), symmetries, o.q_share, o.policy_rows)

    def _plans(self):
        """Yields (rows, row indices, symmetries) of each batch, for ever."""
        room = max(self.options.batch, self.options.shuffle_rows // self.roles)
        epoch = 0
        while True:
            order = self._random(EPOCH_ORDER, epoch).permutation(len(self.refs))
            pending, have, rounds, total = [], 0, 0, 0
            for position, origin in enumerate(order):
                rows, weighted = self._load(int(origin), epoch)
                total += weighted
                pending.append(rows)
                have += len(rows)
                if have >= room or position == len(order) - 1:
                    random = self._random(SHUFFLE, epoch, rounds, self.role)
                    yield from self._round(pending, random)
                    pending, have, rounds = [], 0, rounds + 1
            if total == 0:
                raise DataError("no row to train on: all are for validation or have weight 0")
            epoch += 1

    def _random(self, *words: int) -> np.random.Generator:
        segment = [self.segment] if self.segment else []
        return np.random.Generator(np.random.PCG64([self.options.seed, *words, *segment]))

    def _load(self, origin: int, epoch: int):
        """Returns this worker's rows of a shard, each as often as its weight
        says, and the number of rows of all workers together."""
        ref, o = self.refs[origin], self.options
        data = shard.read(ref)
        train, _ = row_split(data, ref.skip, o.val_fraction)
        weight = data.columns["weight"][train].astype(np.float64)
        random = self._random(WEIGHTS, epoch, origin)
        repeats = np.floor(weight + random.random(len(train))).astype(np.int64)
        chosen = np.repeat(train, repeats)
        mine = chosen[(self.role + origin) % self.roles :: self.roles]
        return from_shard(data, mine, origin, o.policy_target), len(chosen)

    def _round(self, parts: list, random: np.random.Generator):
        """Yields the batches of one buffer of rows; the rest goes to carry."""
        plans = []
        for size in sorted({p.size for p in parts} | set(self.carry)):
            mine = [p for p in parts if p.size == size]
            if size in self.carry:
                mine.insert(0, self.carry.pop(size))
            rows = concat(mine)
            order = random.permutation(len(rows))
            symmetries = random.integers(0, symmetry.of(rows.game).count, len(rows))
            if not self.options.symmetries:
                symmetries[:] = 0
            full = len(rows) - len(rows) % self.options.batch
            for i in range(0, full, self.options.batch):
                part = slice(i, i + self.options.batch)
                plans.append((rows, order[part], symmetries[part]))
            if full < len(rows):
                self.carry[size] = rows.take(order[full:])
        for i in random.permutation(len(plans)):
            yield plans[i]


class Batches(IterableDataset):
    """The streams of all workers, taken in turn, from batch `start` on. Batch i
    is the next one of role i mod workers."""

    def __init__(self, refs: list, options: Config, start: int, segment: int):
        super().__init__()
        self.refs, self.options, self.start, self.segment = refs, options, start, segment

    def __iter__(self):
        info = get_worker_info()
        roles = max(1, self.options.workers)
        role = ((info.id if info else 0) + self.start) % roles
        done = (self.start - role + roles - 1) // roles
        try:
            for arrays in Stream(self.refs, self.options, role, done, self.segment):
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
    thread of its own, which ends with the generator. An error of source comes
    out behind the items before it."""
    ready: queue.Queue = queue.Queue()
    room, closed = threading.Semaphore(depth), threading.Event()

    def produce():
        end = (None, None)
        try:
            items = iter(source)
            while room.acquire() and not closed.is_set():
                ready.put((next(items), None))
        except StopIteration:
            pass
        except BaseException as err:  # raised again in the consumer's thread
            end = (None, err)
        ready.put(end)

    thread = threading.Thread(target=produce, name="prefetch", daemon=True)
    thread.start()
    try:
        while True:
            item, err = ready.get()
            if err is not None:
                raise err
            if item is None:
                return
            room.release()
            yield item
    finally:
        closed.set()
        room.release()
        thread.join()


def loader(refs: list, options: Config, start: int, pin_memory: bool, change=None, segment: int = 0):
    """Yields batches (dicts of tensors, see rows.batch) for ever, the first one
    being number `start` of the sequence that begins at 0. `change` is a function
    to apply to each, segment as for Stream."""
    source = DataLoader(
        Batches(refs, options, start, segment),
        batch_size=None,
        num_workers=options.workers,
        pin_memory=pin_memory,
        worker_init_fn=_ignore_interrupts if options.workers else None,
    )
    good = (_checked(tensors) for tensors in source)
    changed = map(change, good) if change else good
    yield from prefetch(changed, AHEAD) if options.workers == 0 or change else changed


def _checked(tensors: dict) -> dict:
    """Returns a batch; raises the error that a worker sent instead."""
    if "error" in tensors:
        raise DataError(tensors["error"])
    return tensors


def validation(refs: list, options: Config) -> list:
    """Returns the batches of the validation set, each of one board size, under
    the identity. May be empty. Where the games kept out have more than about
    val_rows rows, it has those of some shards, in the order of their digests:
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
        if have >= options.val_rows:
            break
    out = []
    for size in sorted(parts):
        rows: Rows = concat(parts[size])
        for i in range(0, len(rows), options.batch):
            index = np.arange(i, min(i + options.batch, len(rows)))
            identity = np.zeros(len(index), np.int64)
            arrays = batch(rows.take(index), identity, options.q_share, options.policy_rows)
            out.append({name: torch.from_numpy(array) for name, array in arrays.items()})
    return out
