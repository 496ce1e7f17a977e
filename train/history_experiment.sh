#!/bin/bash
# Measures what the planes of the last three boards are worth to a network: games of the
# classical search on 13x13 caro, two networks of the same size trained on the same rows for
# the same number of steps, one with these planes (--history) and one without, and a match
# between the two.
#
#   train/history_experiment.sh [OUT]
#
# All of its state is in OUT (runs/history): killed at any moment and started again it goes
# on where it was, and the games, the networks and the match are what they would have been.
# results.txt has the losses on the games held out, for each seed of a training, and the
# match of the networks of the first one.
#
# CAROZERO names the program (bin/carozero), PYTHON the trainer's (train/.venv/bin/python),
# SIZE the shape of the networks (caro13), RUNS how many runs of 500 games, some 26,000
# positions each, are played (2), NODES the budget of a move of theirs (2000), STEPS those
# of a training, of 128 rows each (640), SEEDS the seeds of the trainings (1), GAMES and
# PLAYOUTS those of the match (200, 400), WORKERS the goroutines and threads (1), ONLY what
# to do: games, plain, history or match (all).
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
program=$(realpath "${CAROZERO:-$here/bin/carozero}")
python=${PYTHON:-$here/train/.venv/bin/python}
case $python in /*) ;; */*) python=$PWD/$python ;; esac
out=$(mkdir -p "${1:-runs/history}" && cd "${1:-runs/history}" && pwd)
size=${SIZE:-caro13} runs=${RUNS:-2} nodes=${NODES:-2000} steps=${STEPS:-640} seeds=${SEEDS:-1}
games=${GAMES:-200} playouts=${PLAYOUTS:-400} workers=${WORKERS:-1} only=${ONLY:-games plain history match}
board="--rule caro --size 13"

# failed WHAT: ends with the last line of the log.
failed() {
	echo "history_experiment.sh: $1 failed: $(tail -n 1 "$out/log")" >&2
	exit 1
}

# play: the games, in runs of 500 whose numbers are their seeds.
play() {
	for number in $(seq "$runs"); do
		run=$out/games/$number resume=
		[ -e "$run/done" ] && continue
		[ -e "$run/run.json" ] && resume=--resume
		"$program" selfplay --player "alphabeta:nodes=$nodes" --lines 3 $board --games 500 --games-per-shard 100 \
			--seed "$number" --opening-min 1 --opening-max 9 --opening-balance 0.35 --max-plies 84 \
			--workers "$workers" --out "$run" $resume >>"$out/log" 2>&1 || failed "selfplay into $run"
		: >"$run/done"
	done
}

# net VARIANT SEED: trains a network on the games and exports it.
net() {
	dir=$out/$1-$2 flag=
	[ "$1" = history ] && flag=--history
	[ -e "$dir/net.onnx" ] && return 0
	cd "$here/train"
	if [ -e "$dir/checkpoint.pt" ]; then
		"$python" -m carozero_train train --out "$dir" --resume >>"$out/log" 2>&1 || failed "training in $dir"
	else
		# shellcheck disable=SC2046
		"$python" -m carozero_train train $(seq -f "$out/games/%g" "$runs") --out "$dir" --size "$size" $flag \
			--batch 128 --steps "$steps" --seed "$2" --val-fraction 0.1 --val-every $((steps / 4)) --save-minutes 1 \
			--threads "$workers" --precision bfloat16 --memory-format channels_last >>"$out/log" 2>&1 || failed "training in $dir"
	fi
	"$python" -m carozero_train export "$dir/checkpoint.pt" --out "$dir/net.new.onnx" --average >>"$out/log" 2>&1 || failed "export of $dir"
	mv "$dir/net.new.onnx" "$dir/net.onnx"
	rm -f "$dir/net.new.onnx.sha256"
	cd "$out"
}

# match: the network with history against the one without.
match() {
	first=${seeds%% *}
	[ -e "$out/match.json" ] && return 0
	"$program" match $board --a "mcts:playouts=$playouts,model=$out/history-$first/net.onnx" \
		--b "mcts:playouts=$playouts,model=$out/plain-$first/net.onnx" --games "$games" --workers "$workers" \
		--seed 1 --journal "$out/match.journal" --json 2>>"$out/log" >"$out/match.new" || failed "the match"
	mv "$out/match.new" "$out/match.json"
}

# results: a line for each training that is done, and one for the match.
results() {
	"$python" - "$out" <<'PY'
import json, pathlib, sys
out = pathlib.Path(sys.argv[1])
for net in sorted(out.glob("*/net.onnx")):
    rows = [json.loads(line) for line in open(net.parent / "metrics.jsonl")]
    last = [row for row in rows if row["kind"] == "val"][-1]
    figures = "  ".join(f"{k} {last[k]:.4f}" for k in ("policy_loss", "value_loss", "outcome_loss", "brier"))
    print(f"{net.parent.name:12} step {last['step']}  {figures}")
if (out / "match.json").exists():
    m = json.load(open(out / "match.json"))
    print(f"match        +{m['a_wins']} ={m['draws']} -{m['b_wins']}  Elo {m['elo']:+.0f} +- {m['elo_error']:.0f}")
PY
}

for part in $only; do
	case $part in
	games) play ;;
	plain | history) for seed in $seeds; do net "$part" "$seed"; done ;;
	match) match ;;
	*) echo "history_experiment.sh: $part: want games, plain, history or match" >&2 && exit 2 ;;
	esac
done
results >"$out/results.tmp"
mv "$out/results.tmp" "$out/results.txt"
cat "$out/results.txt"
