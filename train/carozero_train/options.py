"""An option of the command line: its key, default, help and range, declared once.

The flag, its line of help, the check of a value and the line of an error follow from
the declaration. The options of a training run are the fields of config.Config.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

from .errors import Usage

# When an option of a run may be changed. START: only before its first step. GROW: also
# when it goes on with more data (--resume --grow). RESUME: whenever it is resumed; such an
# option must leave the batches as they are, since a resumed run goes on among them.
START, GROW, RESUME = range(3)


@dataclass(frozen=True)
class Option:
    """One option.

    key         its name; the flag is --key with dashes
    default     the value that it has when the flag is not given, whose type all values have
    help        what it sets and in which unit
    low, high   the range of a number, both included
    choices     the values that are allowed, of an option with few of them
    change      of a run's option, when it may be changed: START, GROW or RESUME
    """

    key: str
    default: object
    help: str
    low: float | None = None
    high: float | None = None
    choices: tuple = ()
    change: int = START

    @property
    def flag(self) -> str:
        return "--" + self.key.replace("_", "-")

    def check(self, value):
        """Returns a value. Raises Usage, naming the flag, for one that is not allowed."""
        if self.choices and value not in self.choices:
            raise Usage(f"{self.flag} {value!r}: want {', '.join(self.choices)}")
        if self.low is not None and not self.low <= value <= self.high:
            raise Usage(f"{self.flag} {value}: want {self.low}..{self.high}")
        return value

    def add(self, sub) -> None:
        """Adds the flag to a parser; an option that is true or false gets --key and
        --no-key. Parsed arguments have None for a flag that is not given: see value()."""
        given = {"dest": self.key, "default": None, "help": f"{self.help} (default {self.default})"}
        if isinstance(self.default, bool):
            sub.add_argument(self.flag, action=argparse.BooleanOptionalAction, **given)
            return
        kind = type(self.default)
        metavar = None if self.choices else kind.__name__.upper()
        sub.add_argument(self.flag, type=kind, choices=self.choices or None, metavar=metavar, **given)

    def value(self, args):
        """Returns the option's value: the checked one of parsed arguments, or the default."""
        value = getattr(args, self.key)
        return self.default if value is None else self.check(value)
