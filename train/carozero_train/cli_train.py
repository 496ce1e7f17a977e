"""The commands about training: train, bench, plot."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from .config import GROW, OPTIONS, RESUME, Config
from .errors import Usage
from .options import Option

# Options of bench beside those of a run.
STEPS = Option("steps", 6, "steps a round", 1)
ROUNDS = Option("rounds", 4, "rounds", 1)

# Options of a run that bench has.
BENCH = ("size", "batch", "device", "precision", "memory_format", "threads")


def _given(args, keys) -> dict:
    """Returns the values of those options of a run that the command line gives."""
    values = {key: getattr(args, key) for key in keys}
    return {key: value for key, value in values.items() if value is not None}


def add_train(sub) -> None:
    sub.add_argument("data", nargs="*", metavar="DIR", help="run directories of selfplay")
    sub.add_argument("--out", required=True, help="directory of the checkpoint and metrics")
    sub.add_argument("--init-from", metavar="CHECKPOINT", help="start from its averaged weights; a larger --size grows from them")
    sub.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    sub.add_argument(
        "--grow",
        action="store_true",
        help="with --resume: take the shards that DIR and the run's directories have now; a DIR alone asks for it too",
    )
    sub.add_argument("--json", action="store_true", help="print the result as one JSON object")
    for declared in OPTIONS.values():
        declared.add(sub)


def run_train(args) -> None:
    from .plot import plot
    from .trainer import CHECKPOINT, Trainer

    given = _given(args, OPTIONS)
    if args.resume:
        grow = args.grow or bool(args.data)
        free = (GROW, RESUME) if grow else (RESUME,)
        fixed = [OPTIONS[key].flag for key in given if OPTIONS[key].change not in free]
        if fixed or args.init_from:
            what = ", ".join(fixed) or "--init-from"
            raise Usage(f"--resume goes on with the run's own options: leave out {what}")
        trainer = Trainer.resume(args.out, given, args.data if grow else None)
    elif args.grow:
        raise Usage("--grow goes with --resume")
    else:
        if not args.data:
            raise Usage("want at least one run directory DIR")
        if (Path(args.out) / CHECKPOINT).exists():
            raise Usage(f"--out {args.out}: has a checkpoint: add --resume, or name another")
        trainer = Trainer.start(Config(**given), args.data, args.out, args.init_from)
    result = trainer.run()
    plot([args.out], Path(args.out) / "loss.png")
    path = str(Path(args.out) / CHECKPOINT)
    if args.json:
        print(json.dumps({"checkpoint": path, "steps": trainer.step, **result}))
    else:
        text = "  ".join(f"{k} {v:.4f}" for k, v in result.items() if isinstance(v, float))
        print(f"{path}: step {trainer.step}  {text}")


def add_bench(sub) -> None:
    sub.add_argument("data", nargs="+", metavar="DIR", help="run directories of selfplay")
    sub.add_argument("--json", action="store_true", help="print the result as one JSON object")
    STEPS.add(sub)
    ROUNDS.add(sub)
    for key in BENCH:
        OPTIONS[key].add(sub)


def run_bench(args) -> None:
    from .bench import bench

    steps, rounds = STEPS.value(args), ROUNDS.value(args)
    report = (lambda line: None) if args.json else partial(print, flush=True)
    result = bench(Config(**_given(args, BENCH)), args.data, steps, rounds, report)
    if args.json:
        print(json.dumps(result))
    else:
        print(f"the loader reaches {result['loader'] / result['fixed']:.1%} of a fixed batch")


def add_plot(sub) -> None:
    sub.add_argument("runs", nargs="+", metavar="DIR", help="output directories of train")
    sub.add_argument("--out", required=True, metavar="FILE", help="PNG file to write")


def run_plot(args) -> None:
    from .cli_net import named
    from .plot import plot

    named(args.out, ".png")
    plot(args.runs, args.out)
    print(args.out)
