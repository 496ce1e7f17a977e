#!/bin/sh
# Creates or updates train/.venv with everything that the trainer needs; called
# with the argument oldest or newest, train/.venv-oldest or train/.venv-newest with
# that version of PyTorch, of those that the tests run with.
#
# PyTorch is taken from the first of $PYTHON, python3 and /usr/bin/python3 that
# has it. Where none has, it is installed. On a machine without a GPU these are
# tried in turn: PyTorch's own index of packages for processors, if that answers
# within some seconds; as root with apt the distribution's package; the default
# index's package without the libraries for GPUs that it needs, for which small ones
# stand in (without_cuda.py). Only where all that fails, and where there is a GPU,
# gigabytes for GPUs come from the default index. With TORCH_SYSTEM=no the system's
# PyTorch and apt are left aside.
#
# The environment is built beside the old one and swapped in when it works, and
# a stamp in it makes the next call return at once. Whatever goes wrong is one
# line on stderr and a non-zero status, and leaves the old environment alone.
set -eu
cd "$(dirname "$0")"

# The PyTorch that the trainer is tested with; requirements.txt says it too.
oldest=1.13
after=2.16 # 2.15 is the newest
case ${1:-} in
'') only='' suffix='' pytorch="torch>=$oldest,<$after" ;;
oldest) only=$oldest suffix=-oldest pytorch="torch==$oldest.*" ;;
newest) only=2.15 suffix=-newest pytorch="torch==2.15.*" ;;
*)
  echo "setup_venv: there is no PyTorch '$1' here: want oldest, newest or nothing" >&2
  exit 2
  ;;
esac

venv=$PWD/.venv$suffix
new=$venv.new
log=$venv.log
cpu_index=${TORCH_CPU_INDEX:-https://download.pytorch.org/whl/cpu}
cpu_seconds=${TORCH_CPU_SECONDS:-10} # how long that index may take to answer
devices=${TORCH_DEVICES:-/dev}
alternatives=${TORCH_ALTERNATIVES:-/etc/alternatives}
large='which with its libraries for GPUs can take 5.6 GB'
stamp=$(cat requirements.txt pyproject.toml setup_venv.sh without_cuda.py | cksum)" ${PYTHON:-}"

up_to_date() {
  [ -x "$venv/bin/python" ] && [ "$(cat "$venv/stamp" 2>/dev/null)" = "$stamp" ]
}

fail() {
  echo "setup_venv: $1" >&2
  exit 1
}

# last_error prints the log's last line that tells an error.
last_error() {
  grep -iE 'error|no space|cannot' "$log" 2>/dev/null | tail -n 1 || true
}

# step runs a command quietly; its failure ends the script with one line.
step() {
  what=$1
  shift
  "$@" >>"$log" 2>&1 || fail "$what failed: $(last_error) (all of it: $log)"
}

usable() {
  "$1" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 9))' >/dev/null 2>&1
}

# has_torch tells whether a Python has a PyTorch of the version that is wanted.
has_torch() {
  "$1" -c 'import sys, torch
has = tuple(map(int, torch.__version__.split(".")[:2]))
only, oldest = (tuple(map(int, v.split("."))) if v else None for v in sys.argv[1:])
assert has == only if only else has >= oldest' "$only" "$oldest" >/dev/null 2>&1
}

# choose sets python and, if it brings PyTorch along, system.
choose() {
  python='' system=''
  for candidate in ${PYTHON:+"$PYTHON"} python3 /usr/bin/python3; do
    usable "$candidate" || continue
    if [ "${TORCH_SYSTEM:-}" != no ] && has_torch "$candidate"; then
      python=$candidate system=--system-site-packages
      return
    fi
    [ -n "$python" ] || python=$candidate
  done
  [ -n "$python" ] || fail 'no Python 3.9 or later with the modules venv and ensurepip was found'
}

has_gpu() {
  [ -e "$devices/nvidia0" ] || { command -v nvidia-smi && nvidia-smi -L; } >/dev/null 2>&1
}

