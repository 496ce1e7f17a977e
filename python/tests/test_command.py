"""The command carozero becomes the program: arguments, input, signals, exit status."""

import os
import signal
import subprocess
import sys

import pytest

from carozero import program

# Says what it was given and how it was ended.
PROGRAM = """#!/bin/sh
trap 'echo interrupted; exit 41' INT
trap 'echo terminated; exit 42' TERM
for a; do printf '<%s>' "$a"; done
read line
echo " $line"
case "$1" in
pipe) kill -PIPE $$; exit 44 ;;
wait) while :; do sleep 0.1; done ;;
esac
exit 43
"""


@pytest.fixture
def command(tmp_path, monkeypatch):
    fake = tmp_path / "program"
    fake.write_text(PROGRAM)
    fake.chmod(0o755)
    monkeypatch.setenv(program.VARIABLE, str(fake))

    def start(*arguments):
        return subprocess.Popen([sys.executable, "-m", "carozero", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    return start


def test_arguments_input_and_status_pass(command):
    process = command("a b", "", "--x=*", "ü")
    out, err = process.communicate("typed\n")
    assert (out, err, process.returncode) == ("<a b><><--x=*><ü> typed\n", "", 43)


@pytest.mark.parametrize("number, said, status", [(signal.SIGINT, "interrupted", 41), (signal.SIGTERM, "terminated", 42)])
def test_signals_pass(command, number, said, status):
    process = command("wait")
    process.stdin.write("typed\n")
    process.stdin.flush()
    assert process.stdout.readline() == "<wait> typed\n"
    process.send_signal(number)
    assert process.communicate(timeout=60)[0] == said + "\n" and process.returncode == status


def test_signals_that_python_ignores_are_the_programs(command):
    process = command("pipe")
    process.communicate("\n")
    assert process.returncode == -signal.SIGPIPE


def test_the_real_program():
    done = subprocess.run([sys.executable, "-m", "carozero", "version"], stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0 and done.stdout.startswith("carozero ")
    done = subprocess.run([sys.executable, "-m", "carozero", "search", "--size", "99"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and done.stderr.count("\n") == 1


def test_a_program_that_cannot_run_is_one_line(tmp_path):
    broken = tmp_path / "broken"
    broken.write_bytes(b"\x7fELF nonsense")
    for mode in (0o755, 0o644):
        broken.chmod(mode)
        done = subprocess.run([sys.executable, "-m", "carozero"], env={**os.environ, program.VARIABLE: str(broken)}, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1 and done.stderr.count("\n") == 1 and "cannot be run" in done.stderr
