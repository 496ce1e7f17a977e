"""The records of a run's metrics: a JSONL file, TensorBoard, and loss curves."""

from __future__ import annotations

import io
import json
from pathlib import Path

from .checkpoint import write_atomic
from .errors import DataError, Usage

CURVES = ("policy_loss", "value_loss", "policy_accuracy", "value_accuracy")


class Journal:
    """A JSONL file of metrics, a line each. Opened at a step of a resumed run it
    drops what was recorded after that step."""

    def __init__(self, path, step: int):
        path = Path(path)
        kept = read_journal(path) if step > 0 and path.exists() else []
        write_atomic(path, "".join(json.dumps(r) + "\n" for r in kept if r["step"] <= step).encode())
        self.file = path.open("a", encoding="utf-8")
        self.close = self.file.close

    def write(self, record: dict) -> None:
        self.file.write(json.dumps(record) + "\n")
        self.file.flush()


def read_journal(path) -> list:
    """Returns the records of a metrics file; a torn last line is left out."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as err:
        raise DataError(f"{path}: {err.strerror}") from None
    out = []
    for number, line in enumerate(lines, 1):
        try:
            out.append(json.loads(line))
        except ValueError:
            if number < len(lines):
                raise DataError(f"{path}: line {number} is no JSON") from None
    return out


class TensorBoard:
    """Writes records of metrics for TensorBoard into a directory."""

    def __init__(self, directory, step: int):
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            raise Usage("--tensorboard needs a package: pip install tensorboard") from None
        # What an interrupted run wrote after its last checkpoint is hidden.
        self.writer = SummaryWriter(str(directory), purge_step=step + 1)
        self.close = self.writer.close

    def write(self, record: dict) -> None:
        for name, value in record.items():
            if isinstance(value, float):
                self.writer.add_scalar(f"{name}/{record['kind']}", value, record["step"])


def plot(run) -> None:
    """Draws the metrics in a run's directory into its loss.png: training thin, validation
    thick, the policy's floor dotted."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    records, picture = read_journal(Path(run) / "metrics.jsonl"), io.BytesIO()
    figure, axes = pyplot.subplots(2, 2, figsize=(11, 7.5), constrained_layout=True)
    for axis, key in zip(axes.flat, CURVES):
        _curve(axis, records, "train", key, label="train", color="C0", lw=0.8, alpha=0.6)
        _curve(axis, records, "val", key, label="val", color="C0", lw=2, marker=".")
        if key == "policy_loss":
            _curve(axis, records, "val", "policy_floor", label="target entropy", color="C0", ls=":")
            axis.legend()
        axis.set(title=key.replace("_", " "), xlabel="step")
        axis.grid(alpha=0.3)
    figure.savefig(picture, format="png", dpi=100)
    pyplot.close(figure)
    write_atomic(Path(run) / "loss.png", picture.getvalue())


def _curve(axis, records, kind, key, **style) -> None:
    points = [(r["step"], r[key]) for r in records if r["kind"] == kind]
    if points:
        axis.plot(*zip(*points), **style)
