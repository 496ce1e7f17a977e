"""Finds the program carozero, which does all the work, and runs it as a command."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Optional

from .errors import ProgramError

# Names another program than the one inside the package: one with ONNX Runtime, say.
VARIABLE = "CAROZERO_PROGRAM"

NAME = "carozero.exe" if os.name == "nt" else "carozero"


def find(other_than: Optional[str] = None) -> str:
    """Returns the path of the program: the one that CAROZERO_PROGRAM names, the one
    inside the package, or that of the checkout that the package lies in. The command
    of this package itself, other_than, is none."""
    named = os.environ.get(VARIABLE)
    if named and not _same(named, other_than):
        if not os.path.isfile(named):
            raise ProgramError(f"{VARIABLE} names {named}, where no file is")
        return os.path.abspath(named)
    package = Path(__file__).resolve().parent
    for path in (package / "bin" / NAME, package.parent.parent / "bin" / NAME):
        if path.is_file():
            return str(_executable(path))
    raise ProgramError(
        f"the program is not in this package: install a wheel for this platform, run make build in a checkout, or let {VARIABLE} name it"
    )


def _same(path: str, other: Optional[str]) -> bool:
    try:
        return other is not None and os.path.samefile(path, other)
    except OSError:
        return False


def _executable(path: Path) -> Path:
    """Gives a file the right to be run, if whoever unpacked it has lost that."""
    if os.name == "posix" and not os.access(path, os.X_OK):
        try:
            path.chmod(path.stat().st_mode | 0o555)
        except OSError as err:
            raise ProgramError(f"{path} may not be run: {err.strerror}") from None
    return path


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the program to its end and returns its output as text."""
    path = find()
    try:
        return subprocess.run(
            [path, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
        )
    except OSError as err:
        raise ProgramError(f"{path} cannot be run: {err.strerror}") from None


def main() -> int:
    """The command carozero: becomes the program, with its arguments, input, signals and
    exit status. Windows has no such thing; there it waits for it."""
    try:
        path = find(other_than=sys.argv[0])
        command = [path, *sys.argv[1:]]
        if os.name != "posix":
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the program's
            return subprocess.call(command)
        for name in ("SIGPIPE", "SIGXFSZ"):  # which Python ignores, and programs inherit that
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), signal.SIG_DFL)
        os.execv(path, command)
    except ProgramError as err:
        print(f"carozero: {err}", file=sys.stderr)
    except OSError as err:
        print(f"carozero: {path} cannot be run: {err.strerror}", file=sys.stderr)
    return 1
