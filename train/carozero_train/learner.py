"""A network in training: its optimiser, auxiliary heads and averaged weights."""

from __future__ import annotations

import copy
import math

import torch
from torch import Tensor, nn

from . import metrics, networks, speed
from .auxiliary import HEADS, Auxiliary
from .config import Config
from .errors import NonFinite

CLIP = 5.0  # bound of the gradient's norm


class Learner:
    """What learns from batches. Random weights come from the configuration's
    seed, which becomes torch's as well."""

    def __init__(self, config: Config, game, board: int, setup=None):
        """The setup is measured on boards of the given size where it is None or
        leaves something open."""
        self.config, self.game = config, game
        self.device = speed.pick_device(config.device)
        if self.device.type == "cuda":
            torch.backends.cudnn.benchmark = True
        torch.manual_seed(config.seed)
        self.net = networks.build(config.size, config.seed, game).to(self.device)
        self.setup = speed.choose(self.net, setup, config, board, self.device)
        self.net = self.net.to(memory_format=self.setup.layout)
        self.average = Average(self.net, config.ema)
        weights = {name: getattr(config, f"{name}_weight") for name in HEADS}
        self.heads = Auxiliary(self.net, weights).to(self.device)
        self.trained = torch.nn.ModuleList([self.net, self.heads])
        self.optimizer = optimizer(self.trained, config.lr, config.weight_decay)
        self.scaler = speed.grad_scaler(self.setup.precision == "float16")

    def inherit(self, parent: dict) -> None:
        """Takes the averaged weights of a checkpoint, and its auxiliary heads
        where they are the same ones. A smaller network's weights make one that
        begins as the same function; Usage says why a network cannot."""
        networks.inherit(parent["average"], parent["config"]["size"], self.net)
        shapes = {name: tensor.shape for name, tensor in self.heads.state_dict().items()}
        if shapes == {name: tensor.shape for name, tensor in parent.get("heads", {}).items()}:
            self.heads.load_state_dict(parent.get("heads", {}))
        self.average = Average(self.net, self.config.ema)

    def restore(self, state: dict) -> None:
        """Takes up everything of a checkpoint that is a learner's."""
        self.net.load_state_dict(state["net"])
        self.heads.load_state_dict(state.get("heads", {}))
        self.average.net.load_state_dict(state["average"])
        self.average.updates = state["average_updates"]
        self.optimizer.load_state_dict({"state": state["optimizer"], "param_groups": state["param_groups"]})
        if state["scaler"] and self.scaler.is_enabled():
            self.scaler.load_state_dict(state["scaler"])

    def tensors(self) -> dict:
        """Returns the tensors that restore takes."""
        return {
            "net": self.net.state_dict(),
            "heads": self.heads.state_dict(),
            "average": self.average.net.state_dict(),
            "optimizer": self.optimizer.state_dict()["state"],
        }

    def step(self, batch: dict, lr: float):
        """Makes one step on a batch of to_device(); returns its gradient norm and
        parts. Raises NonFinite, with the weights as they were, where the loss or
        its gradient is not finite. The host waits for the device once."""
        for group in self.optimizer.param_groups:
            group["lr"] = lr
        self.net.train()
        loss, parts = self._loss(self.net, batch, self.heads)
        self.optimizer.zero_grad(set_to_none=True)
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        norm = torch.nn.utils.clip_grad_norm_(self.trained.parameters(), CLIP)
        final, norm = torch.stack([loss.detach(), norm]).tolist()
        if not math.isfinite(final) or not (self.scaler.is_enabled() or math.isfinite(norm)):
            raise NonFinite
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.average.update(self.net)
        return norm, parts

    def _loss(self, net, batch: dict, heads=None):
        """Returns the loss to train on and the parts of that without heads."""
        with self.setup.autocast(self.device):
            features = net.features(batch["planes"], batch["globals"])
            policy, value = net.outputs(features)
            further = heads(features) if heads else {}
        loss, parts = metrics.losses(policy, value, batch)
        return loss + heads.loss(further, batch) if further else loss, parts

    def to_device(self, batch: dict) -> dict:
        """Returns a batch as a step wants it: planes as numbers in the memory
        format, everything on the device."""
        out = {k: v.to(self.device, non_blocking=True) for k, v in batch.items()}
        planes = out["planes"].float()
        out["planes"] = planes.contiguous(memory_format=self.setup.layout)
        return out

    @torch.no_grad()
    def evaluate(self, batches: list, net=None) -> dict:
        """Returns metrics over batches of the averaged weights, or of a net."""
        net = (net or self.average.net).eval()
        parts = sum(self._loss(net, batch)[1] for batch in batches)
        return metrics.summary(parts)


def optimizer(net: nn.Module, lr: float, decay: float) -> torch.optim.Optimizer:
    """Returns AdamW. Weights of one dimension (norms and biases) are not decayed."""
    matrices = [p for p in net.parameters() if p.ndim > 1]
    vectors = [p for p in net.parameters() if p.ndim <= 1]
    groups = [{"params": matrices, "weight_decay": decay}, {"params": vectors, "weight_decay": 0.0}]
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
