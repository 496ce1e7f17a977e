"""nets.sh and games.sh with a program and a Python that only note what they are asked."""

import os
import pathlib
import subprocess

import pytest

TRAIN = pathlib.Path(__file__).resolve().parent.parent

PROGRAM = """#!/bin/sh
echo "program $*" >>"$LOG"
while [ $# -gt 0 ]; do
	[ "$1" = --out ] && mkdir -p "$2" && echo '{"rows":7,"sha256":"5a"}' >"$2/manifest.jsonl"
	shift
done
"""

PYTHON = """#!/bin/sh
[ "$1" = -c ] && exit 0
echo "python $*" >>"$LOG"
kind=$3
while [ $# -gt 0 ]; do
	case $1 in --out) out=$2 ;; esac
	shift
done
case $kind in
train) mkdir -p "$out" && : >"$out/checkpoint.pt" ;;
*) : >"$out" ;;
esac
[ "$kind" != "${BREAK:-}" ] || exit 1
"""


@pytest.fixture
def nets(tmp_path):
    """Runs nets.sh with variables; returns its exit status, output and what it asked for."""
    tools = tmp_path / "tools"
    tools.mkdir()
    for name, text in (("program", PROGRAM), ("python", PYTHON)):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)

    def run(script="nets.sh", **variables):
        log = tmp_path / "log"
        log.unlink(missing_ok=True)
        env = {
            "PATH": os.environ["PATH"],
            "LOG": str(log),
            "CAROZERO": str(tools / "program"),
            "PYTHON": str(tools / "python"),
            "POSITIONS": "7",
        }
        done = subprocess.run(
            [str(TRAIN / script), str(tmp_path / "out")],
            env={**env, **{name: str(value) for name, value in variables.items()}},
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        asked = log.read_text().splitlines() if log.exists() else []
        return done.returncode, done.stdout + done.stderr, asked

    return run


def steps(asked):
    """The trainer's commands among what was asked, without their options."""
    return [line.split()[3] for line in asked if line.startswith("python")]


def test_games_have_their_shares(nets, tmp_path):
    """Run by run, in three sittings: seeds differ, a tenth or so is held out, shares hold, what is played stays."""
    asked = []
    for goal in (7, 700, 1400):
        status, said, now = nets("games.sh", POSITIONS=goal, PLAYERS="alphabeta mcts", SEED=3)
        assert status == 0 and f" {goal} positions in " in said, said
        asked += [line.split() for line in now]
    assert len(asked) == 200
    assert [words[words.index("--seed") + 1] for words in asked] == [str(3000000 + n) for n in range(1, 201)]
    caro, held, mcts = (sum(word in " ".join(words) for words in asked) for word in ("--rule caro ", "/held-", " mcts "))
    assert 57 <= caro <= 63 and 95 <= mcts <= 105 and 15 <= held <= 24
    ledger = (tmp_path / "out/ledger").read_text().splitlines()
    assert len(ledger) == 200 and ledger[0] == "1 alphabeta-caro-15-1 7 5a"


def test_games_go_on_where_they_were(nets, tmp_path):
    begun = tmp_path / "out/1-alphabeta-caro-15-1"
    begun.mkdir(parents=True)
    (begun / "run.json").touch()
    _, _, asked = nets("games.sh", POSITIONS=14)
    assert ["--resume" in line.split() for line in asked] == [True, False]


def test_all_networks_from_nothing(nets, tmp_path):
    status, said, asked = nets()
    assert status == 0, said
    assert asked[0].startswith("program selfplay")
    assert steps(asked) == [
        *("train", "export", "export"),
        *("train", "export"),
        *("train", "export", "train", "export"),
        *("train", "export", "export", "quantise"),
    ]
    made = "b4c64-int8.onnx b4c64.onnx b4c64.pt line16-freestyle.line line16-school42.line line16.line line16.pt"
    assert sorted(p.name for p in (tmp_path / "out/models").iterdir()) == made.split()
    # What is done stays done.
    status, said, asked = nets()
    assert (status, asked) == (0, []), said


def test_no_network_learns_from_games_that_are_held_out(nets, tmp_path):
    for name in ("9-mcts-caro-15-1", "held-10-mcts-caro-15-1", "11-alphabeta-freestyle-15-1", "held-20-alphabeta-freestyle-15-1"):
        (tmp_path / "games" / name).mkdir(parents=True)
    status, said, asked = nets(GAMES=tmp_path / "games", ONLY="line freestyle")
    assert status == 0, said
    for line in (line for line in asked if " train " in line):
        assert "11-alphabeta" in line and "10-mcts" not in line and "20-alphabeta" not in line
    assert "9-mcts-caro" in asked[0] and "9-mcts-caro" not in asked[3]


def test_the_network_of_school42_judges_the_games_that_it_goes_on_from(nets, tmp_path):
    status, said, asked = nets(ONLY="school42", SCHOOL42=4000)
    assert status == 0, said
    judge = f"net={tmp_path}/out/school42/first/net.line"
    played = [line.split() for line in asked if line.startswith("program")]
    assert all("school42" in words for words in played)
    seeds = [words[words.index("--seed") + 1] for words in played if "alphabeta:nodes=2000,net=none" in words]
    assert seeds == 4 * ["1001"] + 4 * ["1002"]
    seeds = [words[words.index("--seed") + 1] for words in played if f"alphabeta:nodes=2000,{judge}" in words]
    assert seeds == 4 * ["2001"] + 4 * ["2002"]
    first, second = (line for line in asked if " train " in line)
    assert "/fitted/1001-15-1/" in first and "/judged/" not in first
    assert "/fitted/1002-19-1/" in second and "/judged/2002-19-3/" in second and "school42/first/checkpoint.pt" in second


@pytest.mark.parametrize("broken", ["train", "export"])
def test_it_goes_on_where_it_was(nets, broken):
    status, said, asked = nets(ONLY="residual", BREAK=broken)
    assert status != 0 and steps(asked)[-1] == broken
    status, said, asked = nets(ONLY="residual")
    assert status == 0, said
    assert steps(asked) == ["train", "export", "export", "quantise"]
    assert "--resume" in asked[0].split() and "--seed" not in asked[0].split()


@pytest.mark.parametrize(
    "variables, line, code",
    [
        ({"CAROZERO": "/none"}, "there is no program at /none: run make build", 2),
        ({"PYTHON": "/none"}, "there is no trainer in /none: run train/setup_venv.sh", 2),
        ({"ONLY": "line rest"}, "ONLY=line rest: want some of games line freestyle school42 residual", 2),
        ({"GAMES": "/the games"}, "the games are in /the games: want a path without spaces", 2),
        ({"ONLY": "freestyle"}, "freestyle follows line", 2),
        ({"PLAYERS": "both"}, "PLAYERS=both: want alphabeta, mcts or both", 2),
        ({"SEED": "1x"}, "SEED and POSITIONS are whole numbers: 1x is none", 2),
    ],
)
def test_refusals_are_one_line(nets, variables, line, code):
    script = "nets.sh" if not variables.keys() & {"PLAYERS", "SEED"} else "games.sh"
    status, said, asked = nets(script, **variables)
    assert status == code and said.count("\n") == 1 and line in said, said
    assert asked == []
