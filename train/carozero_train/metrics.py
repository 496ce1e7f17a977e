"""Metrics: what a loss consists of, and its sums."""

from __future__ import annotations

import time
from contextlib import contextmanager

import torch
import torch.nn.functional as F
from torch import Tensor

# Logit of an illegal action: as good as minus infinity, but finite.
ILLEGAL = -1e9


def losses(policy: Tensor, value: Tensor, batch: dict):
    """Returns the loss of a batch and its parts as sums, all on the device.

    The policy's part is the cross entropy over the legal actions, averaged
    over the rows that count for it; the value's is the cross entropy of
    win/draw/loss. Parts: rows, policy_rows, policy_loss, value_loss,
    policy_floor (the entropy of the target, which the policy's loss cannot go
    below), policy_hits and value_hits (the most likely one is right), and
    against the game's outcome alone, whatever the value's target is,
    outcome_loss and brier (the squared distance of the shares from it).
    """
    logits = policy.float().masked_fill(batch["legal"] == 0, ILLEGAL)
    target, weight = batch["policy"], batch["policy_weight"]
    logs = F.log_softmax(logits, dim=1)
    policy_loss = (weight * -(target * logs).sum(1)).sum()
    value_loss = -(batch["value"] * F.log_softmax(value.float(), dim=1)).sum()
    rows, policy_rows = len(value), weight.sum()
    loss = policy_loss / policy_rows.clamp(min=1) + value_loss / rows
    with torch.no_grad():
        floor = (weight * -torch.xlogy(target, target).sum(1)).sum()
        hits = (weight * (logits.argmax(1) == target.argmax(1))).sum()
        value_hits = (value.argmax(1) == batch["outcome"]).sum()
        outcome_loss = F.cross_entropy(value.float(), batch["outcome"], reduction="sum")
        brier = (F.softmax(value.float(), 1) - F.one_hot(batch["outcome"], 3)).square().sum()
        counts, sums = [policy_rows.new_full((), rows), policy_rows], [policy_loss.detach(), value_loss.detach(), floor]
        parts = torch.stack([*counts, *sums, hits, value_hits.float(), outcome_loss, brier])
    return loss, parts


def summary(parts: Tensor) -> dict:
    """Returns means of summed parts as numbers to record."""
    rows, policy_rows, policy, value, floor, hits, value_hits, outcome, brier = parts.double().tolist()
    rows, policy_rows = max(rows, 1.0), max(policy_rows, 1.0)
    policy, value = policy / policy_rows, value / rows
    return {
        "loss": policy + value,
        "policy_loss": policy,
        "policy_floor": floor / policy_rows,
        "value_loss": value,
        "policy_accuracy": hits / policy_rows,
        "value_accuracy": value_hits / rows,
        "outcome_loss": outcome / rows,
        "brier": brier / rows,
    }


class Meter:
    """Sums the parts of steps and times them, between two lines of metrics."""

    def __init__(self):
        self._restart()

    def _restart(self) -> None:
        self.parts, self.rows, self.since = 0, 0, time.perf_counter()

    def add(self, parts: Tensor, rows: int) -> None:
        self.parts = self.parts + parts
        self.rows += rows

    def take(self) -> dict:
        """Returns the means and the rows a second since the last take."""
        out = summary(self.parts)
        seconds = time.perf_counter() - self.since
        out["samples_per_s"] = round(self.rows / max(seconds, 1e-9), 1)
        self._restart()
        return out

    def plain(self) -> dict:
        """Returns what has been added since the last take, for restore."""
        parts = self.parts.tolist() if self.rows else []
        return {"parts": parts, "rows": self.rows, "seconds": time.perf_counter() - self.since}

    def restore(self, plain: dict, device) -> None:
        """Goes on from what plain returned."""
        if plain["rows"]:
            self.parts, self.rows = torch.tensor(plain["parts"], device=device), plain["rows"]
        self.since = time.perf_counter() - plain["seconds"]

    @contextmanager
    def paused(self):
        """Leaves out the time that the block takes."""
        start = time.perf_counter()
        yield
        self.since += time.perf_counter() - start
