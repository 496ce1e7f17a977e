"""Keeps a directory to one training at a time."""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path

from .errors import DataError

try:
    import fcntl
except ImportError:  # Windows: nothing is locked
    fcntl = None

LOCK = "lock"


@contextmanager
def exclusively(folder: Path):
    """Holds the lock of a directory, which is made if it is missing, while the block
    runs. The lock ends with the process, however that ends. Raises DataError if the
    directory cannot be made or written, or if another process holds the lock; it names that one."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = open(folder / LOCK, "a+", encoding="ascii")
    except OSError as err:
        raise DataError(f"{folder}: {err.strerror}") from None
    with file:
        try:
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            file.seek(0)
            holder = file.read(20).strip() or "unknown"
            raise DataError(
                f"{folder} is in use by process {holder}: wait for it, or choose another directory"
            ) from None
        try:
            os.ftruncate(file.fileno(), 0)
            os.write(file.fileno(), str(os.getpid()).encode())
        except OSError as err:
            raise DataError(f"{folder}: {err.strerror}") from None
        yield
