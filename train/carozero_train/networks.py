"""Every kind of network by the names of its sizes."""

from __future__ import annotations

import torch
from torch import nn

from . import linenet, model
from .errors import Usage
from .schema import GOMOKU, Game

SIZES = {**model.SIZES, **linenet.SIZES}


def size_named(name: str):
    """Returns the named size; Usage names the known ones."""
    if name not in SIZES:
        raise Usage(f"--size {name!r}: want one of {', '.join(SIZES)}")
    return SIZES[name]


def is_line(name: str) -> bool:
    """Tells whether a size is one of line networks."""
    return name in linenet.SIZES


def build(size_name: str, seed: int, game: Game = GOMOKU) -> nn.Module:
    """Returns an untrained net of a named size: a function of its arguments."""
    size = size_named(size_name)
    if not is_line(size_name):
        return model.build(size_name, seed, game)
    if game is not GOMOKU:
        raise Usage(f"--size {size_name}: line networks play gomoku, not {game.name}")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return linenet.LineNetwork(size, game)
