"""Two runs of self-play, for tests that need PyTorch."""

import pytest

from carozero import program


@pytest.fixture(scope="session")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "gomoku"
    done = program.run(
        "selfplay", "--model", "uniform", "--playouts", "16", "--size", "7", "--games", "4", "--games-per-shard", "2", "--out", str(folder)
    )
    assert done.returncode == 0, done.stderr
    return folder
