"""The training run: steps, validation, checkpoints, and how it resumes."""

from __future__ import annotations

import math
import sys
from contextlib import ExitStack
from dataclasses import asdict
from functools import partial
from pathlib import Path

import torch
from tqdm import tqdm

from carozero.samples import shard

from . import checkpoint, metrics, reader, speed
from .budget import Budget, rate, to_steps
from .config import BUDGETS, Config, from_plain
from .data import collect, game_of, grown, join
from .errors import Interrupted, NonFinite, Usage
from .learner import Learner
from .process import lock_directory, on_signals
from .records import Journal, TensorBoard

CHECKPOINT = "checkpoint.pt"
METRICS = "metrics.jsonl"


class Trainer:
    """One run in one directory. Use `start` or `resume`, then `run`."""

    def __init__(self, config: Config, out, refs: list, provenance: dict, setup=None):
        self.config, self.out, self.refs = config, Path(out), refs
        self.provenance, self.game = provenance, game_of(provenance)
        board = provenance["boards"][len(provenance["boards"]) // 2]
        self.learner = Learner(config, self.game, board, setup)
        # The step that this run's present data began with, and how often they
        # have changed: a resumed run finds its place in them by both.
        self.step = self.data_step = self.data_version = 0
        self.budget = Budget(config)
        self.stop = False
        # Loss of the averaged and of the last weights when both were last compared.
        self.held_out: dict = {}
        # What the next line of metrics will be of.
        self.meter = metrics.Meter()

    @classmethod
    def start(cls, config: Config, directories: list, out, init_from=None) -> Trainer:
        """Begins a run, from random weights or from those of a checkpoint,
        whose averaged weights it takes."""
        config.check()
        if config.workers < 0:
            config.workers = 2 if speed.pick_device(config.device).type == "cuda" else 0
        refs, found = collect(directories, config)
        parent = checkpoint.load(init_from) if init_from else None
        to_steps(config, found["rows"] * (1 - config.val_fraction))
        provenance = {"size": config.size, "seed": config.seed, "steps_before": 0, **found}
        trainer = cls(config, out, refs, provenance)
        if parent:
            trainer._inherit(parent, init_from)
        return trainer

    def _inherit(self, parent: dict, path) -> None:
        old = parent["provenance"]
        if game_of(old) != self.game:
            raise Usage(f"--init-from {path}: a net of {old['game']}, the rows are of {self.game.name}")
        with checkpoint.checkpoint_errors(path):
            try:
                self.learner.inherit(parent)
            except Usage as err:
                growth = f"a {parent['config']['size']} net cannot grow to {self.config.size}"
                raise Usage(f"--init-from {path}: {growth}: {err}") from None
            self.provenance = {**join(self.provenance, old), "steps_before": old["steps_before"] + parent["step"]}

    @classmethod
    def resume(cls, out, changes: dict, directories: list | None = None) -> Trainer:
        """Takes up the run in a directory. `changes` are options that differ
        from those of the run; see config.RESUME. It goes on with the shards
        that it had; given a list of directories, with those that these and its
        own directories have now."""
        path = Path(out) / CHECKPOINT
        state = checkpoint.load(path)
        if "net" not in state:
            raise Usage(f"{path} has weights alone: name it with --init-from")
        if any(changes.get(name) for name in BUDGETS):
            state["config"].update({name: 0 for name in BUDGETS})
        with checkpoint.checkpoint_errors(path):
            config = from_plain({**state["config"], **changes})
            config.check()
            refs = [shard.Ref(**ref) for ref in state["data"]]
            setup = speed.Setup(**state["setup"]) if "setup" in state else None
            data_step, data_version = int(state.get("data_step", 0)), int(state.get("segment", 0))
            seconds = float(state.get("seconds", 0.0))
        provenance = state["provenance"]
        if directories is not None:
            now, provenance = grown(provenance, refs, directories, config)
            if now != refs:
                refs, data_step, data_version = now, state["step"], data_version + 1
        else:
            shard.survey(provenance.get("directories", ()), refs, config.check_sha256)
        to_steps(config, provenance["rows"] * (1 - config.val_fraction))
        trainer = cls(config, out, refs, provenance, setup)
        with checkpoint.checkpoint_errors(path):
            trainer.learner.restore(state)
            torch.set_rng_state(state["rng"])
            if "meter" in state:
                trainer.meter.restore(state["meter"], trainer.learner.device)
        trainer.step, trainer.data_step, trainer.data_version = state["step"], data_step, data_version
        trainer.held_out = state.get("held_out", {})
        trainer.budget = Budget(config, seconds)
        return trainer

    def save(self) -> None:
        """Saves everything that resume needs."""
        learner = self.learner
        plain = {
            "config": asdict(self.config),
            "setup": asdict(learner.setup),
            "step": self.step,
            "seconds": self.budget.seconds,
            "data_step": self.data_step,
            "segment": self.data_version,
            "held_out": self.held_out,
            "meter": self.meter.plain(),
            "average_updates": learner.average.updates,
            "param_groups": learner.optimizer.state_dict()["param_groups"],
            "scaler": learner.scaler.state_dict(),
            "data": [asdict(ref) for ref in self.refs],
            "provenance": self.provenance,
        }
        tensors = {**learner.tensors(), "rng": torch.get_rng_state()}
        checkpoint.save(self.out / CHECKPOINT, plain, tensors)

    def run(self) -> dict:
        """Trains up to the configured step and returns the last validation (or
        training) metrics. Raises Interrupted, with the state saved, when a
        signal asked to stop, and DataError if another process trains here, or if a
        file cannot be written."""
        config = self.config
        with ExitStack() as stack:
            stack.enter_context(lock_directory(self.out))
            for left in self.out.glob(f"{CHECKPOINT}.????????{checkpoint.UNFINISHED}"):  # by a run that was killed
                left.unlink()
            self.budget.begin()
            journals = [TensorBoard(self.out / "tensorboard", self.step)] if config.tensorboard else []
            validation = [self.learner.to_device(b) for b in reader.validation(self.refs, config)]
            journals.append(Journal(self.out / METRICS, self.step))
            for journal in journals:
                stack.callback(journal.close)
            stack.enter_context(on_signals(partial(setattr, self, "stop", True)))
            return self._steps(self.batches(), validation, journals, stack.enter_context(self._bar()))

    def batches(self):
        """Yields the batches from this step on, for ever."""
        start, pin = self.step - self.data_step, self.learner.device.type == "cuda"
        return reader.loader(self.refs, self.config, start, pin, self.data_version)

    def _steps(self, batches, validation, journals, bar) -> dict:
        config, last, meter = self.config, {}, self.meter
        saved = self.budget.seconds
        # Asked once a step: what comes of time or signals later, a step later.
        end = over = self.budget.over(self.step)
        while not end:
            batch = self.learner.to_device(next(batches))
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
                last = record if not validation else last
            with meter.paused():
                if check and validation and (over or not end):
                    last = {"kind": "val", "step": self.step, **self.learner.evaluate(validation)}
                    if end:
                        now = self.learner.evaluate(validation, self.learner.net)["loss"]
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
        """Makes one step on a batch of the learner's to_device(); returns its learning
        rate, gradient norm and parts."""
        config = self.config
        warm, progress = self.budget.warm(self.step), self.budget.progress(self.step)
        lr = config.lr * rate(config.schedule, warm, progress)
        try:
            norm, parts = self.learner.step(batch, lr)
        except NonFinite:
            raise NonFinite(self._nonfinite_message(batch)) from None
        self.step += 1
        return lr, norm, parts

    def _nonfinite_message(self, batch: dict) -> str:
        first, *others = sorted({self.refs[i].path for i in batch["origin"].tolist()})
        rows = f"{first} and {len(others)} more" if others else first
        what = f"the loss or its gradient is not finite; the batch has rows of {rows}"
        return f"step {self.step + 1}: {what}; the last good checkpoint is kept: lower --lr"

    def _bar(self):
        total, hidden = self.config.steps or None, not sys.stderr.isatty()
        return tqdm(total=total, initial=self.step, disable=hidden, unit="step", file=sys.stderr)
