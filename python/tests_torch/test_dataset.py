"""The batches of Samples as tensors, under PyTorch's DataLoader."""

from collections import Counter

import numpy as np
import pytest
import torch
from torch.utils.data import DataLoader

from carozero import Dataset, Samples


def loader(run, workers, persistent=False, **options):
    data = Dataset(run, batch=8, weights=False, **options)
    return DataLoader(data, batch_size=None, num_workers=workers, persistent_workers=persistent)


def keys(batches):
    return Counter((b["origin"][i].item(), b["future"][i].numpy().tobytes(), b["globals"][i].numpy().tobytes(), b["planes"][i].sum().item()) for b in batches for i in range(len(b["planes"])))


def raw(batches):
    return [b["planes"].numpy().tobytes() for b in batches]


def test_without_workers_they_are_those_of_samples(run):
    data, samples = loader(run, 0), Samples(run, batch=8, weights=False)
    for _ in range(2):
        tensors, arrays = list(data), list(samples)
        assert len(tensors) == len(arrays)
        for got, want in zip(tensors, arrays):
            assert set(got) == set(want)
            for name in want:
                assert isinstance(got[name], torch.Tensor)
                np.testing.assert_array_equal(got[name].numpy(), want[name])


def test_workers_share_an_epoch_out(run):
    want = keys(loader(run, 0))
    data = loader(run, 2)
    torch.manual_seed(3)
    first, second = list(data), list(data)
    assert keys(first) == keys(second) == want and sum(want.values()) == Samples(run).rows
    assert raw(first) != raw(second)
    torch.manual_seed(3)
    assert raw(list(data)) == raw(first)


def test_epochs_can_be_named(run):
    for workers in (0, 2):
        data = loader(run, workers)
        data.dataset.set_epoch(5)
        first, again = raw(data), raw(data)
        data.dataset.set_epoch(6)
        assert first == again != raw(data)


def test_workers_that_persist_go_on_to_the_next_epoch(run):
    data, want = loader(run, 2, persistent=True), keys(loader(run, 0))
    torch.manual_seed(3)
    epochs = [list(data) for _ in range(3)]
    assert [keys(epoch) for epoch in epochs] == [want] * 3
    assert len({tuple(raw(epoch)) for epoch in epochs}) == 3
    torch.manual_seed(3)
    assert raw(loader(run, 2)) == raw(epochs[0])
    data.dataset.set_epoch(5)
    first, again = raw(data), raw(data)
    data.dataset.set_epoch(6)
    assert first == again == raw(named(loader(run, 2), 5)) != raw(data)


def named(data, epoch):
    data.dataset.set_epoch(epoch)
    return data


@pytest.mark.parametrize("workers", [0, 2])
def test_ranks_share_an_epoch_out(run, workers):
    ranks = [named(loader(run, workers, rank=rank, world_size=3), 4) for rank in range(3)]
    parts = [keys(data) for data in ranks]
    assert all(parts) and sum(parts, Counter()) == keys(loader(run, 0))


def test_ranks_want_an_epoch_that_all_know(run):
    with pytest.raises(ValueError, match="set_epoch"):
        next(iter(Dataset(run, rank=1, world_size=2)))
    for rank, world_size in ((2, 2), (-1, 2), (0, 0)):
        with pytest.raises(ValueError, match="rank"):
            Dataset(run, rank=rank, world_size=world_size)
