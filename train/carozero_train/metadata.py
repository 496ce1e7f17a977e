"""The metadata of a network's file: for which rule sets and board sizes the network is,
and by what a search should divide its policy. And the options of writing such a file.
"""

from __future__ import annotations

from carozero.samples.schema import GOMOKU, Game

from .errors import Usage
from .options import Option

# Key of the policy's temperature where it is not 1.
TEMPERATURE_KEY = "carozero.temperature"

TEMPERATURE = Option(
    "temperature", 1, "what a tree search divides the policy's logits by", 0.05, 20, show_range=True, kind=float
)
OPSET = Option("opset", 17, "ONNX opset", 13, 17, show_range=True)


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
