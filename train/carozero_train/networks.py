"""The list of architectures, and networks by the names of their sizes.

To add an architecture, write a module with its network, and an entry here (architecture.py
says what it has). Every command then knows its sizes and formats.
"""

from __future__ import annotations

import torch
from torch import nn

from carozero.samples.schema import GOMOKU, Game

from .architecture import Architecture, Format
from .errors import Usage
from .line import export as line_export
from .line import file as line_file
from .line import grow as line_grow
from .line.network import LineNetwork, LineSize
from .residual import grow as residual_grow
from .residual.network import Network, Size, fold

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
    playable=fold,
    grow=residual_grow.grow,
)
LINE = Architecture(
    name="line",
    network=LineNetwork,
    sizes={"line16": LineSize(16), "line32": LineSize(32)},
    games=(GOMOKU,),
    formats=(Format(line_file.SUFFIX, line_export.write),),
    grow=line_grow.grow,
)

ARCHITECTURES = (
    RESIDUAL,
    LINE,
)

# The architecture of each name of a size.
BY_SIZE = {size: each for each in ARCHITECTURES for size in each.sizes}

# Every architecture's own formats, by suffix.
FORMATS = {form.suffix: form for each in ARCHITECTURES for form in each.formats}


def architecture_named(size_name: str) -> Architecture:
    """Returns the architecture that has a named size. Raises Usage for an unknown name."""
    if size_name not in BY_SIZE:
        raise Usage(f"--size {size_name!r}: want one of {', '.join(BY_SIZE)}")
    return BY_SIZE[size_name]


def architecture_of(net: nn.Module) -> Architecture:
    """Returns the architecture of a network."""
    return next(each for each in ARCHITECTURES if isinstance(net, each.network))


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
    old, new = architecture_named(size_name), architecture_of(net)
    size = old.sizes[size_name]
    if size == net.size:
        net.load_state_dict(weights)
        return
    for each in (old, new):
        if each.grow is None:
            raise Usage(f"{each.name} networks do not grow: want the same --size")
    if old is not new:
        raise Usage(f"{old.name} networks do not become {new.name} ones: want a --size of theirs")
    old.grow(weights, size, net)


def parameters(net: nn.Module) -> int:
    """Returns the number of trained parameters."""
    return sum(p.numel() for p in net.parameters())
