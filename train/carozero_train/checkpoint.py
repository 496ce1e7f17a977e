"""Checkpoints: everything that a run needs to go on, in one file.

The file is in torch's own format. It holds tensors and one JSON text for all
else, so every supported PyTorch reads it without running code that a file
might contain (the oldest one's safe reader knows no floating point numbers).
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import tempfile
import zipfile
from contextlib import contextmanager
from pathlib import Path

import torch

from .errors import DataError

FORMAT = "carozero-checkpoint"
VERSION = 1

# What every checkpoint has, and what its provenance has, with their types.
PARTS = {"config": dict, "step": int, "provenance": dict, "average": dict}
ORIGIN = {"game": str, "rules": list, "boards": list, "rows": int, "data_sha256": str, "steps_before": int}

# Ending of a file that is being written, after eight characters of its own.
UNFINISHED = ".tmp"


def write_atomic(path, data: bytes, before=None) -> None:
    """Writes a file so that its name never has anything but the old or the new
    content, also after a crash. Raises DataError for the name of a device, a pipe or a
    directory, which a file would replace. `before` is called when nothing but the
    exchange of the old content for the new one is left to do."""
    path = Path(path)
    try:
        if path.exists() and not path.is_file():
            raise OSError(errno.EEXIST, "a directory" if path.is_dir() else "not a regular file")
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".", suffix=UNFINISHED)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, 0o644)
            if before:
                before()
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as err:
        raise DataError(f"{path}: cannot be written: {err.strerror}") from None


def write_with_digest(path, data: bytes) -> None:
    """Writes a file as write_atomic does and its SHA-256 beside it, as sha256sum prints
    it. Stopped between the two it leaves no digest rather than one of the old content."""
    beside = Path(f"{path}.sha256")
    write_atomic(path, data, lambda: beside.unlink(missing_ok=True))
    write_atomic(beside, f"{hashlib.sha256(data).hexdigest()}  {os.path.basename(path)}\n".encode())


def unfinished(path: Path) -> list:
    """Returns the files that write_atomic has left of one because it was killed."""
    return list(path.parent.glob(f"{path.name}.????????{UNFINISHED}"))


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
        if damaged:
            raise DataError(f"{path}: a damaged checkpoint: {damaged} does not have its CRC-32")
        state = torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise DataError(f"{path}: no such checkpoint") from None
    except IsADirectoryError:
        raise DataError(f"{path}: a directory, want a checkpoint file") from None
    except OSError as err:
        raise DataError(f"{path}: {err.strerror or err}") from None
    except zipfile.BadZipFile:
        raise DataError(f"{path}: no checkpoint: want one of train, or weights of export") from None
    except DataError:
        raise
    except Exception as err:  # a foreign file makes the reader raise anything
        raise DataError(f"{path}: no checkpoint: {(str(err) or type(err).__name__).splitlines()[0]}") from None
    if not isinstance(state, dict) or state.get("format") != FORMAT:
        raise DataError(f"{path}: no checkpoint of this trainer")
    if state.get("version") != VERSION:
        raise DataError(f"{path}: checkpoint version {state.get('version')}, want {VERSION}")
    with checkpoint_errors(path):
        state = {**json.loads(state.pop("plain")), **state}
        for values, kinds in ((state, PARTS), (state["provenance"], ORIGIN)):
            for name, kind in kinds.items():
                if not isinstance(values[name], kind) or values[name] == []:
                    raise ValueError(f"its {name} cannot be used")
    return state


@contextmanager
def checkpoint_errors(path):
    """Raises DataError, naming the checkpoint, if the block finds parts of it missing or
    of another kind or shape than this trainer's."""
    try:
        yield
    except KeyError as err:
        raise DataError(f"{path}: damaged, or of another trainer: without its {err.args[0]}") from None
    except (AttributeError, IndexError, RecursionError, TypeError, ValueError, RuntimeError) as err:
        text = " ".join(str(err).split()) or type(err).__name__
        raise DataError(f"{path}: damaged, or of another trainer: {text:.200}") from None
