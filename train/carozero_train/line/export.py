"""From a line network in training to its integers, with which the engine plays."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn

from carozero.samples.schema import GOMOKU

from ..errors import DataError
from ..metadata import advice, format_sizes
from . import file, lines
from .layers import TABLE, TOP, inputs_of, rounded
from .lines import ROWS
from .network import LAST, LAYER, TAP, TAP_SUM, WEIGHT, LineNetwork
from .reference import Position, evaluate

# Largest difference of a probability or of a value between integers and floating
# point that is accepted, and the positions that are looked at, (rule set, size).
TOLERANCE = 0.02
CHECKED = (("freestyle", 15), ("caro", 9), ("renju", 15), ("school42", 19))

# Rows of the table that are mapped at once.
CHUNK = 1 << 14


def write(net: LineNetwork, path, rules, sizes, run: dict, temperature: float = 1.0) -> str:
    """Writes a net's integers to path and says how far they differ from the net in
    floating point, over some positions, and how many rows of weights had to be made
    smaller for a bound. Nothing is written when the check fails."""
    tensors, clipped = file.clip(integers(net))
    difference = compare(net, tensors, positions(np.random.default_rng(2)))
    if not difference <= TOLERANCE:
        raise DataError(f"{path}: the integers differ from torch by {difference:.3g}; not written")
    run = {**run, "rows_clipped": clipped}
    file.write(path, tensors, rules, format_sizes(sizes), run, advice(temperature))
    return f"check {difference:.1e}, {clipped} rows of weights clipped"


@torch.no_grad()
def integers(net: LineNetwork) -> dict:
    """Returns the integer tensors of a net, in the file's order. Each bias of the
    convolution has half a step, so that the floor behind it rounds."""
    out = {"T": table(net) * TABLE, "O": net.last() * LAST}
    out["E1"], out["E2"] = (embedding * TABLE for embedding in net.embeddings())
    taps, biases = net.convolution()
    out["D"], out["Db"] = taps * TAP, biases * TAP_SUM + TAP / 2
    for w, b, (weights, biases) in (
        ("W1", "B1", net.first_layer(net.value1)),
        ("W2", "B2", net.layer(net.value2)),
        ("W3", "B3", net.layer(net.value_out)),
        ("G1", "Gb1", net.first_layer(net.context)),
        ("G2", "Gb2", net.layer(net.generate)),
    ):
        out[w], out[b] = weights * WEIGHT, biases * LAYER
    return {name: _integer(out[name], kind) for name, (kind, _) in file.layout(net.size.channels).items()}


def _integer(x: Tensor, kind) -> np.ndarray:
    limit = np.iinfo(kind).max
    values = x.double().round()
    if not torch.isfinite(values).all():
        raise DataError("the weights are not finite")
    return values.clamp(-limit, limit).cpu().numpy().astype(kind)


@torch.no_grad()
def table(net: LineNetwork) -> Tensor:
    """Returns the rows [ROWS, k] of all lines.

    Note: numpy's products are ten times as fast as those of a PyTorch without MKL.
    """
    linear = net.mapping.layers[::2]
    layers = [(m.weight.cpu().numpy().T, m.bias.cpu().numpy()) for m in linear]

    def mapped(x: Tensor) -> np.ndarray:
        y = x.numpy()
        for i, (weights, biases) in enumerate(layers):
            y = (np.maximum(y, 0) if i else y) @ weights + biases
        return y

    parts = []
    for rows in torch.arange(ROWS).split(CHUNK):
        there, back = inputs_of(rows)
        parts.append(np.clip(mapped(there) + mapped(back), -TOP, TOP))
    return rounded(torch.from_numpy(np.concatenate(parts)), TABLE)


def positions(random) -> list:
    """Returns a random position of each rule set and size to check."""
    out = []
    for rule, size in CHECKED:
        cells = [int(c) for c in random.permutation(size * size)[: size * size // 3]]
        sides = tuple(cells[::2]), tuple(cells[1::2])
        captured = (2, 6) if rule == "school42" else (0, 0)
        first = len(cells) % 2 == 0
        out.append(Position(rule, size, *(sides if first else sides[::-1]), first, *captured))
    return out


def inputs(position: Position):
    """Returns planes [1, planes, h, w] and globals [1, g] of a position, those of
    them that a line network reads."""
    size = position.size
    planes = np.zeros((1, len(GOMOKU.planes), size * size), np.float32)
    planes[0, 0] = 1
    planes[0, 1, list(position.own)] = 1
    planes[0, 2, list(position.opponent)] = 1
    captured = {"captured_own": position.captured_own / 10, "captured_opp": position.captured_opponent / 10}
    values = {**dict.fromkeys(lines.RULES[position.rule], 1), **captured, "size": size / 20}
    if position.rule == "renju" and not position.first:
        values.update(exact_own=0, renju_own=0, exact_opp=1, renju_opp=1)
    scalars = np.array([[values.get(name, 0) for name in GOMOKU.globals]], np.float32)
    return planes.reshape(1, -1, size, size), scalars


def compare(net: nn.Module, tensors: dict, some: list) -> float:
    """Returns the largest difference between the probabilities, of moves and of
    results, by a net and by integers; infinite if one is not finite."""
    worst = 0.0
    for position in some:
        out = evaluate(tensors, position)
        with torch.no_grad():
            policy, value = net(*map(torch.from_numpy, inputs(position)))
        for want, integer, unit in ((policy, out.policy, 1 << 15), (value, out.value, LAYER)):
            got = torch.from_numpy(integer / unit).softmax(0)
            off = (want[0].double().softmax(0) - got).abs().max().item()
            worst = max(worst, off if np.isfinite(off) else np.inf)
    return worst
