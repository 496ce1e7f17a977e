import sys

import pytest
import carozero_train  # noqa: F401 - finds the package carozero, which other modules import first
import shards
import torch

# Stand-ins for CUDA's libraries are for Linux, where alone PyTorch needs them.
collect_ignore = [] if sys.platform == "linux" else ["test_without_cuda.py"]


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    """Small tensors run fastest, and alike everywhere, on one thread."""
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def runs(tmp_path_factory):
    """Two run directories of different board sizes: 120 and 80 rows."""
    root = tmp_path_factory.mktemp("runs")
    return [
        shards.write_run(root / "small", size=5, shards=3, games=4, plies=10, seed=3),
        shards.write_run(root / "large", size=7, shards=2, games=4, plies=10, seed=4, rule="renju"),
    ]
