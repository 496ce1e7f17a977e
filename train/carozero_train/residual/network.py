"""The network: a residual tower with global pooling, and its folded form.

Shapes are [n, channels, h, w] with h and w free: nothing in the network knows
the board size except through its inputs, so one net plays every size.

    stem        3x3 conv of the planes
    blocks      residual pairs of 3x3 convs; some pool the board and take the
                globals (PoolBlock)
    policy head 1x1 convs to the logits of each cell, biased by the pooled features
    value head  the pooled features through one hidden layer to win/draw/loss

Every norm follows a convolution directly, and biases from pooled features or
globals are added behind it. So `fold` turns each pair into one convolution
with a bias, and inference is convolution and activation only. Such biases go
into the middle of a block, never onto the trunk: the runtime then keeps the
trunk in its blocked layout and does each residual sum inside a convolution.

References:
  [KG]   D. J. Wu, "Accelerating Self-Play Learning in Go", arXiv:1902.10565.
  [RES]  K. He et al., "Deep Residual Learning", arXiv:1512.03385.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from carozero.samples.schema import Game

from .renorm import Renorm


@dataclass(frozen=True)
class Size:
    """Shape of a network. `pool` lists the blocks that pool, counted from 0."""

    blocks: int
    filters: int
    pool: tuple
    pool_filters: int = 16
    head_filters: int = 32
    value_hidden: int = 64


class ConvNorm(nn.Module):
    """A convolution without bias, then normalisation; no activation."""

    def __init__(self, inputs: int, outputs: int, kernel: int, gamma: float = 1.0):
        super().__init__()
        self.conv = nn.Conv2d(inputs, outputs, kernel, padding=kernel // 2, bias=False)
        self.norm = Renorm(outputs, gamma)
        nn.init.kaiming_normal_(self.conv.weight, nonlinearity="relu")

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(self.conv(x))

    def folded(self) -> nn.Conv2d:
        """Returns the one convolution that equals this pair in eval mode."""
        conv, norm = self.conv, self.norm
        scale = norm.weight / norm.running_std
        out = nn.Conv2d(conv.in_channels, conv.out_channels, conv.kernel_size, padding=conv.padding)
        with torch.no_grad():
            out.weight.copy_(conv.weight * scale[:, None, None, None])
            out.bias.copy_(norm.bias - norm.running_mean * scale)
        return out


def pooled(x: Tensor) -> Tensor:
    """Global pooling, [n, c, h, w] to [n, 2c, 1, 1]: the mean and the maximum
    of each channel ([KG] section 3.3, without the mean scaled by the board's
    width: the globals carry the width)."""
    mean, top = F.adaptive_avg_pool2d(x, 1), F.adaptive_max_pool2d(x, 1)
    return torch.cat([mean, top], 1)


class Block(nn.Module):
    """The residual block of [RES]: relu(x + conv(relu(conv(x))))."""

    def __init__(self, size: Size):
        super().__init__()
        self.conv1 = ConvNorm(size.filters, size.filters, 3)
        self.conv2 = ConvNorm(size.filters, size.filters, 3, gamma=0.5)

    def forward(self, x: Tensor, scalars: Tensor) -> Tensor:
        return F.relu(x + self.conv2(F.relu(self.conv1(x))))


class PoolBlock(nn.Module):
    """A residual block with a global pooling bias ([KG] section 3.3): some of
    the middle channels are pooled over the board, and a linear map of the
    result and the globals is a bias for the others. So the whole board and
    the rules reach every cell."""

    def __init__(self, size: Size, scalars: int):
        super().__init__()
        rest = size.filters - size.pool_filters
        self.conv1 = ConvNorm(size.filters, rest, 3)
        self.gate = ConvNorm(size.filters, size.pool_filters, 3)
        self.bias = nn.Linear(2 * size.pool_filters + scalars, rest, bias=False)
        self.conv2 = ConvNorm(rest, size.filters, 3, gamma=0.5)
        nn.init.normal_(self.bias.weight, std=0.1)

    def forward(self, x: Tensor, scalars: Tensor) -> Tensor:
        board = pooled(F.relu(self.gate(x)))
        bias = self.bias(torch.cat([board.flatten(1), scalars], 1))[:, :, None, None]
        y = F.relu(self.conv1(x) + bias)
        return F.relu(x + self.conv2(y))


class Network(nn.Module):
    """Policy and value of a batch of positions.

    forward(planes [n, planes, h, w], globals [n, g]) returns policy logits
    [n, p*h*w], the cells of each of the game's p policy planes in the planes'
    own order, and value logits [n, 3]: win, draw, loss for the side to move.
    """

    def __init__(self, size: Size, game: Game):
        super().__init__()
        self.size, self.game = size, game
        scalars = len(game.globals)
        c, head = size.filters, size.head_filters
        self.stem = ConvNorm(len(game.planes), c, 3)
        self.blocks = nn.ModuleList(
            PoolBlock(size, scalars) if i in size.pool else Block(size) for i in range(size.blocks)
        )
        self.policy_conv = ConvNorm(c, head, 1)
        self.value_conv = ConvNorm(c, head, 1)
        self.policy_bias = nn.Conv2d(2 * head, head, 1, bias=False)
        self.policy_out = nn.Conv2d(head, game.policy_planes, 1, bias=False)
        self.value_hidden = nn.Linear(2 * head, size.value_hidden)
        self.value_out = nn.Linear(size.value_hidden, 3)
        # Small outputs at the start: near-uniform priors, values near zero.
        nn.init.normal_(self.policy_bias.weight, std=0.1)
        nn.init.normal_(self.policy_out.weight, std=0.2 / head**0.5)
        nn.init.kaiming_normal_(self.value_hidden.weight, nonlinearity="relu")
        nn.init.zeros_(self.value_hidden.bias)
        nn.init.normal_(self.value_out.weight, std=0.2 / size.value_hidden**0.5)
        nn.init.zeros_(self.value_out.bias)

    def features(self, planes: Tensor, scalars: Tensor):
        """Returns what the last layers read: the policy's [n, head, h, w] and
        the value's [n, hidden]."""
        x = F.relu(self.stem(planes))
        for block in self.blocks:
            x = block(x, scalars)
        board = pooled(F.relu(self.value_conv(x)))
        policy = F.relu(self.policy_conv(x) + self.policy_bias(board))
        return policy, F.relu(self.value_hidden(board.flatten(1)))

    def outputs(self, features):
        """Returns the policy's and the value's logits from features()."""
        policy, value = features
        return self.policy_out(policy).flatten(1), self.value_out(value)

    def forward(self, planes: Tensor, scalars: Tensor):
        return self.outputs(self.features(planes, scalars))


def fold(net: Network) -> Network:
    """Returns a copy for inference in which every norm is part of its
    convolution. Equal to net.eval() up to rounding."""
    out = copy.deepcopy(net).cpu().float().eval()
    for parent in list(out.modules()):
        for name, child in list(parent.named_children()):
            if isinstance(child, ConvNorm):
                setattr(parent, name, child.folded())
    return out.requires_grad_(False)
