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
    "b4c96nbt": Size(4, 96, pool=(1,), pool_filters=16, head_filters=32, bottleneck=48),
    "b6c128nbt": Size(6, 128, pool=(1, 4), pool_filters=24, head_filters=32, bottleneck=64),
    "caro13": Size(4, 128, pool=(1,), activation="swish", head_filters=32),
}

RESIDUAL = Architecture(
    name="residual",
    network=Network,
    sizes=SIZES,
    playable=fold,
    boards={"caro13": (13,)},
    grow=grow,
)
