"""A network in training: its optimiser, auxiliary heads and averaged weights."""

from __future__ import annotations

import math

import torch

from . import metrics, networks, optim, speed
from .auxiliary import HEADS, Auxiliary
from .config import Config
from .errors import NonFinite

# Bound of the gradient's norm.
CLIP = 5.0


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
        self.average = optim.Average(self.net, config.ema)
        weights = {name: getattr(config, f"{name}_weight") for name in HEADS}
        self.heads = Auxiliary(self.net, weights).to(self.device)
        self.trained = torch.nn.ModuleList([self.net, self.heads])
        self.optimizer = optim.optimizer(self.trained, config.lr, config.weight_decay)
        self.scaler = speed.grad_scaler(self.setup.precision == "float16")

    def inherit(self, parent: dict) -> None:
        """Takes the averaged weights of a checkpoint, and its auxiliary heads
        where they are the same ones. A smaller network's weights make one that
        begins as the same function; Usage says why a network cannot."""
        networks.inherit(parent["average"], parent["config"]["size"], self.net)
        shapes = {name: tensor.shape for name, tensor in self.heads.state_dict().items()}
        if shapes == {name: tensor.shape for name, tensor in parent.get("heads", {}).items()}:
            self.heads.load_state_dict(parent.get("heads", {}))
        self.average = optim.Average(self.net, self.config.ema)

    def restore(self, state: dict) -> None:
        """Takes up everything of a checkpoint that is a learner's."""
        self.net.load_state_dict(state["net"])
        self.heads.load_state_dict(state.get("heads", {}))
        self.average.net.load_state_dict(state["average"])
        self.average.updates = state["average_updates"]
        optimizer = {"state": state["optimizer"], "param_groups": state["param_groups"]}
        self.optimizer.load_state_dict(optimizer)
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
        if not math.isfinite(final):
            raise NonFinite("the loss is not finite")
        if not self.scaler.is_enabled() and not math.isfinite(norm):
            raise NonFinite("the gradient is not finite")
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
