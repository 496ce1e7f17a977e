"""Errors that a user can act on. The command line prints each as one line."""


class TrainError(Exception):
    """Something in files, data or training went wrong: exit status 1."""


class Usage(TrainError):
    """Something on the command line is wrong: exit status 2."""


class DataError(TrainError):
    """A shard or manifest cannot be read or breaks the contract."""


class NonFinite(TrainError):
    """The loss stopped being a finite number; nothing was saved over the last
    good checkpoint."""


class Interrupted(TrainError):
    """A signal asked to stop; the state up to here is saved."""
