"""Flags: one for each option of a training run, and what several commands share."""

from __future__ import annotations

import argparse

from .config import CHOICES, Config, flag
from .errors import Usage

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


def add_options(sub, chosen) -> None:
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


def add_metadata(sub) -> None:
    sub.add_argument("--rules", help="rule sets that it is for: a list, or all")
    sub.add_argument("--sizes", help="board sizes that it is for, as 9-19 or 9,15")
    text = "what a tree search divides the policy's logits by, 0.05..20 (default 1)"
    sub.add_argument("--temperature", type=float, default=1.0, help=text)
    sub.add_argument("--opset", type=int, default=17, help="ONNX opset, 13..17 (default 17)")
