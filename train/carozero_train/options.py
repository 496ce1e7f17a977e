"""An option: its flag, help, default and range, declared once, beside what it sets.

The command line's flag, the line of help and the line of an error come from the
declaration; see config.Config for the options of a training run.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from .errors import Usage


def flag(key: str) -> str:
    """Returns the command line's name of an option."""
    return "--" + key.replace("_", "-")


@dataclass(frozen=True)
class Option:
    """One option.

    key       its name, also that in a checkpoint
    default   its value where none is given
    help      what it sets, in which unit
    low, high the range of a number, both included; high None: no bound
    choices   the values of a word, if only some are allowed
    want      the range in an error, where "low..high" would not be exact
    tells     whether the help tells the range
    kind      the type of its values, where it is not the default's
    """

    key: str
    default: object
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple = ()
    want: str = ""
    tells: bool = False
    kind: type | None = None

    @property
    def flag(self) -> str:
        return flag(self.key)

    @property
    def range(self) -> str:
        """The range of a number, as help and errors say it."""
        if self.want:
            return self.want
        return f"{self.low} or more" if self.high is None else f"{self.low}..{self.high:g}"

    def check(self, value):
        """Returns a value. Raises Usage, naming the flag, for one that is not allowed."""
        if self.choices and value not in self.choices:
            raise Usage(f"{self.flag} {value!r}: want {', '.join(self.choices)}")
        if self.low is not None and not (self.low <= value and (self.high is None or value <= self.high)):
            raise Usage(f"{self.flag} {value}: want {self.range}")
        return value

    @property
    def metavar(self) -> str | None:
        """What help calls the value; None: its key in capitals, or its choices."""
        return None

    def add(self, sub) -> None:
        """Adds the flag to a parser, or --key and --no-key if it is true or false. The
        parsed arguments have None where it is not given; see of()."""
        shown = "none" if self.default == "" else self.default
        text = f"{self.help}, {self.range}" if self.tells else self.help
        given = {"dest": self.key, "default": None, "help": f"{text} (default {shown})"}
        if isinstance(self.default, bool):
            group = sub.add_mutually_exclusive_group()
            group.add_argument(self.flag, action="store_true", **given)
            given["help"] = argparse.SUPPRESS
            group.add_argument(flag("no_" + self.key), action="store_false", **given)
        else:
            given.update(type=self.kind or type(self.default), choices=self.choices or None)
            sub.add_argument(self.flag, metavar=self.metavar, **given)

    def of(self, args):
        """Returns its value in parsed arguments, checked, or its default."""
        value = getattr(args, self.key)
        return self.default if value is None else self.check(value)
