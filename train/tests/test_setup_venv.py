"""setup_venv.sh in a scratch copy, with a Python and a pip that only note what is asked of
them: where PyTorch comes from, and that a failure leaves the old environment alone."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TRAIN = Path(__file__).resolve().parent.parent

# Answers to venv and pip; all else is run by the real Python, with the packages "installed".
PYTHON = f"""#!/bin/sh
case "$1 $2" in
"-m venv") for to; do :; done; mkdir -p "$to/bin"; cp "$0" "$to/bin/python"; exit ;;
"-m pip")
  echo "$*" >>log
  case "$*" in *"$REFUSED"*) echo "ERROR: refused $REFUSED"; exit 1 ;; *'torch>='*) cp -r made/torch installed ;; esac
  exit ;;
esac
PYTHONPATH=installed exec {sys.executable} -S "$@"
"""


@pytest.fixture
def setup(tmp_path, monkeypatch):
    for name in ("setup_venv.sh", "requirements.txt", "pyproject.toml"):
        shutil.copy(TRAIN / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    files = {
        "bin/python3": PYTHON,
        "bin/nvidia-smi": "#!/bin/sh\nexit 1\n",
        "made/torch/__init__.py": "__version__ = '2.8.0+cpu'\n",
        "installed/pytest.py": "",
        "installed/carozero_train/__init__.py": "cli = export = trainer = None\n",
        "without_cuda.py": "import sys\nopen('log', 'a').write(f'stand-ins {sys.argv[1]}\\n')\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    script = tmp_path / "setup_venv.sh"
    script.write_text(script.read_text().replace("/usr/bin/python3", "python3"))

    def run(*arguments, refused="nothing", **env):
        (tmp_path / "log").write_text("")
        env = {"PATH": f"{tmp_path}/bin:/usr/bin:/bin", "REFUSED": refused, "TORCH_CPU_INDEX": "CPU", **env}
        done = subprocess.run([script, *arguments], env=env, capture_output=True, text=True)
        assert done.stdout == ""
        asked = (tmp_path / "log").read_text().replace("-m pip --disable-pip-version-check ", "").splitlines()
        return done.returncode, done.stderr, [line for line in asked if "torch" in line or "stand" in line]

    return run


ANY = "torch>=1.13,<2.16"
CPU = f"install --no-deps --timeout 10 --retries 0 --index-url CPU {ANY}"


def test_the_index_for_processors_comes_first_and_only_once(setup):
    status, said, asked = setup()
    assert (status, asked) == (0, [CPU, f"install {ANY}"]), said
    assert "no GPU here" in said and Path(".venv/stamp").exists()
    assert setup() == (0, "", [])


def test_without_it_the_default_index_gives_pytorch_without_cuda(setup):
    status, said, asked = setup(refused="--index-url")
    assert (status, asked[0], asked[1]) == (0, CPU, f"install --no-deps {ANY}"), said
    assert asked[2::2] == ["stand-ins requirements", "stand-ins libraries"] or asked[2:] == ["stand-ins requirements", "stand-ins libraries"]


def test_with_a_gpu_the_default_index_gives_all(setup):
    Path("bin/nvidia-smi").write_text("#!/bin/sh\n")
    status, said, asked = setup()
    assert (status, asked) == (0, [f"install {ANY}"]) and "5.6 GB" in said


@pytest.mark.parametrize("version, taken", [("2.4.1", True), ("1.12.0", False), ("2.16.0", False)])
def test_a_fitting_pytorch_that_is_there_is_taken(setup, version, taken):
    Path("installed/torch").mkdir()
    Path("installed/torch/__init__.py").write_text(f"__version__ = '{version}'\n")
    status, said, asked = setup()
    assert status == 0 and (asked == []) == taken, said
    assert (setup("newest", TORCH_SYSTEM="no")[2]) == [CPU.replace(ANY, "torch>=2.15,<2.16"), "install torch>=2.15,<2.16"]


def test_a_failure_is_told_and_leaves_the_old_environment(setup):
    assert setup()[0] == 0
    Path("requirements.txt").write_text("more\n")
    status, said, _ = setup(refused="-r requirements.txt")
    assert status == 1 and "installing the requirements failed: ERROR: refused" in said.splitlines()[-1]
    assert Path(".venv/stamp").exists()
    assert setup("latest")[0] == 2
