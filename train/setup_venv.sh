#!/bin/sh
# Creates or updates train/.venv with everything that the trainer needs.
#
# PyTorch is taken from the first of $PYTHON, python3 and /usr/bin/python3 that
# has it. Where none has, pip installs it: on a machine without a GPU from
# PyTorch's own index of packages for processors, if that answers within some
# seconds, else from the default index, whose packages carry gigabytes for GPUs.
# The environment is built beside the old one and swapped in when it works, and
# a stamp in it makes the next call return at once. Whatever goes wrong is one
# line on stderr and a non-zero status, and leaves the old environment alone.
set -eu
cd "$(dirname "$0")"

venv=$PWD/.venv
new=$PWD/.venv.new
log=$PWD/.venv.log
cpu_index=${TORCH_CPU_INDEX:-https://download.pytorch.org/whl/cpu}
cpu_seconds=${TORCH_CPU_SECONDS:-10} # how long that index may take to answer
devices=${TORCH_DEVICES:-/dev}
large='which with its libraries for GPUs can take 5.6 GB'
stamp=$(cat requirements.txt pyproject.toml setup_venv.sh | cksum)" ${PYTHON:-}"

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

has_torch() {
  "$1" -c 'import torch; assert tuple(map(int, torch.__version__.split(".")[:2])) >= (1, 13)' \
    >/dev/null 2>&1
}

# choose sets python and, if it brings PyTorch along, system.
choose() {
  python='' system=''
  for candidate in ${PYTHON:+"$PYTHON"} python3 /usr/bin/python3; do
    usable "$candidate" || continue
    if has_torch "$candidate"; then
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

# cpu_answers asks PyTorch's index, for so many seconds at most.
cpu_answers() {
  "$new/bin/python" -c 'import signal, sys, urllib.request
signal.alarm(int(sys.argv[2]))
urllib.request.urlopen(sys.argv[1] + "/torch/", timeout=int(sys.argv[2])).read()' \
    "$cpu_index" "$cpu_seconds" >>"$log" 2>&1
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

# install_torch installs PyTorch. From its own index only PyTorch itself is
# taken; what it needs comes from the default one.
install_torch() {
  pip() { "$new/bin/python" -m pip --disable-pip-version-check "$@"; }
  if has_gpu; then
    echo "setup_venv: installing PyTorch from the default index, $large" >&2
  elif [ "$(uname -s)" = Darwin ]; then
    echo 'setup_venv: installing PyTorch from the default index' >&2
  elif cpu_answers; then
    echo "setup_venv: no GPU here: installing PyTorch for processors from $cpu_index" >&2
    PIP_EXTRA_INDEX_URL='' told --no-deps --timeout 15 --retries 1 --index-url "$cpu_index" 'torch>=1.13' ||
      echo "setup_venv: that failed ($(last_error)): installing PyTorch from the default index, $large" >&2
  else
    echo "setup_venv: $cpu_index did not answer within $cpu_seconds seconds: installing PyTorch from the default index, $large" >&2
  fi
  told 'torch>=1.13' || fail "installing PyTorch failed: $(last_error) (all of it: $log)"
}

build() {
  choose
  rm -rf "$new"
  # shellcheck disable=SC2086 # $system is empty or one word
  step 'creating the environment' "$python" -m venv $system "$new"
  has_torch "$new/bin/python" || install_torch
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
  exec 9>.venv.lock
  flock 9
  up_to_date && exit 0
fi
: >"$log"
build
swap
