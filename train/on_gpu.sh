#!/bin/sh
# Trains a network on a GPU while the machine's cores play the games that it learns from,
# then exports it in float32 and float16 and verifies both. It needs nobody: cut off at any
# moment, it continues where it was, also on another machine to which OUT was carried, to the
# same path. All of OUT but OUT/net/checkpoint.pt is in files of at most 16 MiB; that one is
# OUT/state too, in parts, and at most ROUND minutes older there.
#
#   train/on_gpu.sh MINUTES [OUT]
#
# MINUTES are those of the training, and OUT is runs/gpu by default. Games come from games.sh,
# whose variables hold, but that PLAYERS is mcts by default.
#
#   CAROZERO=FILE   the program (bin/carozero)
#   PYTHON=FILE     Python with the trainer (train/.venv/bin/python)
#   SIZE=NAME       the network (b10c128)
#   OPTIONS=LIST    further options of train, such as "--init-from models/taught9-b4c64.pt"
#   ROUND=MINUTES   of training, after which it takes up new games and renews OUT/state (10)
#   PROVIDER=NAME   by which the networks are verified in the end (cpu)
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
program=${CAROZERO:-$root/bin/carozero} python=${PYTHON:-$root/train/.venv/bin/python}
case $python in /*) ;; */*) python=$PWD/$python ;; esac
minutes=${1:-} out=${2:-runs/gpu} round=${ROUND:-10}
case $minutes:$round in :* | *: | *[!0-9.:]*) echo "on_gpu.sh: want MINUTES, and ROUND=MINUTES, as numbers" >&2 && exit 2 ;; esac
command -v "$program" >/dev/null 2>&1 || { echo "on_gpu.sh: there is no program at $program: run make build" >&2 && exit 2; }
mkdir -p "$out/net" "$out/state"
exec 9>"$out/lock"
flock -n 9 || { echo "on_gpu.sh: waits for what another one has begun in $out, a round at most" >&2 && flock 9; }

trainer() { PYTHONPATH="$root/train" "$python" -m carozero_train "$@"; }

# A copy of the checkpoint is a folder OUT/state/NUMBER: parts, and last their digest.
intact() { [ -e "$1/sha256" ] && [ "$(cat "$1"/part.* | sha256sum)" = "$(cat "$1/sha256")" ]; }

keep() {
	last=$(ls "$out/state" | sort -n | tail -n 1)
	new=$out/state/$((${last:-0} + 1))
	mkdir "$new"
	split -b 16m "$out/net/checkpoint.pt" "$new/part."
	cat "$new"/part.* | sha256sum >"$new/sha256.new"
	mv "$new/sha256.new" "$new/sha256"
	for old in "$out/state"/*; do [ "$old" = "$new" ] || rm -r "$old"; done
}

recall() {
	for number in $(ls "$out/state" | sort -rn); do
		intact "$out/state/$number" || continue
		cat "$out/state/$number"/part.* >"$out/net/checkpoint.new"
		mv "$out/net/checkpoint.new" "$out/net/checkpoint.pt"
		return
	done
}

# finished PATTERN prints the runs that have shards.
finished() {
	for manifest in "$out/games"/$1/manifest.jsonl; do
		if [ -s "$manifest" ]; then echo "${manifest%/*}"; fi
	done
}

# learn trains for a round; the status is that of the trainer, or 124 if the round is over.
learn() {
	runs=$(finished '[0-9]*-*')
	if [ -e "$out/net/checkpoint.pt" ]; then
		set -- --resume --grow --minutes "$minutes"
	else
		# shellcheck disable=SC2086 # a list of options
		set -- --size "${SIZE:-b10c128}" --minutes "$minutes" ${OPTIONS:-}
	fi
	# shellcheck disable=SC2086 # a list of runs
	PYTHONPATH="$root/train" timeout "${round}m" "$python" -m carozero_train train $runs --out "$out/net" "$@" 2>>"$out/log"
}

[ -e "$out/net/checkpoint.pt" ] || recall
while [ ! -e "$out/trained" ]; do
	# Each round has its player, so that none outlives a cut for long; timeout ends all of it.
	CAROZERO=$program PLAYERS=${PLAYERS:-mcts} POSITIONS=${POSITIONS:-1000000000} \
		timeout "${round}m" "$root/train/games.sh" "$out/games" >>"$out/log" 2>&1 &
	player=$!
	trap 'kill $player 2>/dev/null || :' EXIT
	trap 'exit 1' INT TERM
	while [ -z "$(finished '[0-9]*-*')" ] && kill -0 $player 2>/dev/null; do sleep 1; done
	status=124
	[ -z "$(finished '[0-9]*-*')" ] || { status=0 && learn || status=$?; }
	if [ $status -ne 124 ] || ! kill -0 $player 2>/dev/null; then kill $player 2>/dev/null || :; fi
	wait $player 2>/dev/null || played=$?
	case $status:${played:-0} in
	0:*) [ -e "$out/net/checkpoint.pt" ] && keep && : >"$out/trained" ;;
	124:0 | 124:124 | 124:143) [ ! -e "$out/net/checkpoint.pt" ] || keep ;;
	*) echo "on_gpu.sh: $(tail -n 1 "$out/log") (all of it: $out/log)" >&2 && exit 1 ;;
	esac
done

trainer export "$out/net/checkpoint.pt" --out "$out/net.onnx"
# shellcheck disable=SC2046 # a list of runs
trainer export "$out/net.onnx" $(finished '*') --precision float16 --out "$out/net-fp16.onnx"
"$program" models verify "$out/net.onnx" "$out/net-fp16.onnx" --provider "${PROVIDER:-cpu}"
