"""The command line: flags, wiring and printing, nothing else."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import fields
from pathlib import Path

from .config import CHOICES, GROWABLE, RESUMABLE, Config, flag
from .errors import TrainError, Usage
from .model import DEFAULT_BOARDS, SIZES, build, parameters
from .schema import GAMES, GOMOKU, game_named

EXAMPLES = {
    "train": """examples:
  python -m carozero_train train runs/selfplay-1 --out runs/net-1 --steps 4000
  python -m carozero_train train runs/selfplay-1 runs/selfplay-2 --out runs/net-2 \\
      --init-from runs/net-1/checkpoint.pt --window 500000 --epochs 1
  python -m carozero_train train --out runs/net-2 --resume
""",
    "init": """examples:
  python -m carozero_train init --size b4c64 --out b4c64.onnx
  python -m carozero_train init --size b6c96 --seed 7 --rules caro --out net.onnx
""",
    "export": """examples:
  python -m carozero_train export runs/net-1/checkpoint.pt --out net.onnx
  python -m carozero_train export runs/net-1/checkpoint.pt --sizes 9-19 --out net.onnx
""",
    "quantise": """examples:
  python -m carozero_train quantise net.onnx runs/selfplay-1 --out net-int8.onnx
  python -m carozero_train quantise net.onnx runs/* --positions 4096 --seed 2 --out net-int8.onnx
""",
    "bench": """examples:
  python -m carozero_train bench runs/selfplay-1 --size b4c64
  python -m carozero_train bench runs/* --size b6c96 --threads 2 --rounds 8
""",
    "check": """examples:
  python -m carozero_train check runs/selfplay-1
  python -m carozero_train check net.onnx
""",
    "plot": """examples:
  python -m carozero_train plot runs/net-1 runs/net-2 --out loss.png
""",
}

HELP = {
    "size": "network",
    "steps": "length of the run as optimiser steps",
    "epochs": "length of the run as passes over the training rows",
    "samples": "length of the run as rows seen",
    "minutes": "length of the run on the clock, its interruptions left out",
    "batch": "rows a step",
    "window": "rows from which on only the newest are trained on; 0: all are",
    "window_power": "of N rows, the newest WINDOW*(N/WINDOW)^POWER are trained on",
    "optimizer": "optimiser",
    "lr": "highest learning rate; 0: 2e-3 for adamw, 5e-2 for sgd",
    "momentum": "momentum of sgd, first beta of adamw",
    "weight_decay": "0: 2e-2 for adamw, 1e-4 for sgd; norms and biases have none",
    "schedule": "learning rate after the warm-up",
    "warmup": "steps of warm-up; 0: a twentieth of the run, 200 at most",
    "lr_final": "last learning rate of cosine as a share of the highest",
    "clip": "bound of the gradient's norm; 0: none",
    "ema": "decay of the averaged weights, which are exported; 0: none",
    "value_weight": "weight of the value loss",
    "q_share": "share of root_q in the value target; the rest is the outcome",
    "soft_weight": "weight of the policy at temperature 4 as a further target",
    "reply_weight": "weight of the opponent's reply as a further target",
    "future_weight": "weight of the values 4 and 12 plies ahead as further targets",
    "left_weight": "weight of the plies left as a further target",
    "distill": "ONNX network whose outputs are mixed into the targets",
    "distill_share": "its share of them",
    "policy_target": "column policy_target, or visits as shares",
    "policy_rows": "full: cheap searches give no policy loss",
    "symmetries": "see each row under a random one of the game's symmetries",
    "shuffle_rows": "rows in the shuffle buffer, about a kilobyte each",
    "workers": "loader processes; 0: load in the training process",
    "val_fraction": "share of the games kept for validation",
    "val_rows": "rows of the validation set, at most about",
    "check_sha256": "compare every shard with the manifest first",
    "device": "auto, cpu, cuda or cuda:N",
    "precision": "number type of a step; auto: float16 on CUDA, what is faster on a CPU",
    "memory_format": "layout of images; auto: what is faster",
    "threads": "CPU threads; 0: what is faster",
    "seed": "of the initial weights and of all sampling",
    "log_every": "steps between lines of metrics.jsonl",
    "val_every": "steps between validations; 0: at each save",
    "save_every": "steps between checkpoints",
    "tensorboard": "write the metrics for TensorBoard as well, into OUT/tensorboard",
    "save_minutes": "most minutes between checkpoints; 0: by steps only",
}


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message):
        raise Usage(" ".join(message.split()))


def parser() -> Parser:
    """Returns the parser of all commands."""
    top = Parser(prog="carozero_train", description="Trains CaroZero's networks.")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (add, run, text) in COMMANDS.items():
        sub = commands.add_parser(
            name,
            help=text,
            description=text,
            epilog=EXAMPLES[name],
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        sub.set_defaults(run=run)
        add(sub)
    return top


def add_train(sub) -> None:
    sub.add_argument("data", nargs="*", metavar="DIR", help="run directories of selfplay")
    sub.add_argument("--out", required=True, help="directory of the checkpoint and metrics")
    sub.add_argument("--init-from", metavar="CHECKPOINT", help="start from its averaged weights")
    sub.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    sub.add_argument(
        "--grow",
        action="store_true",
        help="with --resume: take the shards that DIR and the run's directories have now",
    )
    sub.add_argument("--json", action="store_true", help="print the result as one JSON object")
    _add_options(sub, fields(Config))


def _add_options(sub, chosen) -> None:
    """Adds a flag for each of these fields of Config."""
    for field in chosen:
        default = getattr(Config(), field.name)
        text = f"{HELP[field.name]} (default {'none' if default == '' else default})"
        options = {"dest": field.name, "default": None, "help": text}
        if isinstance(default, bool):
            group = sub.add_mutually_exclusive_group()
            group.add_argument(flag(field.name), action="store_true", **options)
            options["help"] = argparse.SUPPRESS
            group.add_argument(flag("no_" + field.name), action="store_false", **options)
        else:
            options["choices"] = CHOICES.get(field.name)
            options["metavar"] = None if options["choices"] else type(default).__name__.upper()
            sub.add_argument(flag(field.name), type=type(default), **options)


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
    _add_options(sub, [field for field in fields(Config) if field.name in names])


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


def add_init(sub) -> None:
    games = tuple(game.name for game in GAMES)
    sub.add_argument("--size", required=True, choices=tuple(SIZES), help="network")
    sub.add_argument("--out", required=True, metavar="FILE", help="ONNX file to write")
    sub.add_argument("--game", default=GOMOKU.name, choices=games, help="game (default gomoku)")
    sub.add_argument("--seed", type=int, default=1, help="of the weights (default 1)")
    _add_metadata(sub)


def run_init(args) -> None:
    from .export import export, parse_rules, parse_sizes

    if not 0 <= args.seed < 2**63:
        raise Usage(f"--seed {args.seed}: want 0..2^63-1")
    game = game_named(args.game)
    net = build(args.size, args.seed, game)
    boards = range(game.min_size, game.max_size + 1)
    if game is GOMOKU:
        boards = DEFAULT_BOARDS.get(args.size, boards)
    sizes = parse_sizes(args.sizes, game) if args.sizes else boards
    rules = parse_rules(args.rules, game) if args.rules else game.rules
    run = {"size": args.size, "seed": args.seed, "steps": 0, "parameters": parameters(net)}
    difference = export(net, args.out, rules, sizes, run, args.opset)
    print(f"{args.out}: {args.size}, {parameters(net)} parameters, check {difference:.1e}")


def add_export(sub) -> None:
    sub.add_argument("checkpoint", metavar="CHECKPOINT", help="checkpoint of train")
    sub.add_argument("--out", required=True, metavar="FILE", help="ONNX file to write")
    which = sub.add_mutually_exclusive_group()
    which.add_argument("--average", action="store_true", help="averaged weights")
    text = "last weights (default: which of both lost less on held-out games)"
    which.add_argument("--last", action="store_true", help=text)
    _add_metadata(sub)


def run_export(args) -> None:
    from . import checkpoint
    from .export import export, parse_rules, parse_sizes

    state = checkpoint.load(args.checkpoint)
    provenance, config = state["provenance"], state["config"]
    game = game_named(provenance["game"])
    net = build(config["size"], 0, game)
    losses = state.get("held_out") or {"average": 0.0, "last": 0.0}
    last = args.last or (not args.average and losses["last"] < losses["average"])
    net.load_state_dict(state["net" if last else "average"])
    sizes = parse_sizes(args.sizes, game) if args.sizes else provenance["boards"]
    rules = parse_rules(args.rules, game) if args.rules else provenance["rules"]
    run = {
        "size": config["size"],
        "seed": config["seed"],
        "steps": state["step"] + provenance["steps_before"],
        "batch": config["batch"],
        "weights": "last" if last else "average",
        "rows": provenance["rows"],
        "data_sha256": provenance["data_sha256"],
        "parameters": parameters(net),
    }
    difference = export(net, args.out, rules, sizes, run, args.opset)
    print(f"{args.out}: {config['size']}, step {run['steps']}, check {difference:.1e}")


def add_quantise(sub) -> None:
    sub.add_argument("net", metavar="FILE", help="float32 ONNX file of export")
    sub.add_argument("data", nargs="+", metavar="DIR", help="run directories of selfplay")
    sub.add_argument("--out", required=True, metavar="FILE", help="ONNX file to write")
    sub.add_argument(
        "--positions", type=int, default=2048, help="positions to calibrate with (default 2048)"
    )
    sub.add_argument(
        "--held-out", type=int, default=4096, help="positions to compare on (default 4096)"
    )
    sub.add_argument("--seed", type=int, default=1, help="of the choice of both (default 1)")
    sub.add_argument("--json", action="store_true", help="print the result as one JSON object")


def run_quantise(args) -> None:
    from . import positions, shard
    from .data import data_digest
    from .quantise import quantise

    for name, value in (("--positions", args.positions), ("--held-out", args.held_out)):
        if value < 1:
            raise Usage(f"{name} {value}: want 1 or more")
    if not 0 <= args.seed < 2**63:
        raise Usage(f"--seed {args.seed}: want 0..2^63-1")
    refs = [ref for directory in args.data for ref in shard.manifest(directory)]
    calibration, held_out = positions.draw(refs, args.seed, args.positions, args.held_out)
    notes = {"seed": args.seed, "data_sha256": data_digest(refs)}
    agreement = quantise(args.net, args.out, calibration, held_out, notes)
    if args.json:
        print(json.dumps({"model": args.out, **agreement.rounded()}))
    else:
        print(f"{args.out}: {agreement}")


def _add_metadata(sub) -> None:
    sub.add_argument("--rules", help="rule sets that it is for: a list, or all")
    sub.add_argument("--sizes", help="board sizes that it is for, as 9-19 or 9,15")
    sub.add_argument("--opset", type=int, default=17, help="ONNX opset, 13..17 (default 17)")


def add_check(sub) -> None:
    sub.add_argument("paths", nargs="+", metavar="PATH", help="run directory or ONNX file")


def run_check(args) -> None:
    from . import shard
    from .export import check_model

    for path in args.paths:
        if not Path(path).is_dir():
            metadata = check_model(path)
            print(path + ": good  " + "  ".join(f"{k} {v}" for k, v in metadata.items()))
            continue
        refs, rules, sizes = shard.manifest(path), set(), set()
        for ref in refs:
            shard.check_sha256(ref)
            header = shard.read(ref).header
            rules.add(header["rule"]["name"])
            sizes.add(header["size"])
        rows = sum(ref.rows for ref in refs)
        names, boards = ",".join(sorted(rules)), ",".join(map(str, sorted(sizes)))
        print(f"{path}: good  shards {len(refs)}  rows {rows}  rules {names}  sizes {boards}")


def add_plot(sub) -> None:
    sub.add_argument("runs", nargs="+", metavar="DIR", help="output directories of train")
    sub.add_argument("--out", required=True, metavar="FILE", help="PNG file to write")


def run_plot(args) -> None:
    from .plot import plot

    plot(args.runs, args.out)
    print(args.out)


COMMANDS = {
    "train": (add_train, run_train, "train a network on sample shards"),
    "init": (add_init, run_init, "write an untrained network as ONNX"),
    "export": (add_export, run_export, "write a checkpoint's network as ONNX"),
    "quantise": (add_quantise, run_quantise, "write an int8 version of an ONNX network"),
    "bench": (add_bench, run_bench, "compare the trainer's speed with a bare loop"),
    "check": (add_check, run_check, "check run directories and ONNX files"),
    "plot": (add_plot, run_plot, "draw the metrics of runs as a PNG"),
}


def main(arguments=None) -> int:
    """Runs the command line; returns 0 done, 1 failed, 2 bad usage."""
    try:
        args = parser().parse_args(arguments)
        args.run(args)
    except Usage as err:
        print(f"carozero_train: {err}", file=sys.stderr)
        return 2
    except TrainError as err:
        print(f"carozero_train: {err}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("carozero_train: interrupted", file=sys.stderr)
        return 1
    return 0
