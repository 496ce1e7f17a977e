import hashlib
import json

import numpy as np
import onnx
import pytest
import torch

from carozero_train import export, metadata
from carozero_train.errors import DataError, Usage
from carozero_train.networks import build
from carozero_train.networks import RESIDUAL
from carozero_train.residual.network import fold
from carozero_train.residual.renorm import Renorm


def trained_like(name="b4c32"):
    """A net whose norms have statistics that folding must get right."""
    net = build(name, 3)
    torch.manual_seed(1)
    for module in net.modules():
        if isinstance(module, Renorm):
            module.running_mean.normal_(0, 0.3)
            module.running_std.uniform_(0.7, 1.4)
            torch.nn.init.normal_(module.bias, std=0.2)
    return net.eval()


@pytest.mark.parametrize("name", RESIDUAL.sizes)
def test_folding_changes_nothing(name):
    net = trained_like(name)
    folded = fold(net)
    assert not any(isinstance(m, Renorm) for m in folded.modules())
    for rows, size in ((1, 5), (2, 9)):
        planes, scalars = map(torch.from_numpy, export.inputs(np.random.default_rng(1), rows, size))
        with torch.no_grad():
            for want, got in zip(net(planes, scalars), folded(planes, scalars)):
                torch.testing.assert_close(got, want, atol=1e-4, rtol=1e-4)


def test_large_logits_round_more(tmp_path):
    net = trained_like()
    with torch.no_grad():
        for parameter in list(net.parameters())[-4:]:
            parameter.mul_(100)
    assert export.export(net, tmp_path / "net.onnx", {"renju"}, [9], {}) <= export.TOLERANCE


def test_export_equals_torch_on_three_sizes(tmp_path):
    path = tmp_path / "net.onnx"
    net = trained_like()
    run = {"steps": 5, "size": "b4c32"}
    assert export.export(net, path, {"renju", "caro"}, [9, 10, 11], run) <= export.TOLERANCE
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert (tmp_path / "net.onnx.sha256").read_text() == f"{digest}  net.onnx\n"
    assert export.compare(net, path.read_bytes(), ((1, 6), (3, 11), (2, 20))) <= export.TOLERANCE
    net = onnx.load(path)
    assert {p.key: p.value for p in net.metadata_props} == {
        "carozero.planes": "gomoku-1",
        "carozero.rules": "renju,caro",
        "carozero.sizes": "9-11",
        "carozero.run": json.dumps(run, sort_keys=True, separators=(",", ":")),
        "carozero.weights": metadata.weights_digest(net),
    }
    constants = [a.t for n in net.graph.node if n.op_type == "Constant" for a in n.attribute]
    assert all(np.prod(t.dims) <= 8 for t in constants)  # weights are initializers, which the digest covers
    operators = {node.op_type for node in net.graph.node}
    assert "BatchNormalization" not in operators
    assert b"site-packages" not in path.read_bytes()


def test_same_weights_same_bytes(tmp_path):
    for name in "ab":
        export.export(build("b4c32", 4), tmp_path / name, ["caro"], [9], {})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_wrong_export_is_not_written(tmp_path, monkeypatch):
    other = fold(build("b4c32", 9))
    trace = export._trace
    monkeypatch.setattr(export, "_trace", lambda net: trace(other))
    with pytest.raises(DataError, match="differs from torch"):
        export.export(build("b4c32", 1), tmp_path / "net.onnx", ["caro"], [9], {})
    broken = build("b4c32", 1)
    torch.nn.init.constant_(broken.value_out.bias, float("nan"))
    monkeypatch.setattr(export, "_trace", trace)
    with pytest.raises(DataError, match="differs from torch"):
        export.export(broken, tmp_path / "net.onnx", ["caro"], [9], {})
    assert not list(tmp_path.iterdir())


def test_the_digest_does_not_depend_on_the_encoding():
    arrays = {
        "b": np.array([1.5, -2.25], np.float32),
        "a": np.array([[-1, 2], [3, -128]], np.int8),
        "ä": np.array([1, -(2**40)], np.int64),
        "c": np.array([0.1, 2e-300]),
        "d": np.array(7, np.uint8),
        "e": np.array([-5, 2**31 - 1], np.int32),
        "f": np.array([2**63, 3], np.uint64),
        "g": np.array([True, False]),
    }
    kinds = {k: onnx.helper.np_dtype_to_tensor_dtype(v.dtype) for k, v in arrays.items()}
    raw = [onnx.numpy_helper.from_array(v, k) for k, v in arrays.items()]
    typed = [onnx.helper.make_tensor(k, kinds[k], v.shape, v.flatten().tolist()) for k, v in arrays.items()]
    assert not any(t.HasField("raw_data") for t in typed)
    digests = set()
    for tensors in (raw, typed, raw[::-1]):
        graph = onnx.helper.make_graph([], "test", [], [], tensors)
        digests.add(metadata.weights_digest(onnx.helper.make_model(graph)))
    assert len(digests) == 1


@pytest.mark.parametrize("text, sizes", [("5-22", range(5, 23)), ("13", [13]), ("9,15,19", [9, 15, 19])])
def test_sizes_round_trip(text, sizes):
    assert metadata.parse_sizes(text) == list(sizes)
    assert metadata.format_sizes(sizes) == text


@pytest.mark.parametrize("text", ["", "4", "23", "9-", "x", "9-x", "12-9", "15-9,13", "5-99999999999999", "1_1", "11\n", "+9", "１１"])
def test_bad_sizes(text):
    with pytest.raises(Usage, match="want"):
        metadata.parse_sizes(text)


def test_bad_rules():
    assert "caro" in metadata.parse_rules("all")
    with pytest.raises(Usage, match="gomoku"):
        metadata.parse_rules("caro,gomoku")
