"""The symmetries of each game's positions, numbered as the engine numbers them.

The square has eight. Symmetry s = 4*t + r: t transposes, (x, y) -> (y, x), and
is applied first; then r quarter turns follow, each (x, y) -> (size-1-y, x). A
cell is y*size + x.

Onitama has two: 1 mirrors the columns, those of the cards' planes too. As the cards of
a hand are in the order of their sets of squares, that may exchange a hand's cards, and
with them their planes and actions.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from .schema import GOMOKU, ONITAMA, Game

SYMMETRIES = 8


def transform(size: int, symmetry: int, cell: int) -> int:
    """Returns the image of a cell."""
    x, y = cell % size, cell // size
    if symmetry >= 4:
        x, y = y, x
    for _ in range(symmetry % 4):
        x, y = size - 1 - y, x
    return y * size + x


@cache
def images(size: int) -> np.ndarray:
    """Returns [8, size*size]: the image of each cell. Read only."""
    out = np.array([[transform(size, s, c) for c in range(size * size)] for s in range(SYMMETRIES)])
    out.setflags(write=False)
    return out


@cache
def sources(size: int) -> np.ndarray:
    """Returns [8, size*size]: the cell whose content each cell receives, the
    inverse of images. Read only."""
    out = np.argsort(images(size), axis=1)
    out.setflags(write=False)
    return out


def apply(cells: np.ndarray, symmetry: np.ndarray, size: int) -> np.ndarray:
    """Returns cells [n, ..., size*size] with row i moved by symmetry[i],
    in memory with the cells before what lies between (channels last)."""
    last = np.ascontiguousarray(np.moveaxis(cells, -1, 1))
    moved = last[np.arange(len(cells))[:, None], sources(size)[symmetry]]
    return np.moveaxis(moved, 1, -1)


class Square:
    """The symmetries of a board whose actions are its cells."""

    count = SYMMETRIES

    def view(self, planes, scalars, size: int, symmetries: np.ndarray):
        """Returns planes [n, p, size*size] and globals [n, g] with row i seen
        under symmetries[i], and the images [n, actions] of the actions."""
        return apply(planes, symmetries, size), scalars, images(size)[symmetries]


class Mirror:
    """The symmetries of Onitama."""

    count = 2

    def __init__(self):
        self.hands = [ONITAMA.planes.index(f"{side}_card_1") for side in ("own", "opp")]
        self.actions = np.stack([np.arange(1250), self._mirrored(False), self._mirrored(True)])

    @staticmethod
    def _mirrored(exchanged: bool) -> np.ndarray:
        """Returns [1250]: the image of each action in the mirror."""
        card, dy, dx, y, x = np.unravel_index(np.arange(1250), (2, 5, 5, 5, 5))
        card = 1 - card if exchanged else card
        return np.ravel_multi_index((card, dy, 4 - dx, y, 4 - x), (2, 5, 5, 5, 5))

    def view(self, planes, scalars, size: int, symmetries: np.ndarray):
        """As Square.view."""
        planes = planes.copy()
        variant = np.zeros(len(planes), np.int64)
        rows = np.flatnonzero(symmetries == 1)
        board = planes[rows][..., images(size)[5]]  # which mirrors the columns
        for hand, plane in enumerate(self.hands):
            both = board[:, plane : plane + 2]
            exchanged = self._exchanged(both[..., ::-1] if hand else both)
            board[exchanged, plane : plane + 2] = both[exchanged][:, ::-1]
            if hand == 0:
                variant[rows] = 1 + exchanged
        planes[rows] = board
        return planes, scalars.copy(), self.actions[variant]

    @staticmethod
    def _exchanged(hands: np.ndarray) -> np.ndarray:
        """Returns which hands, [n, 2, 25] as their holder sees them, are not in order:
        the set of squares that is the smaller number comes first, square s being bit s."""
        numbers = hands.astype(np.int64) @ (1 << np.arange(hands.shape[-1]))
        return numbers[:, 0] > numbers[:, 1]


_BY_GAME = {GOMOKU.name: Square(), ONITAMA.name: Mirror()}


def of(game: Game):
    """Returns the symmetries of a game: `count` of them, and `view`."""
    return _BY_GAME[game.name]
