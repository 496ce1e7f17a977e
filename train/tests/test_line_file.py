"""Files of line networks: round trips and bounds."""

import hashlib
import json

import numpy as np
import pytest
import linegolden
from linegolden import tensors

from carozero_train.line import file, lines
from carozero_train.cli import main
from carozero_train.errors import DataError
from carozero_train.networks import build


@pytest.fixture(scope="module")
def weights():
    return tensors(np.random.default_rng(2))


def test_a_file_is_read_as_written(tmp_path, weights):
    for name in ("a.line", "b.line"):
        file.write(tmp_path / name, weights, ["renju", "caro"], "9-11", {"steps": 3})
    data = (tmp_path / "a.line").read_bytes()
    assert data == (tmp_path / "b.line").read_bytes()
    assert (tmp_path / "a.line.sha256").read_text() == f"{hashlib.sha256(data).hexdigest()}  a.line\n"
    found, metadata = linegolden.read(data)
    assert list(found) == list(file.layout(16))
    for name, tensor in weights.items():
        assert found[name].dtype == tensor.dtype
        np.testing.assert_array_equal(found[name], tensor)
    sha = hashlib.sha256()
    for rule in ("caro", "renju"):
        sha.update(rule.encode() + lines.shapes()[rule].tobytes())
    order = "T E1 E2 W1 W2 W3 B1 B2 B3 D Db G1 Gb1 G2 Gb2 O".split()
    in_order = b"".join(weights[name].tobytes() for name in order)
    assert metadata == {
        "format": "carozero-line-1",
        "carozero.rules": "renju,caro",
        "carozero.sizes": "9-11",
        "carozero.run": '{"steps":3}',
        "carozero.patterns": sha.hexdigest(),
        "carozero.weights": hashlib.sha256(in_order).hexdigest(),
    }


@pytest.mark.parametrize("k", (16, 32, 48, 64))
def test_networks_of_all_widths_of_the_format(tmp_path, k):
    file.write(tmp_path / "x.line", file.clip(tensors(np.random.default_rng(k), k))[0], ["caro"], "9", {})
    found, _ = linegolden.read((tmp_path / "x.line").read_bytes())
    assert found["T"].shape == (lines.ROWS, k)


BROKEN = {
    "W1": ("W1", lambda t: t.__setitem__((3, slice(None)), 1000)),
    "W2": ("W2", lambda t: t.__setitem__((0, slice(None)), -2050)),
    "W3": ("W3", lambda t: t.__setitem__((2, slice(None)), 2050)),
    "B2": ("W2", None),
    "G1": ("G1", lambda t: t.__setitem__((31, slice(None)), 6000)),
    "G2": ("G2", lambda t: t.__setitem__((271, slice(None)), 2050)),
    "D": ("D", lambda t: t.__setitem__((slice(None), 5), 30)),
    "Db": ("D", lambda t: t.__setitem__(0, 32767)),
}


@pytest.mark.parametrize("name", BROKEN)
def test_bounds_are_found_broken_and_mended(tmp_path, weights, name):
    which, change = BROKEN[name]
    broken = {key: tensor.copy() for key, tensor in weights.items()}
    if change:
        change(broken[name])
    else:
        broken[name][4] = np.iinfo(np.int32).max
    with pytest.raises(DataError, match=rf"{which} is too large: its sums can pass the bound"):
        file.write(tmp_path / "x.line", broken, ["caro"], "9", {})
    assert not list(tmp_path.iterdir())
    mended, rows = file.clip(broken)
    assert rows == 1 and file.excess(mended)[which] <= 0
    file.write(tmp_path / "x.line", mended, ["caro"], "9", {})


def run(capsys, *arguments):
    status = main([str(a) for a in arguments])
    out = capsys.readouterr()
    return status, out.out, out.err


def test_train_export(runs, tmp_path, capsys):
    out, net = tmp_path / "out", tmp_path / "net.line"
    options = ("--steps", 3, "--batch", 16, "--size", "line16", "--threads", 1)
    options += ("--precision", "bfloat16", "--memory-format", "contiguous")
    assert run(capsys, "train", *runs, "--out", out, *options)[0] == 0
    status, text, err = run(capsys, "export", out / "checkpoint.pt", "--out", net)
    assert (status, err) == (0, "") and "0 rows of weights clipped" in text
    metadata = linegolden.read(net.read_bytes())[1]
    assert metadata["carozero.rules"] == "renju,caro" and metadata["carozero.sizes"] == "5,7"
    found = json.loads(metadata["carozero.run"])
    assert found["steps"] == 3 and found["rows"] == 200 and found["size"] == "line16"


def test_a_wrong_export_is_not_written(tmp_path, monkeypatch):
    from carozero_train.line import export as line_export

    monkeypatch.setattr(line_export, "integers", lambda net: tensors(np.random.default_rng(3)))
    with pytest.raises(DataError, match="the integers differ from torch by"):
        line_export.write(build("line16", 1), tmp_path / "x.line", ["caro"], [9], {})
    assert not list(tmp_path.iterdir())
