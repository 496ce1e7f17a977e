"""The command line from outside: results, one-line errors, exit status."""

import json

import onnx
import pytest
import shards
import torch

from carozero_train import checkpoint
from carozero_train.cli import main


def run(capsys, *arguments):
    """Returns (status, stdout, stderr)."""
    status = main([str(a) for a in arguments])
    out = capsys.readouterr()
    return status, out.out, out.err


def metadata(net) -> dict:
    return {p.key: p.value for p in onnx.load(net).metadata_props}


def test_train_export(runs, tmp_path, capsys):
    out, net = tmp_path / "out", tmp_path / "net.onnx"
    options = ("--steps", 4, "--batch", 16, "--log-every", 2, "--shuffle-rows", 100)
    options += ("--threads", 1, "--precision", "float32", "--memory-format", "channels_last")
    status, text, err = run(capsys, "train", *runs, "--out", out, *options)
    assert (status, err) == (0, "") and f"{out}/checkpoint.pt: step 4  loss " in text
    assert run(capsys, "train", "--out", out, "--resume", "--steps", 6)[0] == 0
    assert run(capsys, "export", out / "checkpoint.pt", "--out", net, "--sizes", "5-7")[0] == 0
    found = metadata(net)
    assert found["carozero.sizes"] == "5-7" and json.loads(found["carozero.run"])["steps"] == 6
    assert (out / "loss.png").read_bytes().startswith(b"\x89PNG")


def test_init(tmp_path, capsys):
    net = tmp_path / "net.onnx"
    status, text, _ = run(capsys, "init", "--size", "b4c32", "--out", net, "--rules", "caro", "--sizes", "13")
    assert status == 0 and "b4c32" in text
    assert metadata(net)["carozero.sizes"] == "13"


@pytest.mark.parametrize("name, size", (("net.onnx", "b2c16"), ("net.line", "line16")))
def test_a_temperature_for_the_search(tmp_path, capsys, name, size):
    net = tmp_path / name
    for options, want in ((), False), (("--temperature", 1.5), True):
        assert run(capsys, "init", "--size", size, "--out", net, *options)[0] == 0
        assert (b"carozero.temperature" in net.read_bytes()) == want


def test_quantise(tmp_path, capsys):
    run_dir = shards.write_run(tmp_path / "run", size=5, shards=2, games=40, plies=8)
    net, out = tmp_path / "net.onnx", tmp_path / "int8.onnx"
    assert run(capsys, "init", "--size", "b4c32", "--out", net)[0] == 0
    status, text, err = run(capsys, "quantise", net, run_dir, "--out", out)
    assert (status, err) == (0, "") and "policy KL 0.0" in text and "value error 0.0" in text
    note = json.loads(metadata(out)["carozero.int8"])
    assert note["seed"] == 1 and note["positions"] > 5 and note["positions"] + note["calibration_positions"] == 640


USAGE = {
    "no ending": (("init", "--size", "b2c16", "--out", "x"), "--out x: want a name that ends in .onnx"),
    "a run's name": (("init", "--size", "b2c16", "--out", "d/checkpoint.pt"), "runs keep all they have"),
    "none": ((), "COMMAND"),
    "unknown": (("fly",), "invalid choice"),
    "size": (("init", "--size", "b1c1", "--out", "x.onnx"), "--size"),
    "no data": (("train", "--out", "x", "--steps", "1"), "run directory DIR"),
    "no steps": (("train", "d", "--out", "x"), "one of --steps, --epochs"),
    "both": (("train", "d", "--out", "x", "--steps", "1", "--epochs", "1"), "one of --steps, --epochs"),
    "resume": (("train", "--out", "x", "--resume", "--batch", "9"), "leave out --batch"),
    "temperature": (("init", "--size", "b4c32", "--out", "x.onnx", "--temperature", "0"), "want 0.05..20"),
}


@pytest.mark.parametrize("case", USAGE)
def test_bad_usage_is_status_two_and_one_line(capsys, case):
    arguments, text = USAGE[case]
    status, out, err = run(capsys, *arguments)
    assert status == 2 and out == ""
    assert text in err and err.count("\n") == 1


def test_failures_are_status_one(runs, tmp_path, capsys):
    for arguments in (
        ("train", tmp_path / "none", "--out", tmp_path / "o", "--steps", 1),
        ("train", "--out", tmp_path / "none", "--resume"),
        ("train", *runs, "--out", tmp_path / "o", "--steps", 1),
        ("export", tmp_path / "none.pt", "--out", tmp_path / "x.onnx"),
        ("quantise", tmp_path / "none.onnx", *runs, "--out", tmp_path / "x.onnx"),
        ("quantise", tmp_path / "none.onnx", tmp_path, "--out", tmp_path / "x.onnx"),
    ):
        status, out, err = run(capsys, *arguments)
        assert status == 1 and out == ""
        assert err.count("\n") == 1 and err.startswith("carozero_train: ")


