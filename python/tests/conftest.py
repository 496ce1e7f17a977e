"""Runs of self-play, played once by the program that the package finds."""

import signal

import pytest

import carozero
from carozero import Engine, program

# Whoever runs in the background of a shell ignores Ctrl-C, and so would its children.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_report_header():
    return f"package {carozero.__file__}, program {program.find()}"


def play(folder, *arguments):
    done = program.run("selfplay", "--model", "uniform", "--playouts", "24", "--seed", "3", "--out", str(folder), *arguments)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="session")
def gomoku(tmp_path_factory):
    """Two shards of two games, rows of weights other than 1 among them."""
    return play(tmp_path_factory.mktemp("runs") / "gomoku", "--size", "7", "--games", "4", "--games-per-shard", "2", "--cheap-playouts", "8", "--full-share", "0.5", "--cheap-weight", "0.5")


@pytest.fixture(scope="session")
def onitama(tmp_path_factory):
    return play(tmp_path_factory.mktemp("runs") / "onitama", "--game", "onitama", "--games", "2")


@pytest.fixture(scope="module")
def engine():
    with Engine(model="uniform", threads=1) as engine:
        yield engine
