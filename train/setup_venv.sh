#!/bin/sh
# Creates or updates train/.venv with everything that the trainer needs.
#
# PyTorch is taken from the first of $PYTHON, python3 and /usr/bin/python3 that
# has it; where none has, it is installed by pip, which downloads gigabytes.
# The environment is built beside the old one and swapped in when it works, and
# a stamp in it makes the next call return at once. Whatever goes wrong is one
# line on stderr and a non-zero status, and leaves the old environment alone.
set -eu
cd "$(dirname "$0")"

venv=$PWD/.venv
new=$PWD/.venv.new
log=$PWD/.venv.log
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

build() {
  choose
  rm -rf "$new"
  # shellcheck disable=SC2086 # $system is empty or one word
  step 'creating the environment' "$python" -m venv $system "$new"
  pip() { "$new/bin/python" -m pip --disable-pip-version-check --quiet "$@"; }
  if ! has_torch "$new/bin/python"; then
    echo 'setup_venv: installing PyTorch, which takes a while' >&2
    step 'installing PyTorch' pip install 'torch>=1.13'
  fi
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
