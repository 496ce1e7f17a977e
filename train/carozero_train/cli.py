"""The command line: its commands, what they are called with, and exit statuses."""

from __future__ import annotations

import argparse
import os
import sys

from . import cli_net, cli_train
from .errors import TrainError, Usage

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
  python -m carozero_train init --size line16 --out net.line
""",
    "export": """examples:
  python -m carozero_train export runs/net-1/checkpoint.pt --out net.onnx
  python -m carozero_train export runs/net-1/checkpoint.pt --sizes 9-19 --out net.onnx
  python -m carozero_train export runs/line-1/checkpoint.pt --rules caro --out net.line
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
  python -m carozero_train check net.onnx net.line
""",
    "plot": """examples:
  python -m carozero_train plot runs/net-1 runs/net-2 --out loss.png
""",
}

COMMANDS = {
    "train": (cli_train.add_train, cli_train.run_train, "train a network on sample shards"),
    "init": (cli_net.add_init, cli_net.run_init, "write an untrained network"),
    "export": (cli_net.add_export, cli_net.run_export, "write a checkpoint's network"),
    "quantise": (cli_net.add_quantise, cli_net.run_quantise, "write an int8 version of an ONNX network"),
    "bench": (cli_train.add_bench, cli_train.run_bench, "compare the trainer's speed with a bare loop"),
    "check": (cli_net.add_check, cli_net.run_check, "check run directories and networks"),
    "plot": (cli_train.add_plot, cli_train.run_plot, "draw the metrics of runs as a PNG"),
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


def main(arguments=None) -> int:
    """Runs the command line; returns 0 done, 1 failed, 2 bad usage."""
    try:
        args = parser().parse_args(arguments)
        args.run(args)
        sys.stdout.flush()
    except Usage as err:
        print(f"carozero_train: {err}", file=sys.stderr)
        return 2
    except TrainError as err:
        print(f"carozero_train: {err}", file=sys.stderr)
        return 1
    except OSError as err:
        print(f"carozero_train: {err.filename or 'standard output'}: {err.strerror}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python writes the rest at its end
        return 1
    except KeyboardInterrupt:
        print("carozero_train: interrupted", file=sys.stderr)
        return 1
    return 0
