"""The command line: its commands, what they are called with, and exit statuses."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from functools import partial
from pathlib import Path

from carozero.samples import shard
from carozero.samples.schema import GAMES, GOMOKU, game_named

from .config import OPTIONS, Config
from .data import game_of
from .errors import TrainError, Usage
from .metadata import TEMPERATURE, parse_rules, parse_sizes
from .networks import ARCHITECTURES, BY_SIZE, architecture_named, build, parameters
from .options import GROW, RESUME, Option

# Endings of files: those of the architectures' networks, and the weights alone.
NETWORKS = tuple(each.suffix for each in ARCHITECTURES)
ONNX, WEIGHTS = ".onnx", ".pt"

# Options of one command each.
COMPARED = Option("positions", 4096, "positions of the runs to compare the float16 network on", 1, 10**9)
PRECISION = Option("precision", "float32", "of an ONNX network; float16 is for GPUs", choices=("float32", "float16"))
INIT_SEED = Option("seed", 1, "of the weights", 0, 2**63 - 1)

# Options of a run that bench has.
BENCH = ("size", "batch", "device", "precision", "memory_format", "threads", "workers")

# Help of --out.
WRITTEN = "file to write: " + ", ".join(f"NAME{each.suffix} of a {each.name} network" for each in ARCHITECTURES)


def _data(sub, nargs: str = "+") -> None:
    sub.add_argument("data", nargs=nargs, metavar="DIR", help="run directories of selfplay")


def _given(args, keys) -> dict:
    """Returns the values of those options of a run that the command line gives."""
    values = {key: getattr(args, key) for key in keys}
    return {key: value for key, value in values.items() if value is not None}


def add_train(sub) -> None:
    _data(sub, "*")
    sub.add_argument("--out", required=True, help="directory of the checkpoint and metrics")
    text = "start from its averaged weights; a larger --size grows from them"
    sub.add_argument("--init-from", metavar="CHECKPOINT", help=text)
    sub.add_argument("--resume", action="store_true", help="go on from the checkpoint in --out")
    text = "with --resume: take the shards that DIR and the run's directories have now; a DIR alone asks for it too"
    sub.add_argument("--grow", action="store_true", help=text)
    for declared in OPTIONS.values():
        declared.add(sub)


def run_train(args) -> None:
    from .records import plot
    from .trainer import CHECKPOINT, Trainer

    given, path = _given(args, OPTIONS), Path(args.out) / CHECKPOINT
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
    elif not args.data:
        raise Usage("want at least one run directory DIR")
    elif path.exists():
        raise Usage(f"--out {args.out}: has a checkpoint: add --resume, or name another")
    else:
        trainer = Trainer.start(Config(**given), args.data, args.out, args.init_from)
    result = trainer.run()
    plot(args.out)
    text = "  ".join(f"{k} {v:.4f}" for k, v in result.items() if isinstance(v, float))
    print(f"{path}: step {trainer.step}  {text}")


def add_bench(sub) -> None:
    _data(sub)
    for key in BENCH:
        OPTIONS[key].add(sub)


def run_bench(args) -> None:
    from .bench import bench

    speeds = bench(Config(**_given(args, BENCH)), args.data, partial(print, flush=True))
    print(f"the loader reaches {speeds['loader'] / speeds['fixed']:.1%} of a fixed batch")


def add_metadata(sub) -> None:
    """Adds the flags about a network's file."""
    sub.add_argument("--rules", help="rule sets that it is for: a list, or all")
    sub.add_argument("--sizes", help="board sizes that it is for, as 9-19 or 9,15")
    TEMPERATURE.add(sub)


def add_init(sub) -> None:
    games = tuple(game.name for game in GAMES)
    sub.add_argument("--size", required=True, choices=tuple(BY_SIZE), help="network")
    sub.add_argument("--out", required=True, metavar="FILE", help=WRITTEN)
    sub.add_argument("--game", default=GOMOKU.name, choices=games, help="game (default gomoku)")
    INIT_SEED.add(sub)
    add_metadata(sub)


