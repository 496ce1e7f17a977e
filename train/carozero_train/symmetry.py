"""The eight symmetries of a board, numbered as the engine numbers them.

Symmetry s = 4*t + r: t transposes, (x, y) -> (y, x), and is applied first;
then r quarter turns follow, each (x, y) -> (size-1-y, x). A cell is y*size + x.
"""

from __future__ import annotations

from functools import cache

import numpy as np

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
    """Returns cells [n, ..., size*size] with row i moved by symmetry[i]."""
    out = np.empty_like(cells)
    table = sources(size)
    for s in range(SYMMETRIES):
        rows = np.flatnonzero(symmetry == s)
        if len(rows):
            out[rows] = cells[rows][..., table[s]]
    return out
