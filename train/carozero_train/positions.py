"""Positions of sample shards as a network reads them, for measurements.

Unlike the training stream these are few, chosen at once and seen as they were
played. Games are kept apart as in training: what is measured on the games kept
out was seen neither in training nor in calibration.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from carozero.samples import shard
from carozero.samples.rows import unpack
from carozero.samples.schema import Game
from carozero.samples.stream import row_split

from .config import Config
from .errors import DataError


@dataclass(frozen=True)
class Positions:
    """Positions of one board size: planes f4 [n, planes, h, w], globals f4
    [n, g], legal bool [n, actions]."""

    planes: np.ndarray
    globals: np.ndarray
    legal: np.ndarray

    def __len__(self) -> int:
        return len(self.planes)

    def fit(self, game: Game) -> bool:
        """Tells whether they are what a network of a game reads."""
        return (self.planes.shape[1], self.globals.shape[1]) == (len(game.planes), len(game.globals))

    def batches(self, rows: int):
        """Yields the network's inputs, at most `rows` positions at a time."""
        for i in range(0, len(self), rows):
            part = slice(i, i + rows)
            yield {"planes": self.planes[part], "globals": self.globals[part]}


def draw(refs: list, seed: int, training: int, held_out: int):
    """Returns two lists of Positions, one entry a board size: about `training`
    positions of the games that a run trains on and about `held_out` of those
    that it keeps out, spread over all shards. A function of its arguments."""
    fraction, shards, splits = Config().val_fraction, [], []
    for ref in refs:
        data = shard.read(ref)
        shards.append((ref, data.size))
        splits.append(row_split(data, ref.skip, fraction))
    random = np.random.Generator(np.random.PCG64(seed))
    return (
        _spread(shards, [train for train, _ in splits], training, random, "to train on"),
        _spread(shards, [kept for _, kept in splits], held_out, random, "kept out of training"),
    )


def _spread(shards: list, rows: list, wanted: int, random, what: str) -> list:
    """Returns about `wanted` of the rows of all shards, by board size."""
    have = sum(map(len, rows))
    if have == 0:
        raise DataError(f"the shards have no game {what}: play more games")
    share = min(1.0, wanted / have)
    parts: dict = {}
    for (ref, size), index in zip(shards, rows):
        count = min(len(index), int(len(index) * share + random.random()))
        chosen = np.sort(random.choice(index, count, replace=False))
        if count:
            parts.setdefault(size, []).append(_read(ref, chosen))
    return [Positions(*map(np.concatenate, zip(*parts[size]))) for size in sorted(parts)]


def _read(ref: shard.Ref, index: np.ndarray):
    """Returns planes, globals and legal actions of the rows at index."""
    data = shard.read(ref)
    columns, size = data.columns, data.size
    planes = unpack(columns["planes"][index], size * size).astype(np.float32)
    legal = unpack(columns["legal"][index], data.game.actions(size)).astype(bool)
    return planes.reshape(len(index), -1, size, size), columns["globals"][index], legal