def run_init(args) -> None:
    check_name(args.out, *NETWORKS)
    seed, game = INIT_SEED.value(args), game_named(args.game)
    net = build(args.size, seed, game)
    run = {"size": args.size, "seed": seed, "steps": 0, "parameters": parameters(net)}
    checked = _write(net, args, game, game.rules, range(game.min_size, game.max_size + 1), run)
    print(f"{args.out}: {args.size}, {parameters(net)} parameters, {checked}")


def check_name(out, *endings) -> None:
    """Raises Usage unless a file of that name may be written: it has one of the endings,
    and is no run's checkpoint."""
    from .trainer import CHECKPOINT

    path = Path(out)
    if path.name == CHECKPOINT:
        raise Usage(f"--out {out}: runs keep all they have under that name: choose another")
    if path.suffix not in endings:
        raise Usage(f"--out {out}: want a name that ends in {' or '.join(endings)}")


def _write(net, args, game, rules, sizes, run: dict, halved: bool = False) -> str:
    """Writes a net to --out, for --rules and --sizes or the given ones; returns what the check found."""
    architecture = architecture_named(run["size"])
    if Path(args.out).suffix != architecture.suffix:
        raise Usage(f"--out {args.out}: want a name that ends in {architecture.suffix} for a {run['size']} network")
    if halved and architecture.suffix != ONNX:
        raise Usage(f"--precision float16: {args.out} is no ONNX file, and line networks have no such form")
    rules = parse_rules(args.rules, game) if args.rules else rules
    sizes = parse_sizes(args.sizes, game) if args.sizes else sizes
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "float32.onnx" if halved else args.out
        checked = architecture.write(net, path, rules, sizes, run, TEMPERATURE.value(args))
        return _halve(path, args) if halved else checked


def _halve(source, args) -> str:
    """Writes the float16 form of an ONNX file to --out; returns how it agrees with it."""
    from .agreement import sample
    from .half import halve

    refs = [ref for directory in args.data for ref in shard.manifest(directory)]
    agreement = halve(source, args.out, sample(refs, COMPARED.value(args)) if refs else [])
    return f"{agreement}, none above {agreement.value_max:.4f}"


def add_export(sub) -> None:
    sub.add_argument("checkpoint", metavar="FILE", help="checkpoint, or an ONNX network for --precision float16")
    _data(sub, "*")
    text = WRITTEN + "; NAME.pt has the weights alone, for --init-from of train"
    sub.add_argument("--out", required=True, metavar="FILE", help=text)
    which = sub.add_mutually_exclusive_group()
    which.add_argument("--average", action="store_true", help="averaged weights")
    text = "last weights (default: which of both lost less on held-out games)"
    which.add_argument("--last", action="store_true", help=text)
    for declared in (PRECISION, COMPARED):
        declared.add(sub)
    add_metadata(sub)


