"""Files of line networks: round trips, bounds, and what damaged ones are told."""

import hashlib
import json

import numpy as np
import pytest
from linegolden import tensors, tiny_file

from carozero_train.line import file, lines
from carozero_train.cli import main
from carozero_train.errors import DataError
from carozero_train.networks import build


@pytest.fixture(scope="module")
def weights():
    return tensors(np.random.default_rng(2))


@pytest.fixture(scope="module")
def whole():
    return tiny_file()


def test_a_file_is_read_as_written(tmp_path, weights):
    for name in ("a.line", "b.line"):
        file.write(tmp_path / name, weights, ["renju", "caro"], "9-11", {"steps": 3})
    data = (tmp_path / "a.line").read_bytes()
    assert data == (tmp_path / "b.line").read_bytes()
    assert (tmp_path / "a.line.sha256").read_text() == f"{hashlib.sha256(data).hexdigest()}  a.line\n"
    found, metadata = file.read(tmp_path / "a.line")
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


@pytest.mark.parametrize("k", file.CHANNELS)
def test_networks_of_all_widths_of_the_format(tmp_path, k):
    file.write(tmp_path / "x.line", file.clip(tensors(np.random.default_rng(k), k))[0], ["caro"], "9", {})
    found, _ = file.read(tmp_path / "x.line")
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


def refused(path):
    with pytest.raises(DataError) as err:
        file.read(path)
    text = str(err.value)
    assert "\n" not in text and text.startswith(str(path)) and len(text) < 400
    return text


def edited(data, change):
    """A file with its header changed by a function of it."""
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    change(header)
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data[8 + length :]


def metadata(key, value):
    return lambda header: header["__metadata__"].__setitem__(key, value)


HEADERS = {
    "format": (metadata("format", "carozero-line-2"), "format 'carozero-line-2', want"),
    "no format": (lambda h: h["__metadata__"].pop("format"), "format None, want"),
    "no metadata": (lambda h: h.pop("__metadata__"), "no safetensors file with metadata"),
    "no run": (lambda h: h["__metadata__"].pop("carozero.run"), "metadata lacks carozero.run"),
    "run": (metadata("carozero.run", "{"), "metadata: "),
    "rules": (metadata("carozero.rules", "caro,chess"), "metadata: rules 'chess'"),
    "sizes": (metadata("carozero.sizes", "9-40"), "metadata: sizes '9-40'"),
    "temperature": (metadata("carozero.temperature", "nan"), "metadata: --temperature nan"),
    "patterns": (metadata("carozero.patterns", "00"), "made for other line patterns"),
    "weights": (metadata("carozero.weights", "00"), "do not have the digest"),
    "type": (lambda h: h["Db"].__setitem__("dtype", "U16"), "Db is uint16 [16], want int16 [16]"),
    "shape": (lambda h: h["D"].__setitem__("shape", [16, 9]), "D is int16 [16, 9], want"),
    "name": (lambda h: h.__setitem__("Q", h.pop("O")), "lacking or unknown: O, Q"),
    "channels": (lambda h: h["T"].__setitem__("shape", [lines.ROWS * 16, 1]), "T has 1 channels"),
    "no table": (lambda h: h.__setitem__("t", h.pop("T")), "T has 0 channels, want one of 16, 32, 48, 64"),
}


@pytest.mark.parametrize("case", HEADERS)
def test_a_file_that_does_not_fit(tmp_path, whole, case):
    change, text = HEADERS[case]
    path = tmp_path / "x.line"
    path.write_bytes(edited(whole, change))
    assert text in refused(path)


def test_damaged_files_are_refused_in_one_line(tmp_path, whole):
    """Whatever bit has changed, by the digest beside; a bit of the weights without."""
    random, path = np.random.default_rng(1), tmp_path / "x.line"
    sha = tmp_path / "x.line.sha256"
    length = int.from_bytes(whole[:8], "little")
    for turn in range(60):
        data = bytearray(whole)
        sha.write_text(f"{hashlib.sha256(whole).hexdigest()}  x.line\n")
        if turn % 3 != 1:
            sha.unlink()
        if turn % 3 == 0:
            del data[int(random.integers(len(data))) :]
        else:
            places = (0, length + 8) if turn % 3 == 1 else (length + 8, len(data))
            place = int(random.integers(*places))
            data[place] ^= 1 << int(random.integers(8))
        path.write_bytes(data)
        refused(path)
    sha.unlink(missing_ok=True)
    for data in (b"", b"junk", whole + b"x", b"\xff" * 64):
        path.write_bytes(data)
        refused(path)
    assert "no such file" in refused(tmp_path / "none.line")


def run(capsys, *arguments):
    status = main([str(a) for a in arguments])
    out = capsys.readouterr()
    return status, out.out, out.err


def test_train_export_check(runs, tmp_path, capsys):
    out, net = tmp_path / "out", tmp_path / "net.line"
    options = ("--steps", 3, "--batch", 16, "--size", "line16", "--threads", 1)
    options += ("--precision", "bfloat16", "--memory-format", "contiguous")
    assert run(capsys, "train", *runs, "--out", out, *options)[0] == 0
    status, text, err = run(capsys, "export", out / "checkpoint.pt", "--out", net)
    assert (status, err) == (0, "") and "0 rows of weights clipped" in text
    status, text, _ = run(capsys, "check", net)
    assert status == 0 and "carozero.rules renju,caro" in text and "carozero.sizes 5,7" in text
    found = json.loads(file.read(net)[1]["carozero.run"])
    assert found["steps"] == 3 and found["rows"] == 200 and found["size"] == "line16"
    net.write_bytes(net.read_bytes()[:-1])
    status, text, err = run(capsys, "check", net)
    assert (status, text) == (1, "") and err.count("\n") == 1


def test_what_cannot_be_written(tmp_path, capsys):
    net = tmp_path / "net.line"
    status, _, err = run(capsys, "init", "--size", "b2c16", "--out", net)
    assert status == 2 and "want a name that ends in .onnx for a b2c16 network" in err
    status, _, err = run(capsys, "init", "--size", "line16", "--game", "onitama", "--out", net)
    assert status == 2 and "line networks play gomoku, not onitama" in err
    assert not net.exists()


def test_a_wrong_export_is_not_written(tmp_path, monkeypatch):
    from carozero_train.line import export as line_export

    monkeypatch.setattr(line_export, "integers", lambda net: tensors(np.random.default_rng(3)))
    with pytest.raises(DataError, match="the integers differ from torch by"):
        line_export.export(build("line16", 1), tmp_path / "x.line", ["caro"], [9], {})
    assert not list(tmp_path.iterdir())
