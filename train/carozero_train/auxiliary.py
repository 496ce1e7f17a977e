"""Auxiliary heads: targets that only training has.

They read the same features as the policy and the value, and are left out of the exported
net. Each has a weight; 0 leaves the head out. Both are KataGo's (docs/KataGoMethods.md).

    soft    the policy's target at temperature 4, which separates moves that the
            target gives almost nothing
    future  the values 4 and 12 plies ahead, which are less noisy than the outcome
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from carozero.samples.schema import HORIZONS

from .metrics import ILLEGAL

HEADS = ("soft", "future")

TEMPERATURE = 4


class Auxiliary(nn.Module):
    """The heads with weights above 0, a dict of name to weight."""

    def __init__(self, net: nn.Module, weights: dict):
        super().__init__()
        self.weights = {name: w for name, w in weights.items() if w > 0}
        size, planes = net.size, net.game.policy_planes
        self.policy = nn.Conv2d(size.head_filters, planes, 1) if "soft" in self.weights else None
        self.value = nn.Linear(size.value_hidden, len(HORIZONS)) if "future" in self.weights else None
        for layer in filter(None, (self.policy, self.value)):
            nn.init.normal_(layer.weight, std=0.2 / layer.weight.shape[1] ** 0.5)
            nn.init.zeros_(layer.bias)

    def forward(self, features) -> dict:
        """Returns the outputs of each head from features() of the net: "soft" logits
        [n, actions], "future" [n, 2] logits of (1+value)/2."""
        policy, value = features
        soft = {"soft": self.policy(policy).flatten(1).float()} if self.policy else {}
        return {**soft, "future": self.value(value).float()} if self.value else soft

    def loss(self, outputs: dict, batch: dict) -> Tensor:
        """Returns the weighted sum of the heads' mean losses over a batch."""
        total = torch.zeros((), device=batch["globals"].device)
        for name, output in outputs.items():
            total = total + self.weights[name] * _LOSSES[name](output, batch)
        return total


def soften(target: Tensor) -> Tensor:
    """Returns policy targets [n, actions] at TEMPERATURE: shares of the
    fourth roots. Rows without a target stay zero."""
    roots = torch.where(target > 0, target, torch.zeros_like(target)) ** (1 / TEMPERATURE)
    return roots / roots.sum(1, keepdim=True).clamp(min=1e-12)


def _soft_loss(logits: Tensor, batch: dict) -> Tensor:
    """Returns the cross entropy over the legal actions, a mean over the rows that have
    a policy."""
    logs = F.log_softmax(logits.masked_fill(batch["legal"] == 0, ILLEGAL), 1)
    each = -(soften(batch["policy"]) * logs).sum(1)
    return (batch["policy_weight"] * each).sum() / batch["policy_weight"].sum().clamp(min=1)


def _future_loss(logits: Tensor, batch: dict) -> Tensor:
    return F.binary_cross_entropy_with_logits(logits, 0.5 * (1 + batch["future"]))


_LOSSES = {"soft": _soft_loss, "future": _future_loss}