def run_export(args) -> None:
    from . import checkpoint

    check_name(args.out, *NETWORKS, WEIGHTS)
    halved, ending = PRECISION.value(args) == "float16", Path(args.out).suffix
    if args.data and not halved:
        raise Usage("DIR is for --precision float16, which is compared on their positions")
    if Path(args.checkpoint).suffix == ONNX:
        own = args.average or args.last or args.rules or args.sizes or args.temperature is not None
        if own or not halved or ending != ONNX:
            raise Usage(f"{args.checkpoint}: of an ONNX network, want --precision float16 and --out NAME.onnx alone")
        print(f"{args.out}: {_halve(args.checkpoint, args)}")
        return
    if halved and ending == WEIGHTS:
        raise Usage("--precision float16: weights for --init-from are float32")
    state = checkpoint.load(args.checkpoint)
    provenance, config = state["provenance"], state["config"]
    game = game_of(provenance)
    with checkpoint.checkpoint_errors(args.checkpoint):
        net = build(config["size"], 0, game)
        losses = state.get("held_out") or {"average": 0.0, "last": 0.0}
        last = args.last or (not args.average and losses["last"] < losses["average"])
        if last and "net" not in state:
            raise Usage(f"--last: {args.checkpoint} has one set of weights alone")
        net.load_state_dict(state["net" if last else "average"])
        kind = state.get("weights") or ("last" if last else "average")
    if ending == WEIGHTS:
        checkpoint.save_weights(args.out, state, kind, net.state_dict())
        print(f"{args.out}: {config['size']}, {parameters(net)} parameters")
        return
    run = {
        "size": config["size"],
        "seed": config["seed"],
        "steps": state["step"] + provenance["steps_before"],
        "batch": config["batch"],
        "weights": kind,
        "rows": provenance["rows"],
        "data_sha256": provenance["data_sha256"],
        "parameters": parameters(net),
    }
    checked = _write(net, args, game, provenance["rules"], provenance["boards"], run, halved)
    print(f"{args.out}: {config['size']}, step {run['steps']}, {checked}")


def add_quantise(sub) -> None:
    sub.add_argument("net", metavar="FILE", help="float32 ONNX file of export")
    _data(sub)
    sub.add_argument("--out", required=True, metavar="FILE", help="ONNX file to write")


def run_quantise(args) -> None:
    from .quantise import quantise_on_runs

    check_name(args.out, ONNX)
    print(f"{args.out}: {quantise_on_runs(args.net, args.out, args.data)}")


# Each command: what adds its flags, what runs it, its help, and examples.
COMMANDS = {
    "train": (
        add_train,
        run_train,
        "train a network on sample shards",
        "train runs/g1 --out runs/t1 --steps 4000",
        "train runs/g2 --out runs/t2 --init-from runs/t1/checkpoint.pt --epochs 1",
        "train --out runs/t2 --resume",
    ),
    "init": (add_init, run_init, "write an untrained network", "init --size b6c96 --rules caro --out net.onnx"),
    "export": (
        add_export,
        run_export,
        "write a checkpoint's network",
        "export runs/t1/checkpoint.pt --sizes 9-19 --out net.onnx",
        "export runs/line-1/checkpoint.pt --rules caro --out net.line",
        "export net.onnx runs/g1 --precision float16 --out net-fp16.onnx",
    ),
    "quantise": (add_quantise, run_quantise, "write an int8 version", "quantise net.onnx runs/g1 --out net-int8.onnx"),
    "bench": (add_bench, run_bench, "measure how fast a run trains, and its loader", "bench runs/g1 --size b4c64"),
}


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message):
        raise Usage(" ".join(message.split()))


def parser() -> Parser:
    """Returns the parser of all commands."""
    top = Parser(prog="carozero_train", description="Trains CaroZero's networks.")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (add, run, text, *examples) in COMMANDS.items():
        epilog = "examples:\n" + "".join(f"  python -m carozero_train {example}\n" for example in examples)
        layout = argparse.RawDescriptionHelpFormatter
        sub = commands.add_parser(name, help=text, description=text, epilog=epilog, formatter_class=layout)
        sub.set_defaults(run=run)
        add(sub)
    return top


def main(arguments=None) -> int:
    """Runs the command line; returns 0 done, 1 failed, 2 bad usage."""
    try:
        args = parser().parse_args(arguments)
        args.run(args)
        sys.stdout.flush()
        return 0
    except TrainError as err:
        problem = err
    except OSError as err:
        problem = f"{err.filename or 'standard output'}: {err.strerror}"
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python writes the rest at its end
    except KeyboardInterrupt:
        problem = "interrupted"
    print(f"carozero_train: {problem}", file=sys.stderr)
    return 2 if isinstance(problem, Usage) else 1
