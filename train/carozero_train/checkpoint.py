"""Checkpoints: everything that a run needs to go on, in one file.

The file is in torch's own format. It holds tensors and one JSON text for all
else, so every supported PyTorch reads it without running code that a file
might contain (the oldest one's safe reader knows no floating point numbers).
"""

from __future__ import annotations

import io
import json
import os
import tempfile
import zipfile
from contextlib import contextmanager
from pathlib import Path

import torch

from carozero.samples.shard import digest

from .errors import DataError

FORMAT = "carozero-checkpoint"
VERSION = 1

# Ending of a file that is being written, after eight characters of its own.
UNFINISHED = ".tmp"


def write_atomic(path, data: bytes) -> None:
    """Writes a file so that its name never has anything but the old or the new
    content, also after a crash."""
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".", suffix=UNFINISHED)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, 0o644)
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as err:
        raise DataError(f"{path}: cannot be written: {err.strerror}") from None


def write_with_digest(path, data: bytes) -> None:
    """Writes a file as write_atomic does and its SHA-256 beside it, as sha256sum prints
    it. Stopped in between it leaves no digest rather than one of the old content."""
    beside = Path(f"{path}.sha256")
    beside.unlink(missing_ok=True)
    write_atomic(path, data)
    write_atomic(beside, f"{digest(data)}  {os.path.basename(path)}\n".encode())


def save(path, plain: dict, tensors: dict) -> None:
    """Saves a checkpoint atomically: plain values, and dicts of tensors."""
    buffer = io.BytesIO()
    head = {"format": FORMAT, "version": VERSION, "plain": json.dumps(plain)}
    torch.save({**head, **tensors}, buffer)
    write_atomic(path, buffer.getvalue())


def save_weights(path, state: dict, kind: str, weights: dict) -> None:
    """Saves weights alone, the average or the last ones and those of the auxiliary
    heads, with what a run that begins with them records of where they came from; no
    folder is in it."""
    origin = {k: v for k, v in state["provenance"].items() if k != "directories"}
    config = {name: state["config"][name] for name in ("size", "seed", "batch")}
    plain = {"config": config, "step": state["step"], "provenance": origin, "weights": kind}
    heads = {"heads": state["heads"]} if state.get("heads") else {}
    save(path, plain, {"average": weights, **heads})


def load(path) -> dict:
    """Returns the plain values and the tensors of a checkpoint in one dict, on
    the CPU."""
    try:
        damaged = zipfile.ZipFile(path).testzip()  # torch reads weights with flipped bits
        state = {} if damaged else torch.load(path, map_location="cpu", weights_only=True)
    except OSError as err:
        raise DataError(f"{path}: {err.strerror or err}") from None
    except Exception:  # a foreign file makes the reader raise anything
        raise DataError(f"{path}: no checkpoint: want one of train, or weights of export") from None
    if damaged:
        raise DataError(f"{path}: a damaged checkpoint: {damaged} does not have its CRC-32")
    if not isinstance(state, dict) or state.get("format") != FORMAT or state.get("version") != VERSION:
        raise DataError(f"{path}: no checkpoint of this trainer, version {VERSION}")
    with checkpoint_errors(path):
        state = {**json.loads(state.pop("plain")), **state}
        for name in ("config", "step", "provenance", "average"):
            state[name]
    return state


@contextmanager
def checkpoint_errors(path):
    """Raises DataError, naming the checkpoint, if the block finds parts of it missing or
    of another kind or shape than this trainer's."""
    try:
        yield
    except KeyError as err:
        raise DataError(f"{path}: damaged, or of another trainer: without its {err.args[0]}") from None
    except (AttributeError, IndexError, TypeError, ValueError, RuntimeError) as err:
        text = " ".join(str(err).split()) or type(err).__name__
        raise DataError(f"{path}: damaged, or of another trainer: {text:.200}") from None
