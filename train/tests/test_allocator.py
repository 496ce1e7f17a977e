"""A training begins again with glibc's tunables, and only a training."""

import os
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
