"""The list of architectures: what each promises, and what a further one takes."""

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import carozero
from carozero.samples.schema import GAMES
import carozero_train
from carozero_train import export, networks
from carozero_train.auxiliary import HEADS, Auxiliary
from carozero_train.cli import main
from carozero_train.errors import Usage
from carozero_train.networks import ARCHITECTURES, build

PACKAGE = Path(carozero_train.__file__).parent
PACKAGES = Path(carozero.__file__).parents[1]  # where the reader's package lies


def imports(path):
    """The modules of the package that a file imports anywhere, also within functions."""
    parts = ("carozero_train", *path.relative_to(PACKAGE).with_suffix("").parts)
    here = parts[:-1]  # the package of the module, and of an __init__ itself
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = here[: len(here) - node.level + 1] + tuple((node.module or "").split("."))
            base = tuple(part for part in base if part)
            found |= {base} | {(*base, alias.name) for alias in node.names}
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module]
            found |= {tuple(name.split(".")) for name in names}
    return found


def modules():
    """Every module of the package and those of them that it imports."""
    files = {}
    for path in PACKAGE.rglob("*.py"):
        parts = ("carozero_train", *path.relative_to(PACKAGE).with_suffix("").parts)
        files[parts[:-1] if parts[-1] == "__init__" else parts] = path
    return {name: imports(path) & set(files) - {name} for name, path in files.items()}


def test_no_module_imports_itself_by_way_of_others():
    left = modules()
    assert left["carozero_train", "trainer"] >= {("carozero_train", "reader"), ("carozero_train", "learner")}
    assert ("carozero_train", "line", "lines") in left["carozero_train", "line", "file"]
    while True:
        done = [name for name, needs in left.items() if not needs & set(left)]
        if not done:
            break
        for name in done:
            del left[name]
    assert not left, "cycles among " + ", ".join(".".join(name) for name in sorted(left))


def test_a_package_imports_none_of_its_modules():
    """So a module of it can be had alone: the definition of a line network without torch."""
    for path in PACKAGE.rglob("__init__.py"):
        assert not {name for name in imports(path) if name[0] == "carozero_train"}, path
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


# A network of one convolution, in a module of its own: all that a further architecture takes,
# but for its import and its line in the list.
FLAT = '''
from dataclasses import dataclass

from torch import nn

from .architecture import Architecture, Format
from .checkpoint import write_atomic
from .errors import Usage


@dataclass(frozen=True)
class Size:
    head_filters: int
    value_hidden: int = 4


class Flat(nn.Module):
    def __init__(self, size, game):
        super().__init__()
        self.size, self.game = size, game
        self.cells = nn.Conv2d(len(game.planes), size.head_filters, 3, padding=1)
        self.whole = nn.Linear(len(game.globals), size.value_hidden)
        self.policy, self.value = nn.Conv2d(size.head_filters, game.policy_planes, 1), nn.Linear(size.value_hidden, 3)

    def features(self, planes, scalars):
        return self.cells(planes).relu(), self.whole(scalars).relu()

    def outputs(self, features):
        return self.policy(features[0]).flatten(1), self.value(features[1])

    def forward(self, planes, scalars):
        return self.outputs(self.features(planes, scalars))


def write(net, path, rules, sizes, run, temperature):
    write_atomic(path, f"{run['size']} {net.size.head_filters}".encode())
    return "check none"


def grow(weights, size, net):
    raise Usage("flat networks are all alike")


SIZES = {"flat2": Size(2), "flat3": Size(3)}
FLAT = Architecture("flat", Flat, SIZES, lambda net: net.eval(), formats=(Format(".flat", write),), grow=grow)
'''


def test_a_further_architecture_is_a_module_and_a_line(tmp_path, runs):
    package = tmp_path / "carozero_train"
    shutil.copytree(PACKAGE, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "flat.py").write_text(FLAT)
    text = (package / "networks.py").read_text()
    more = text.replace("    LINE,\n", "    LINE,\n    FLAT,\n").replace("from .line import export", "from .flat import FLAT\nfrom .line import export", 1)
    assert len(more.splitlines()) == len(text.splitlines()) + 2
    (package / "networks.py").write_text(more)

    code = "import sys, carozero_train.cli as c; assert c.__file__.startswith(sys.argv[1]), c.__file__\n"
    code += "for line in sys.stdin: print(c.main(line.split()))"
    train = f"train {runs[0]} --steps 2 --batch 16 --threads 1 --precision float32 --memory-format contiguous"
    commands = (
        "init --size flat2 --out a.onnx",
        "init --size flat2 --game onitama --out b.onnx",
        "init --size flat3 --out a.flat",
        "init --size b2c16 --out b.flat",
        "init --size flat2 --out b.line",
        f"{train} --size flat2 --soft-weight 1 --future-weight 1 --out a",
        f"{train} --size flat2 --init-from a/checkpoint.pt --out b",
        f"{train} --size flat3 --init-from a/checkpoint.pt --out c",
        f"{train} --size b2c16 --init-from a/checkpoint.pt --out c",
        f"{train} --size line16 --init-from a/checkpoint.pt --out c",
        "export a/checkpoint.pt --out c.onnx",
        "export a/checkpoint.pt --out c.flat",
    )
    out = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        input="\n".join(commands),
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{PACKAGES}"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    statuses = [line for line in out.stdout.splitlines() if line in "012"]
    assert statuses == list("000220022200"), out.stdout + out.stderr
    errors = [line.replace("carozero_train: ", "") for line in out.stderr.splitlines() if "carozero_train: " in line]
    assert errors == [
        "--out b.flat: want a name that ends in .onnx for a b2c16 network",
        "--out b.line: want a name that ends in .onnx or .flat for a flat2 network",
        "--init-from a/checkpoint.pt: a flat2 net cannot grow to flat3: flat networks are all alike",
        "--init-from a/checkpoint.pt: a flat2 net cannot grow to b2c16: flat networks do not become residual ones: want a --size of theirs",
        "--init-from a/checkpoint.pt: a flat2 net cannot grow to line16: flat networks do not become line ones: want a --size of theirs",
    ]
    assert [(tmp_path / name).read_text() for name in ("a.flat", "c.flat")] == ["flat3 3", "flat2 2"]
    assert all((tmp_path / name).stat().st_size > 1000 for name in ("a.onnx", "b.onnx", "c.onnx"))
