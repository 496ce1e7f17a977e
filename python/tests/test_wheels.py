"""Wheels: the same bytes from the same files, with the program for their platform."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of what a wheel is made of, which no git knows."""
    root = tmp_path_factory.mktemp("checkout")
    ignore = shutil.ignore_patterns("__pycache__", "bin", ".venv*")
    shutil.copytree(HERE / "carozero", root / "python" / "carozero", ignore=ignore)
    for name in ("hatch_build.py", "README.md", "pyproject.toml"):
        shutil.copy(HERE / name, root / "python")
    shutil.copy(HERE.parent / "LICENSE", root)
    for name in ("program", "program.exe"):
        (root / name).write_text("#!/bin/sh\n")
        (root / name).chmod(0o755)
    return root


def make(checkout, out, wheel, **env):
    """Returns the exit status, what was said, and the wheels."""
    env = {**os.environ, "GIT_DIR": "/nowhere", "SOURCE_DATE_EPOCH": "1700000000", "CAROZERO_WHEEL": wheel, **env}
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    done = subprocess.run(command, cwd=checkout / "python", env=env, capture_output=True, text=True)
    return done.returncode, done.stderr, sorted(out.glob("*.whl"))


@pytest.mark.parametrize("platform, program", [("linux/amd64", "carozero"), ("windows/arm64", "carozero.exe")])
def test_a_platform_has_its_wheel(checkout, tmp_path, platform, program):
    suffix = program[len("carozero") :]
    status, said, (path,) = make(checkout, tmp_path, f"{platform}={checkout}/program{suffix}")
    assert status == 0, said
    with zipfile.ZipFile(path) as archive:
        assert archive.read(f"carozero/bin/{program}") == b"#!/bin/sh\n"
        assert archive.getinfo(f"carozero/bin/{program}").external_attr >> 16 == 0o100755
        assert {"carozero/py.typed", "carozero/LICENSE", "carozero/samples/schema.py"} <= set(archive.namelist())
        wheel = archive.read("carozero-1.0.0.dist-info/WHEEL").decode().splitlines()
        tags = [line.split("-")[-1] for line in wheel if line.startswith("Tag: ")]
        assert set(path.stem.split("-")[-1].split(".")) == set(tags) and "Root-Is-Purelib: false" in wheel


def test_wheels_are_the_same_bytes(checkout, tmp_path):
    word = f"linux/amd64={checkout}/program"
    first = make(checkout, tmp_path / "a", word)[2][0].read_bytes()
    for path in (checkout / "python" / "carozero").rglob("*.py"):
        os.utime(path, (1, 1))
    again = make(checkout, tmp_path / "b", word, TZ="Asia/Ho_Chi_Minh", PYTHONHASHSEED="7")[2][0].read_bytes()
    other = make(checkout, tmp_path / "c", word, SOURCE_DATE_EPOCH="1800000000")[2][0].read_bytes()
    assert first == again != other


@pytest.mark.parametrize("word", ["plan9/amd64=x", "linux/amd64", "linux/amd64=none"])
def test_wrong_words_are_refused(checkout, tmp_path, word):
    status, said, wheels = make(checkout, tmp_path, word)
    assert status != 0 and "want one of" in said and not wheels
