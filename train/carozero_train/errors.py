"""Errors that a user can act on. The command line prints each as one line."""

from carozero.errors import CaroZeroError as TrainError  # in files, data or training: exit status 1
from carozero.errors import DataError


class Usage(TrainError):
    """Something on the command line is wrong: exit status 2."""


class NonFinite(TrainError):
    """The loss stopped being a finite number; nothing was saved over the last
    good checkpoint."""


class Interrupted(TrainError):
    """A signal asked to stop; the state up to here is saved."""
