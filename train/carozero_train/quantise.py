"""Static int8 networks: calibrated post-training quantisation of an ONNX file.

A CPU multiplies bytes two to four times as fast as floats. The tower, where
nearly all the time goes, is rewritten in QDQ form: activations are unsigned
bytes with one scale a tensor, weights signed bytes with one scale an output
channel, and the runtime fuses each convolution into a QLinearConv. ONNX
Runtime's own quantiser does this; what it cannot know is settled here.

Weights within +-63. Processors without VNNI add two products of an unsigned
    and a signed byte in 16 bits, which saturate: 2 * 255 * 63 fits, twice 127
    does not. Hence the same results on every processor.
Zero-point 0 behind each ReLU. Then the quantisation does the clipping, and
    the ReLU costs nothing.
A finer first convolution. Its inputs are zeros and ones. Planes that are
    seldom set, such as five points, have weights many times those of the
    stones, so 127 levels a channel leave too few for the stones: this alone
    makes seven tenths of the policy's error. The first planes therefore come in twice,
    once at an 85th of their size, with what rounding takes off as their weights.
Heads in float32. Their convolutions are small, and their outputs are few.
    Pooling and what follows it stays in float32 as well.
Ranges that few positions cannot stretch: see ranges.

References:
  [INT]  B. Jacob et al., "Quantization and Training of Neural Networks for
         Efficient Integer-Arithmetic-Only Inference", arXiv:1712.05877.
  [PTQ]  R. Krishnamoorthi, "Quantizing deep convolutional networks for
         efficient inference: A whitepaper", arXiv:1806.08342.
"""

from __future__ import annotations

import copy

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnxruntime.quantization import QDQQuantizer, QuantType

from carozero.samples import shard
from carozero.samples.shard import digest

from .agreement import SEED, Agreement, compare, draw
from .data import data_digest
from .errors import DataError
from .export import original, session, write_converted
from .ranges import ranges

# About how many positions calibrate, and how many are compared.
CALIBRATION, HELD_OUT = 2048, 4096

# Largest weight, in steps of its channel's scale.
WEIGHT = 63

# The runtime's quantiser takes a channel's largest weight for 64 steps when it
# is told to keep a bit of reserve.
LIBRARY_WEIGHT = 64

# How many planes the first convolution reads twice (the board, own and
# opponent's stones, forbidden cells; a kernel takes channels by fours), and
# the divisor of the second ones. It divides 255, so their bytes are exact.
FINE_PLANES, FINE = 4, 85

# What the first convolution reads; its bytes are exact.
STEM = "fine/stem"

# What is quantised where it belongs to the tower.
OPERATORS = ("Conv", "Add", "Relu")

# A net that differs more than this is broken, not quantised: a good one has a
# tenth of it and less.
MAX_KL, MAX_VALUE = 0.05, 0.1


def quantise_on_runs(source, out, directories: list) -> Agreement:
    """Quantises the ONNX file source into out, calibrated and compared on positions of run
    directories; returns how it agrees with it."""
    refs = list({ref.path: ref for directory in directories for ref in shard.manifest(directory)}.values())
    shard.survey(directories, refs)
    calibration, held_out = draw(refs, CALIBRATION, HELD_OUT)
    return quantise(source, out, calibration, held_out, {"seed": SEED, "data_sha256": data_digest(refs)})


def quantise(source, out, calibration: list, held_out: list, notes: dict) -> Agreement:
    """Writes an int8 version of the ONNX file source, with its metadata, to
    out and returns how it agrees with it on held_out.

    calibration, held_out are lists of Positions; notes are plain values about
    them to record. Nothing is written if source is no network of convolutions
    and ReLU, or if the result does not agree. A function of its arguments and
    the versions of onnx and onnxruntime.
    """
    data, _ = original(source, out, (*calibration, *held_out))
    net = _named(onnx.load_from_string(data))
    try:
        nodes, finer = tower(net), _fine_stem(net)
    except DataError as err:
        raise DataError(f"{source}: {err}") from None
    quantised = _quantised(finer, nodes, ranges(finer, nodes, {STEM}, calibration))
    _verify(quantised, [n.output[0] for n in net.graph.node if n.op_type == "Relu"])
    agreement = compare(session(data), session(quantised.SerializeToString()), held_out)
    if not (agreement.kl <= MAX_KL and agreement.value <= MAX_VALUE):
        raise DataError(f"{source}: the int8 net does not agree with it: {agreement}; not written")
    note = {
        "source_sha256": digest(data),
        "calibration_positions": sum(map(len, calibration)),
        **notes,
        **agreement.rounded("positions", "kl", "kl_p99", "top1", "value", "value_p99"),
    }
    write_converted(out, quantised, net, "carozero.int8", note)
    return agreement


