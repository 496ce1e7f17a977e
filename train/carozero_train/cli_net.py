"""The commands about networks: init, export, quantise, check."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from carozero.samples.schema import GAMES, GOMOKU, game_named

from .data import game_of
from .errors import Usage
from .metadata import OPSET, TEMPERATURE, parse_rules, parse_sizes
from .networks import ARCHITECTURES, BY_SIZE, FORMATS, architecture_named, build, parameters
from .options import Option

# The seed of init; what quantise draws, and its seed.
_seed = partial(Option, "seed", 1, low=0, high=2**63 - 1, want="0..2^63-1")
INIT_SEED, DRAW_SEED = _seed("of the weights"), _seed("of the choice of both")
POSITIONS = Option("positions", 2048, "positions to calibrate with", 1)
HELD_OUT = Option("held_out", 4096, "positions to compare on", 1)

# Help of --out.
WRITTEN = "file to write: " + ", ".join(
    f"NAME{suffix} of a {each.name} network" for each in ARCHITECTURES for suffix in each.suffixes
)

# Endings of files: ONNX, and the weights alone.
ONNX, WEIGHTS = ".onnx", ".pt"


def add_init(sub) -> None:
    games = tuple(game.name for game in GAMES)
    sub.add_argument("--size", required=True, choices=tuple(BY_SIZE), help="network")
    sub.add_argument("--out", required=True, metavar="FILE", help=WRITTEN)
    sub.add_argument("--game", default=GOMOKU.name, choices=games, help="game (default gomoku)")
    INIT_SEED.add(sub)
    add_metadata(sub)


def add_metadata(sub) -> None:
    """Adds the flags about a network's file."""
    sub.add_argument("--rules", help="rule sets that it is for: a list, or all")
    sub.add_argument("--sizes", help="board sizes that it is for, as 9-19 or 9,15")
    TEMPERATURE.add(sub)
    OPSET.add(sub)


def run_init(args) -> None:
    named(args.out, ONNX, *FORMATS)
    seed, game = INIT_SEED.value(args), game_named(args.game)
    net = build(args.size, seed, game)
    sizes = parse_sizes(args.sizes or f"{game.min_size}-{game.max_size}", game)
    rules = parse_rules(args.rules, game) if args.rules else game.rules
    run = {"size": args.size, "seed": seed, "steps": 0, "parameters": parameters(net)}
    checked = _write(net, args, rules, sizes, run)
    print(f"{args.out}: {args.size}, {parameters(net)} parameters, {checked}")


def named(out, *endings) -> None:
    """Raises Usage unless a file of that name may be written: it has one of the endings,
    and is no run's checkpoint."""
    from .trainer import CHECKPOINT

    path = Path(out)
    if path.name == CHECKPOINT:
        raise Usage(f"--out {out}: runs keep all they have under that name: choose another")
    if path.suffix not in endings:
        raise Usage(f"--out {out}: want a name that ends in {' or '.join(endings)}")


def _write(net, args, rules, sizes, run: dict) -> str:
    """Writes a net to --out, as ONNX or in the format that its name asks for; returns
    what the check found."""
    from .export import export

    temperature, suffix, own = TEMPERATURE.value(args), Path(args.out).suffix, architecture_named(run["size"]).suffixes
    if suffix not in own:
        raise Usage(f"--out {args.out}: want a name that ends in {' or '.join(own)} for a {run['size']} network")
    if suffix == ONNX:
        return f"check {export(net, args.out, rules, sizes, run, OPSET.value(args), temperature):.1e}"
    return FORMATS[suffix].write(net, args.out, rules, sizes, run, temperature)


def add_export(sub) -> None:
    sub.add_argument("checkpoint", metavar="CHECKPOINT", help="checkpoint of train")
    text = WRITTEN + "; NAME.pt has the weights alone, for --init-from of train"
    sub.add_argument("--out", required=True, metavar="FILE", help=text)
    which = sub.add_mutually_exclusive_group()
    which.add_argument("--average", action="store_true", help="averaged weights")
    text = "last weights (default: which of both lost less on held-out games)"
    which.add_argument("--last", action="store_true", help=text)
    add_metadata(sub)


def run_export(args) -> None:
    from . import checkpoint

    named(args.out, ONNX, *FORMATS, WEIGHTS)
    state = checkpoint.load(args.checkpoint)
    provenance, config = state["provenance"], state["config"]
    game = game_of(provenance)
    with checkpoint.understood(args.checkpoint):
        net = build(config["size"], 0, game)
        losses = state.get("held_out") or {"average": 0.0, "last": 0.0}
        last = args.last or (not args.average and losses["last"] < losses["average"])
        if last and "net" not in state:
            raise Usage(f"--last: {args.checkpoint} has one set of weights alone")
        net.load_state_dict(state["net" if last else "average"])
        kind = state.get("weights") or ("last" if last else "average")
    if Path(args.out).suffix == WEIGHTS:
        checkpoint.save_weights(args.out, state, kind, net.state_dict())
        print(f"{args.out}: {config['size']}, {parameters(net)} parameters")
        return
    sizes = parse_sizes(args.sizes, game) if args.sizes else provenance["boards"]
    rules = parse_rules(args.rules, game) if args.rules else provenance["rules"]
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
    checked = _write(net, args, rules, sizes, run)
    print(f"{args.out}: {config['size']}, step {run['steps']}, {checked}")


def add_quantise(sub) -> None:
    sub.add_argument("net", metavar="FILE", help="float32 ONNX file of export")
    sub.add_argument("data", nargs="+", metavar="DIR", help="run directories of selfplay")
    sub.add_argument("--out", required=True, metavar="FILE", help="ONNX file to write")
    for declared in (POSITIONS, HELD_OUT, DRAW_SEED):
        declared.add(sub)
    sub.add_argument("--json", action="store_true", help="print the result as one JSON object")


def run_quantise(args) -> None:
    from carozero.samples import shard

    from . import positions
    from .data import data_digest
    from .quantise import quantise

    named(args.out, ONNX)
    drawn, kept, seed = POSITIONS.value(args), HELD_OUT.value(args), DRAW_SEED.value(args)
    refs = list({ref.path: ref for directory in args.data for ref in shard.manifest(directory)}.values())
    shard.survey(args.data, refs)
    calibration, held_out = positions.draw(refs, seed, drawn, kept)
    notes = {"seed": seed, "data_sha256": data_digest(refs)}
    agreement = quantise(args.net, args.out, calibration, held_out, notes)
    if args.json:
        print(json.dumps({"model": args.out, **agreement.rounded()}))
    else:
        print(f"{args.out}: {agreement}")


def add_check(sub) -> None:
    kinds = " or ".join(["ONNX", *FORMATS])
    sub.add_argument("paths", nargs="+", metavar="PATH", help=f"run directory, {kinds} file")


def run_check(args) -> None:
    from carozero.samples import shard
    from .export import check_model

    for path in args.paths:
        if not Path(path).is_dir():
            form = FORMATS.get(Path(path).suffix)
            metadata = form.check(path) if form else check_model(path)
            print(path + ": good  " + "  ".join(f"{k} {v}" for k, v in metadata.items()))
            continue
        refs = shard.manifest(path)
        found = shard.survey([path], refs, check=True)
        for ref in refs:
            shard.read(ref)
        rows = sum(ref.rows for ref in refs)
        names, boards = ",".join(sorted(found.rules)), ",".join(map(str, sorted(found.sizes)))
        print(f"{path}: good  shards {len(refs)}  rows {rows}  rules {names}  sizes {boards}")
