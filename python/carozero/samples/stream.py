"""Streams of batches over shards.

The stream of worker w among W is a pure function of the shards, the options and
the seed, so whoever stopped at batch k goes on by asking for the stream from k
on. An epoch visits the shards in a random order; as soon as the rows read reach
the shuffle buffer's size they are shuffled, cut into batches of one board size
and emitted in a random order, and what is left over joins the next round.
Workers read the same shards and share out their rows, so that each has the same
number of rows and an epoch has every row once.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from itertools import islice
from typing import Any

import numpy as np

from ..errors import DataError
from . import shard, symmetry
from .rows import batch, concat, from_shard

# Streams of random numbers, kept apart by the first word of their seed.
EPOCH_ORDER, WEIGHTS, SHUFFLE, REST = 1, 2, 3, 4

# After so many epochs without a row an endless stream ends: the weights are too small.
EMPTY_EPOCHS = 100


def option(default: Any, help: str, low=None, high=None, **more: Any) -> Any:
    """Returns a field that declares an option: what it sets, and its range, both ends
    included, or its choices."""
    return field(default=default, metadata={"help": help, "low": low, "high": high, **more})


@dataclass
class Options:
    """What a stream reads and how; the trainer's options begin with these."""

    batch: int = option(256, "rows a batch", 1, 1 << 20)
    shuffle_rows: int = option(200_000, "rows in the shuffle buffer, about a kilobyte each", 1, 10**12)
    symmetries: bool = option(True, "see each row under a random one of the game's symmetries")
    q_share: float = option(0.0, "share of root_q in the value target; the rest is the outcome", 0, 1)
    policy_target: str = option("target", "column policy_target, or visits as shares", choices=("target", "visits"))
    policy_rows: str = option(
        "full",
        "full: cheap searches, and lost positions in which all moves count alike, give no policy loss",
        choices=("full", "all"),
    )
    val_fraction: float = option(0.0, "share of the games kept for validation", 0, 0.9)
    workers: int = option(0, "how many streams share out the rows; 0 is 1", 0, 1024)
    seed: int = option(1, "of all that is random", 0, 2**63 - 1)

    def checked(self) -> Options:
        """Returns itself. Raises ValueError for a value out of its range."""
        for declared in fields(self):
            value, m = getattr(self, declared.name), declared.metadata
            if m.get("choices") and value not in m["choices"]:
                raise ValueError(f"{declared.name} is {value!r}, want {' or '.join(m['choices'])}")
            if m["low"] is not None and not m["low"] <= value <= m["high"]:
                raise ValueError(f"{declared.name} is {value}, want {m['low']}..{m['high']}")
        return self


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
    """The batches of one worker, 0..workers-1, from batch `start` on. The data_version
    is how often the data have changed. It is endless, or one epoch: then
    the last batches, one of each board size, have what is left over. Rows come as
    often as their weight says, or once if it is not to count."""

    def __init__(
        self, refs: list, options, worker: int, start: int, data_version: int = 0, epoch=None, weights: bool = True
    ):
        self.refs, self.options, self.data_version = refs, options, data_version
        self.worker, self.start, self.epoch, self.weights = worker, start, epoch, weights
        self.workers = max(1, options.workers)
        self.carry: dict = {}

    def __iter__(self):
        o = self.options
        for rows, index, symmetries in islice(self._plans(), self.start, None):
            yield batch(rows.take(index), symmetries, o.q_share, o.policy_rows)

    def _plans(self):
        """Yields (rows, row indices, symmetries) of each batch."""
        room = max(self.options.batch, self.options.shuffle_rows // self.workers)
        epoch, empty = self.epoch or 0, 0
        while True:
            order = self._random(EPOCH_ORDER, epoch).permutation(len(self.refs))
            pending, have, rounds, total, possible = [], 0, 0, 0, 0
            for position, origin in enumerate(order):
                rows, weighted, likely = self._load(int(origin), epoch)
                total, possible = total + weighted, possible + likely
                pending.append(rows)
                have += len(rows)
                if have >= room or position == len(order) - 1:
                    random = self._random(SHUFFLE, epoch, rounds, self.worker)
                    yield from self._round(pending, random)
                    pending, have, rounds = [], 0, rounds + 1
            if possible == 0:
                raise DataError("no row to train on: all are for validation or have weight 0")
            empty = empty + 1 if total == 0 else 0
            if empty == EMPTY_EPOCHS:
                raise DataError(f"no row to train on: by their weights none came in {empty} epochs")
            if self.epoch is not None:
                yield from self._rest(epoch)
                return
            epoch += 1

    def _rest(self, epoch: int):
        """Yields what is left over at the end, a batch of each board size."""
        random = self._random(REST, epoch, self.worker)
        for size in sorted(self.carry):
            rows = self.carry.pop(size)
            yield rows, np.arange(len(rows)), self._symmetries(random, rows)

    def _random(self, *words: int) -> np.random.Generator:
        version = [self.data_version] if self.data_version else []
        return np.random.Generator(np.random.PCG64([self.options.seed, *words, *version]))

    def _load(self, origin: int, epoch: int):
        """Returns this worker's rows of a shard, each as often as its weight says, the
        number of rows of all workers together, and of those that may come in an epoch."""
        ref, o = self.refs[origin], self.options
        data = shard.read(ref)
        train, _ = row_split(data, ref.skip, o.val_fraction)
        weight = data.columns["weight"][train].astype(np.float64)
        random = self._random(WEIGHTS, epoch, origin)
        repeats = np.floor(weight + random.random(len(train))).astype(np.int64)
        if not self.weights:
            repeats[:] = 1
        chosen = np.repeat(train, repeats)
        mine = chosen[(self.worker + origin) % self.workers :: self.workers]
        possible = np.count_nonzero(weight) if self.weights else len(train)
        return from_shard(data, mine, origin, o.policy_target), len(chosen), possible

    def _symmetries(self, random: np.random.Generator, rows) -> np.ndarray:
        symmetries = random.integers(0, symmetry.of(rows.game).count, len(rows))
        return symmetries if self.options.symmetries else np.zeros_like(symmetries)

    def _round(self, parts: list, random: np.random.Generator):
        """Yields the batches of one buffer of rows; the rest goes to carry."""
        plans = []
        for size in sorted({p.size for p in parts} | set(self.carry)):
            mine = [p for p in parts if p.size == size]
            if size in self.carry:
                mine.insert(0, self.carry.pop(size))
            rows = concat(mine)
            order = random.permutation(len(rows))
            symmetries = self._symmetries(random, rows)
            full = len(rows) - len(rows) % self.options.batch
            for i in range(0, full, self.options.batch):
                part = slice(i, i + self.options.batch)
                plans.append((rows, order[part], symmetries[part]))
            if full < len(rows):
                self.carry[size] = rows.take(order[full:])
        for i in random.permutation(len(plans)):
            yield plans[i]
