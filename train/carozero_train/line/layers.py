"""Parts of the line network in training: rounding that lets gradients through, bounds of
weights, the mapping of lines to channels and its lookup, and sums over a board's ninths.

Reference:
  [INT]  B. Jacob et al., "Quantization and Training of Neural Networks for
         Efficient Integer-Arithmetic-Only Inference", arXiv:1712.05877.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import torch
import torch.nn.functional as F
from scipy.sparse import csr_matrix
from torch import Tensor, nn

from .lines import ARMS, PAIRS, REACH, ROWS, contents
from .reference import FEATURE

# Steps of a table's numbers that make 1, and the largest of them.
TABLE = 32
TOP = FEATURE / TABLE

# The share of its bound that a row of weights may reach, so that rounding cannot
# pass it.
ROOM = 0.995

# Width of the mapping's hidden layers; its inputs are own, other or edge by cell.
WIDTH, INPUTS = 96, 3 * (2 * REACH + 1)


def rounded(x: Tensor, steps: int) -> Tensor:
    """Returns x in multiples of 1/steps, a power of two, halves up, with the gradient
    of x."""
    return _Rounded.apply(x, steps)


class _Rounded(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor, steps: int) -> Tensor:
        return (x * steps).add_(0.5).floor_().div_(steps)

    @staticmethod
    def backward(ctx, gradient: Tensor):
        return gradient, None


def clamped(x: Tensor, low: float, high: float) -> Tensor:
    """Returns x.clamp(low, high) with a gradient that passes where low <= x <= high,
    found in one pass over large tensors: clamp's own takes five, and whether the bounds
    themselves let it through depends on the version of PyTorch."""
    return _Clamped.apply(x, low, high)


class _Clamped(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x: Tensor, low: float, high: float) -> Tensor:
        ctx.save_for_backward(x)
        # Hardtanh's bounds let no gradient through: these are the numbers beside them.
        ctx.bounds = [np.nextafter(np.float32(b), np.float32(to)).item() for b, to in ((low, -9e9), (high, 9e9))]
        return x.clamp(low, high)

    @staticmethod
    def backward(ctx, gradient: Tensor):
        (x,) = ctx.saved_tensors
        return torch.ops.aten.hardtanh_backward(gradient, x, *ctx.bounds), None, None


def bounded(weights: Tensor, biases: Tensor, top: float, bound: float):
    """Returns weights [rows, n] and biases [rows], those rows made smaller whose
    sums could pass the bound for inputs up to top."""
    total = weights.abs().sum(1) * top + biases.abs()
    share = (ROOM * bound / total.clamp(min=1e-9)).clamp(max=1)
    return weights * share[:, None], biases * share


class Lookup(torch.autograd.Function):
    """The sum of rows of a table [rows, k] by an index [m, n]: [n, k].

    Note: index_select and sums take four times as long; the gradient of embedding_bag
    takes ten times as long as that by index_add_, and that four times as long as sums
    over the places of each row.
    """

    @staticmethod
    def forward(ctx, table: Tensor, index: Tensor) -> Tensor:
        ctx.save_for_backward(index)
        ctx.rows = len(table)
        return F.embedding_bag(index.t().contiguous(), table, mode="sum")

    @staticmethod
    def backward(ctx, gradient: Tensor):
        (index,) = ctx.saved_tensors
        if gradient.device.type == "cpu":
            where, starts = places(index, ctx.rows)
            return F.embedding_bag(where, gradient, starts, mode="sum"), None
        out = gradient.new_zeros(ctx.rows, gradient.shape[1])
        for rows in index:
            out.index_add_(0, rows, gradient)
        return out, None


def places(index: Tensor, rows: int):
    """Returns where each of so many rows is looked up by an index [m, n]: places in
    0..n-1, ascending, row after row, and where each row's begin [rows]."""
    m, n = index.shape
    ones = np.ones(m * n, np.int8)
    starts = np.arange(0, m * n + 1, m, dtype=np.int32)
    # Compressed rows made compressed columns: a sort by counting.
    columns = csr_matrix((ones, index.t().numpy().reshape(-1), starts), (n, rows)).tocsc()
    return torch.from_numpy(columns.indices), torch.from_numpy(columns.indptr[:-1])