def test_a_finished_run_is_not_overwritten(runs, tmp_path, capsys):
    arguments = ("train", runs[0], "--out", tmp_path, "--steps", 1, "--batch", 8, "--size", "b2c16")
    assert run(capsys, *arguments)[0] == 0
    status, _, err = run(capsys, *arguments)
    assert status == 2 and "--resume" in err


def test_export_takes_the_weights_that_lost_less(runs, tmp_path, capsys):
    out, net = tmp_path / "out", tmp_path / "net.onnx"
    options = ("--steps", 4, "--batch", 16, "--size", "b2c16", "--threads", 1)
    options += ("--precision", "float32", "--memory-format", "contiguous", "--val-fraction", 0.2)
    assert run(capsys, "train", *runs, "--out", out, *options)[0] == 0
    state = checkpoint.load(out / "checkpoint.pt")
    tensors = {k: state.pop(k) for k in ("net", "average", "heads", "optimizer", "rng")}
    assert state["held_out"]["average"] != state["held_out"]["last"]

    def exported(held_out, *flags):
        plain = {k: v for k, v in state.items() if k not in ("format", "version")}
        checkpoint.save(out / "checkpoint.pt", {**plain, "held_out": held_out}, tensors)
        arguments = ("export", out / "checkpoint.pt", "--out", net, "--sizes", 5, *flags)
        assert run(capsys, *arguments)[0] == 0
        return json.loads(metadata(net)["carozero.run"])["weights"]

    better = {"average": 2.0, "last": 1.9}
    assert exported(better) == "last" and exported(better, "--average") == "average"
    assert exported({"average": 1.9, "last": 2.0}) == "average"
    assert exported({}) == "average" and exported({}, "--last") == "last"

    plain = {k: v for k, v in state.items() if k not in ("format", "version")}
    for damage in ({"held_out": {"average": 1.0}}, {"config": {**plain["config"], "size": "b4c32"}}):
        checkpoint.save(out / "checkpoint.pt", {**plain, **damage}, tensors)
        status, _, err = run(capsys, "export", out / "checkpoint.pt", "--out", net)
        assert status == 1 and err.count("\n") == 1 and "damaged, or of another trainer" in err


def test_weights_alone(runs, tmp_path, capsys):
    """They are small, tell no folder, and a run begins with them, or a network is
    exported, as with the checkpoint that they came from."""
    whole, weights = tmp_path / "out" / "checkpoint.pt", tmp_path / "weights.pt"
    options = ("--steps", 3, "--batch", 16, "--size", "b2c16", "--threads", 1)
    options += ("--precision", "float32", "--memory-format", "contiguous")
    assert run(capsys, "train", *runs, "--out", whole.parent, *options)[0] == 0
    assert run(capsys, "export", whole, "--out", weights, "--average")[0] == 0
    assert weights.stat().st_size < whole.stat().st_size / 2
    assert str(tmp_path) not in json.dumps({k: repr(v) for k, v in checkpoint.load(weights).items()})
    nets = []
    for source in (whole, weights):
        out = tmp_path / source.stem
        assert run(capsys, "export", source, "--out", out.with_suffix(".onnx"), "--average")[0] == 0
        assert run(capsys, "train", *runs, "--out", out, "--init-from", source, *options)[0] == 0
        state = checkpoint.load(out / "checkpoint.pt")
        nets.append((out.with_suffix(".onnx").read_bytes(), state["net"], state["provenance"]))
    (file, net, origin), (same_file, same_net, same_origin) = nets
    assert file == same_file and origin == same_origin
    assert all(torch.equal(net[name], same_net[name]) for name in net)
    status, _, err = run(capsys, "export", weights, "--out", tmp_path / "x.onnx", "--last")
    assert status == 2 and err.count("\n") == 1 and "one set of weights alone" in err
    for part in ("config", "step", "provenance", "plain"):
        bare = torch.load(weights, weights_only=True)
        plain = json.loads(bare.pop("plain"))
        plain.pop(part, None)
        torch.save(bare if part == "plain" else {**bare, "plain": json.dumps(plain)}, tmp_path / "bare")
        status, _, err = run(capsys, "export", tmp_path / "bare", "--out", tmp_path / "x.onnx")
        assert status == 1 and err.count("\n") == 1 and f"without its {part}" in err
    before = whole.read_bytes()
    status, _, err = run(capsys, "export", whole, "--out", whole)
    assert status == 2 and "choose another" in err and whole.read_bytes() == before
    whole.write_bytes(weights.read_bytes())
    status, _, err = run(capsys, "train", "--out", whole.parent, "--resume", "--steps", 9)
    assert status == 2 and err.count("\n") == 1 and "--init-from" in err
