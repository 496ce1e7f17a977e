"""The samples of runs as batches of numpy arrays, an epoch at a time."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any, Dict, Iterator, List, Union

import numpy as np

from . import shard
from .stream import Options, Stream

Batch = Dict[str, np.ndarray]


class Samples:
    """The samples of one or several runs of one game.

    A loop over it is an epoch: each row of the runs as often as its weight says (2
    twice, 0.5 every other epoch, 0 never; all once with weights=False), shuffled, under
    a random symmetry, in batches of one board size, which rows.batch describes. Loops
    differ from each other, and repeat exactly with the same seed: the n-th one always
    has the same batches. The options are those of stream.Options; window keeps the
    newest so many rows, and check_sha256 compares each shard with the manifest first.
    """

    def __init__(self, *paths: Union[str, os.PathLike[str]], weights: bool = True, window: int = 0, check_sha256: bool = False, **options: Any):
        if not paths:
            raise TypeError("Samples wants the path of a run")
        self.options, self.weights, self.epoch = Options(**options).checked(), weights, 0
        if window < 0:
            raise ValueError(f"window is {window}, want 0 or more")
        refs = [ref for path in paths for ref in shard.manifest(path)]
        self.refs: List[shard.Ref] = [ref for ref in shard.newest(refs, window) if ref.rows > ref.skip]
        found = shard.survey(paths, self.refs, check_sha256)
        self.game, self.rules, self.sizes = found.game, found.rules, found.sizes

    @property
    def rows(self) -> int:
        """The number of rows, without their weights."""
        return sum(ref.rows - ref.skip for ref in self.refs)

    def __iter__(self) -> Iterator[Batch]:
        epoch, self.epoch = self.epoch, self.epoch + 1
        return self.batches(epoch)

    def batches(self, epoch: int, worker: int = 0, workers: int = 1) -> Iterator[Batch]:
        """Yields an epoch's batches, or the share of one of several workers, who
        have every row once together."""
        options = replace(self.options, workers=workers)
        return iter(Stream(self.refs, options, worker, 0, epoch=epoch, weights=self.weights))

    def shards(self) -> Iterator[shard.Shard]:
        """Yields the shards as they are, oldest first: headers and columns."""
        for ref in self.refs:
            yield shard.read(ref)
