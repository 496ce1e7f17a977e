"""Loss curves as a picture."""

from __future__ import annotations

import io
from pathlib import Path

from .checkpoint import write_atomic
from .errors import DataError
from .metrics import read_journal

CURVES = (
    ("policy_loss", "policy loss (cross entropy)"),
    ("value_loss", "value loss (cross entropy)"),
    ("policy_accuracy", "policy accuracy"),
    ("value_accuracy", "value accuracy"),
)


def plot(runs: list, out) -> None:
    """Draws the metrics of run directories into one PNG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(2, 2, figsize=(11, 7.5), constrained_layout=True)
    try:
        for number, run in enumerate(runs):
            records = read_journal(Path(run) / "metrics.jsonl")
            if not records:
                raise DataError(f"{run}: metrics.jsonl has no record yet")
            for axis, (key, title) in zip(axes.flat, CURVES):
                try:
                    _curves(axis, records, key, Path(run).name, f"C{number % 10}")
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


def _curves(axis, records, key, name, colour) -> None:
    """Draws one metric: training thin, validation thick, the floor dotted."""
    for kind, style in (("train", {"lw": 0.8, "alpha": 0.6}), ("val", {"lw": 2, "marker": "."})):
        points = [(r["step"], r[key]) for r in records if r.get("kind") == kind]
        if points:
            axis.plot(*zip(*points), color=colour, label=f"{name} {kind}", **style)
    if key == "policy_loss":
        points = [(r["step"], r["policy_floor"]) for r in records if r.get("kind") == "val"]
        if points:
            axis.plot(*zip(*points), color=colour, ls=":", label=f"{name} target entropy")
