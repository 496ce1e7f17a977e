"""A training begins again with glibc's tunables, and only a training."""

import os
import subprocess
import sys

import pytest
from carozero_train import process


@pytest.mark.parametrize(
    "given, want",
    [
        (None, "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=68719476736:glibc.malloc.top_pad=268435456:glibc.malloc.hugetlb=1"),
        ("glibc.malloc.mmap_max=9:glibc.cpu.x86_ibt=off", "glibc.malloc.mmap_max=9:glibc.cpu.x86_ibt=off:glibc.malloc.trim_threshold=68719476736:glibc.malloc.top_pad=268435456:glibc.malloc.hugetlb=1"),
    ],
)
def test_tunables(given, want):
    environment = {"HOME": "/", **({process.VARIABLE: given} if given else {})}
    tuned = process.tuned(environment)
    assert tuned == {"HOME": "/", process.VARIABLE: want}
    assert process.tuned(tuned) is None


@pytest.mark.parametrize("command, again", [("train", True), ("bench", True), ("export", False)])
def test_begins_again(monkeypatch, command, again):
    calls = []
    monkeypatch.setattr(process, "has_glibc", lambda: True)
    monkeypatch.setattr(os, "execve", lambda *call: calls.append(call))
    monkeypatch.delenv(process.VARIABLE, raising=False)
    monkeypatch.setattr(sys, "orig_argv", ["python", "-X", "dev", "-m", "carozero_train", command], raising=False)
    process.keep_memory([command])
    assert len(calls) == again
    for path, words, environment in calls:
        assert path == sys.executable and words == [sys.executable, "-X", "dev", "-m", "carozero_train", command]
        assert process.tuned(environment) is None


def test_the_process_that_trains():
    """It has the tunables, its arguments, and its exit status."""
    path = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    script = (
        "import runpy, sys, os; sys.argv = ['carozero_train', 'train', '--help']; "
        "print('memory', os.environ.get('GLIBC_TUNABLES', '-'), flush=True); "
        "runpy.run_module('carozero_train', run_name='__main__', alter_sys=True)"
    )
    env = {**os.environ, "PYTHONPATH": path + os.pathsep + os.environ.get("PYTHONPATH", "")}
    env.pop(process.VARIABLE, None)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env, timeout=120)
    assert done.returncode == 0, done.stderr
    said = [line for line in done.stdout.splitlines() if line.startswith("memory ")]
    if process.has_glibc():
        assert said == ["memory -", "memory " + process.tuned({})[process.VARIABLE]]
    assert "--samples" in done.stdout
    bad = subprocess.run([sys.executable, "-m", "carozero_train", "train"], capture_output=True, text=True, env=env, timeout=120)
    assert bad.returncode == 2 and bad.stderr.startswith("carozero_train: ") and bad.stderr.count("\n") == 1
