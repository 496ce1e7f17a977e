"""Wheels: the same bytes from the same files, installed by pip without a network."""

import base64
import csv
import hashlib
import importlib.util
import io
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent.parent
spec = importlib.util.spec_from_file_location("wheels", HERE / "wheels.py")
wheels = importlib.util.module_from_spec(spec)
spec.loader.exec_module(wheels)

PROGRAM = "#!/bin/sh\necho program \"$@\"\nexit 5\n"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of what a wheel is made of, which no git knows."""
    root = tmp_path_factory.mktemp("checkout")
    ignore = shutil.ignore_patterns("__pycache__", "bin", ".venv*")
    shutil.copytree(HERE / "carozero", root / "python" / "carozero", ignore=ignore)
    for name in ("wheels.py", "README.md", "pyproject.toml"):
        shutil.copy(HERE / name, root / "python")
    shutil.copy(HERE.parent / "LICENSE", root)
    (root / "program").write_text(PROGRAM)
    (root / "program.exe").write_text(PROGRAM)
    return root


def make(checkout, out, *words, **env):
    command = [sys.executable, str(checkout / "python" / "wheels.py"), "--out", str(out), *words]
    done = subprocess.run(command, cwd=checkout, env={**os.environ, "GIT_DIR": "/nowhere", **env}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, done.stderr
    return sorted(out.glob("*.whl"))


def test_every_platform_has_its_wheel(checkout, tmp_path):
    words = [f"{p}={checkout}/program{'.exe' if p.startswith('windows') else ''}" for p in wheels.TAGS]
    made = make(checkout, tmp_path, *words)
    assert len(made) == len(wheels.TAGS) == 6
    for path in made:
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None
            listed = {name: (digest, size) for name, digest, size in csv.reader(io.StringIO(archive.read("carozero-1.0.0.dist-info/RECORD").decode()))}
            assert set(listed) == set(archive.namelist()) and len(listed) == len(archive.namelist())
            for name, (digest, size) in listed.items():
                if not name.endswith("RECORD"):
                    data = archive.read(name)
                    want = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                    assert (digest, size) == ("sha256=" + want, str(len(data)))
            program = "carozero/bin/carozero" + (".exe" if "-win" in path.name else "")
            assert archive.read(program) == PROGRAM.encode() and archive.getinfo(program).external_attr >> 16 == 0o100755
            tags = [line[5:] for line in archive.read("carozero-1.0.0.dist-info/WHEEL").decode().splitlines() if line.startswith("Tag: ")]
            assert path.name == f"carozero-1.0.0-py3-none-{'.'.join(t.split('-')[2] for t in tags)}.whl"
            assert "carozero/py.typed" in listed and "carozero/samples/schema.py" in listed


def test_wheels_are_the_same_bytes(checkout, tmp_path):
    word = f"linux/amd64={checkout}/program"
    first = make(checkout, tmp_path / "a", word, SOURCE_DATE_EPOCH="1700000000")[0].read_bytes()
    for path in (checkout / "python" / "carozero").rglob("*.py"):
        os.utime(path, (1, 1))
        path.chmod(0o600)
    again = make(checkout, tmp_path / "b", word, SOURCE_DATE_EPOCH="1700000000", TZ="Asia/Ho_Chi_Minh", PYTHONHASHSEED="7")[0].read_bytes()
    other = make(checkout, tmp_path / "c", word, SOURCE_DATE_EPOCH="1800000000")[0].read_bytes()
    assert first == again != other


def test_wrong_words_are_refused(checkout, tmp_path):
    for word in ("plan9/amd64=x", "linux/amd64", f"linux/amd64={tmp_path}/none"):
        done = subprocess.run([sys.executable, str(checkout / "python" / "wheels.py"), "--out", str(tmp_path), word], stderr=subprocess.PIPE, text=True)
        assert done.returncode == 2 and "want one of" in done.stderr
    assert not list(tmp_path.iterdir())


def test_pip_installs_it(checkout, tmp_path):
    """From a wheel, from the folder with a program that was built, and as a link to it."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "env"], check=True)
    python, command = tmp_path / "env/bin/python", tmp_path / "env/bin/carozero"
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PIP_", "PYTHON", "CAROZERO_"))}
    env.update(PIP_NO_INDEX="1", PIP_DISABLE_PIP_VERSION_CHECK="1", GIT_DIR="/nowhere")
    (checkout / "bin").mkdir(exist_ok=True)
    (checkout / "bin" / "carozero").write_text(PROGRAM)
    (checkout / "bin" / "carozero").chmod(0o755)
    wheel = str(wheels.write(tmp_path, "1.0.0", ["any"], wheels.sources() + [wheels.program(checkout / "program")]))
    for what in ([wheel], [str(checkout / "python")], ["--editable", str(checkout / "python")]):
        done = subprocess.run([python, "-m", "pip", "install", "--force-reinstall", *what], env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, done.stdout
        done = subprocess.run([command, "a", "b c"], cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True)
        assert (done.stdout, done.returncode) == ("program a b c\n", 5)
        subprocess.run([python, "-c", "import carozero; carozero.Engine"], cwd=tmp_path, env=env, check=True)
