"""The optimiser, the learning rate's schedule and the averaged weights."""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.optim.swa_utils import AveragedModel

SCHEDULES = ("cosine", "linear", "constant")

# Learning rate and weight decay when none are given; the decay is decoupled from the
# gradient, so what counts is its product with the learning rate.
DEFAULT_LR, DEFAULT_DECAY = 2e-3, 2e-2


def optimizer(net: nn.Module, lr: float, decay: float) -> torch.optim.Optimizer:
    """Returns AdamW. Weights of one dimension (norms and biases) are not decayed."""
    matrices = [p for p in net.parameters() if p.ndim > 1]
    vectors = [p for p in net.parameters() if p.ndim <= 1]
    groups = [
        {"params": matrices, "weight_decay": decay},
        {"params": vectors, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=lr, betas=(0.9, 0.999))


def rate(schedule: str, warm: float, progress: float, final: float) -> float:
    """Returns the factor of the learning rate: that of the warm-up while it is
    below 1, then that of the schedule at the run's progress, 0..1.

    "cosine" falls from 1 to `final` along half a cosine, "linear" along a line,
    and "constant" stays at 1.
    """
    if warm < 1:
        return warm
    if schedule == "cosine":
        return final + (1 - final) * 0.5 * (1 + math.cos(math.pi * progress))
    if schedule == "linear":
        return 1 - (1 - final) * progress
    return 1.0


def average(net: nn.Module, decay: float) -> AveragedModel:
    """Returns the exponential moving average of a net's weights and running
    statistics. The first update copies; at update t the decay is
    min(decay, (1+t)/(10+t)), so that early weights are soon forgotten."""

    def mix(mean, now, updates):
        if not mean.dtype.is_floating_point:
            return now
        share = 1 - min(decay, (1 + int(updates)) / (10 + int(updates)))
        return torch.lerp(mean, now, share)

    out = AveragedModel(net, avg_fn=mix, use_buffers=True)
    return out.eval().requires_grad_(False)