def tower(net: onnx.ModelProto) -> list:
    """Returns the names of the nodes to quantise: convolutions wider than one
    cell, and sums and ReLUs behind them. Raises DataError if there is none
    or if the net is quantised already."""
    if any(node.op_type == "QuantizeLinear" for node in net.graph.node):
        raise DataError("the net is quantised already, want a float32 net")
    names, values = [], set()
    for node in net.graph.node:
        wide = node.op_type == "Conv" and any(a.name == "kernel_shape" and max(a.ints) > 1 for a in node.attribute)
        behind = not values.isdisjoint(node.input)
        if wide or (behind and node.op_type in ("Add", "Relu")):
            names.append(node.name)
            values.update(node.output)
    if not names:
        raise DataError("the net has no 3x3 convolution to quantise")
    return names


def _named(net: onnx.ModelProto) -> onnx.ModelProto:
    """Names the nodes that have no name after their output."""
    for node in net.graph.node:
        node.name = node.name or node.output[0]
    return net


def _fine_stem(net: onnx.ModelProto) -> onnx.ModelProto:
    """Returns a copy whose first convolution reads FINE_PLANES planes twice,
    the second time divided by FINE. These have for weights, times FINE, what
    is lost when the weights of the first ones are rounded. Equal to net."""
    net = copy.deepcopy(net)
    readers = [node for node in net.graph.node if "planes" in node.input]
    if len(readers) != 1 or readers[0].op_type != "Conv":
        raise DataError("the planes must be read by one convolution")
    stem = readers[0]
    tensor = next(t for t in net.graph.initializer if t.name == stem.input[1])
    weight = numpy_helper.to_array(tensor).astype(np.float64)
    step = np.abs(weight).max(axis=(1, 2, 3), keepdims=True) / WEIGHT
    step[step == 0] = 1
    exact, others = np.split(weight, [FINE_PLANES], axis=1)
    coarse = np.round(exact / step) * step
    fine = (exact - coarse) * FINE
    both = np.concatenate([coarse, others, fine], axis=1).astype(np.float32)
    tensor.CopyFrom(numpy_helper.from_array(both, tensor.name))
    constants = {"fine/start": np.array([0]), "fine/end": np.array([FINE_PLANES]), "fine/axis": np.array([1])}
    constants["fine/scale"] = np.array(1 / FINE, np.float32)
    net.graph.initializer.extend(numpy_helper.from_array(v, k) for k, v in constants.items())
    for node in (
        helper.make_node("Concat", ["planes", "fine/planes"], [STEM], STEM, axis=1),
        helper.make_node("Mul", ["fine/slice", "fine/scale"], ["fine/planes"], "fine/planes"),
        helper.make_node("Slice", ["planes", *list(constants)[:3]], ["fine/slice"], "fine/slice"),
    ):
        net.graph.node.insert(0, node)
    stem.input[0] = STEM
    return net


def _quantised(net: onnx.ModelProto, nodes: list, tensors) -> onnx.ModelProto:
    """Returns the QDQ form of net, its named nodes in int8."""
    weights = {t.name: numpy_helper.to_array(t) for t in net.graph.initializer}
    quantiser = QDQQuantizer(
        copy.deepcopy(net),
        per_channel=True,
        reduce_range=True,
        weight_qType=QuantType.QInt8,
        activation_qType=QuantType.QUInt8,
        tensors_range=tensors,
        nodes_to_quantize=nodes,
        nodes_to_exclude=[],
        op_types_to_quantize=list(OPERATORS),
        extra_options={
            "TensorQuantOverrides": {
                node.input[1]: _channel_ranges(weights[node.input[1]])
                for node in net.graph.node
                if node.op_type == "Conv" and node.name in nodes
            }
        },
    )
    quantiser.quantize_model()
    return quantiser.model.model


def _channel_ranges(weight: np.ndarray) -> list:
    """Returns the range of each output channel of weight [out, ...] for which
    the runtime's quantiser takes the channel's largest weight for WEIGHT."""
    limits = (np.abs(weight.reshape(len(weight), -1)).max(1) * (LIBRARY_WEIGHT / WEIGHT)).astype(np.float32)
    channels = [{"rmin": -limit, "rmax": limit} for limit in limits]
    channels[0]["axis"] = 0
    return channels


def _verify(net: onnx.ModelProto, relus: list) -> None:
    """Raises DataError unless weights and the zero-points of the named outputs
    of ReLUs are as promised: a release of the runtime's quantiser that does
    otherwise must not go unnoticed."""
    arrays = {t.name: numpy_helper.to_array(t) for t in net.graph.initializer}
    clipped = {node.output[0] for node in net.graph.node if node.op_type == "Relu"}
    for node in net.graph.node:
        weight = arrays.get(node.input[0]) if node.op_type == "DequantizeLinear" else None
        if weight is not None and weight.dtype == np.int8 and np.abs(weight.astype(np.int16)).max() > WEIGHT:
            raise DataError(f"int8: {node.input[0]} has weights beyond +-{WEIGHT}")
    for name in relus:
        zero = arrays.get(f"{name}_zero_point")
        if name not in clipped and (zero is None or zero != 0):
            raise DataError(f"int8: {name} lost its ReLU, but its zero-point is not 0")
