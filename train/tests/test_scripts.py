"""The scripts of games and experiments: what they refuse, and that they say why they stop."""

import pathlib
import subprocess

import pytest

TRAIN = pathlib.Path(__file__).resolve().parent.parent


def run(folder, script, *arguments, **variables):
    """Returns a script's exit status and what it said."""
    env = {"PATH": "/usr/bin:/bin", **variables}
    done = subprocess.run([TRAIN / script, folder / "out", *arguments], env=env, cwd=folder, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def tool(folder, name, text):
    path = folder / name
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    "arguments, players, text",
    [
        (["x"], "mcts", "FIRST_ROUND=x: want a whole number of at least 1"),
        (["1", "0"], "mcts", "LAST_ROUND=0: want a whole number of at least 1"),
        (["1", "99999999999999999999"], "mcts", "LAST_ROUND=9"),
        (["1", "1"], "mcts chess", "PLAYERS=mcts chess: want alphabeta, mcts or both"),
    ],
)
def test_teacher_games_refuses_in_one_line(tmp_path, arguments, players, text):
    program = tool(tmp_path, "program", "exit 0\n")
    status, said = run(tmp_path, "teacher_games.sh", *arguments, CAROZERO=str(program), PLAYERS=players)
    assert status == 2 and said.count("\n") == 1 and text in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("script, what", [("history_experiment.sh", "games/1"), ("targets_experiment.sh", "teacher")])
def test_an_experiment_says_why_it_stops(tmp_path, script, what):
    program = tool(tmp_path, "program", "echo no room >&2\nexit 1\n")
    status, said = run(tmp_path, script, CAROZERO=str(program))
    assert status == 1 and said == f"{script}: selfplay into {tmp_path}/out/{what} failed: no room\n"


def test_an_experiment_finds_a_python_named_from_here(tmp_path):
    tool(tmp_path, "python", "echo this one >&2\nexit 1\n")
    program = tool(tmp_path, "program", "exit 0\n")
    for script, variables in (("history_experiment.sh", {"ONLY": "plain"}), ("targets_experiment.sh", {})):
        status, said = run(tmp_path, script, CAROZERO=str(program), PYTHON="./python", **variables)
        assert status == 1 and said.count("\n") == 1 and "training in" in said and "this one" in said
