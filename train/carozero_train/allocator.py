"""The memory of a training: freed tensors keep their pages.

By default glibc gives a large block back to the system when it is freed and asks for
fresh pages for the next one. A step makes hundreds of tensors of some megabytes, and a
quarter of its time went into such pages. So a training asks glibc, with its tunables
(The GNU C Library, "Tunables"), to keep what it has and to ask for huge pages. They are
read when a process begins: it begins again with them, as the same process.
"""

from __future__ import annotations

import os
import sys

TUNABLES = {
    "glibc.malloc.mmap_max": 0,  # large blocks come from the heap, too,
    "glibc.malloc.trim_threshold": 1 << 36,  # which is not given back
    "glibc.malloc.top_pad": 1 << 28,  # and grows by this many bytes
    "glibc.malloc.hugetlb": 1,  # of huge pages; from glibc 2.35 on
}
VARIABLE = "GLIBC_TUNABLES"


def tuned(environment) -> dict | None:
    """Returns the environment with the tunables that it leaves open, None where it
    leaves none."""
    given = [entry for entry in environment.get(VARIABLE, "").split(":") if entry]
    names = {entry.partition("=")[0] for entry in given}
    ours = [f"{name}={value}" for name, value in TUNABLES.items() if name not in names]
    return {**environment, VARIABLE: ":".join(given + ours)} if ours else None


def has_glibc() -> bool:
    """Tells whether the C library is glibc, of 64 bits."""
    try:
        return bool(os.confstr("CS_GNU_LIBC_VERSION")) and sys.maxsize > 1 << 32
    except (AttributeError, ValueError, OSError):
        return False


def keep_memory(arguments: list) -> None:
    """Begins the process again with the tunables, where they are open and the command
    among the arguments is one that trains. To be called before anything is imported."""
    environment = tuned(os.environ)
    if environment and arguments[:1] in (["train"], ["bench"]) and has_glibc():
        flags = getattr(sys, "orig_argv", [sys.executable, "-m", __package__, *arguments])[1:]
        os.execve(sys.executable, [sys.executable, *flags], environment)
