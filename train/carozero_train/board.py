"""TensorBoard's files of a run's metrics, beside metrics.jsonl."""

from __future__ import annotations

from .errors import Usage


class Board:
    """Writes records of metrics for TensorBoard into a directory."""

    def __init__(self, directory, step: int):
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            raise Usage("--tensorboard needs a package: pip install tensorboard") from None
        # What an interrupted run wrote behind its last checkpoint is hidden.
        self.writer = SummaryWriter(str(directory), purge_step=step + 1)

    def write(self, record: dict) -> None:
        kind, step = record["kind"], record["step"]
        for name, value in record.items():
            if isinstance(value, float):
                self.writer.add_scalar(f"{name}/{kind}", value, step)

    def close(self) -> None:
        self.writer.close()
