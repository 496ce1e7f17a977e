"""The samples of runs for PyTorch's DataLoader."""

from __future__ import annotations

import os
from typing import Any, Dict, Iterator, Union

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
    unless set_epoch has named the epoch. In distributed training each rank names itself, and
    the epoch before each loop: the ranks share out its rows, and may differ by some batches.
    """

    def __init__(self, *paths: Union[str, os.PathLike[str]], rank: int = 0, world_size: int = 1, **options: Any):
        super().__init__()
        if not 0 <= rank < world_size:
            raise ValueError(f"rank is {rank} of world_size {world_size}, want 0 <= rank < world_size")
        self.samples = Samples(*paths, **options)
        self.rank, self.world_size = rank, world_size
        # The epoch that set_epoch has named, -1 for none, in memory that workers share, and
        # the loops that this process has begun: workers that persist begin several.
        self._named = torch.tensor(-1).share_memory_()
        self._loops = 0

    def set_epoch(self, epoch: int) -> None:
        """Names the epoch, 0 or more, of the next loops."""
        self._named.fill_(epoch)

    def __iter__(self) -> Iterator[Dict[str, torch.Tensor]]:
        info, epoch = get_worker_info(), int(self._named)
        if epoch < 0:
            if self.world_size > 1:
                raise ValueError("several ranks want set_epoch before each loop: they must read the same epoch")
            # The seed that PyTorch draws for new workers is the same for all of them.
            epoch = self._loops if info is None else info.seed - info.id + self._loops
        self._loops += 1
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        share = self.rank * workers + worker, self.world_size * workers
        for arrays in self.samples.batches(epoch, *share):
            yield {name: torch.from_numpy(array) for name, array in arrays.items()}
