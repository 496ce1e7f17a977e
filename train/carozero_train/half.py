"""Half precision: ONNX networks that compute in float16, for GPUs.

Inputs and outputs stay float32, and the program itself takes the softmax of the logits.
Between them all is float16. A processor computes such a file slower than its source, and
rounds fewer of the values than a GPU does.
"""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from carozero.samples.schema import Game
from carozero.samples.shard import digest

from .agreement import Agreement, Positions, compare
from .errors import DataError
from .export import inputs, original, session, write_converted

# What a float16 network may differ by on positions: the largest difference of the value,
# and the least share with the same best move.
MAX_VALUE, LEAST_TOP1 = 0.01, 0.995

# Largest difference of the value on random inputs, where logits are larger than in games.
MAX_RANDOM = 0.1

FLOAT, HALF = TensorProto.FLOAT, TensorProto.FLOAT16


def halve(source, out, positions: list) -> Agreement:
    """Writes a float16 version of the ONNX file source, with its metadata, to out and
    returns how it agrees with it on a list of Positions, or else on random inputs. Nothing
    is written if source is no float32 network, or if the result does not agree. A function
    of its arguments and the version of onnx."""
    data, game = original(source, out, positions)
    net = onnx.load_from_string(data)
    if {t.data_type for t in net.graph.initializer} - {FLOAT, TensorProto.INT64}:
        raise DataError(f"{source}: is not in float32: want the network as export writes it by default")
    _convert(net.graph)
    agreement = compare(session(data), session(net.SerializeToString()), positions or _random(game))
    largest, least = (MAX_VALUE, LEAST_TOP1) if positions else (MAX_RANDOM, 0)
    if not (agreement.value_max <= largest and agreement.top1 >= least and np.isfinite(agreement.kl)):
        raise DataError(f"{out}: the float16 network does not agree with it: {agreement}; not written")
    onnx.checker.check_model(net)
    measured = agreement.rounded("positions", "top1", "value_max") if positions else {}
    write_converted(out, net, net, "carozero.float16", {"source_sha256": digest(data), **measured})
    return agreement


def _convert(graph: onnx.GraphProto) -> None:
    """Makes every float32 number of a graph a float16 one, but its inputs and outputs."""
    del graph.value_info[:]
    for tensor in graph.initializer:
        _round(tensor)
    names = {value.name: f"{value.name}/float16" for value in (*graph.input, *graph.output)}
    for node in graph.node:
        for attribute in node.attribute:
            if node.op_type == "Constant" and attribute.name == "value":
                _round(attribute.t)
            if node.op_type == "Cast" and attribute.name == "to" and attribute.i == FLOAT:
                attribute.i = HALF
        node.input[:] = [names.get(name, name) for name in node.input]
        node.output[:] = [names.get(name, name) for name in node.output]
    for value in graph.input:
        half = names[value.name]
        graph.node.insert(0, helper.make_node("Cast", [value.name], [half], name=half, to=HALF))
    for value in graph.output:
        half = names[value.name]
        graph.node.append(helper.make_node("Cast", [half], [value.name], name=half, to=FLOAT))


def _round(tensor: TensorProto) -> None:
    """Rounds a tensor of float32 to float16; numbers beyond it become the largest."""
    if tensor.data_type == FLOAT:
        limit = float(np.finfo(np.float16).max)
        values = np.clip(numpy_helper.to_array(tensor), -limit, limit)
        tensor.CopyFrom(numpy_helper.from_array(values.astype(np.float16), tensor.name))


def _random(game: Game) -> list:
    """Returns random positions of two sizes."""
    boards = []
    for size in sorted({max(game.min_size, min(size, game.max_size)) for size in (9, 19)}):
        planes, scalars = inputs(np.random.default_rng(3), 16, size, game)
        boards.append(Positions(planes, scalars, np.ones((16, game.actions(size)), bool)))
    return boards
