"""The metadata of a network's file: the rule sets and board sizes that the network is for,
the temperature of its policy, and the SHA-256 of an ONNX file's weights.

A runtime loads a file with flipped bits in its weights without a word. So `export`
and `quantise` write the digest of the initializers into the metadata, and the
program compares when it loads the file. models/README.md says over which bytes it goes.
"""

from __future__ import annotations

import struct

import onnx
from onnx import numpy_helper

from carozero.samples.schema import GOMOKU, Game
from carozero.samples.shard import digest

from .errors import Usage
from .options import Option

# Keys of the planes' version, the rule sets, the board sizes, what is known of the
# training, the digest, and the policy's temperature where it is not 1.
PLANES, RULES, SIZES, RUN = "carozero.planes", "carozero.rules", "carozero.sizes", "carozero.run"
WEIGHTS, TEMPERATURE_KEY = "carozero.weights", "carozero.temperature"

TEMPERATURE = Option("temperature", 1.0, "what a tree search divides the policy's logits by", 0.05, 20)


def advice(temperature: float) -> dict:
    """Returns the metadata about the policy's temperature. Raises Usage for one that
    engines refuse."""
    return {} if TEMPERATURE.check(temperature) == 1 else {TEMPERATURE_KEY: f"{temperature:g}"}


def parse_sizes(text: str, game: Game = GOMOKU) -> list:
    """Returns the board sizes of "5-22", "13" or "9,13,15"."""
    sizes = set()
    for part in text.split(","):
        low, dash, high = part.partition("-")
        ends = [low, high if dash else low]
        if not all(end.isascii() and end.isdigit() and len(end) < 10 for end in ends):
            raise Usage(f"sizes {text!r}: want a list such as 13 or 9,15,19 or 5-22")
        first, last = map(int, ends)
        if not game.min_size <= first <= last <= game.max_size:
            raise Usage(f"sizes {text!r}: want {game.min_size}..{game.max_size}, the smaller one first")
        sizes.update(range(first, last + 1))
    return sorted(sizes)


def format_sizes(sizes) -> str:
    """Returns "5-22" for sizes without a gap, else a list "9,13,15"."""
    sizes = sorted(sizes)
    if len(sizes) > 2 and sizes[-1] - sizes[0] == len(sizes) - 1:
        return f"{sizes[0]}-{sizes[-1]}"
    return ",".join(map(str, sizes))


def parse_rules(text: str, game: Game = GOMOKU) -> list:
    """Returns the rule sets of a list such as "caro,renju" or "all"."""
    names = list(game.rules) if text == "all" else text.split(",")
    unknown = [name for name in names if name not in game.rules]
    if unknown:
        raise Usage(f"rules {','.join(unknown)!r}: want all or some of {','.join(game.rules)}")
    return names


def weights_digest(model: onnx.ModelProto) -> str:
    """Returns the SHA-256 over the initializers, however their data are encoded."""
    parts = []
    for tensor in sorted(model.graph.initializer, key=lambda t: t.name.encode()):
        name, dims = tensor.name.encode(), list(tensor.dims)
        array = numpy_helper.to_array(tensor)
        parts += [struct.pack("<q", len(name)), name]
        parts += [struct.pack(f"<{2 + len(dims)}q", tensor.data_type, len(dims), *dims)]
        parts += [array.astype(array.dtype.newbyteorder("<")).tobytes()]
    return digest(*parts)
