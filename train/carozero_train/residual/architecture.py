"""The entry of residual towers in the list of architectures: their sizes and functions."""

from __future__ import annotations

from ..architecture import Architecture
from .grow import grow
from .network import Network, Size, fold

SIZES = {
    "b2c16": Size(2, 16, pool=(1,), pool_filters=8, head_filters=8, value_hidden=16),
    "b4c32": Size(4, 32, pool=(1,), pool_filters=16, head_filters=16, value_hidden=32),
    "b4c64": Size(4, 64, pool=(1,), pool_filters=16, head_filters=32),
    "b6c96": Size(6, 96, pool=(1, 4), pool_filters=32, head_filters=32),
    "b10c128": Size(10, 128, pool=(1, 4, 7), pool_filters=32, head_filters=48),
}

RESIDUAL = Architecture(
    name="residual",
    network=Network,
    sizes=SIZES,
    playable=fold,
    grow=grow,
)
