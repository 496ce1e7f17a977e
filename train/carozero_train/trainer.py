"""The training run: steps, validation, checkpoints, and how it resumes."""

from __future__ import annotations

import math
import signal
import sys
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import torch
from tqdm import tqdm

from . import checkpoint, metrics, optim, reader, shard, speed
from .auxiliary import HEADS, Auxiliary
from .board import Board
from .budget import BUDGETS, Budget, to_steps
from .config import Config, from_plain
from .data import collect, data_digest
from .device import grad_scaler, pick_device
from .distill import Teacher
from .errors import DataError, Interrupted, NonFinite, Usage
from .model import build
from .schema import game_named

CHECKPOINT = "checkpoint.pt"
METRICS = "metrics.jsonl"


def reader_options(config: Config) -> reader.Options:
    """Returns the reader's part of the options."""
    names = set(reader.Options.__dataclass_fields__) & set(Config.__dataclass_fields__)
    return reader.Options(**{name: getattr(config, name) for name in names})


def _absolute(directories: list) -> list:
    """Returns the absolute paths of directories, each once."""
    return list(dict.fromkeys(str(Path(d).resolve()) for d in directories))


def _grown(provenance: dict, refs: list, directories: list, config: Config) -> list:
    """Returns the shards that a run's directories and further ones have now,
    and brings the provenance up to date."""
    own = provenance.get("directories") or [Path(ref.path).parent for ref in refs]
    every = _absolute([*own, *directories])
    found, game, rules, sizes, rows = collect(every, config)
    if game.name != provenance["game"]:
        raise DataError(f"the run is of {provenance['game']}, the shards are of {game.name}")
    provenance.update(
        directories=every,
        data_sha256=data_digest(found),
        rows=rows,
        rules=sorted(rules | set(provenance["rules"])),
        boards=sorted(sizes | set(provenance["boards"])),
    )
    return found


