#!/bin/sh
# Creates or updates train/.venv with everything that the trainer needs; with the argument
# oldest or newest, train/.venv-oldest or train/.venv-newest with that PyTorch.
#
# PyTorch is the one of $PYTHON, python3 or /usr/bin/python3, unless TORCH_SYSTEM=no. If
# none has one, it is installed: from PyTorch's index of packages for processors
# ($TORCH_CPU_INDEX names another); if that has none, from the default index without
# CUDA's libraries, for which without_cuda.py makes stand-ins; where there is a GPU, from
# the default index with them.
#
# The environment is built beside the old one and swapped in when it works; a stamp in it
# makes the next call return at once. A failure is one line on stderr, and leaves the old
# environment alone.
set -eu
cd "$(dirname "$0")"

low=1.13 high=2.16 suffix='' # the trainer is tested with 1.13 and 2.15
say() { echo "setup_venv: $*" >&2; }
case ${1:-} in
'') ;;
oldest) high=1.14 suffix=-oldest ;;
newest) low=2.15 suffix=-newest ;;
*) say "there is no PyTorch '$1' here: want oldest, newest or nothing" && exit 2 ;;
esac
pytorch="torch>=$low,<$high" venv=$PWD/.venv$suffix
new=$venv.new log=$venv.log
cpu_index=${TORCH_CPU_INDEX:-https://download.pytorch.org/whl/cpu}
stamp=$(cat requirements.txt pyproject.toml setup_venv.sh without_cuda.py | cksum)" ${PYTHON:-}"

up_to_date() { [ -x "$venv/bin/python" ] && [ "$(cat "$venv/stamp" 2>/dev/null)" = "$stamp" ]; }

logged() { "$@" >>"$log" 2>&1 </dev/null; }

# step NAME COMMAND...: its failure ends the script.
step() {
  what=$1
  shift
  logged "$@" && return
  say "$what failed: $(grep -iE 'error|no space|cannot' "$log" | tail -n 1) (all of it: $log)"
  exit 1
}

# probe PYTHON [torch]: whether it can make environments, or whether it has a PyTorch that fits.
probe() {
  "$1" -c 'import sys, venv, ensurepip
if sys.argv[1:2] == ["torch"]:
  import torch
  version, low, high = (tuple(map(int, v.split(".")[:2])) for v in (torch.__version__, *sys.argv[2:]))
  sys.exit(not low <= version < high)
sys.exit(sys.version_info < (3, 9))' ${2:-} "$low" "$high" >/dev/null 2>&1
}

# choose sets python and, if it has PyTorch, system.
choose() {
  python='' system=''
  for candidate in ${PYTHON:+"$PYTHON"} python3 /usr/bin/python3; do
    probe "$candidate" || continue
    if [ "${TORCH_SYSTEM:-}" != no ] && probe "$candidate" torch; then
      python=$candidate system=--system-site-packages
      return
    fi
    [ -n "$python" ] || python=$candidate
  done
  [ -n "$python" ] || { say 'want Python 3.9 or later with the modules venv and ensurepip'; exit 1; }
}

pip() { "$new/bin/python" -m pip --disable-pip-version-check "$@"; }

stand_ins() {
  "$new/bin/python" without_cuda.py requirements >"$new/needed" &&
    pip install -r "$new/needed" && "$new/bin/python" without_cuda.py libraries
}

install_torch() {
  if { command -v nvidia-smi && nvidia-smi -L; } >/dev/null 2>&1 || [ "$(uname -s)" != Linux ]; then
    say 'installing PyTorch from the default index; with its libraries for GPUs it can take 5.6 GB'
    step 'installing PyTorch' pip install "$pytorch"
    return
  fi
  say "no GPU here: installing PyTorch for processors from $cpu_index"
  PIP_EXTRA_INDEX_URL='' logged pip install --no-deps --timeout 10 --retries 0 --index-url "$cpu_index" "$pytorch" &&
    logged pip install "$pytorch" && return
  say 'that failed: installing PyTorch from the default index, with stand-ins for its libraries for GPUs'
  step 'installing PyTorch' pip install --no-deps "$pytorch"
  step 'making stand-ins' stand_ins
}

up_to_date && exit 0
if command -v flock >/dev/null 2>&1; then
  exec 9>"$venv.lock"
  flock 9
  up_to_date && exit 0
fi
: >"$log"
choose
rm -rf "$new"
# shellcheck disable=SC2086 # $system is empty or one word
step 'creating the environment' "$python" -m venv $system "$new"
[ -n "$system" ] || install_torch
numpy='numpy>=1.23'
"$new/bin/python" -c 'import sys, torch
sys.exit(tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 3))' 2>>"$log" && numpy='numpy>=1.23,<2'
step 'installing the requirements' pip install -r requirements.txt "$numpy"
step 'installing the trainer' pip install --no-deps --editable .
step 'trying it out' "$new/bin/python" -c 'import pytest; from carozero_train import cli, export, trainer'

# The new environment takes the old one's place. Scripts in bin name their interpreter by its
# path, so that is changed first.
grep -lIF "$new" "$new"/bin/* "$new/pyvenv.cfg" | while IFS= read -r file; do
  [ -L "$file" ] || { sed "s|$new|$venv|g" "$file" >"$new/edited" && cat "$new/edited" >"$file"; }
done
echo "$stamp" >"$new/stamp"
rm -rf "$venv.old" "$new/edited"
[ ! -e "$venv" ] || mv "$venv" "$venv.old"
mv "$new" "$venv"
rm -rf "$venv.old" "$log"
