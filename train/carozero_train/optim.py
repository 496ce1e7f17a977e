"""The optimiser, the learning rate's schedule and the averaged weights."""

from __future__ import annotations

import copy
import math

import torch
from torch import nn

SCHEDULES = ("cosine", "step", "constant")
OPTIMIZERS = ("adamw", "sgd")

# Learning rate of each optimiser when none is given.
DEFAULT_LR = {"adamw": 2e-3, "sgd": 5e-2}

# Weight decay when none is given; AdamW's is decoupled from the gradient, so
# what counts is its product with the learning rate.
DEFAULT_DECAY = {"adamw": 2e-2, "sgd": 1e-4}


def optimizer(net: nn.Module, name: str, lr: float, momentum: float, decay: float):
    """Returns the optimiser. Weights of one dimension (norms and biases) are
    not decayed."""
    matrices = [p for p in net.parameters() if p.ndim > 1]
    vectors = [p for p in net.parameters() if p.ndim <= 1]
    groups = [
        {"params": matrices, "weight_decay": decay},
        {"params": vectors, "weight_decay": 0.0},
    ]
    if name == "sgd":
        return torch.optim.SGD(groups, lr=lr, momentum=momentum, nesterov=momentum > 0)
    return torch.optim.AdamW(groups, lr=lr, betas=(momentum, 0.999))


def rate(schedule: str, step: int, steps: int, warmup: int, final: float) -> float:
    """Returns the factor of the learning rate at a step, 0 the first.

    It rises linearly over the warm-up. Then "cosine" falls from 1 to `final`
    along half a cosine, "step" is 1, 0.1 and 0.01 over the first half, the
    next quarter and the last, and "constant" stays at 1.
    """
    if step < warmup:
        return (step + 1) / warmup
    done = (step - warmup) / max(1, steps - warmup)
    if schedule == "cosine":
        return final + (1 - final) * 0.5 * (1 + math.cos(math.pi * min(1.0, done)))
    if schedule == "step":
        return 1.0 if done < 0.5 else 0.1 if done < 0.75 else 0.01
    return 1.0


class Average:
    """The exponential moving average of a net's weights and running statistics.

    At update t the decay is min(decay, (1+t)/(10+t)), so that early steps do
    not leave the initial weights in the average.
    """

    def __init__(self, net: nn.Module, decay: float):
        self.decay = decay
        self.updates = 0
        self.net = copy.deepcopy(net).eval().requires_grad_(False)

    @torch.no_grad()
    def update(self, net: nn.Module) -> None:
        decay = min(self.decay, (1 + self.updates) / (10 + self.updates))
        self.updates += 1
        for mean, now in zip(self.net.state_dict().values(), net.state_dict().values()):
            if mean.dtype.is_floating_point:
                mean.lerp_(now, 1 - decay)
            else:
                mean.copy_(now)
