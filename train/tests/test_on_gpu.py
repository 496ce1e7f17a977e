"""on_gpu.sh with a program and a Python that only note what they are asked."""

import os
import shutil
import subprocess

from test_nets import PROGRAM, TRAIN

PYTHON = """#!/bin/sh
echo "python $*" >>"$LOG"
kind=$3
while [ $# -gt 0 ]; do
	case $1 in --out) out=$2 ;; esac
	shift
done
[ "$kind" = train ] || exit 0
head -c 20000000 /dev/urandom >"$out/checkpoint.pt"
[ -e "$LOG.cut" ] || { : >"$LOG.cut" && exec sleep 60; }
"""


def test_it_goes_on_where_it_was_cut_off(tmp_path):
    for name, text in (("program", PROGRAM), ("python", PYTHON)):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    out, log = tmp_path / "out", tmp_path / "log"
    env = {"PATH": os.environ["PATH"], "LOG": str(log), "CAROZERO": str(tmp_path / "program"), "PYTHON": str(tmp_path / "python")}

    def run(*arguments, **variables):
        command = [str(TRAIN / "on_gpu.sh"), *arguments]
        log.unlink(missing_ok=True)
        done = subprocess.run(command, env={**env, "POSITIONS": "7", "ROUND": "0.05", **variables}, capture_output=True, text=True)
        asked = log.read_text().splitlines() if log.exists() else []
        return done.returncode, done.stdout + done.stderr, [line for line in asked if " train " in line], asked

    # The first round is over before the training, the second ends with it.
    status, said, trained, asked = run("3", str(out))
    assert status == 0, said
    assert ["--resume" in line for line in trained] == [False, True] and "--size b10c128" in trained[0]
    assert "--grow --minutes 3" in trained[1] and "/games/1-mcts-caro-15-1" in trained[1]
    assert "net.onnx" in asked[-3] and "--precision float16" in asked[-2] and "models verify" in asked[-1]
    (kept,) = (out / "state").iterdir()
    parts = sorted(kept.glob("part.*"))
    whole = b"".join(part.read_bytes() for part in parts)
    assert whole == (out / "net/checkpoint.pt").read_bytes() and max(p.stat().st_size for p in parts) <= 16 << 20

    # Another machine has no checkpoint, and a copy of it that was cut off.
    (out / "trained").unlink()
    (out / "net/checkpoint.pt").unlink()
    shutil.copytree(kept, out / "state/99")
    (out / "state/99/sha256").unlink()
    status, said, trained, _ = run("3", str(out))
    assert status == 0 and ["--resume" in line for line in trained] == [True], said
    # What is trained is exported once more, and no more.
    assert run("3", str(out))[2] == []

    for arguments, variables, want in (
        ((), {}, "want MINUTES"),
        (("x",), {}, "want MINUTES"),
        (("3",), {"CAROZERO": "/none"}, "there is no program at /none"),
    ):
        status, said, _, _ = run(*arguments, **variables)
        assert status == 2 and want in said and said.count("\n") == 1
