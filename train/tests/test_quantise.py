import hashlib
import json

import numpy as np
import onnx
import onnxruntime
import pytest
import shards
import torch
from onnx import numpy_helper

from carozero.samples import shard
from carozero.samples.stream import row_split
from carozero_train import agreement, export, metadata, quantise
from carozero_train.errors import DataError, Usage
from carozero_train.networks import build
from carozero_train.ranges import ranges
from carozero_train.residual.renorm import Renorm


@pytest.fixture(scope="module")
def refs(tmp_path_factory):
    """Shards of 180 games on two board sizes: about nine are kept out."""
    root = tmp_path_factory.mktemp("many")
    runs = [
        shards.write_run(root / "small", size=5, shards=3, games=40, plies=10, seed=3),
        shards.write_run(root / "large", size=7, shards=2, games=30, plies=10, seed=4),
    ]
    return [ref for run in runs for ref in shard.manifest(run)]


@pytest.fixture(scope="module")
def drawn(refs):
    return agreement.draw(refs, 60, 40)


def trained_like(path, name="b4c32"):
    """Writes a net whose statistics, weights and outputs are as uneven as a
    trained one's: some planes weigh much more than others."""
    net = build(name, 3)
    torch.manual_seed(1)
    with torch.no_grad():
        net.stem.conv.weight[:, 4:10] *= 8
        net.policy_out.weight *= 5
        net.value_out.weight *= 5
    for module in net.modules():
        if isinstance(module, Renorm):
            module.running_mean.normal_(0, 0.2)
            module.running_std.uniform_(0.7, 1.4)
    export.export(net.eval(), path, {"caro"}, range(5, 10), {"size": name})
    return path


@pytest.fixture(scope="module")
def nets(tmp_path_factory, drawn):
    """A float32 file, its int8 version and how they agree."""
    root = tmp_path_factory.mktemp("nets")
    source, out = trained_like(root / "net.onnx"), root / "int8.onnx"
    return source, out, quantise.quantise(source, out, *drawn, {"seed": 1})


def test_agrees_with_the_source_on_positions_kept_out(nets):
    _, _, result = nets
    assert 0 < result.kl < 0.01 and 0 < result.value < 0.02 and result.top1 > 0.7
    assert result.kl_p99 >= result.kl and result.value_p99 >= result.value


def test_weights_and_zero_points(nets):
    _, out, _ = nets
    net = onnx.load(out)
    arrays = {t.name: numpy_helper.to_array(t) for t in net.graph.initializer}
    weights = [a for a in arrays.values() if a.dtype == np.int8 and a.ndim == 4]
    assert len(weights) == 10
    for weight in weights:
        largest = np.abs(weight.reshape(len(weight), -1).astype(int)).max(1)
        assert (largest == quantise.WEIGHT).all(), "each channel uses its whole range"
    for node in net.graph.node:
        if node.op_type == "DequantizeLinear" and arrays.get(node.input[0], np.int8(0)).ndim == 4:
            assert arrays[node.input[1]].shape == arrays[node.input[0]].shape[:1]
            assert not arrays[node.input[2]].any()
    activations = [a for a in arrays.values() if a.dtype == np.uint8]
    assert len(activations) > 15 and all(a.ndim == 0 for a in activations)
    assert [n.op_type for n in net.graph.node].count("Relu") == 3, "those of the heads"


def test_the_runtime_fuses_every_convolution_of_the_tower(nets, tmp_path):
    _, out, _ = nets
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = str(tmp_path / "optimised.onnx")
    options.log_severity_level = 3
    onnxruntime.InferenceSession(str(out), options, ["CPUExecutionProvider"])
    kinds = [node.op_type for node in onnx.load(tmp_path / "optimised.onnx").graph.node]
    assert kinds.count("QLinearConv") == 10 and kinds.count("QLinearAdd") == 5
    assert kinds.count("QuantizeLinear") == 2, "the planes and the pooling's bias"


def test_metadata_digest_and_free_dimensions(nets):
    source, out, result = nets
    digest = hashlib.sha256(out.read_bytes()).hexdigest()
    assert out.with_name("int8.onnx.sha256").read_text() == f"{digest}  int8.onnx\n"
    runtime = export.session(out)
    note = json.loads(runtime.get_modelmeta().custom_metadata_map["carozero.int8"])
    assert note["source_sha256"] == hashlib.sha256(source.read_bytes()).hexdigest()
    assert note["seed"] == 1 and note["kl"] == round(result.kl, 5)
    assert [runtime.get_inputs()[0].shape[i] for i in (0, 2, 3)] == ["n", "h", "w"]
    was, now = ({p.key: p.value for p in onnx.load(path).metadata_props} for path in (source, out))
    assert now.pop("carozero.int8") and now.pop("carozero.weights") == metadata.weights_digest(onnx.load(out)) != was.pop("carozero.weights")
    assert now == was


def test_same_arguments_same_bytes(nets, drawn, tmp_path):
    source, out, _ = nets
    quantise.quantise(source, tmp_path / "again.onnx", *drawn, {"seed": 1})
    assert (tmp_path / "again.onnx").read_bytes() == out.read_bytes()


