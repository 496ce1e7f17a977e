import hashlib
import json

import numpy as np
import onnx
import pytest
import shards
from onnx import numpy_helper

from carozero.samples import shard
from carozero.samples.schema import ONITAMA
from carozero_train import agreement, export, half, metadata
from carozero_train.cli import main
from carozero_train.errors import DataError
from carozero_train.networks import build
from carozero_train.quantise import quantise

MODEL = "../models/taught9-b4c64.onnx"


@pytest.fixture(scope="module")
def positions(tmp_path_factory):
    root = tmp_path_factory.mktemp("positions")
    run = shards.write_run(root / "run", size=7, shards=2, games=30, plies=10, seed=4)
    return agreement.sample(shard.manifest(run), 300)


def test_a_shipped_network_in_half_precision(tmp_path, positions):
    out = tmp_path / "half.onnx"
    result = half.halve(MODEL, out, positions)
    assert result.top1 >= 0.995 and 0 < result.value_max <= 0.01 and result.positions == 300
    net, source = onnx.load(out), onnx.load(MODEL)
    assert {t.data_type for t in net.graph.initializer} <= {half.HALF, onnx.TensorProto.INT64}
    for value in (*net.graph.input, *net.graph.output):
        assert value.type.tensor_type.elem_type == half.FLOAT
    found, own = ({p.key: p.value for p in each.metadata_props} for each in (net, source))
    note = json.loads(found.pop("carozero.float16"))
    with open(MODEL, "rb") as file:
        assert note["source_sha256"] == hashlib.sha256(file.read()).hexdigest()
    assert found.pop(metadata.WEIGHTS) == metadata.weights_digest(net) != own.pop(metadata.WEIGHTS)
    assert found == own
    digest = hashlib.sha256(out.read_bytes()).hexdigest()
    assert (tmp_path / "half.onnx.sha256").read_text() == f"{digest}  half.onnx\n"
    half.halve(MODEL, tmp_path / "again.onnx", positions)
    assert (tmp_path / "again.onnx").read_bytes() == out.read_bytes()


@pytest.mark.parametrize("damage", ("overflow", "int8", "other"))
def test_what_is_not_written(tmp_path, positions, damage):
    source, out = tmp_path / "net.onnx", tmp_path / "half.onnx"
    export.export(build("b2c16", 1, **({"game": ONITAMA} if damage == "other" else {})), source, ["caro"], [9], {})
    if damage == "int8":
        quantise(source, tmp_path / "int8.onnx", positions, positions, {})
        source = tmp_path / "int8.onnx"
    if damage == "overflow":  # float16 ends at 65,504
        net = onnx.load(source)
        first = next(t for t in net.graph.initializer if len(t.dims) == 4)
        first.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(first) * np.float32(1e6), first.name))
        onnx.save(net, source)
    with pytest.raises(DataError, match="agree|float32|another game"):
        half.halve(source, out, positions)
    assert not out.exists()


@pytest.mark.parametrize(
    "arguments, want",
    (
        ([MODEL, "--out", "{}/x.onnx"], "--precision float16"),
        ([MODEL, "--out", "{}/x.onnx", "--precision", "float16", "--temperature", "2"], "alone"),
        ([MODEL, "--out", "{}/x.pt", "--precision", "float16"], "NAME.onnx"),
        (["../models/taught7-line16.pt", "--out", "{}/x.line", "--precision", "float16"], "line networks"),
        (["../models/taught9-b4c64.pt", "{}", "--out", "{}/x.onnx"], "DIR"),
        (["../models/taught9-b4c64.pt", "--out", "{}/x.pt", "--precision", "float16"], "float32"),
        (["missing.onnx", "--out", "{}/x.onnx", "--precision", "float16"], "missing.onnx"),
    ),
)
def test_refusals(tmp_path, capsys, arguments, want):
    assert main(["export", *(each.format(tmp_path) for each in arguments)]) != 0
    error = capsys.readouterr().err
    assert want in error and error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_a_checkpoint_in_half_precision(tmp_path, capsys):
    out = tmp_path / "half.onnx"
    assert main(["export", "../models/taught9-b4c64.pt", "--out", str(out), "--precision", "float16"]) == 0
    assert "value error" in capsys.readouterr().out
    assert "carozero.float16" in {p.key for p in onnx.load(out).metadata_props}
