"""The entry of line networks in the list of architectures: their sizes and functions."""

from __future__ import annotations

from carozero.samples.schema import GOMOKU

from ..architecture import Architecture, Format
from . import file
from .export import export
from .grow import grow
from .network import LineNetwork, LineSize


def _write(net, path, rules, sizes, run: dict, temperature: float) -> str:
    difference, clipped = export(net, path, rules, sizes, run, temperature)
    return f"check {difference:.1e}, {clipped} rows of weights clipped"


def _check(path) -> dict:
    return file.read(path)[1]


LINE = Architecture(
    name="line",
    network=LineNetwork,
    sizes={"line16": LineSize(16), "line32": LineSize(32)},
    games=(GOMOKU,),
    formats=(Format(file.SUFFIX, _write, _check),),
    grow=grow,
)
