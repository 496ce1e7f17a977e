"""An option of the command line: its key, default, help and range, declared once.

The flag, its line of help, the check of a value and the line of an error follow from
the declaration. The options of a training run are the fields of config.Config.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from .errors import Usage


@dataclass(frozen=True)
class Option:
    """One option.

    key         its name; the flag is --key with dashes
    default     the value that it has when the flag is not given
    help        what it sets and in which unit
    low, high   the range of a number, both included; high None: no upper bound
    choices     the values that are allowed, of an option with few of them
    want        the range as errors say it, where "low..high" would be rounded
    show_range  whether the help gives the range
    kind        the type of its values, if it is not the default's
    """

    key: str
    default: object
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple = ()
    want: str = ""
    show_range: bool = False
    kind: type | None = None

    @property
    def flag(self) -> str:
        return "--" + self.key.replace("_", "-")

    @property
    def range(self) -> str:
        """The range of a number as help and errors say it."""
        if self.want:
            return self.want
        if self.high is None:
            return f"{self.low} or more"
        return f"{self.low}..{self.high if isinstance(self.high, int) else f'{self.high:g}'}"

    def check(self, value):
        """Returns a value. Raises Usage, naming the flag, for one that is not allowed."""
        if self.choices and value not in self.choices:
            raise Usage(f"{self.flag} {value!r}: want {', '.join(self.choices)}")
        if self.low is not None and not (self.low <= value and (self.high is None or value <= self.high)):
            raise Usage(f"{self.flag} {value}: want {self.range}")
        return value

    @property
    def metavar(self) -> str | None:
        """What the help calls the value; None: the choices, or else the key in capitals."""
        return None

    def add(self, sub) -> None:
        """Adds the flag to a parser; an option that is true or false gets --key and
        --no-key. Parsed arguments have None for a flag that is not given: see value()."""
        shown = "none" if self.default == "" else self.default
        text = f"{self.help}, {self.range}" if self.show_range else self.help
        given = {"dest": self.key, "default": None, "help": f"{text} (default {shown})"}
        if isinstance(self.default, bool):
            sub.add_argument(self.flag, action=argparse.BooleanOptionalAction, **given)
        else:
            given.update(type=self.kind or type(self.default), choices=self.choices or None)
            sub.add_argument(self.flag, metavar=self.metavar, **given)

    def value(self, args):
        """Returns the option's value: the checked one of parsed arguments, or the default."""
        value = getattr(args, self.key)
        return self.default if value is None else self.check(value)
