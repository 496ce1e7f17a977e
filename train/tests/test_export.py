import hashlib
import json

import numpy as np
import onnx
import pytest
import torch

from carozero_train import export, model
from carozero_train.errors import DataError, Usage


def trained_like(name="b4c32"):
    """A net whose norms have statistics that folding must get right."""
    net = model.build(name, 3)
    torch.manual_seed(1)
    for module in net.modules():
        if isinstance(module, model.Renorm):
            module.running_mean.normal_(0, 0.3)
            module.running_std.uniform_(0.7, 1.4)
            torch.nn.init.normal_(module.bias, std=0.2)
    return net.eval()


@pytest.mark.parametrize("name", model.SIZES)
def test_folding_changes_nothing(name):
    net = trained_like(name)
    folded = model.fold(net)
    assert not any(isinstance(m, model.Renorm) for m in folded.modules())
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
        export.export(model.build("b4c32", 4), tmp_path / name, ["caro"], [9], {})
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_untrained_outputs_are_small_and_alive():
    planes, scalars = map(torch.from_numpy, export.inputs(np.random.default_rng(5), 4, 15))
    for name in model.SIZES:
        policy, value = model.build(name, 1).eval()(planes, scalars)
        assert policy.shape == (4, 225) and value.shape == (4, 3)
        for logits in (policy, value):
            assert torch.isfinite(logits).all() and logits.abs().max() < 5
            assert logits.std() > 1e-3


def test_a_wrong_export_is_not_written(tmp_path, monkeypatch):
    other = model.fold(model.build("b4c32", 9))
    trace = export._trace
    monkeypatch.setattr(export, "_trace", lambda net, opset: trace(other, opset))
    with pytest.raises(DataError, match="differs from torch"):
        export.export(model.build("b4c32", 1), tmp_path / "net.onnx", ["caro"], [9], {})
    broken = model.build("b4c32", 1)
    torch.nn.init.constant_(broken.value_out.bias, float("nan"))
    monkeypatch.setattr(export, "_trace", trace)
    with pytest.raises(DataError, match="differs from torch"):
        export.export(broken, tmp_path / "net.onnx", ["caro"], [9], {})
    assert not list(tmp_path.iterdir())


def test_check_model_names_what_is_wrong(tmp_path):
    path = tmp_path / "net.onnx"
    export.export(model.build("b4c32", 1), path, ["caro"], [9], {})
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


@pytest.mark.parametrize(
    "text, sizes", [("5-22", range(5, 23)), ("13", [13]), ("9,15,19", [9, 15, 19])]
)
def test_sizes_round_trip(text, sizes):
    assert export.parse_sizes(text) == list(sizes)
    assert export.format_sizes(sizes) == text


@pytest.mark.parametrize("text", ["", "4", "23", "9-", "x", "9-x", "12-9"])
def test_bad_sizes(text):
    with pytest.raises(Usage, match="want"):
        export.parse_sizes(text)


def test_bad_rules():
    assert "caro" in export.parse_rules("all")
    with pytest.raises(Usage, match="gomoku"):
        export.parse_rules("caro,gomoku")