# cpu_answers asks PyTorch's index once, for so many seconds at most.
cpu_answers() {
  if [ -z "${answers:-}" ]; then
    answers=no
    "$python" -c 'import signal, sys, urllib.request
signal.alarm(int(sys.argv[2]))
urllib.request.urlopen(sys.argv[1] + "/torch/", timeout=int(sys.argv[2])).read()' \
      "$cpu_index" "$cpu_seconds" >>"$log" 2>&1 && answers=yes
  fi
  [ "$answers" = yes ]
}

# installed_by_apt installs the distribution's PyTorch where that is the smallest way:
# as root, without a GPU, and without an answer from PyTorch's index.
installed_by_apt() {
  [ "${TORCH_SYSTEM:-}" != no ] && ! has_gpu && [ "$(uname -s)" = Linux ] || return 1
  [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 || return 1
  ! cpu_answers || return 1
  echo 'setup_venv: no GPU here: installing the PyTorch of the distribution with apt-get' >&2
  {
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
      apt-get install -y -qq --no-install-recommends python3 python3-venv python3-torch python3-numpy "$blas"
  } >>"$log" 2>&1 </dev/null && return
  echo "setup_venv: that failed ($(last_error))" >&2
  return 1
}

# The distribution's PyTorch multiplies matrices by the BLAS that the system has. Beside
# the reference BLAS, which it comes with, this one makes a line network's training
# several times as fast.
blas=libopenblas0-openmp

# reference_blas tells whether a Python's PyTorch has none but the reference BLAS.
reference_blas() {
  "$1" -c 'import glob, os, sys, torch
assert "BLAS_INFO=generic" in torch.__config__.show()
taken = [os.path.realpath(name) for name in glob.glob(os.path.join(sys.argv[1], "libblas.so.3*"))]
assert taken and all(os.path.basename(os.path.dirname(path)) == "blas" for path in taken)' "$alternatives" >/dev/null 2>&1
}

# faster_blas sees to a fast BLAS for the system's PyTorch, or says what is missing.
faster_blas() {
  reference_blas "$python" || return 0
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "setup_venv: installing $blas with apt-get, since PyTorch is slow with the BLAS that is there" >&2
    {
      apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$blas"
    } >>"$log" 2>&1 </dev/null && return
    echo "setup_venv: that failed ($(last_error))" >&2
  fi
  echo "setup_venv: PyTorch is slow with the reference BLAS: install $blas, or set TORCH_SYSTEM=no" >&2
}

# tell keeps pip's lines and repeats those that name a download and its size.
tell() {
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    case $line in
    *.metadata*) ;;
    *Downloading*) echo "setup_venv: downloading ${line#*Downloading }" >&2 ;;
    esac
  done
}

# told runs pip install and tells its downloads. Its status stands in a file,
# since that of a pipe is the last command's.
told() {
  { pip install --progress-bar off "$@" 2>&1 && : >"$new/told"; } | tell
  rm "$new/told" 2>/dev/null
}

# works tells whether the new environment's PyTorch can be loaded and computes.
works() {
  "$new/bin/python" -c 'import torch
assert not torch.cuda.is_available()
assert torch.nn.Linear(2, 3)(torch.ones(4, 2)).shape == (4, 3)' >>"$log" 2>&1
}

