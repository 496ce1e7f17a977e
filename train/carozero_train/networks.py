"""The list of architectures, and networks by the names of their sizes.

To add an architecture, write a module that defines an Architecture (see architecture.py)
and add it to ARCHITECTURES. Every command then knows its sizes and formats.
"""

from __future__ import annotations

import torch
from torch import nn

from carozero.samples.schema import GOMOKU, Game

from .architecture import Architecture
from .errors import Usage
from .line.architecture import LINE
from .residual.architecture import RESIDUAL

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
