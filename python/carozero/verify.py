"""Has the program replay samples through the rules and check every value."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Union

from . import program
from .errors import CheckFailed, ProgramError


@dataclass(frozen=True)
class Verified:
    """What was checked and is in order."""

    shards: int
    games: int
    rows: int


def verify(*paths: Union[str, os.PathLike[str]]) -> Verified:
    """Checks runs: rules, planes, legal moves, outcomes, sums and digests, as the
    command samples verify does. Raises CheckFailed, which says what differs."""
    if not paths:
        raise TypeError("verify wants the path of a run")
    done = program.run("samples", "verify", "--json", "--limit", "1", "--", *[os.fspath(path) for path in paths])
    try:
        said = json.loads(done.stdout)
    except ValueError:
        said = None
    if done.returncode == 0 and said:
        return Verified(said["shards"], said["games"], said["rows"])
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    problems = [str(p) for p in (said or {}).get("problems") or []]
    text = "; ".join([*problems, *lines[-1:]]) or f"samples verify ended with status {done.returncode}"
    raise (CheckFailed if done.returncode == 3 else ProgramError)(text)
