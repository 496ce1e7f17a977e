"""The records of a run's metrics: a JSONL file, TensorBoard, and loss curves."""

from __future__ import annotations

import io
import json
from pathlib import Path

from .checkpoint import write_atomic
from .errors import DataError, Usage

CURVES = (
    ("policy_loss", "policy loss (cross entropy)"),
    ("value_loss", "value loss (cross entropy)"),
    ("policy_accuracy", "policy accuracy"),
    ("value_accuracy", "value accuracy"),
)


class Journal:
    """A JSONL file of metrics, a line each. Opened at a step of a resumed run it
    drops what was recorded after that step."""

    def __init__(self, path, step: int):
        self.path = Path(path)
        kept = read_journal(self.path) if step > 0 and self.path.exists() else []
        text = "".join(json.dumps(r) + "\n" for r in kept if r.get("step", 0) <= step)
        write_atomic(self.path, text.encode())
        try:
            self.file = self.path.open("a", encoding="utf-8")
        except OSError as err:
            raise DataError(f"{path}: {err.strerror}") from None

    def write(self, record: dict) -> None:
        self.file.write(json.dumps(record) + "\n")
        self.file.flush()

    def close(self) -> None:
        self.file.close()


def read_journal(path) -> list:
    """Returns the records of a metrics file; a torn last line is left out."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as err:
        raise DataError(f"{path}: {err.strerror}") from None
    except UnicodeDecodeError:
        raise DataError(f"{path}: no text in UTF-8") from None
    out = []
    for number, line in enumerate(lines, 1):
        try:
            out.append(json.loads(line))
        except (ValueError, RecursionError):
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

    def write(self, record: dict) -> None:
        for name, value in record.items():
            if isinstance(value, float):
                self.writer.add_scalar(f"{name}/{record['kind']}", value, record["step"])

    def close(self) -> None:
        self.writer.close()


def plot(runs: list, out) -> None:
    """Draws the metrics of run directories into one PNG: training thin, validation thick,
    the policy's floor dotted."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 2, figsize=(11, 7.5), constrained_layout=True)
    try:
        for number, run in enumerate(runs):
            records, name = read_journal(Path(run) / "metrics.jsonl"), Path(run).name
            if not records:
                raise DataError(f"{run}: metrics.jsonl has no record yet")
            for axis, (key, title) in zip(axes.flat, CURVES):
                try:
                    _curve(axis, records, "train", key, f"{name} train", color=f"C{number % 10}", lw=0.8, alpha=0.6)
                    _curve(axis, records, "val", key, f"{name} val", color=f"C{number % 10}", lw=2, marker=".")
                    if key == "policy_loss":
                        _curve(axis, records, "val", "policy_floor", f"{name} target entropy", color=f"C{number % 10}", ls=":")
                except (AttributeError, KeyError, TypeError, ValueError):
                    raise DataError(f"{run}: metrics.jsonl has a line that no training wrote") from None
                axis.set_title(title)
                axis.set_xlabel("step")
                axis.grid(alpha=0.3)
        axes.flat[0].legend()
        picture = io.BytesIO()
        figure.savefig(picture, format="png", dpi=100)
    finally:
        pyplot.close(figure)
    write_atomic(out, picture.getvalue())


def _curve(axis, records, kind, key, label, **style) -> None:
    points = [(r["step"], r[key]) for r in records if r.get("kind") == kind]
    if points:
        axis.plot(*zip(*points), label=label, **style)
