"""CaroZero from Python: the engine, its samples, and its games to train on.

    Engine         a process that analyses positions; no other package is needed
    Environment    a game of two agents, an AECEnv of PettingZoo, which it needs
    Samples        batches of a run's samples as numpy arrays; needs numpy, msgpack, zstandard
    Dataset        the same for PyTorch's DataLoader
    verify         has the program replay and check samples

docs/python.md has examples.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any, List

from .engine import Engine
from .errors import (
    CaroZeroError,
    Cancelled,
    CheckFailed,
    DataError,
    EngineError,
    EngineGone,
    IllegalMove,
    ProgramError,
)
from .results import Analysis, Inputs, Model, MoveInfo, Opening, Opinion, Outcome, Position, Proof, RootInfo
from .search import Search
from .verify import Verified, verify

if TYPE_CHECKING:
    from .dataset import Dataset
    from .environment import Environment
    from .samples.batches import Samples

# What needs other packages is imported when it is first used.
_LATER = {"Dataset": ".dataset", "Environment": ".environment", "Samples": ".samples.batches"}

__all__ = [
    "Analysis", "CaroZeroError", "Cancelled", "CheckFailed", "DataError", "Dataset", "Engine", "EngineError", "EngineGone",
    "Environment", "IllegalMove", "Inputs", "Model", "MoveInfo", "Opening", "Opinion", "Outcome", "Position", "ProgramError",
    "Proof", "RootInfo", "Samples", "Search", "Verified", "verify",
]


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        value = getattr(importlib.import_module(_LATER[name], __name__), name)
    except ModuleNotFoundError as err:
        if err.name not in ("numpy", "msgpack", "zstandard"):
            raise
        raise ImportError(f"carozero.{name} needs numpy, msgpack and zstandard: pip install 'carozero[data]'") from err
    globals()[name] = value
    return value


def __dir__() -> List[str]:
    return sorted({*globals(), *__all__})
