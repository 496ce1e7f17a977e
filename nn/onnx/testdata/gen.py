"""Writes the small models of the tests beside this file.

    python gen.py        (needs the package onnx and numpy)

Each one follows the contract of a gomoku model (inputs planes [n, 12, h, w]
and globals [n, 13], outputs policy [n, h*w] and value [n, 3], metadata) except
for the one flaw that its name says. The weights come from a fixed seed.
"""

import pathlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

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


def model(planes=PLANES, seed=1, nan=False, policy="policy", n="n", properties=None):
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
        helper.make_node("MatMul", ["v2", "value_w"], ["value"]),
    ]

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


def main():
    here = pathlib.Path(__file__).parent
    for name, m in {
        "good": model(),
        "other": model(seed=2),
        "wrong-names": model(policy="moves"),
        "wrong-planes": model(planes=10),
        "fixed-batch": model(n=4),
        "nan": model(nan=True),
        "no-metadata": model(properties={}),
        "other-planes": model(properties={"carozero.planes": "gomoku-9"}),
    }.items():
        onnx.save(m, here / f"{name}.onnx")


if __name__ == "__main__":
    main()
