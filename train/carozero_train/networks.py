"""The architectures of networks, and networks by the names of their sizes.

A network of any architecture is a torch module with this interface, for a batch of n
positions on boards of any one size:

    network(size, game)   its weights are drawn from torch's random numbers
    .size, .game          the arguments; a size has at least head_filters and value_hidden
    features(planes [n, planes, h, w], globals [n, g])
                          what the last layers read: the policy's [n, head_filters, h, w]
                          and the value's [n, value_hidden]
    outputs(features)     policy logits [n, actions] and value logits [n, 3]
    forward(planes, globals)
                          outputs(features(planes, globals))

The auxiliary heads (auxiliary.py) read the same features.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import nn

from carozero.samples.schema import GAMES, GOMOKU, Game

from .errors import Usage
from .line import export as line_export
from .line import grow as line_grow
from .line.network import LineNetwork, LineSize
from .residual import grow as residual_grow
from .residual.network import Network, Size


@dataclass(frozen=True)
class Architecture:
    """A kind of network.

    name      what messages call it, as in "NAME networks play gomoku"
    network   the class of its networks
    sizes     the shapes of its networks, by the names that --size takes
    games     the games that its networks can play
    suffix    how the names of its networks' files end
    write     write(net, path, rules, sizes, run, temperature) writes such a file, compares
              it with the net, and returns a phrase that says how far they differ
    grow      grow(weights, size, net) gives a net the weights of a smaller one of the
              given size, so that it computes the same, or raises Usage
    """

    name: str
    network: type
    sizes: dict
    games: tuple
    suffix: str
    write: Callable
    grow: Callable


def _write_onnx(*arguments) -> str:
    from .export import export  # loads ONNX Runtime, which training does not need

    return f"check {export(*arguments):.1e}"


RESIDUAL = Architecture(
    name="residual",
    network=Network,
    sizes={
        "b2c16": Size(2, 16, pool=(1,), pool_filters=8, head_filters=8, value_hidden=16),
        "b4c32": Size(4, 32, pool=(1,), pool_filters=16, head_filters=16, value_hidden=32),
        "b4c64": Size(4, 64, pool=(1,), pool_filters=16, head_filters=32),
        "b6c96": Size(6, 96, pool=(1, 4), pool_filters=32, head_filters=32),
        "b10c128": Size(10, 128, pool=(1, 4, 7), pool_filters=32, head_filters=48),
    },
    games=GAMES,
    suffix=".onnx",
    write=_write_onnx,
    grow=residual_grow.grow,
)
LINE = Architecture(
    name="line",
    network=LineNetwork,
    sizes={"line16": LineSize(16), "line32": LineSize(32)},
    games=(GOMOKU,),
    suffix=".line",
    write=line_export.write,
    grow=line_grow.grow,
)
ARCHITECTURES = (RESIDUAL, LINE)

# The architecture of each name of a size.
BY_SIZE = {size: each for each in ARCHITECTURES for size in each.sizes}


def architecture_named(size_name: str) -> Architecture:
    """Returns the architecture that has a named size. Raises Usage for an unknown name."""
    if size_name not in BY_SIZE:
        raise Usage(f"--size {size_name!r}: want one of {', '.join(BY_SIZE)}")
    return BY_SIZE[size_name]


def build(size_name: str, seed: int, game: Game = GOMOKU) -> nn.Module:
    """Returns an untrained net of a named size. The same arguments give the same weights."""
    architecture = architecture_named(size_name)
    if game not in architecture.games:
        played = ", ".join(each.name for each in architecture.games)
        raise Usage(f"--size {size_name}: {architecture.name} networks play {played}, not {game.name}")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return architecture.network(architecture.sizes[size_name], game)


def inherit(weights: dict, size_name: str, net: nn.Module) -> None:
    """Gives a net the weights of another, whose size is the same or smaller, so that it
    computes the same. Raises Usage with the reason if it cannot."""
    old = architecture_named(size_name)
    if not isinstance(net, old.network):
        raise Usage(f"want a --size of the {old.name} networks")
    if old.sizes[size_name] == net.size:
        net.load_state_dict(weights)
    else:
        old.grow(weights, old.sizes[size_name], net)


def parameters(net: nn.Module) -> int:
    """Returns the number of trained parameters."""
    return sum(p.numel() for p in net.parameters())
