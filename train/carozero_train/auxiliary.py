"""Targets that only training has: heads that teach the tower, and their loss.

They read the same features as the policy and the value, and are left out of
the exported net. Each has a weight; 0 leaves the head out.

    soft    the policy's target at temperature 4, which tells moves apart that
            the target hardly knows ([KM] "auxiliary soft policy target")
    reply   the opponent's answer ([KG] section 3.4)
    future  values 4 and 12 plies ahead, less noisy than the outcome ([KM]
            "short-term value targets")
    left    the logarithm of the plies left

References:
  [KG]  D. J. Wu, "Accelerating Self-Play Learning in Go", arXiv:1902.10565.
  [KM]  KataGo, docs/KataGoMethods.md.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from carozero.samples.schema import HORIZONS

from .metrics import ILLEGAL

# The heads, in the order of their losses.
HEADS = ("soft", "reply", "future", "left")

TEMPERATURE = 4


class Auxiliary(nn.Module):
    """The heads with weights above 0, a dict of name to weight."""

    def __init__(self, net: nn.Module, weights: dict):
        super().__init__()
        self.weights = {name: w for name, w in weights.items() if w > 0}
        size, planes = net.size, net.game.policy_planes
        policy = sum(name in self.weights for name in ("soft", "reply"))
        value = len(HORIZONS) * ("future" in self.weights) + ("left" in self.weights)
        self.planes = planes
        self.policy = nn.Conv2d(size.head_filters, planes * policy, 1) if policy else None
        self.value = nn.Linear(size.value_hidden, value) if value else None
        for layer in filter(None, (self.policy, self.value)):
            nn.init.normal_(layer.weight, std=0.2 / layer.weight.shape[1] ** 0.5)
            nn.init.zeros_(layer.bias)

    def forward(self, features) -> dict:
        """Returns the outputs of each head from features() of the net: "soft" and
        "reply" logits [n, actions], "future" [n, 2] logits of (1+value)/2, "left"
        [n], the logarithm of one more than the plies left."""
        out, policy, value = {}, *features
        maps = list(self.policy(policy).split(self.planes, 1)) if self.policy else []
        for name in ("soft", "reply"):
            if name in self.weights:
                out[name] = maps.pop(0).flatten(1).float()
        numbers = self.value(value).float() if self.value else None
        if "future" in self.weights:
            out["future"] = numbers[:, : len(HORIZONS)]
        if "left" in self.weights:
            out["left"] = numbers[:, -1]
        return out

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
    logs = F.log_softmax(logits.masked_fill(batch["legal"] == 0, ILLEGAL), 1)
    each = -(soften(batch["policy"]) * logs).sum(1)
    weight = batch["policy_weight"]
    return (weight * each).sum() / weight.sum().clamp(min=1)


def _reply_loss(logits: Tensor, batch: dict) -> Tensor:
    # What is legal for the opponent is not in the rows: no action is masked.
    known = (batch["reply"] >= 0).sum().clamp(min=1)
    return F.cross_entropy(logits, batch["reply"], ignore_index=-1, reduction="sum") / known


def _future_loss(logits: Tensor, batch: dict) -> Tensor:
    share = 0.5 * (1 + batch["future"])
    return F.binary_cross_entropy_with_logits(logits, share)


def _left_loss(output: Tensor, batch: dict) -> Tensor:
    return F.smooth_l1_loss(output, torch.log1p(batch["left"]))


_LOSSES = {"soft": _soft_loss, "reply": _reply_loss, "future": _future_loss, "left": _left_loss}