class Mapping(nn.Module):
    """Lines to channels: a row of the table is M(line) + M(line reversed)."""

    def __init__(self, channels: int):
        super().__init__()
        first, second, last = nn.Linear(INPUTS, WIDTH), nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, channels)
        self.layers = nn.Sequential(first, nn.ReLU(), second, nn.ReLU(), last)

    def forward(self, rows: Tensor) -> Tensor:
        """Returns [n, channels] of rows of the table, rounded as it is."""
        there, back = inputs_of(rows)
        one, other = self.layers(torch.cat([there, back])).float().chunk(2)
        return rounded((one + other).clamp(-TOP, TOP), TABLE)


@lru_cache(maxsize=None)
def _cells(device: torch.device):
    """Returns, for each pair of arms, the numbers of both [PAIRS], and the inputs
    of each arm's cells, nearest first and last, [ARMS, 3 * REACH]."""
    hi = np.repeat(np.arange(ARMS), np.arange(1, ARMS + 1))
    lo = np.arange(PAIRS) - hi * (hi + 1) // 2
    # Of empty cells nothing is set; own, other, edge are 2, 3, 0 in contents().
    ones = np.stack([contents() == kind for kind in (2, 3, 0)], 2).astype(np.float32)
    near, far = ones.reshape(ARMS, -1), ones[:, ::-1].reshape(ARMS, -1)
    return tuple(torch.from_numpy(np.ascontiguousarray(a)).to(device) for a in (hi, lo, near, far))


def inputs_of(rows: Tensor):
    """Returns the mapping's inputs [n, INPUTS] of rows of the table, read either way."""
    hi, lo, near, far = _cells(rows.device)
    content = torch.div(rows, PAIRS, rounding_mode="floor")
    a, b = (arms[rows - content * PAIRS] for arms in (hi, lo))
    middle = torch.eye(3, device=rows.device)[content - 1] * (content > 0)[:, None]
    there = torch.cat([far[a], middle, near[b]], 1)
    return there, torch.cat([far[b], middle, near[a]], 1)


def numbered(rows: np.ndarray):
    """Returns the rows that occur, ascending, and the place of each among them. Behind
    them are some zeros, so that batches have few different numbers of them: tensors
    of a new size each step had taken 1.6 GB after 60 steps, these take 0.6.

    Note: an array of marks is fifteen times as fast as torch.unique.
    """
    marks = np.zeros(ROWS, np.int32)
    marks[rows.reshape(-1)] = 1
    unique = np.flatnonzero(marks)
    marks[unique] = np.arange(len(unique))
    step = 1 << max(6, len(unique).bit_length() - 5)
    return np.pad(unique, (0, -len(unique) % step)), marks.take(rows)


@lru_cache(maxsize=None)
def thirds(size: int) -> list:
    """Returns how many of so many rows of a board are in each of its thirds."""
    return np.bincount(3 * np.arange(size) // size, minlength=3).tolist()


def read(cells: Tensor):
    """Returns what the heads read of the features cells [2, n, h, w, k]: their sums
    [2, n, 9, k] over the ninths of the board, the cells of each ninth [9, 1], and the
    first half of either side's channels, one behind the other [n, h, w, k]."""
    high, wide = (torch.tensor(thirds(size)) for size in cells.shape[2:4])
    sums, halves = _Read.apply(cells)
    return sums, torch.outer(high, wide).view(9, 1).to(cells.device), halves


class _Read(torch.autograd.Function):
    """The sums and the halves of read.

    Note: the gradient is written once; those of slices fill a tensor of the cells' size
    with zeros each, and add them.
    """

    @staticmethod
    def forward(ctx, cells: Tensor):
        ctx.shape = cells.shape
        rows = [part.sum(2) for part in cells.split(thirds(cells.shape[2]), 2)]
        parts = [part.sum(2) for row in rows for part in row.split(thirds(cells.shape[3]), 2)]
        return torch.stack(parts, 2), torch.cat(cells[..., : cells.shape[4] // 2].unbind(), 3)

    @staticmethod
    def backward(ctx, sums: Tensor, halves: Tensor):
        out, half = halves.new_empty(ctx.shape), ctx.shape[4] // 2
        high, wide = thirds(ctx.shape[2]), thirds(ctx.shape[3])
        places = [part for rows in out.split(high, 2) for part in rows.split(wide, 3)]
        for part, of_sum in zip(places, sums.unbind(2)):
            part.copy_(of_sum[:, :, None, None])
        out[0, ..., :half] += halves[..., :half]
        out[1, ..., :half] += halves[..., half:]
        return out