# without_cuda installs the default index's PyTorch with what it needs beside the
# libraries for GPUs, for which others stand in.
without_cuda() {
  command -v cc >/dev/null 2>&1 && command -v readelf >/dev/null 2>&1 || return 1
  echo 'setup_venv: no GPU here: installing PyTorch from the default index without its libraries for GPUs' >&2
  told --no-deps "$pytorch" || return 1
  needed=$("$new/bin/python" -c 'import importlib.metadata, re
for r in importlib.metadata.requires("torch") or []:
    if "extra ==" not in r and not re.match("nvidia|cuda|triton|pytorch-triton", r):
        print(r)' 2>>"$log") || return 1
  set --
  while IFS= read -r requirement; do
    [ -z "$requirement" ] || set -- "$@" "$requirement"
  done <<EOF
$needed
EOF
  [ $# = 0 ] || told "$@" || return 1
  libraries=$("$new/bin/python" -c 'import importlib.util, os
print(os.path.join(importlib.util.find_spec("torch").submodule_search_locations[0], "lib"))' 2>>"$log") || return 1
  [ ! -d "$libraries" ] || "$new/bin/python" without_cuda.py "$libraries" >>"$log" 2>&1 || return 1
  works
}

# install_torch installs PyTorch. From its own index only PyTorch itself is
# taken; what it needs comes from the default one.
install_torch() {
  pip() { "$new/bin/python" -m pip --disable-pip-version-check "$@"; }
  if has_gpu; then
    echo "setup_venv: installing PyTorch from the default index, $large" >&2
  elif [ "$(uname -s)" = Darwin ]; then
    echo 'setup_venv: installing PyTorch from the default index' >&2
  else
    if cpu_answers; then
      echo "setup_venv: no GPU here: installing PyTorch for processors from $cpu_index" >&2
      PIP_EXTRA_INDEX_URL='' told --no-deps --timeout 15 --retries 1 --index-url "$cpu_index" "$pytorch" && told "$pytorch" && return
      echo "setup_venv: that failed ($(last_error))" >&2
    else
      echo "setup_venv: $cpu_index did not answer within $cpu_seconds seconds" >&2
    fi
    without_cuda && return
    echo "setup_venv: that failed ($(last_error)): installing PyTorch from the default index, $large" >&2
    "$new/bin/python" -c 'import importlib.util, shutil
spec = importlib.util.find_spec("torch")
spec and shutil.rmtree(spec.submodule_search_locations[0])' >>"$log" 2>&1 || true
    told --force-reinstall "$pytorch" && return
    fail "installing PyTorch failed: $(last_error) (all of it: $log)"
  fi
  told "$pytorch" || fail "installing PyTorch failed: $(last_error) (all of it: $log)"
}

build() {
  choose
  [ -n "$system" ] || ! installed_by_apt || choose
  [ -z "$system" ] || faster_blas
  rm -rf "$new"
  # shellcheck disable=SC2086 # $system is empty or one word
  step 'creating the environment' "$python" -m venv $system "$new"
  [ -n "$system" ] || install_torch
  pip() { "$new/bin/python" -m pip --disable-pip-version-check --quiet "$@"; }
  numpy=$("$new/bin/python" -c 'import torch
old = tuple(map(int, torch.__version__.split(".")[:2])) < (2, 3)
print("numpy>=1.23,<2" if old else "numpy>=1.23")' 2>>"$log") || fail 'PyTorch does not work'
  step 'installing the requirements' pip install -r requirements.txt "$numpy"
  step 'installing the trainer' pip install --no-deps --editable .
  step 'trying it out' "$new/bin/python" -c 'import pytest
from carozero_train import cli, export, trainer'
}

# swap puts the new environment in the old one's place. Scripts in bin name
# their interpreter by its path, so that is changed first.
swap() {
  for file in "$new"/bin/* "$new/pyvenv.cfg"; do
    [ ! -L "$file" ] || continue
    if grep -qIF "$new" "$file"; then
      sed "s|$new|$venv|g" "$file" >"$new/edited" && cat "$new/edited" >"$file"
    fi
  done
  rm -f "$new/edited"
  echo "$stamp" >"$new/stamp"
  rm -rf "$venv.old"
  [ ! -e "$venv" ] || mv "$venv" "$venv.old"
  mv "$new" "$venv"
  rm -rf "$venv.old" "$log"
}

up_to_date && exit 0
if command -v flock >/dev/null 2>&1; then
  exec 9>"$venv.lock"
  flock 9
  up_to_date && exit 0
fi
: >"$log"
build
swap
