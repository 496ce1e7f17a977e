"""The script of the teacher's games: what it refuses."""

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
