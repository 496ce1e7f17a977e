"""The optimiser and the averaged weights."""

from __future__ import annotations

import copy

import torch
from torch import Tensor, nn


def optimizer(net: nn.Module, lr: float, decay: float) -> torch.optim.Optimizer:
    """Returns AdamW. Weights of one dimension (norms and biases) are not decayed."""
    matrices = [p for p in net.parameters() if p.ndim > 1]
    vectors = [p for p in net.parameters() if p.ndim <= 1]
    groups = [
        {"params": matrices, "weight_decay": decay},
        {"params": vectors, "weight_decay": 0.0},
    ]
    fused = {"fused": True} if matrices[0].is_cuda else {}
    return torch.optim.AdamW(groups, lr=lr, betas=(0.9, 0.999), **fused)


class Average:
    """The exponential moving average of a net's weights and running statistics, `net`.

    The first update copies; at update t the decay is min(decay, (1+t)/(10+t)), so that
    early weights are soon forgotten. An update is a few calls for all tensors together,
    and never waits for the device.
    """

    def __init__(self, net: nn.Module, decay: float):
        self.net, self.decay, self.updates = copy.deepcopy(net), decay, 0
        self.net.eval().requires_grad_(False)

    @torch.no_grad()
    def update(self, net: nn.Module) -> None:
        """Takes the net's present weights into the average."""
        t, self.updates = self.updates, self.updates + 1
        share = 1 - min(self.decay, (1 + t) / (10 + t)) if t else 1
        pairs = list(zip(_tensors(self.net), _tensors(net)))
        for mean, now in pairs:
            if share == 1 or not mean.is_floating_point():
                mean.copy_(now)
        if share < 1:
            means, nows = zip(*(pair for pair in pairs if pair[0].is_floating_point()))
            torch._foreach_add_(means, torch._foreach_sub(nows, means), alpha=share)


def _tensors(net: nn.Module) -> list[Tensor]:
    return [*net.parameters(), *net.buffers()]
