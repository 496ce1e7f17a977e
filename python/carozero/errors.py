"""Errors that a user can act on. Each says in one line what went wrong."""

from __future__ import annotations


class CaroZeroError(Exception):
    """The base of them all."""


class DataError(CaroZeroError):
    """A shard or manifest cannot be read or breaks the contract."""


class ProgramError(CaroZeroError):
    """The program was not found, could not be started, or failed."""


class CheckFailed(CaroZeroError):
    """The program read samples and found differences."""


class EngineError(CaroZeroError):
    """The engine refused a query or could not answer it.

    code is one of those of docs/analysis.md, "" where the engine has gone; field
    is the path of the field at fault, "" where none is.
    """

    def __init__(self, text: str, code: str = "", field: str = ""):
        super().__init__(text)
        self.code, self.field = code, field


class EngineGone(EngineError):
    """The engine's process has ended: nothing that was asked will be answered."""


class Cancelled(EngineError):
    """The search was cancelled before it had found anything."""


class IllegalMove(CaroZeroError):
    """The rules do not allow the move."""
