"""Ranges of a net's values for bytes: each is cut off where that errs least.

A byte divides the range of a tensor into 255 steps. A few positions in a
thousand, such as those where nearly every cell wins, give values ten times
those of all others. If the range covers them, the steps are too coarse for the
rest; if it leaves them out, these few are cut off. Each position's error counts
in proportion to its own values, so that the few weigh no more than they are,
and the range is the one with the least sum over all positions.

The error of a range [lo, hi] with steps of s is that of [INT] and [PTQ] (see
quantise): s*s/12 for a value within, which is rounded, and the square of what
is cut off for a value beyond. Zero is exact.
"""

from __future__ import annotations

import copy

import numpy as np
import onnx
from onnx import helper
from onnxruntime.quantization.calibrate import CalibrationMethod, TensorData, TensorsData

from .export import session

# Positions of a forward pass.
BATCH = 64

# Cells of the histogram of a tensor's values.
BINS = 2048

# Ranges that are tried, as shares of the whole.
SHARES = np.geomspace(1, 1 / 32, 41)

# Steps of a byte.
STEPS = 255


def ranges(net: onnx.ModelProto, nodes: list, exact: set, calibration: list) -> TensorsData:
    """Returns the range of every tensor that the named nodes read or write,
    from a list of Positions; those named in exact keep all of it."""
    names = activations(net, nodes)
    bounds: dict = {}
    for name, values in _forward(net, names, calibration):
        low, high = bounds.get(name, (0.0, 0.0))
        bounds[name] = min(low, float(values.min())), max(high, float(values.max()))
    histograms = {name: np.zeros(BINS) for name in names}
    for name, values in _forward(net, names, calibration):
        histograms[name] += histogram(values, *bounds[name])
    for name in set(names) - exact:
        bounds[name] = clipped(histograms[name], *bounds[name])
    data = {
        name: TensorData(lowest=np.float32([low]), highest=np.float32([high]))
        for name, (low, high) in bounds.items()
    }
    return TensorsData(CalibrationMethod.MinMax, data)


def activations(net: onnx.ModelProto, nodes: list) -> list:
    """Returns the tensors that the named nodes read and write, without the
    weights and biases of convolutions."""
    names = set()
    for node in net.graph.node:
        if node.name in nodes:
            names.update(node.input[:1] if node.op_type == "Conv" else node.input, node.output)
    return sorted(names)


def _forward(net: onnx.ModelProto, names: list, calibration: list):
    """Yields the named tensors of every batch: name, values [n, ...]."""
    net = copy.deepcopy(net)
    outputs = {output.name for output in net.graph.output}
    for name in names:
        if name not in outputs:
            net.graph.output.append(helper.make_empty_tensor_value_info(name))
    runtime = session(net.SerializeToString())
    for positions in calibration:
        for inputs in positions.batches(BATCH):
            yield from zip(names, runtime.run(names, inputs))


def histogram(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """Returns how the values [n, ...] other than zero lie between low and
    high, in BINS cells; those of each of the n together weigh one divided by
    the sum of their squares."""
    if low == high:
        return np.zeros(BINS)
    rows = values.reshape(len(values), -1).astype(np.float64)
    energy = (rows * rows).sum(1, keepdims=True)
    weights = np.where(rows != 0, 1 / np.where(energy > 0, energy, 1), 0)
    cells = ((rows - low) * (BINS / (high - low))).astype(np.int64)
    return np.bincount(np.clip(cells, 0, BINS - 1).ravel(), weights.ravel(), BINS)


def clipped(weights: np.ndarray, low: float, high: float) -> tuple:
    """Returns the share of the range from low to high, around zero, with the
    least error for values that lie as histogram says."""
    centres = low + (np.arange(BINS) + 0.5) * ((high - low) / BINS)
    errors = [_error(centres, weights, low * share, high * share) for share in SHARES]
    share = float(SHARES[int(np.argmin(errors))])
    return low * share, high * share


def _error(centres: np.ndarray, weights: np.ndarray, low: float, high: float) -> float:
    beyond = centres - np.clip(centres, low, high)
    step = (high - low) / STEPS
    return float(weights @ np.where(beyond == 0, step * step / 12, beyond * beyond))
