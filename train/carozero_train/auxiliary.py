"""Targets that only training has: heads that teach the tower, and their loss.

They read the same features as the policy and the value, and are left out of
the exported net, but for the share of the optimistic policy that an export may
mix into its policy. Each has a weight; 0 leaves the head out.

    soft        the policy's target at temperature 4, which tells moves apart
                that the target hardly knows ([KM] "auxiliary soft policy target")
    reply       the opponent's answer ([KG] section 3.4)
    future      values 4 and 12 plies ahead, less noisy than the outcome ([KM]
                "short-term value targets")
    left        the logarithm of the plies left
    error       the squared error of the net's own value v against the one 4
                plies ahead, u: what to expect of it ([KM] "uncertainty-weighted
                MCTS playouts")
    optimistic  the policy's target where play went better than expected: each
                row counts by sigmoid(3 (z - 1.5)) with z = (u - v) / sqrt(error),
                so that moves that may surprise are found ([KM] "optimistic
                policy"). It wants the head before it

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
HEADS = ("soft", "reply", "future", "left", "error", "optimistic")

TEMPERATURE = 4

# Where a checkpoint's heads have the weights of the optimistic policy.
OPTIMISTIC = "optimistic.weight"

# The optimistic policy's weight of a row: sigmoid(STEEP (z - SURPRISE)). Errors below
# LEAST, where the net is sure, make no surprise of a trifle.
STEEP, SURPRISE, LEAST = 3.0, 1.5, 0.01


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
        self.error = nn.Linear(size.value_hidden, 1) if "error" in self.weights else None
        # Without a bias, as the policy's own last layer, into which it can be mixed.
        self.optimistic = (
            nn.Conv2d(size.head_filters, planes, 1, bias=False) if "optimistic" in self.weights else None
        )
        for layer in filter(None, (self.policy, self.value, self.error, self.optimistic)):
            nn.init.normal_(layer.weight, std=0.2 / layer.weight.shape[1] ** 0.5)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)

    def forward(self, features) -> dict:
        """Returns the outputs of each head from features() of the net: "soft" and
        "reply" logits [n, actions], "future" [n, 2] logits of (1+value)/2, "left"
        [n], the logarithm of one more than the plies left, "error" [n], above 0,
        "optimistic" logits [n, actions]."""
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
        if self.error:
            out["error"] = F.softplus(self.error(value).float()[:, 0])
        if self.optimistic:
            out["optimistic"] = self.optimistic(policy).flatten(1).float()
        return out

    def loss(self, outputs: dict, batch: dict, value: Tensor) -> Tensor:
        """Returns the weighted sum of the heads' mean losses over a batch, to
        whose positions the net gives value logits [n, 3]. No gradient goes
        through those, nor from the optimistic head to the error."""
        total = torch.zeros((), device=batch["globals"].device)
        shares = F.softmax(value.detach().float(), 1)
        surprise = batch["future"][:, 0].float() - (shares[:, 0] - shares[:, 2])
        for name, output in outputs.items():
            if name == "error":
                loss = F.mse_loss(output, surprise.square())
            elif name == "optimistic":
                loss = _optimistic_loss(output, batch, surprise, outputs["error"].detach())
            else:
                loss = _LOSSES[name](output, batch)
            total = total + self.weights[name] * loss
        return total


def mix(net: nn.Module, optimistic: Tensor, share: float) -> None:
    """Mixes the weights of an optimistic policy into a net's own, logit by logit, by a
    share in 0..1: one last layer computes both."""
    own = net.last_policy()
    with torch.no_grad():
        own.lerp_(optimistic.to(own).view_as(own), share)


def soften(target: Tensor) -> Tensor:
    """Returns policy targets [n, actions] at TEMPERATURE: shares of the
    fourth roots. Rows without a target stay zero."""
    roots = torch.where(target > 0, target, torch.zeros_like(target)) ** (1 / TEMPERATURE)
    return roots / roots.sum(1, keepdim=True).clamp(min=1e-12)


def _policy_loss(logits: Tensor, target: Tensor, batch: dict, weight: Tensor) -> Tensor:
    """Returns the cross entropy over the legal actions, each row by its weight [n],
    a mean over the rows that have a policy."""
    logs = F.log_softmax(logits.masked_fill(batch["legal"] == 0, ILLEGAL), 1)
    each = -(target * logs).sum(1)
    return (weight * each).sum() / batch["policy_weight"].sum().clamp(min=1)


def _soft_loss(logits: Tensor, batch: dict) -> Tensor:
    return _policy_loss(logits, soften(batch["policy"]), batch, batch["policy_weight"])


def _optimistic_loss(logits: Tensor, batch: dict, surprise: Tensor, error: Tensor) -> Tensor:
    z = surprise / error.clamp(min=LEAST).sqrt()
    weight = batch["policy_weight"] * torch.sigmoid(STEEP * (z - SURPRISE))
    return _policy_loss(logits, batch["policy"], batch, weight)


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
