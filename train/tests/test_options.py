"""Options: what follows from the one declaration of each."""

import pytest

from carozero_train.cli import parser
from carozero_train.config import BUDGETS, OPTIONS, Config
from carozero_train.errors import Usage
from carozero_train.options import GROW, RESUME, START

NUMBERS = [o for o in OPTIONS.values() if type(o.default) in (int, float)]
WORDS = [o for o in OPTIONS.values() if o.choices]


def parsed(*arguments):
    return vars(parser().parse_args(["train", "d", "--out", "o", *arguments]))


def test_a_number_is_checked_at_both_ends():
    for option in NUMBERS:
        kind, values = type(option.default), {} if option.key in BUDGETS else {"steps": 1}
        Config(**{**values, option.key: option.high}).check()
        above = option.high + 1 if kind is int else option.high * 1.001
        for value in (kind(option.low - 1), above, *([float("nan")] if kind is float else [])):
            with pytest.raises(Usage) as err:
                Config(**{**values, option.key: value}).check()
            assert str(err.value) == f"--{option.key.replace('_', '-')} {value}: want {option.low}..{option.high}"


def test_a_word_is_one_of_its_choices():
    for option in WORDS:
        for choice in option.choices:
            assert parsed(option.flag, choice)[option.key] == choice
        for refuse in (lambda: parsed(option.flag, "zzz"), lambda: Config(steps=1, **{option.key: "zzz"}).check()):
            with pytest.raises(Usage) as err:
                refuse()
            assert option.flag in str(err.value) and all(c in str(err.value) for c in option.choices)


def test_every_flag_gives_its_option_and_nothing_else():
    none = dict.fromkeys(OPTIONS)
    assert {key: value for key, value in parsed().items() if key in OPTIONS} == none
    for option in OPTIONS.values():
        if isinstance(option.default, bool):
            given = {(option.flag,): True, (option.flag.replace("--", "--no-"),): False}
        else:
            text = option.choices[-1] if option.choices else "7" if option in NUMBERS else "x"
            given = {(option.flag, text): type(option.default)(text)}
        for words, value in given.items():
            found = {key: v for key, v in parsed(*words).items() if key in OPTIONS}
            assert found == {**none, option.key: value}


def test_a_run_that_is_resumed_keeps_what_makes_its_batches():
    """Of the options that the reader reads, only the shards' may change, with --grow."""
    reads = "batch seed shuffle_rows workers val_fraction symmetries q_share policy_target policy_rows"
    assert {OPTIONS[key].change for key in reads.split()} == {START}
    assert [key for key, o in OPTIONS.items() if o.change == GROW] == ["window", "check_sha256"]
    assert {OPTIONS[key].change for key in BUDGETS} == {RESUME}
