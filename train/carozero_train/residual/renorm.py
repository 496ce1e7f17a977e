"""Normalisation that is the same function in training and in play.

[BRN]: S. Ioffe, "Batch Renormalization", arXiv:1702.03275.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def moments(x: Tensor):
    """Returns the mean and the biased variance [c] of each channel of x
    [n, c, h, w] in float32, with the kernel of batch normalisation.

    Note: torch.var_mean gives the same, but takes thirty times as long for a
    channels-last tensor on a CPU, a quarter of a training step. The running
    statistics are handed over for their type: without any, those of a bfloat16
    tensor come out as bfloat16.
    """
    unused = torch.zeros(2, x.shape[1], device=x.device)
    return torch.batch_norm_update_stats(x, unused[0], unused[1], 0.0)


class Renorm(nn.Module):
    """Batch renormalisation ([BRN]) over [n, c, h, w].

    A batch holds one board size, and its statistics are that size's. Plain
    batch normalisation would train with those and play with the running ones
    of all sizes, which is another function. Here the batch's statistics give
    the gradient, while r and d bring the output to what the running
    statistics give, within bounds that open over the first updates:
    r in 1/R..R and d in -D..D, R from 1 to 3 and D from 0 to 5.
    """

    OPEN_FROM, OPEN_TO = 50, 400
    MAX_R, MAX_D = 3.0, 5.0
    MOMENTUM, EPS = 0.02, 1e-5

    def __init__(self, channels: int, gamma: float):
        super().__init__()
        self.weight = nn.Parameter(torch.full((channels,), gamma))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_std", torch.ones(channels))
        self.register_buffer("updates", torch.zeros((), dtype=torch.int64))

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            scale = self.weight / self.running_std
            return x * scale[:, None, None] + (self.bias - self.running_mean * scale)[:, None, None]
        with torch.no_grad():
            mean, var = moments(x)
            std = torch.sqrt(var + self.EPS)
            r, d = self._correction(mean, std)
            self._update(mean, std)
        weight, bias = self.weight * r, self.bias + self.weight * d
        return F.batch_norm(x, None, None, weight, bias, True, 0.0, self.EPS)

    def _correction(self, mean: Tensor, std: Tensor):
        opened = (self.updates.float() - self.OPEN_FROM) / (self.OPEN_TO - self.OPEN_FROM)
        opened = opened.clamp(0, 1)
        top = 1 + opened * (self.MAX_R - 1)
        r = torch.minimum(torch.maximum(std / self.running_std, 1 / top), top)
        far = opened * self.MAX_D
        d = (mean - self.running_mean) / self.running_std
        return r, torch.minimum(torch.maximum(d, -far), far)

    def _update(self, mean: Tensor, std: Tensor) -> None:
        """Moves the running statistics; early on they are a plain mean."""
        self.updates += 1
        share = torch.clamp(1 / self.updates.float(), min=self.MOMENTUM)
        self.running_mean.lerp_(mean, share)
        self.running_std.lerp_(std, share)
