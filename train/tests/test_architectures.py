"""The list of architectures: what each promises."""

import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest
import torch

from carozero.samples.schema import GAMES
from carozero_train import export, networks
from carozero_train.architecture import Architecture, Format
from carozero_train.auxiliary import HEADS, Auxiliary
from carozero_train.cli import main
from carozero_train.errors import Usage
from carozero_train.networks import ARCHITECTURES, build



def test_a_package_imports_none_of_its_modules():
    """So a module of it can be had alone: the definition of a line network without torch."""
    code = "import sys, carozero_train.line.reference; print('torch' in sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout == "False\n"


def test_names_are_unique():
    for names in (
        [size for each in ARCHITECTURES for size in each.sizes],
        [form.suffix for each in ARCHITECTURES for form in each.formats] + [".onnx", ".pt"],
        [each.name for each in ARCHITECTURES],
    ):
        assert len(set(names)) == len(names)
    with pytest.raises(Usage, match="--size 'b1c1': want one of b2c16, .*, line32"):
        build("b1c1", 1)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=lambda each: each.name)
def test_the_interface_of_an_architecture(architecture, game):
    """On two board sizes: the interface, heads in training, and the form that is played."""
    if game not in architecture.games:
        with pytest.raises(Usage, match=f"{architecture.name} networks play .*, not {game.name}"):
            build(next(iter(architecture.sizes)), 1, game)
        return
    for name, size in architecture.sizes.items():
        net = build(name, 1, game)
        assert networks.architecture_of(net) is architecture and net.size == size and net.game is game
        same, other = build(name, 1, game).state_dict(), build(name, 2, game).state_dict()
        assert all(torch.equal(tensor, same[key]) for key, tensor in net.state_dict().items())
        assert any(not torch.equal(tensor, other[key]) for key, tensor in net.state_dict().items())
    net = build(next(iter(architecture.sizes)), 1, game).eval()
    for side in sorted({game.min_size, min(9, game.max_size)}):
        planes, scalars = map(torch.from_numpy, export.inputs(np.random.default_rng(1), 3, side, game))
        scalars = scalars.round()
        with torch.no_grad():
            features = net.features(planes, scalars)
            policy, value = net(planes, scalars)
            played = architecture.playable(net)(planes, scalars) if architecture.playable else (policy, value)
            further = Auxiliary(net, {head: 1.0 for head in HEADS})(features)
        assert features[0].shape == (3, net.size.head_filters, side, side)
        assert features[1].shape == (3, net.size.value_hidden)
        assert policy.shape == (3, game.actions(side)) and value.shape == (3, 3)
        assert set(further) == set(HEADS)
        for want, again, got in zip(net.outputs(features), (policy, value), played):
            torch.testing.assert_close(again, want)
            torch.testing.assert_close(got, want, atol=1e-3, rtol=1e-3)


@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=lambda each: each.name)
def test_every_format_is_written(architecture, tmp_path, capsys):
    size = next(iter(architecture.sizes))
    own = architecture.suffixes
    for suffix in (".onnx", *networks.FORMATS):
        path = tmp_path / ("net" + suffix)
        good = suffix in own
        assert main(["init", "--size", size, "--out", str(path)]) == (0 if good else 2)
        assert path.exists() == good
        err = capsys.readouterr().err
        if not good:
            assert f"want a name that ends in {' or '.join(own)} for a {size} network" in err and err.count("\n") == 1


class Flat(torch.nn.Module):
    """A network of one convolution."""

    def __init__(self, size, game):
        super().__init__()
        self.size, self.game = size, game
        self.cells = torch.nn.Conv2d(len(game.planes), size.head_filters, 3, padding=1)
        self.whole = torch.nn.Linear(len(game.globals), size.value_hidden)
        self.policy = torch.nn.Conv2d(size.head_filters, game.policy_planes, 1)
        self.value = torch.nn.Linear(size.value_hidden, 3)

    def features(self, planes, scalars):
        return self.cells(planes).relu(), self.whole(scalars).relu()

    def outputs(self, features):
        return self.policy(features[0]).flatten(1), self.value(features[1])

    def forward(self, planes, scalars):
        return self.outputs(self.features(planes, scalars))


FlatSize = namedtuple("FlatSize", "head_filters value_hidden")


def test_a_further_architecture_is_an_entry_of_the_list(tmp_path, monkeypatch, capsys):
    def write(net, path, rules, sizes, run, temperature):
        Path(path).write_text(f"{run['size']} {net.size.head_filters}")
        return "check none"

    form = Format(".flat", write)
    flat = Architecture("flat", Flat, {"flat2": FlatSize(2, 4)}, lambda net: net.eval(), formats=(form,))
    monkeypatch.setattr(networks, "ARCHITECTURES", (*ARCHITECTURES, flat))
    monkeypatch.setitem(networks.BY_SIZE, "flat2", flat)
    monkeypatch.setitem(networks.FORMATS, ".flat", form)
    monkeypatch.chdir(tmp_path)
    for line, status in (
        ("init --size flat2 --out a.onnx", 0),
        ("init --size b2c16 --out b.flat", 2),
        ("init --size flat2 --out c.flat", 0),
    ):
        assert main(line.split()) == status, line
    assert "--out b.flat: want a name that ends in .onnx" in capsys.readouterr().err
    assert (tmp_path / "c.flat").read_text() == "flat2 2" and (tmp_path / "a.onnx").stat().st_size > 1000
    heads = Auxiliary(build("flat2", 1), dict.fromkeys(HEADS, 1.0))
    planes, scalars = map(torch.from_numpy, export.inputs(np.random.default_rng(1), 3, 9, GAMES[0]))
    assert set(heads(build("flat2", 1).features(planes, scalars))) == set(HEADS)
