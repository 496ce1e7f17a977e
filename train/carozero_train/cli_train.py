"""The commands about training: train, bench, plot."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

from .config import GROWABLE, RESUMABLE, Config, flag
from .errors import Usage
from .flags import add_options


def add_train(sub) -> None:
    sub.add_argument("data", nargs="*", metavar="DIR", help="run directories of selfplay")
    sub.add_argument("--out", required=True, help="directory of the checkpoint and metrics")
    sub.add_argument("--init-from", metavar="CHECKPOINT", help="start from its averaged weights; a larger --size grows from them")
    sub.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    sub.add_argument(
        "--grow",
        action="store_true",
        help="with --resume: take the shards that DIR and the run's directories have now",
    )
    sub.add_argument("--json", action="store_true", help="print the result as one JSON object")
    add_options(sub, fields(Config))


def run_train(args) -> None:
    from .plot import plot
    from .trainer import CHECKPOINT, Trainer

    given = {f.name: getattr(args, f.name) for f in fields(Config)}
    given = {name: value for name, value in given.items() if value is not None}
    if args.resume:
        grow = args.grow or bool(args.data)
        free = RESUMABLE + GROWABLE if grow else RESUMABLE
        fixed = [flag(name) for name in given if name not in free]
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
    sub.add_argument("--steps", type=int, default=6, help="steps a round (default 6)")
    sub.add_argument("--rounds", type=int, default=4, help="rounds (default 4)")
    names = ("size", "batch", "memory_format", "precision", "threads", "device")
    add_options(sub, [field for field in fields(Config) if field.name in names])


def run_bench(args) -> None:
    from .bench import bench

    for name, value in (("--steps", args.steps), ("--rounds", args.rounds)):
        if value < 1:
            raise Usage(f"{name} {value}: want 1 or more")
    given = {f.name: getattr(args, f.name, None) for f in fields(Config)}
    given = {k: v for k, v in given.items() if v is not None and k != "steps"}
    result = bench(Config(**given), args.data, args.steps, args.rounds)
    if args.json:
        print(json.dumps(result.plain()))
        return
    for name, setup, times in (
        *(("bare", *item) for item in result.bare.items()),
        ("trainer", result.setup, result.trainer),
    ):
        wall, cpu = result.rate(times), result.rate(times, "cpu")
        print(f"{name:8} {setup}  {wall:8.1f} samples/s  {cpu:8.1f} a CPU second")
    wall, cpu = result.share("wall"), result.share("cpu")
    print(f"the trainer reaches {wall:.1%} of the fastest bare loop, {cpu:.1%} by CPU time")


def add_plot(sub) -> None:
    sub.add_argument("runs", nargs="+", metavar="DIR", help="output directories of train")
    sub.add_argument("--out", required=True, metavar="FILE", help="PNG file to write")


def run_plot(args) -> None:
    from .plot import plot

    plot(args.runs, args.out)
    print(args.out)
