"""Rows of samples in memory, and the batches made of them.

Rows keep planes and legal actions packed and the policy sparse, as the shard
does, so that a shuffle buffer of n rows costs about a kilobyte a row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import symmetry
from .schema import HORIZONS, UNPROVEN, Game
from .shard import Shard

# Arrays of Rows with one entry a row; the policy arrays have one a visit.
ROW_ARRAYS = ("planes", "legal", "globals", "outcome", "q", "future", "full", "origin")


@dataclass
class Rows:
    """Rows of one game and board size.

    planes [n, planes, bytes] and legal [n, bytes] uint8, packed; globals [n, g];
    outcome, full [n]; q [n] value of the search, a proven root's the proven one;
    future [n, 2] values some plies ahead; origin [n] index of the row's shard; counts [n]
    visits a row, actions and target [sum of counts].
    """

    game: Game
    size: int
    planes: np.ndarray
    legal: np.ndarray
    globals: np.ndarray
    outcome: np.ndarray
    q: np.ndarray
    future: np.ndarray
    full: np.ndarray
    origin: np.ndarray
    counts: np.ndarray
    actions: np.ndarray
    target: np.ndarray

    def __len__(self) -> int:
        return len(self.outcome)

    def take(self, index: np.ndarray) -> Rows:
        """Returns a copy of the rows at index, in that order."""
        starts = np.cumsum(self.counts) - self.counts
        visits = visit_indices(starts[index], self.counts[index])
        arrays = {name: getattr(self, name)[index] for name in ROW_ARRAYS}
        arrays.update(counts=self.counts[index], actions=self.actions[visits], target=self.target[visits])
        return Rows(self.game, self.size, **arrays)


def visit_indices(starts: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Returns starts[i], starts[i]+1, ... starts[i]+counts[i]-1 for each i, all
    in one array."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.repeat(starts - (ends - counts), counts) + np.arange(total)


def concat(parts: list) -> Rows:
    """Returns the rows of several Rows of one game and size, in order."""
    if len(parts) == 1:
        return parts[0]
    names = ROW_ARRAYS + ("counts", "actions", "target")
    arrays = {name: np.concatenate([getattr(p, name) for p in parts]) for name in names}
    return Rows(parts[0].game, parts[0].size, **arrays)


def from_shard(shard: Shard, index: np.ndarray, origin: int, policy_target: str) -> Rows:
    """Copies the rows at index out of a shard.

    policy_target is "target" for the column of that name or "visits" for the
    visit counts as shares; a row without any visit keeps its policy_target."""
    columns = shard.columns
    offsets = columns["visit_offsets"].astype(np.int64)
    counts = np.diff(offsets)
    visits = visit_indices(offsets[:-1][index], counts[index])
    target = columns["policy_target"]
    if policy_target == "visits":
        target = visit_shares(columns["visit_counts"], target, counts)
    # A proven root's value is the game's, whatever the search averaged.
    q = np.where(columns["proven"] != UNPROVEN, columns["proven"], columns["root_q"])
    q = np.clip(q, -1, 1).astype(np.float32)
    future = np.stack([value_ahead(columns, q, plies) for plies in HORIZONS], 1)
    return Rows(
        shard.game,
        shard.size,
        planes=columns["planes"][index],
        legal=columns["legal"][index],
        globals=columns["globals"][index],
        outcome=columns["outcome"][index],
        q=q[index],
        future=future[index],
        full=(columns["full_search"] * ~uniform_loss(columns, counts))[index],
        origin=np.full(len(index), origin, np.int32),
        counts=counts[index],
        actions=columns["visit_actions"][visits],
        target=target[visits],
    )


def uniform_loss(columns: dict, counts: np.ndarray) -> np.ndarray:
    """Returns [n] whether a row's policy target says nothing: the side to move is
    proven to lose and all its moves, of which there are several, have the same target,
    since the search ended before its first playout."""
    target = columns["policy_target"]
    spread = np.zeros(len(counts), np.float32)
    some = counts > 0
    if some.any():
        starts = columns["visit_offsets"][:-1][some].astype(np.int64)
        spread[some] = np.maximum.reduceat(target, starts) - np.minimum.reduceat(target, starts)
    return (columns["proven"] == -1) & (counts > 1) & (spread < 1e-6)


def value_ahead(columns: dict, q: np.ndarray, plies: int) -> np.ndarray:
    """Returns [n] values for the side to move, seen from so many plies ahead:
    that of q in the game's first row there or later, or the game's outcome if
    it has none."""
    game, ply = columns["game"].astype(np.int64), columns["ply"].astype(np.int64)
    key = game << 17 | ply
    order = np.argsort(key, kind="stable")
    place = np.searchsorted(key[order], key + plies)
    row = order[np.minimum(place, len(order) - 1)]
    found = (place < len(order)) & (game[row] == game)
    sign = 1 - 2 * ((ply[row] - ply) % 2)
    return np.where(found, sign * q[row], columns["outcome"]).astype(np.float32)


def visit_shares(visits: np.ndarray, fallback: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Returns visits as shares of their row's total; counts [rows] tells how
    many entries each row has. A row of zero visits takes fallback's entries."""
    row = np.repeat(np.arange(len(counts)), counts)
    totals = np.bincount(row, weights=visits, minlength=len(counts))[row]
    shares = visits / np.maximum(totals, 1)
    return np.where(totals > 0, shares, fallback).astype(np.float32)