class Trainer:
    """One run in one directory. Use `start` or `resume`, then `run`."""

    def __init__(self, config: Config, out, refs: list, provenance: dict, setup=None):
        self.config, self.out, self.refs = config, Path(out), refs
        self.provenance = provenance
        self.device = pick_device(config.device)
        if self.device.type == "cuda":
            torch.backends.cudnn.benchmark = True
        torch.manual_seed(config.seed)
        self.game = game_named(provenance["game"])
        self.net = build(config.size, config.seed, self.game).to(self.device)
        board = provenance["boards"][len(provenance["boards"]) // 2]
        self.setup = speed.choose(self.net, setup, config, board, self.device)
        self.net = self.net.to(memory_format=self.setup.layout)
        self.average = optim.average(self.net, config.ema)
        weights = {name: getattr(config, f"{name}_weight") for name in HEADS}
        self.heads = Auxiliary(self.net, weights).to(self.device)
        self.trained = torch.nn.ModuleList([self.net, self.heads])
        self.optimizer = optim.optimizer(
            self.trained, config.optimizer, config.rate, config.momentum, config.decay
        )
        self.scaler = grad_scaler(self.setup.precision == "float16")
        # The step that this run's present data began with, and how often they
        # have changed: a resumed run finds its place in them by both.
        self.step = self.data_step = self.segment = 0
        self.budget = Budget(config)
        self.stop = False
        # Loss of the averaged and of the last weights when both were last compared.
        self.held_out: dict = {}

    @classmethod
    def start(cls, config: Config, directories: list, out, init_from=None) -> Trainer:
        """Begins a run, from random weights or from those of a checkpoint,
        whose averaged weights it takes."""
        config.check()
        directories = _absolute(directories)
        if config.distill:
            config.distill = str(Path(config.distill).resolve())
        refs, game, rules, sizes, rows = collect(directories, config)
        parent = checkpoint.load(init_from) if init_from else None
        to_steps(config, rows * (1 - config.val_fraction))
        provenance = {
            "game": game.name,
            "size": config.size,
            "seed": config.seed,
            "directories": directories,
            "data_sha256": data_digest(refs),
            "rows": rows,
            "rules": sorted(rules),
            "boards": sorted(sizes),
            "steps_before": 0,
        }
        trainer = cls(config, out, refs, provenance)
        if parent:
            trainer._inherit(parent, init_from)
        return trainer

    def _inherit(self, parent: dict, path) -> None:
        if parent["config"]["size"] != self.config.size:
            raise Usage(f"--init-from {path}: a {parent['config']['size']} net; --size must match")
        if parent["provenance"]["game"] != self.game.name:
            game = parent["provenance"]["game"]
            raise Usage(f"--init-from {path}: a net of {game}, the rows are of {self.game.name}")
        self.net.load_state_dict(parent["average"])
        shapes = {name: tensor.shape for name, tensor in self.heads.state_dict().items()}
        if shapes == {name: tensor.shape for name, tensor in parent.get("heads", {}).items()}:
            self.heads.load_state_dict(parent["heads"])
        self.average = optim.average(self.net, self.config.ema)
        old, new = parent["provenance"], self.provenance
        new["rules"] = sorted(set(old["rules"]) | set(new["rules"]))
        new["boards"] = sorted(set(old["boards"]) | set(new["boards"]))
        new["steps_before"] = old["steps_before"] + parent["step"]

    @classmethod
    def resume(cls, out, changes: dict, directories: list | None = None) -> Trainer:
        """Takes up the run in a directory. `changes` are options that differ
        from those of the run; see config.RESUMABLE. It goes on with the shards
        that it had; given a list of directories, with those that these and its
        own directories have now."""
        state = checkpoint.load(Path(out) / CHECKPOINT)
        if any(changes.get(name) for name in BUDGETS):
            state["config"].update({name: 0 for name in BUDGETS})
        config = from_plain({**state["config"], **changes})
        config.check()
        refs = [shard.Ref(**ref) for ref in state["data"]]
        data_step, segment = state.get("data_step", 0), state.get("segment", 0)
        if directories is not None:
            found = _grown(state["provenance"], refs, directories, config)
            if found != refs:
                refs, data_step, segment = found, state["step"], segment + 1
        else:
            for ref in refs:
                if config.check_sha256:
                    shard.check_sha256(ref)
                shard.read_header(ref)
        to_steps(config, state["provenance"]["rows"] * (1 - config.val_fraction))
        setup = speed.Setup(**state["setup"]) if "setup" in state else None
        trainer = cls(config, out, refs, state["provenance"], setup)
        trainer.net.load_state_dict(state["net"])
        trainer.heads.load_state_dict(state.get("heads", {}))
        trainer.average.module.load_state_dict(state["average"])
        trainer.average.n_averaged.fill_(state["average_updates"])
        optimizer = {"state": state["optimizer"], "param_groups": state["param_groups"]}
        trainer.optimizer.load_state_dict(optimizer)
        if state["scaler"] and trainer.scaler.is_enabled():
            trainer.scaler.load_state_dict(state["scaler"])
        trainer.step, trainer.data_step, trainer.segment = state["step"], data_step, segment
        trainer.held_out = state.get("held_out", {})
        trainer.budget = Budget(config, state.get("seconds", 0.0))
        torch.set_rng_state(state["rng"])
        return trainer

    def save(self) -> None:
        """Saves everything that resume needs."""
        optimizer = self.optimizer.state_dict()
        plain = {
            "config": self.config.plain(),
            "setup": self.setup.plain(),
            "step": self.step,
            "seconds": self.budget.seconds,
            "data_step": self.data_step,
            "segment": self.segment,
            "held_out": self.held_out,
            "average_updates": int(self.average.n_averaged),
            "param_groups": optimizer["param_groups"],
            "scaler": self.scaler.state_dict(),
            "data": [asdict(ref) for ref in self.refs],
            "provenance": self.provenance,
        }
        tensors = {
            "net": self.net.state_dict(),
            "heads": self.heads.state_dict(),
            "average": self.average.module.state_dict(),
            "optimizer": optimizer["state"],
            "rng": torch.get_rng_state(),
        }
        checkpoint.save(self.out / CHECKPOINT, plain, tensors)

    def run(self) -> dict:
        """Trains up to the configured step and returns the last validation (or
        training) metrics. Raises Interrupted, with the state saved, when a
        signal asked to stop."""
        config = self.config
        try:
            self.out.mkdir(parents=True, exist_ok=True)
            for left in self.out.glob(CHECKPOINT + ".*"):  # by a run that was killed
                left.unlink()
        except OSError as err:
            raise DataError(f"{self.out}: {err.strerror}") from None
        self.budget.begin()
        options = replace(reader_options(config), segment=self.segment)
        held_out = [self.move(b) for b in reader.validation(self.refs, options)]
        journal = metrics.Journal(self.out / METRICS, self.step)
        boards = [Board(self.out / "tensorboard", self.step)] if config.tensorboard else []
        batches = self.batches(options)
        with self._signals(), self._bar() as bar:
            try:
                last = self._steps(batches, held_out, [journal, *boards], bar)
            finally:
                for record in (journal, *boards):
                    record.close()
        return last

    def batches(self, options: reader.Options):
        """Yields the batches from this step on, for ever."""
        teacher, config = None, self.config
        if config.distill:
            teacher = Teacher(config.distill, config.distill_share, self.game).teach
        start, pin = self.step - self.data_step, self.device.type == "cuda"
        return reader.loader(self.refs, options, start, pin, teacher)

    def _steps(self, batches, held_out, journals, bar) -> dict:
        config, last = self.config, {}
        meter = metrics.Meter(config.value_weight)
        saved = self.budget.seconds
        # Asked once a step: what comes of time or signals later, a step later.
        end = over = self.budget.over(self.step)
        while not end:
            batch = self.move(next(batches))
            lr, norm, parts = self.train_step(batch)
            meter.add(parts, config.batch)
            bar.update()
            over = self.budget.over(self.step)
            end = over or self.stop
            save = end or self.step % config.save_every == 0
            if config.save_minutes and self.budget.seconds - saved > 60 * config.save_minutes:
                save = True
            check = save if config.val_every == 0 else end or self.step % config.val_every == 0
            if end or self.step % config.log_every == 0:
                record = {"kind": "train", "step": self.step, **meter.take()}
                record.update(lr=lr, grad_norm=norm if math.isfinite(norm) else None)
                for journal in journals:
                    journal.write(record)
                bar.set_postfix(loss=f"{record['loss']:.4f}", lr=f"{lr:.2g}", refresh=False)
                last = record if not held_out else last
            with meter.paused():
                if check and held_out and (over or not end):
                    last = {"kind": "val", "step": self.step, **self.evaluate(held_out)}
                    if end:
                        now = self.evaluate(held_out, self.net)["loss"]
                        self.held_out = {"average": last["loss"], "last": now}
                        last["last_weights_loss"] = now
                    for journal in journals:
                        journal.write(last)
                if save:
                    self.save()
                    saved = self.budget.seconds
        if not over:
            raise Interrupted(f"stopped at {self.budget.left(self.step)}; --resume goes on")
        return last

    def train_step(self, batch: dict):
        """Makes one step on a batch of move(); returns its learning rate, gradient
        norm and parts."""
        config = self.config
        warm, progress = self.budget.warm(self.step), self.budget.progress(self.step)
        factor = optim.rate(config.schedule, warm, progress, config.lr_final)
        lr = config.rate * factor
        for group in self.optimizer.param_groups:
            group["lr"] = lr
        self.net.train()
        loss, parts = self._loss(self.net, batch, self.heads)
        if not math.isfinite(loss.item()):
            raise NonFinite(self._blame(batch))
        self.optimizer.zero_grad(set_to_none=True)
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        bound = config.clip or math.inf
        norm = torch.nn.utils.clip_grad_norm_(self.trained.parameters(), bound).item()
        if not self.scaler.is_enabled() and not math.isfinite(norm):
            raise NonFinite(self._blame(batch))
        self.scaler.step(self.optimizer)
        self.scaler.update()
        self.average.update_parameters(self.net)
        self.step += 1
        return lr, norm, parts

    def _loss(self, net, batch: dict, heads=None):
        """Returns the loss to train on and the parts of that without heads."""
        with self.setup.autocast(self.device):
            features = net.features(batch["planes"], batch["globals"])
            policy, value = net.outputs(features)
            further = heads(features) if heads else {}
        loss, parts = metrics.losses(policy, value, batch, self.config.value_weight)
        return loss + heads.loss(further, batch) if further else loss, parts

    def _blame(self, batch: dict) -> str:
        names = sorted({self.refs[i].path for i in batch["origin"].tolist()})
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        return (
            f"step {self.step + 1}: the loss or its gradient is not finite; the batch has rows"
            f" of {names[0]}{more}; the last good checkpoint is kept: lower --lr"
        )

    def move(self, batch: dict) -> dict:
        """Returns a batch as a step wants it: planes as numbers in the memory
        format, everything on the device."""
        out = {k: v.to(self.device, non_blocking=True) for k, v in batch.items()}
        planes = out["planes"].float()
        out["planes"] = planes.contiguous(memory_format=self.setup.layout)
        return out

    @torch.no_grad()
    def evaluate(self, batches: list, net=None) -> dict:
        """Returns metrics over batches of the averaged weights, or of a net."""
        net = (net or self.average.module).eval()
        parts = sum(self._loss(net, batch)[1] for batch in batches)
        return metrics.summary(parts, self.config.value_weight)

    def _bar(self):
        hidden = not sys.stderr.isatty()
        total, done = self.config.steps or None, self.step
        return tqdm(total=total, initial=done, disable=hidden, unit="step", file=sys.stderr)

    @contextmanager
    def _signals(self):
        """Turns SIGINT and SIGTERM into a stop after the step in progress."""

        def ask(_number, _frame):
            self.stop = True

        kinds = (signal.SIGINT, signal.SIGTERM)
        try:
            old = {kind: signal.signal(kind, ask) for kind in kinds}
        except ValueError:  # not the main thread: signals are someone else's
            yield
            return
        try:
            yield
        finally:
            for kind, handler in old.items():
                signal.signal(kind, handler)
