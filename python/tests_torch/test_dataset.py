"""The batches of Samples as tensors, under PyTorch's DataLoader."""

from collections import Counter

import numpy as np
import torch
from torch.utils.data import DataLoader

from carozero import Dataset, Samples


def loader(run, workers, **options):
    return DataLoader(Dataset(run, batch=8, weights=False, **options), batch_size=None, num_workers=workers)


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
