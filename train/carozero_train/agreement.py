"""Positions of sample shards, and how far two networks agree on them.

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

# Rows of a forward pass: enough to be fast, little memory.
BATCH = 64

# Seed of the choice of positions.
SEED = 1


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


def draw(refs: list, training: int, held_out: int):
    """Returns two lists of Positions, one entry a board size: about `training`
    positions of the games that a run trains on and about `held_out` of those
    that it keeps out, spread over all shards. A function of its arguments."""
    splits = [row_split(shard.read(ref), ref.skip, Config().val_fraction) for ref in refs]
    random = np.random.Generator(np.random.PCG64(SEED))
    return (
        _spread(refs, [train for train, _ in splits], training, random, "to train on"),
        _spread(refs, [kept for _, kept in splits], held_out, random, "kept out of training"),
    )


def sample(refs: list, wanted: int) -> list:
    """Returns about `wanted` positions of any games, as draw does."""
    rows = [np.arange(ref.rows) for ref in refs]
    return _spread(refs, rows, wanted, np.random.Generator(np.random.PCG64(SEED)), "at all")


def _spread(refs: list, rows: list, wanted: int, random, what: str) -> list:
    """Returns about `wanted` of the rows of all shards, by board size."""
    have = sum(map(len, rows))
    if have == 0:
        raise DataError(f"the shards have no game {what}: play more games")
    share = min(1.0, wanted / have)
    parts: dict = {}
    for ref, index in zip(refs, rows):
        count = min(len(index), int(len(index) * share + random.random()))
        chosen = np.sort(random.choice(index, count, replace=False))
        if count:
            data = shard.read(ref)
            parts.setdefault(data.size, []).append(_arrays(data, chosen))
    return [Positions(*map(np.concatenate, zip(*parts[size]))) for size in sorted(parts)]


def _arrays(data: shard.Shard, index: np.ndarray):
    """Returns planes, globals and legal actions of the rows at index."""
    columns, size = data.columns, data.size
    planes = unpack(columns["planes"][index], size * size).astype(np.float32)
    legal = unpack(columns["legal"][index], data.game.actions(size)).astype(bool)
    return planes.reshape(len(index), -1, size, size), columns["globals"][index], legal


@dataclass(frozen=True)
class Agreement:
    """Differences of a network from the one that it should equal.

    positions     how many were compared
    kl, kl_p99    divergence of its policy from the other's over the legal
                  moves, in nats: mean, and 99th percentile
    top1          share of positions where both prefer the same move
    value, value_p99  difference of win minus loss probability, 0..2, likewise
    value_max     the largest of them
    """

    positions: int
    kl: float
    kl_p99: float
    top1: float
    value: float
    value_p99: float
    value_max: float

    def __str__(self) -> str:
        return (
            f"policy KL {self.kl:.5f} (p99 {self.kl_p99:.4f})  same best move {self.top1:.2%}"
            f"  value error {self.value:.4f} (p99 {self.value_p99:.4f})"
            f"  on {self.positions} positions"
        )

    def rounded(self, *names) -> dict:
        """Returns the named figures with five digits after the point."""
        return {name: round(getattr(self, name), 5) for name in names}


def compare(want, got, boards: list) -> Agreement:
    """Returns how far the session `got` agrees with the session `want` on a
    list of Positions. Outputs that are not finite give infinite differences."""
    kl, same, value = [], [], []
    for positions in boards:
        a_policy, a_value = _forward(want, positions)
        b_policy, b_value = _forward(got, positions)
        a = _log_softmax(np.where(positions.legal, a_policy, -np.inf))
        b = _log_softmax(np.where(positions.legal, b_policy, -np.inf))
        with np.errstate(invalid="ignore"):
            terms = np.where(positions.legal, np.exp(a) * (a - b), 0)
        kl.append(terms.sum(1))
        same.append(a.argmax(1) == b.argmax(1))
        value.append(np.abs(_expectation(a_value) - _expectation(b_value)))
    kl, value = (np.nan_to_num(np.concatenate(x), nan=np.inf) for x in (kl, value))
    top1 = float(np.concatenate(same).mean())
    mean_kl, mean_value, largest = map(float, (kl.mean(), value.mean(), value.max()))
    return Agreement(len(kl), mean_kl, _p99(kl), top1, mean_value, _p99(value), largest)


def _p99(values: np.ndarray) -> float:
    """Returns the 99th percentile as one of the values, which may be infinite."""
    return float(np.sort(values)[int(0.99 * (len(values) - 1))])


def _forward(session, positions):
    """Returns policy [n, h*w] and value [n, 3] logits in double precision."""
    outputs = [session.run(["policy", "value"], inputs) for inputs in positions.batches(BATCH)]
    return [np.concatenate(parts).astype(np.float64) for parts in zip(*outputs)]


def _log_softmax(logits: np.ndarray) -> np.ndarray:
    shifted = logits - logits.max(1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(1, keepdims=True))


def _expectation(logits: np.ndarray) -> np.ndarray:
    """Returns win minus loss probability of win/draw/loss logits."""
    return np.exp(_log_softmax(logits)) @ np.array([1.0, 0.0, -1.0])
