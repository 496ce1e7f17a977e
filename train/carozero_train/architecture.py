"""What an architecture of networks is to the rest of the trainer.

networks.py has the list of architectures. A network of any of them is a torch module
with this interface, for a batch of n positions on boards of any one size:

    network(size, game)   its weights are drawn from torch's random numbers
    .size, .game          the arguments
    features(planes [n, planes, h, w], globals [n, g])
                          what the last layers read: the policy's [n, head_filters, h, w]
                          and the value's [n, value_hidden], of the size's numbers
    outputs(features)     policy logits [n, actions] and value logits [n, 3]
    forward(planes, globals)
                          outputs(features(planes, globals))

The auxiliary heads (auxiliary.py) read the same features.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from carozero.samples.schema import GAMES


@dataclass(frozen=True)
class Format:
    """A format of files, other than ONNX, that an architecture's networks can have.

    suffix    how the files' names end, for example ".line"
    write     write(net, path, rules, sizes, run, temperature) writes a file (the arguments
              are those of export.export), compares it with the net, and returns a phrase
              that says how far they differ
    """

    suffix: str
    write: Callable


@dataclass(frozen=True)
class Architecture:
    """A kind of network.

    name       what messages call it, as in "NAME networks do not grow"
    network    the class of its networks
    sizes      the shapes of its networks, by the names that --size takes; a shape has
               at least head_filters and value_hidden, and can be compared with ==
    playable   playable(net) returns a net in the form that is played with: a module that
               torch can trace into ONNX for boards of any size; None if no network of
               this architecture is written as ONNX
    games      the games that its networks can play
    formats    the formats that its networks can be exported to, other than ONNX
    grow       grow(weights, size, net) gives a net the weights of a smaller one of the
               given size, so that it computes the same, or raises Usage; None if
               networks of this architecture cannot grow
    """

    name: str
    network: type
    sizes: dict
    playable: Callable | None = None
    games: tuple = GAMES
    formats: tuple = ()
    grow: Callable | None = None

    @property
    def suffixes(self) -> list:
        """How the names of its networks' files can end."""
        return [".onnx"] * bool(self.playable) + [form.suffix for form in self.formats]
