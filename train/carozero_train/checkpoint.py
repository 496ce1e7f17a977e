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
from pathlib import Path

import torch

from .errors import DataError

FORMAT = "carozero-checkpoint"
VERSION = 1

# What every checkpoint has, and what its provenance has.
PARTS = ("config", "step", "provenance", "average")
ORIGIN = ("game", "rules", "boards", "rows", "data_sha256", "steps_before")

# How torch's files begin: they are zip archives.
ARCHIVE = b"PK\x03\x04"


def write_atomic(path, data: bytes) -> None:
    """Writes a file so that its name never has anything but the old or the new
    content, also after a crash."""
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
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


def save(path, plain: dict, tensors: dict) -> None:
    """Saves a checkpoint atomically: plain values, and dicts of tensors."""
    buffer = io.BytesIO()
    head = {"format": FORMAT, "version": VERSION, "plain": json.dumps(plain)}
    torch.save({**head, **tensors}, buffer)
    write_atomic(path, buffer.getvalue())


def save_weights(path, state: dict, kind: str, weights: dict) -> None:
    """Saves weights alone, the average or the last ones, with what a run that
    begins with them records of where they came from; no folder is in it."""
    origin = {k: v for k, v in state["provenance"].items() if k != "directories"}
    config = {name: state["config"][name] for name in ("size", "seed", "batch")}
    plain = {"config": config, "step": state["step"], "provenance": origin, "weights": kind}
    save(path, plain, {"average": weights})


def load(path) -> dict:
    """Returns the plain values and the tensors of a checkpoint in one dict, on
    the CPU."""
    try:
        with open(path, "rb") as file:
            start = file.read(len(ARCHIVE))
    except FileNotFoundError:
        raise DataError(f"{path}: no such checkpoint") from None
    except IsADirectoryError:
        raise DataError(f"{path}: a directory, want a checkpoint file") from None
    except OSError as err:
        raise DataError(f"{path}: {err.strerror}") from None
    if start != ARCHIVE:
        raise DataError(f"{path}: no checkpoint: want one of train, or weights of export")
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as err:  # a foreign file makes the reader raise anything
        raise DataError(f"{path}: no checkpoint: {_first_line(err)}") from None
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise DataError(f"{path}: no checkpoint of this trainer")
    if state.get("version") != VERSION:
        raise DataError(f"{path}: checkpoint version {state.get('version')}, want {VERSION}")
    try:
        state = {**json.loads(state.pop("plain")), **state}
        missing = [name for name in PARTS if name not in state]
        missing += [name for name in ORIGIN if name not in state.get("provenance", ORIGIN)]
    except (KeyError, TypeError, ValueError):
        missing = ["plain values"]
    if missing:
        raise DataError(f"{path}: a checkpoint without its {missing[0]}")
    return state


def _first_line(err: BaseException) -> str:
    return (str(err) or type(err).__name__).splitlines()[0]
