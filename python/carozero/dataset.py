"""The samples of runs for PyTorch's DataLoader."""

from __future__ import annotations

import os
from typing import Any, Dict, Iterator, Optional, Union

try:
    import torch
    from torch.utils.data import IterableDataset, get_worker_info
except ImportError as err:
    raise ImportError("carozero.Dataset needs PyTorch (pip install torch); carozero.Samples has the same batches as numpy arrays") from err

from .samples.batches import Samples


class Dataset(IterableDataset):  # type: ignore[misc, type-arg, unused-ignore]
    """samples.batches.Samples as tensors, with the same options.

        loader = DataLoader(Dataset("runs/one", batch=256), batch_size=None, num_workers=2)

    Each item is a batch already: hence batch_size=None. Workers share out the rows, so an
    epoch has every row once. Without workers the n-th loop has the batches of Samples'
    n-th; with workers an epoch's order follows from PyTorch's own seed (torch.manual_seed),
    unless set_epoch has named the epoch.
    """

    def __init__(self, *paths: Union[str, os.PathLike[str]], **options: Any):
        super().__init__()
        self.samples = Samples(*paths, **options)
        self._epoch: Optional[int] = None

    def set_epoch(self, epoch: int) -> None:
        """Names the epoch of the next loops."""
        self._epoch = epoch

    def __iter__(self) -> Iterator[Dict[str, torch.Tensor]]:
        info = get_worker_info()
        if info is not None:
            # The seed that PyTorch draws for each loop is the same in all its workers.
            epoch = info.seed - info.id if self._epoch is None else self._epoch
            batches = self.samples.batches(epoch, info.id, info.num_workers)
        elif self._epoch is not None:
            batches = self.samples.batches(self._epoch)
        else:
            batches = iter(self.samples)
        for arrays in batches:
            yield {name: torch.from_numpy(array) for name, array in arrays.items()}
