"""ONNX files: a net with its metadata, compared with torch.

Inputs are `planes` float32 [n, planes, h, w] and `globals` float32 [n, g];
outputs `policy` [n, actions] and `value` [n, 3], all logits; n, h, w are dynamic.
"""

from __future__ import annotations

import inspect
import io
import json
import os
import warnings
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from torch import nn

from carozero.samples.schema import GOMOKU, Game, game_of_planes

from .checkpoint import write_with_digest
from .errors import DataError, Usage
from .metadata import PLANES, RULES, RUN, SIZES, WEIGHTS, advice, format_sizes, weights_digest
from .residual.network import Network, fold

# Largest difference between the exported file and torch that is accepted, as a share of the
# largest number of an output, at least 1: single precision rounds large logits more.
TOLERANCE = 1e-4

# (rows, board size) of the numeric check: odd, even, small, large.
CHECKED = ((1, 5), (3, 8), (2, 13), (1, 15), (2, 19), (1, 22))

OPSET = 17


def export(net: Network, path, rules, sizes, run: dict, temperature: float = 1.0) -> float:
    """Writes the folded form of a net to path and returns the largest difference that
    the check against torch found. Nothing is written when the check fails.

    rules are names of rule sets, sizes board sizes, run plain values about
    where the net comes from, temperature what a search divides the policy by.
    """
    played = fold(net)
    metadata = {
        PLANES: net.game.planes_version,
        RULES: ",".join(rule for rule in net.game.rules if rule in rules),
        SIZES: format_sizes(sizes),
        RUN: json.dumps(run, sort_keys=True, separators=(",", ":")),
        **advice(temperature),
    }
    model = onnx.load_from_string(_trace(played))
    onnx.helper.set_model_props(model, {**metadata, WEIGHTS: weights_digest(model)})
    onnx.checker.check_model(model)
    data = model.SerializeToString()
    difference = compare(played, data)
    if not difference <= TOLERANCE:
        raise DataError(f"{path}: the export differs from torch by {difference:.3g}; not written")
    write_with_digest(path, data)
    return difference


def _trace(net: nn.Module) -> bytes:
    """Returns the ONNX graph that torch's tracing exporter makes."""
    options = {"dynamo": False} if "dynamo" in inspect.signature(torch.onnx.export).parameters else {}
    example = inputs(np.random.default_rng(1), 2, min(9, net.game.max_size), net.game)
    names, buffer = ["planes", "globals", "policy", "value"], io.BytesIO()
    free = {0: "n", 2: "h", 3: "w"}, {0: "n"}, {0: "n", 1: "actions"}, {0: "n"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            net,
            tuple(map(torch.from_numpy, example)),
            buffer,
            opset_version=OPSET,
            input_names=names[:2],
            output_names=names[2:],
            dynamic_axes=dict(zip(names, free)),
            **options,
        )
    return buffer.getvalue()


def inputs(random: np.random.Generator, rows: int, size: int, game: Game = GOMOKU):
    """Returns random planes [rows, planes, size, size] of zeros and ones, the
    first of ones, and globals [rows, g] with the size where it belongs."""
    shape = (rows, len(game.planes), size, size)
    planes = (random.random(shape) < 0.25).astype(np.float32)
    planes[:, 0] = 1
    scalars = random.random((rows, len(game.globals)), dtype=np.float32)
    if "size" in game.globals:
        scalars[:, game.globals.index("size")] = size / 20
    return planes, scalars


def session(data) -> onnxruntime.InferenceSession:
    """Returns a runtime session on one CPU thread for a path or bytes."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    source = data if isinstance(data, bytes) else str(data)
    try:
        return onnxruntime.InferenceSession(source, options, ["CPUExecutionProvider"])
    except Exception as err:  # the runtime's exceptions share no narrower base
        name = "the ONNX file" if isinstance(data, bytes) else data
        raise DataError(f"{name}: does not load: {str(err).splitlines()[0]}") from None


def original(source, out, boards) -> tuple:
    """Returns the bytes and the game of the ONNX file source, which is to be converted into
    out and compared on a list of Positions."""
    if os.path.realpath(out) == os.path.realpath(source):
        raise Usage(f"--out {out}: is the network to convert: choose another")
    planes = session(source).get_modelmeta().custom_metadata_map.get(PLANES)
    game = game_of_planes(planes)
    if game is None:
        raise DataError(f"{source}: {PLANES} is {planes}, want a network that export wrote")
    if not all(positions.fit(game) for positions in boards):
        raise DataError(f"{source}: it plays {game.name}, and there are positions of another game")
    return Path(source).read_bytes(), game


def write_converted(out, net: onnx.ModelProto, source: onnx.ModelProto, key: str, note: dict) -> None:
    """Writes a network that was made of another one, with the metadata of that one but for
    the digest, and a note about it under a key."""
    metadata = {p.key: p.value for p in source.metadata_props}
    metadata[key] = json.dumps(note, sort_keys=True, separators=(",", ":"))
    onnx.helper.set_model_props(net, {**metadata, WEIGHTS: weights_digest(net)})
    write_with_digest(out, net.SerializeToString(deterministic=True))


def compare(net: nn.Module, data, checked=CHECKED) -> float:
    """Returns the largest difference between a net's outputs and an ONNX
    file's on random inputs, as TOLERANCE has it; infinite if either is not finite."""
    runtime, random, worst = session(data), np.random.default_rng(2), 0.0
    for rows, size in checked:
        if not net.game.min_size <= size <= net.game.max_size:
            continue
        planes, scalars = inputs(random, rows, size, net.game)
        with torch.no_grad():
            want = net(torch.from_numpy(planes), torch.from_numpy(scalars))
        got = runtime.run(["policy", "value"], {"planes": planes, "globals": scalars})
        for a, b in zip(want, got):
            if a.shape != b.shape:
                raise DataError(f"export gives {list(b.shape)}, torch {list(a.shape)}")
            a = a.numpy()
            difference = np.abs(a - b).max() / max(1, np.abs(a).max())
            worst = max(worst, float(difference) if np.isfinite(difference) else np.inf)
    return worst
