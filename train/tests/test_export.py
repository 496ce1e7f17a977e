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


def test_export_equals_torch_on_three_sizes(tmp_path):
    path = tmp_path / "net.onnx"
    net = trained_like()
    run = {"steps": 5, "size": "b4c32"}
    assert export.export(net, path, {"renju", "caro"}, [9, 10, 11], run) <= export.TOLERANCE
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert (tmp_path / "net.onnx.sha256").read_text() == f"{digest}  net.onnx\n"
    assert export.compare(net, path.read_bytes(), ((1, 6), (3, 11), (2, 20))) <= export.TOLERANCE
    metadata = export.check_model(path)
    assert metadata == {
        "carozero.planes": "gomoku-1",
        "carozero.rules": "renju,caro",
        "carozero.sizes": "9-11",
        "carozero.run": json.dumps(run, sort_keys=True, separators=(",", ":")),
    }
    operators = {node.op_type for node in onnx.load(path).graph.node}
    assert "BatchNormalization" not in operators
    assert b"site-packages" not in path.read_bytes()


def test_same_weights_same_bytes(tmp_path):
    for name in "ab":
        export.export(build("b4c32", 4), tmp_path / name, ["caro"], [9], {})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_untrained_outputs_are_small_and_alive():
    planes, scalars = map(torch.from_numpy, export.inputs(np.random.default_rng(5), 4, 15))
    for name in RESIDUAL.sizes:
        policy, value = build(name, 1).eval()(planes, scalars)
        assert policy.shape == (4, 225) and value.shape == (4, 3)
        for logits in (policy, value):
            assert torch.isfinite(logits).all() and logits.abs().max() < 5
            assert logits.std() > 1e-3


def test_a_wrong_export_is_not_written(tmp_path, monkeypatch):
    other = fold(build("b4c32", 9))
    trace = export._trace
    monkeypatch.setattr(export, "_trace", lambda net, opset: trace(other, opset))
    with pytest.raises(DataError, match="differs from torch"):
        export.export(build("b4c32", 1), tmp_path / "net.onnx", ["caro"], [9], {})
    broken = build("b4c32", 1)
    torch.nn.init.constant_(broken.value_out.bias, float("nan"))
    monkeypatch.setattr(export, "_trace", trace)
    with pytest.raises(DataError, match="differs from torch"):
        export.export(broken, tmp_path / "net.onnx", ["caro"], [9], {})
    assert not list(tmp_path.iterdir())


def test_check_model_names_what_is_wrong(tmp_path):
    path = tmp_path / "net.onnx"
    export.export(build("b4c32", 1), path, ["caro"], [9], {})
    bare = onnx.load(path)
    del bare.metadata_props[:]
    onnx.save(bare, tmp_path / "bare.onnx")
    with pytest.raises(DataError, match="metadata lacks carozero.planes"):
        export.check_model(tmp_path / "bare.onnx")
    (tmp_path / "junk.onnx").write_bytes(b"junk")
    with pytest.raises(DataError, match="does not load"):
        export.check_model(tmp_path / "junk.onnx")
    with pytest.raises(DataError, match="no such file"):
        export.check_model(tmp_path / "none.onnx")


def test_files_of_others_are_refused_in_one_line(tmp_path):
    """Networks of fixed or unknown shapes, as exporters write them, and odd metadata."""
    path = tmp_path / "net.onnx"
    export.export(build("b2c16", 1), path, ["caro"], [9], {})

    def shape(index, dims):
        def change(net):
            name = net.graph.input[index].name
            net.graph.input[index].CopyFrom(onnx.helper.make_tensor_value_info(name, 1, dims))

        return change

    def said(key, value):
        def change(net):
            found = {p.key: p.value for p in net.metadata_props}
            onnx.helper.set_model_props(net, {**found, key: value})

        return change

    for change, text in (
        (shape(0, [1, 12, 9, 9]), "does not run on two boards of size 9"),
        (shape(0, ["n", 12, 15, 15]), "does not run on two boards of size 9"),
        (lambda net: net.graph.input[0].type.tensor_type.ClearField("shape"), "channels of planes are unknown, want 12"),
        (said("carozero.sizes", "x"), "metadata: sizes 'x'"),
        (said("carozero.sizes", "5-999999999999"), "metadata: sizes '5-9"),
        (said("carozero.temperature", "nan"), "metadata: --temperature nan"),
        (said("carozero.temperature", "warm"), "metadata: could not convert"),
    ):
        net = onnx.load(path)
        change(net)
        (tmp_path / "odd.onnx").write_bytes(net.SerializeToString())
        with pytest.raises(DataError, match=text) as err:
            export.check_model(tmp_path / "odd.onnx")
        assert "\n" not in str(err.value) and not isinstance(err.value, Usage)


def test_flipped_weights_are_refused(tmp_path):
    """By the file's own digest, with nothing beside it."""
    path = tmp_path / "net.onnx"
    export.export(build("b4c32", 1), path, ["caro"], [9], {})
    net = onnx.load(path)
    assert metadata.recorded_digest(net) == metadata.weights_digest(net)
    constants = [a.t for n in net.graph.node if n.op_type == "Constant" for a in n.attribute]
    assert all(np.prod(t.dims) <= 8 for t in constants)  # weights are initializers, which it covers
    largest = max(net.graph.initializer, key=lambda t: len(t.raw_data)).raw_data
    data = bytearray(path.read_bytes())
    data[data.index(largest) + len(largest) // 2] ^= 1
    path.write_bytes(data)
    with pytest.raises(DataError, match="damaged"):
        export.check_model(path)


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
    typed = [
        onnx.helper.make_tensor(k, kinds[k], v.shape, v.flatten().tolist()) for k, v in arrays.items()
    ]
    assert not any(t.HasField("raw_data") for t in typed)
    digests = set()
    for tensors in (raw, typed, raw[::-1]):
        graph = onnx.helper.make_graph([], "test", [], [], tensors)
        digests.add(metadata.weights_digest(onnx.helper.make_model(graph)))
    assert len(digests) == 1
    outside = onnx.helper.make_model(onnx.helper.make_graph([], "test", [], [], raw[:1]))
    outside.graph.initializer[0].data_location = onnx.TensorProto.EXTERNAL
    with pytest.raises(DataError, match="not in the file"):
        metadata.weights_digest(outside)


@pytest.mark.parametrize(
    "text, sizes", [("5-22", range(5, 23)), ("13", [13]), ("9,15,19", [9, 15, 19])]
)
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
