"""A larger network that computes what a smaller one does.

Training a large network from random weights repeats what a small one has learned
already. A grown network has the small one's weights, and new ones beside them
whose outputs no layer reads yet: it begins as the same function, and learns to use
the rest ([N2N]; where that copies filters, new ones are random here, so that no
two are alike).

  old filters   old weights; 0 for every new filter that they read
  new filters   random weights
  new blocks    random weights before a last norm of 0: x + 0

Reference:
  [N2N]  T. Chen et al., "Net2Net: Accelerating Learning via Knowledge Transfer",
         arXiv:1511.05641.
"""

from __future__ import annotations

import torch
from torch import Tensor

from ..errors import Usage
from .network import ConvNorm, Network, Size


@torch.no_grad()
def grow(weights: dict, small: Size, net: Network) -> None:
    """Gives an untrained network the weights of a smaller one. Usage says what
    keeps it from computing the same."""
    check(small, net.size)
    old = Network(small, net.game)
    old.load_state_dict(weights)
    _conv_norm(old.stem, net.stem)
    block_map = _block_map(small, net.size)
    for i, block in enumerate(net.blocks):
        if i in block_map:
            _block(old.blocks[block_map.index(i)], block)
        else:
            block.conv2.norm.weight.zero_()  # it adds nothing
    _conv_norm(old.policy_conv, net.policy_conv)
    _conv_norm(old.value_conv, net.value_conv)
    pooled = _pooled(small.head_filters, net.size.head_filters)
    _weight(old.policy_bias, net.policy_bias, pooled)
    _weight(old.policy_out, net.policy_out)
    for a, b, positions in ((old.value_hidden, net.value_hidden, pooled), (old.value_out, net.value_out, None)):
        _weight(a, b, positions)
        b.bias[: len(a.bias)] = a.bias


def _block(a, b) -> None:
    _conv_norm(a.conv1, b.conv1)
    _conv_norm(a.conv2, b.conv2)
    if hasattr(a, "gate"):
        _conv_norm(a.gate, b.gate)
        filters = [block.gate.conv.out_channels for block in (a, b)]
        scalars = a.bias.in_features - 2 * filters[0]
        _weight(a.bias, b.bias, _pooled(*filters, scalars))


def check(small: Size, large: Size) -> None:
    """Raises Usage unless a network of one size can become one of the other."""
    for name in ("blocks", "filters", "pool_filters", "head_filters", "value_hidden"):
        a, b = getattr(small, name), getattr(large, name)
        if a > b:
            raise Usage(f"it has {name} {a} and --size {b}: want a size with no less of anything")
    inside = [size.filters - size.pool_filters for size in (small, large)]
    if inside[0] > inside[1]:
        raise Usage(f"its pooling blocks have {inside[0]} other filters and --size {inside[1]}")
    if _block_map(small, large) is None:
        raise Usage("its blocks that pool have no counterparts in --size")


def _block_map(small: Size, large: Size) -> list | None:
    """Returns the new number of each old block: the first free one of its kind."""
    block_map, free = [], 0
    for i in range(small.blocks):
        while free < large.blocks and (free in large.pool) != (i in small.pool):
            free += 1
        if free == large.blocks:
            return None
        block_map.append(free)
        free += 1
    return block_map


def _pooled(small: int, large: int, further: int = 0) -> Tensor:
    """Returns where the inputs of a layer are that reads the means and the maxima
    of some channels, and then further numbers."""
    first = torch.arange(small)
    return torch.cat([first, large + first, 2 * large + torch.arange(further)])


def _conv_norm(a: ConvNorm, b: ConvNorm) -> None:
    _weight(a.conv, b.conv)
    for name in ("weight", "bias", "running_mean", "running_std"):
        getattr(b.norm, name)[: len(a.norm.weight)] = getattr(a.norm, name)
    b.norm.updates.copy_(a.norm.updates)


def _weight(a, b, positions: Tensor | None = None) -> None:
    """Copies the weight [outputs, inputs, ...] of a layer. Old outputs read
    nothing new."""
    outputs, inputs = a.weight.shape[:2]
    positions = torch.arange(inputs) if positions is None else positions
    b.weight[:outputs] = 0
    b.weight[:outputs, positions] = a.weight
