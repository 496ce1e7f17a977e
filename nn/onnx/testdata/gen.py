"""Writes the small models of the tests beside this file.

    PYTHONPATH=../../../train python gen.py        (needs the packages onnx and numpy)

Each one follows the contract of a gomoku model (inputs planes [n, 12, h, w]
and globals [n, 13], outputs policy [n, h*w] and value [n, 3], metadata) except
for the one flaw that its name says; int8 is good.onnx, quantised, and typed is that again with its numbers in fields of their types, and the digest of its weights. The
weights come from a fixed seed.
"""

import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from carozero_train.metadata import WEIGHTS as KEY
from carozero_train.metadata import weights_digest

PLANES, GLOBALS, FILTERS = 12, 13, 8


def tensors(planes, seed, nan):
    rng = np.random.default_rng(seed)

    def normal(*shape, scale=0.5):
        return (rng.standard_normal(shape) * scale).astype(np.float32)

    value = normal(FILTERS, 3)
    if nan:
        value[0, 0] = np.nan
    return {
        "conv_w": normal(FILTERS, planes, 3, 3),
        "conv_b": normal(FILTERS),
        "mix_w": normal(FILTERS, FILTERS, 3, 3, scale=0.2),
        "policy_w": normal(1, FILTERS, 1, 1, scale=1.0),
        "globals_w": normal(GLOBALS, FILTERS),
        "value_w": value,
        "flat": np.array([0, -1], dtype=np.int64),
        "axes": np.array([2, 3], dtype=np.int64),
    }


def model(planes=PLANES, seed=1, nan=False, policy="policy", n="n", properties=None, shares=False):
    nodes = [
        helper.make_node("Conv", ["planes", "conv_w", "conv_b"], ["c1"], pads=[1, 1, 1, 1]),
        helper.make_node("MatMul", ["globals", "globals_w"], ["g"]),
        helper.make_node("Unsqueeze", ["g", "axes"], ["g4"]),
        helper.make_node("Add", ["c1", "g4"], ["s1"]),
        helper.make_node("Relu", ["s1"], ["r1"]),
        helper.make_node("Conv", ["r1", "mix_w"], ["c2"], pads=[1, 1, 1, 1]),
        helper.make_node("Add", ["c2", "r1"], ["s2"]),
        helper.make_node("Relu", ["s2"], ["r2"]),
        helper.make_node("Conv", ["r2", "policy_w"], ["p1"]),
        helper.make_node("Reshape", ["p1", "flat"], [policy]),
        helper.make_node("GlobalAveragePool", ["r2"], ["v1"]),
        helper.make_node("Reshape", ["v1", "flat"], ["v2"]),
        helper.make_node("MatMul", ["v2", "value_w"], ["v3" if shares else "value"]),
    ]
    if shares:
        nodes.append(helper.make_node("Softmax", ["v3"], ["value"], axis=1))

    def info(name, shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

    graph = helper.make_graph(
        nodes,
        "test",
        [info("planes", [n, planes, "h", "w"]), info("globals", [n, GLOBALS])],
        [info(policy, [n, "actions"]), info("value", [n, 3])],
        [numpy_helper.from_array(v, k) for k, v in tensors(planes, seed, nan).items()],
    )
    out = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    if properties is None:
        properties = {
            "carozero.planes": "gomoku-1",
            "carozero.rules": "freestyle,caro",
            "carozero.sizes": "5-15",
            "carozero.run": "test",
        }
    helper.set_model_props(out, properties)
    onnx.checker.check_model(out)
    return out


def quantised(steps):
    """The model in QDQ form: after the first ReLU, activations are unsigned
    bytes and the weights of the middle convolution signed ones. steps are the
    scales of what the nodes r1, c2 and r2 put out; c2 has zero-point 128."""
    out = model()
    weight = next(t for t in out.graph.initializer if t.name == "mix_w")
    values = numpy_helper.to_array(weight)
    scale = (np.abs(values).max(axis=(1, 2, 3)) / 63).astype(np.float32)
    levels = np.round(values / scale[:, None, None, None]).astype(np.int8)
    constants = {"mix_q": levels, "mix_step": scale, "mix_zero": np.zeros(FILTERS, np.int8)}
    nodes = [helper.make_node("DequantizeLinear", list(constants), ["mix_dq"], axis=0)]
    dequantised = {"mix_w": "mix_dq", **{name: f"{name}_dq" for name in steps}}
    for node in out.graph.node:
        node.input[:] = [dequantised.get(name, name) for name in node.input]
        nodes.append(node)
        name = node.output[0]
        if name in steps:
            zero = np.array(128 if name == "c2" else 0, np.uint8)
            constants |= {f"{name}_step": np.array(steps[name], np.float32), f"{name}_zero": zero}
            pair = [f"{name}_step", f"{name}_zero"]
            nodes.append(helper.make_node("QuantizeLinear", [name, *pair], [f"{name}_q"]))
            nodes.append(helper.make_node("DequantizeLinear", [f"{name}_q", *pair], [f"{name}_dq"]))
    graph = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del out.graph.node[:]
    out.graph.node.extend(graph)
    out.graph.initializer.remove(weight)
    out.graph.initializer.extend(numpy_helper.from_array(v, k) for k, v in constants.items())
    onnx.checker.check_model(out)
    return out


def typed(out):
    """The model with its tensors' numbers one by one, not as raw bytes, sealed."""
    tensors = [
        helper.make_tensor(t.name, t.data_type, t.dims, numpy_helper.to_array(t).flatten().tolist())
        for t in out.graph.initializer
    ]
    del out.graph.initializer[:]
    out.graph.initializer.extend(tensors)
    properties = {p.key: p.value for p in out.metadata_props}
    helper.set_model_props(out, {**properties, KEY: weights_digest(out)})
    return out


def main():
    here = pathlib.Path(__file__).parent
    for name, m in {
        "good": model(),
        "other": model(seed=2),
        "wrong-names": model(policy="moves"),
        "wrong-planes": model(planes=10),
        "fixed-batch": model(n=4),
        "int8": quantised({"r1": 0.08, "c2": 0.1, "r2": 0.1}),
        "typed": typed(quantised({"r1": 0.08, "c2": 0.1, "r2": 0.1})),
        "nan": model(nan=True),
        "shares": model(shares=True),
        "no-metadata": model(properties={}),
        "other-planes": model(properties={"carozero.planes": "gomoku-9"}),
    }.items():
        onnx.save(m, here / f"{name}.onnx")


if __name__ == "__main__":
    main()