def unpack(packed: np.ndarray, cells: int) -> np.ndarray:
    """Returns [..., cells] uint8 of bits packed most significant first."""
    return np.unpackbits(packed, axis=-1, count=cells)


def value_target(outcome: np.ndarray, q: np.ndarray, mix: float) -> np.ndarray:
    """Returns [n, 3] win/draw/loss shares: (1-mix) of the game's outcome and
    mix of the search value q, read as a win with probability (1+q)/2 and a
    loss otherwise, which keeps its expectation."""
    out = np.zeros((len(outcome), 3), np.float32)
    out[np.arange(len(outcome)), 1 - outcome.astype(np.int64)] = 1.0 - mix
    q = np.clip(q, -1.0, 1.0)
    out[:, 0] += mix * 0.5 * (1.0 + q)
    out[:, 2] += mix * 0.5 * (1.0 - q)
    return out


def batch(rows: Rows, symmetries: np.ndarray, q_share: float, policy_rows: str) -> dict:
    """Returns the arrays of one batch, row i seen under symmetries[i].

    planes u8 [n, planes, h, w], globals f4 [n, g], legal u8 [n, actions], policy
    f4 [n, actions] summing to 1, policy_weight f4 [n], value f4 [n, 3], outcome
    i8 [n] (class: 0 win, 1 draw, 2 loss), future f4 [n, 2], origin i4 [n].
    policy_rows "full" gives rows of cheap searches, and lost ones whose moves are all the same, a policy
    weight of 0, "all" keeps them.
    """
    n, size = len(rows), rows.size
    actions = rows.game.actions(size)
    planes, scalars, images = symmetry.of(rows.game).view(
        unpack(rows.planes, size * size), rows.globals, size, symmetries
    )
    legal = np.empty((n, actions), np.uint8)
    np.put_along_axis(legal, images, unpack(rows.legal, actions), 1)
    owner = np.repeat(np.arange(n), rows.counts)
    action = images[owner, rows.actions]
    total = np.bincount(owner, weights=rows.target, minlength=n)
    policy = np.zeros((n, actions), np.float32)
    policy[owner, action] = rows.target / np.where(total > 0, total, 1)[owner]
    weight = (total > 0).astype(np.float32)
    if policy_rows == "full":
        weight *= rows.full != 0
    return {
        "planes": planes.reshape(n, -1, size, size),
        "globals": scalars,
        "legal": legal,
        "policy": policy,
        "policy_weight": weight,
        "value": value_target(rows.outcome, rows.q, q_share),
        "outcome": 1 - rows.outcome.astype(np.int64),
        "future": rows.future,
        "origin": rows.origin,
    }
