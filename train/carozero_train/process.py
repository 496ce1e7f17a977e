"""The process of a training: its memory, the lock of its directory, and signals.

By default glibc gives a large block back to the system when it is freed and asks for
fresh pages for the next one. A step makes hundreds of tensors of some megabytes, and a
quarter of its time went into such pages. So a training asks glibc, with its tunables
(The GNU C Library, "Tunables"), to keep what it has and to ask for huge pages. They are
read when a process begins: it begins again with them, as the same process.
"""

from __future__ import annotations

import os
import platform
import signal
import sys
from contextlib import contextmanager
from pathlib import Path

from .errors import DataError

try:
    import fcntl
except ImportError:  # Windows: nothing is locked
    fcntl = None

TUNABLES = {
    "glibc.malloc.mmap_max": 0,  # large blocks come from the heap, too,
    "glibc.malloc.trim_threshold": 1 << 36,  # which is not given back
    "glibc.malloc.top_pad": 1 << 28,  # and grows by this many bytes
    "glibc.malloc.hugetlb": 1,  # of huge pages; from glibc 2.35 on
}
VARIABLE = "GLIBC_TUNABLES"

LOCK = "lock"


def tuned(environment) -> dict | None:
    """Returns the environment with the tunables that are not set in it, None if all are
    set already."""
    given = [entry for entry in environment.get(VARIABLE, "").split(":") if entry]
    names = {entry.partition("=")[0] for entry in given}
    ours = [f"{name}={value}" for name, value in TUNABLES.items() if name not in names]
    return {**environment, VARIABLE: ":".join(given + ours)} if ours else None


def has_glibc() -> bool:
    """Reports whether the C library is glibc, of 64 bits."""
    return platform.libc_ver()[0] == "glibc" and sys.maxsize > 1 << 32


def keep_memory(arguments: list) -> None:
    """Begins the process again with the tunables if the command among the arguments is
    one that trains. To be called before torch is imported."""
    environment = tuned(os.environ)
    if environment and arguments[:1] in (["train"], ["bench"]) and has_glibc():
        flags = getattr(sys, "orig_argv", [sys.executable, "-m", __package__, *arguments])[1:]
        os.execve(sys.executable, [sys.executable, *flags], environment)


@contextmanager
def lock_directory(folder: Path):
    """Holds the lock of a directory, which is made if it is missing, while the block
    runs. The lock ends with the process, however that ends. Raises DataError, naming the
    directory, if it cannot be made or written, or if another process holds the lock."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / LOCK, "a+", encoding="ascii") as file:
            try:
                if fcntl is not None:
                    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                file.seek(0)
                holder = file.read(20)
                raise DataError(f"{folder} is in use by process {holder}: wait, or choose another") from None
            os.ftruncate(file.fileno(), 0)
            os.write(file.fileno(), str(os.getpid()).encode())
            yield
    except OSError as err:
        raise DataError(f"{folder}: {err.strerror or err}") from None


@contextmanager
def on_signals(call):
    """Calls call() at SIGINT and SIGTERM, in place of their effect. To be used in the main thread."""
    old = {kind: signal.signal(kind, lambda *_: call()) for kind in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for kind, handler in old.items():
            signal.signal(kind, handler)