def test_a_row_does_not_depend_on_its_batch(nets):
    planes, scalars = export.inputs(np.random.default_rng(4), 7, 9)
    runtime = export.session(nets[1])
    whole = runtime.run(["policy", "value"], {"planes": planes, "globals": scalars})
    for i in range(7):
        row = {"planes": planes[i : i + 1], "globals": scalars[i : i + 1]}
        for a, b in zip(whole, runtime.run(["policy", "value"], row)):
            np.testing.assert_array_equal(a[i : i + 1], b)


def test_reading_planes_twice_changes_nothing_but_the_error(nets, drawn):
    source, _, result = nets
    net = quantise._named(onnx.load(source))
    nodes, finer = quantise.tower(net), quantise._fine_stem(net)
    planes, scalars = export.inputs(np.random.default_rng(5), 2, 8)
    inputs = {"planes": planes, "globals": scalars}
    a, b = (export.session(n.SerializeToString()).run(None, inputs) for n in (net, finer))
    np.testing.assert_allclose(a[0], b[0], atol=1e-4)
    plain = quantise._quantised(net, nodes, ranges(net, nodes, {"planes"}, drawn[0]))
    without = agreement.compare(export.session(source), export.session(plain.SerializeToString()), drawn[1])
    assert without.kl > 2 * result.kl


def test_positions_are_those_of_their_games(refs, drawn):
    training, held_out = drawn
    assert [p.planes.shape[2] for p in training] == [5, 7]
    assert abs(sum(map(len, training)) - 60) < 10 and abs(sum(map(len, held_out)) - 40) < 10
    rows = {True: set(), False: set()}
    for ref in refs:
        data = shard.read(ref)
        for kept, index in zip((False, True), row_split(data, 0, 0.05)):
            planes = np.unpackbits(data.columns["planes"][index], axis=-1, count=data.size**2)
            rows[kept] |= {p.astype(np.float32).tobytes() for p in planes}
    for kept, part in ((False, training), (True, held_out)):
        assert all(row.tobytes() in rows[kept] for p in part for row in p.planes)
        assert all(p.legal.sum() > 0 and p.legal.dtype == bool for p in part)
    again = agreement.draw(refs, 60, 40)
    assert all((a.planes == b.planes).all() for a, b in zip(training, again[0]))
    with pytest.raises(DataError, match="no game to train on"):
        agreement.draw([], 60, 40)


class Fixed:
    """A session that answers with fixed logits a position."""

    def __init__(self, policy, value):
        self.outputs = np.array(policy, np.float32), np.array(value, np.float32)

    def run(self, _names, inputs):
        return [np.tile(o, (len(inputs["planes"]), 1)) for o in self.outputs]


def test_agreement_by_hand():
    legal = np.array([[True, True, False, False]])
    board = agreement.Positions(np.zeros((1, 12, 2, 2)), np.zeros((1, 13)), legal)
    a = Fixed([[0, 0, 9, 9]], [[0, -99, 0]])
    same = agreement.compare(a, Fixed([[3, 3, 0, 0]], [[5, -99, 5]]), [board])
    assert (same.positions, same.kl, same.top1, same.value) == (1, 0, 1, 0)
    # 1/2, 1/2 against 1/4, 3/4: ln 2 - ln(3)/2; win 0.9, loss 0.1 against even.
    got = agreement.compare(a, Fixed([[0, np.log(3), 0, 0]], [[np.log(9), -99, 0]]), [board, board])
    assert got.kl == pytest.approx(np.log(2) - np.log(3) / 2) and got.kl_p99 == got.kl
    assert got.value == pytest.approx(0.8) and got.top1 == 0 and got.positions == 2
    broken = agreement.compare(a, Fixed([[np.nan] * 4], [[0, 0, 0]]), [board])
    assert broken.kl == np.inf


def test_refusals(nets, drawn, tmp_path, monkeypatch):
    source, out, _ = nets
    target = tmp_path / "x.onnx"

    def refused(path, text):
        with pytest.raises(DataError, match=text):
            quantise.quantise(path, target, *drawn, {})
        assert not target.exists()

    refused(out, "quantised already")
    refused(tmp_path / "none.onnx", "none.onnx: does not load")
    monkeypatch.setattr(quantise, "LIBRARY_WEIGHT", 32)
    refused(source, "beyond")
    monkeypatch.undo()
    monkeypatch.setattr(quantise, "MAX_KL", 0)
    refused(source, "does not agree")


def test_the_net_itself_is_not_overwritten(tmp_path, drawn):
    net = tmp_path / "net.onnx"
    export.export(build("b2c16", 1), net, ["caro"], [5, 7], {})
    (tmp_path / "link.onnx").symlink_to(net)
    before = net.read_bytes()
    for out in (net, tmp_path / "." / "net.onnx", tmp_path / "link.onnx"):
        with pytest.raises(Usage, match="is the network to convert"):
            quantise.quantise(net, out, *drawn, {})
    assert net.read_bytes() == before
