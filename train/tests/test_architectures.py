"""The list of architectures: what each promises."""

import subprocess
import sys

import numpy as np
import pytest
import torch

from carozero.samples.schema import GAMES
from carozero_train import export
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
        [each.suffix for each in ARCHITECTURES] + [".pt"],
        [each.name for each in ARCHITECTURES],
    ):
        assert len(set(names)) == len(names)
    with pytest.raises(Usage, match="--size 'b1c1': want one of b2c16, .*, line32"):
        build("b1c1", 1)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=lambda each: each.name)
def test_the_interface_of_an_architecture(architecture, game):
    """On two board sizes: the interface, and heads in training."""
    if game not in architecture.games:
        with pytest.raises(Usage, match=f"{architecture.name} networks play .*, not {game.name}"):
            build(next(iter(architecture.sizes)), 1, game)
        return
    for name, size in architecture.sizes.items():
        net = build(name, 1, game)
        assert isinstance(net, architecture.network) and net.size == size and net.game is game
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
            further = Auxiliary(net, {head: 1.0 for head in HEADS})(features)
        assert features[0].shape == (3, net.size.head_filters, side, side)
        assert features[1].shape == (3, net.size.value_hidden)
        assert policy.shape == (3, game.actions(side)) and value.shape == (3, 3)
        assert set(further) == set(HEADS)
        for want, again in zip(net.outputs(features), (policy, value)):
            torch.testing.assert_close(again, want)


@pytest.mark.parametrize("architecture", ARCHITECTURES, ids=lambda each: each.name)
def test_a_network_has_one_format(architecture, tmp_path, capsys):
    size = next(iter(architecture.sizes))
    for suffix in (each.suffix for each in ARCHITECTURES):
        path = tmp_path / ("net" + suffix)
        good = suffix == architecture.suffix
        assert main(["init", "--size", size, "--out", str(path)]) == (0 if good else 2)
        assert path.exists() == good
        err = capsys.readouterr().err
        if not good:
            assert f"want a name that ends in {architecture.suffix} for a {size} network" in err and err.count("\n") == 1
