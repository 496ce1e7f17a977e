#!/bin/bash
# Measures what the options of self-play's targets are worth by what a small network
# learns from them: freestyle on 9x9. Every variant plays for the same processor time
# with the same network, a small one is trained on each one's games for the same number
# of steps, and each of those plays a match against the one of the plain games.
#
#   train/targets_experiment.sh [OUT]
#
# All of its state is in OUT (runs/targets): killed at any moment and started again it
# goes on where it was. The games, the networks and the matches are what they would
# have been; how many games a variant gets depends on the machine. results.txt has a
# line for each variant that is measured.
#
# CAROZERO names the program (bin/carozero), PYTHON the trainer's (train/.venv/bin/python),
# SIZE the shape of the networks (line16), START the network that plays (by default one
# that is trained first, on games of the classical search), SECONDS_EACH the processor
# time of a variant's games (3600), STEPS, GAMES and PLAYOUTS those of a training and a
# match (3000, 200, 64), CHUNK the games of a run (64; even), WORKERS its workers (1),
# VARIANTS which ones (all).
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
program=$(realpath "${CAROZERO:-$here/bin/carozero}")
python=${PYTHON:-$here/train/.venv/bin/python}
case $python in /*) ;; */*) python=$PWD/$python ;; esac
out=$(mkdir -p "${1:-runs/targets}" && cd "${1:-runs/targets}" && pwd)
each=${SECONDS_EACH:-3600} steps=${STEPS:-3000} games=${GAMES:-200} playouts=${PLAYOUTS:-64}
chunk=${CHUNK:-64} workers=${WORKERS:-1} size=${SIZE:-line16}
case $size in line*) kind=line ;; *) kind=onnx ;; esac
board="--rule freestyle --size 9"

# What each variant adds to the plain games of 64 playouts. Sequential halving is for
# fewer, so it has a plain variant of its own to be read beside it.
options() {
	case $1 in
	plain) ;;
	plain32) echo "--playouts 32" ;;
	forced) echo "--forced-playouts 2" ;;
	gumbel32) echo "--gumbel 16 --playouts 32" ;;
	gumbel16) echo "--gumbel 8 --playouts 16" ;;
	surprise) echo "--surprise-weight 0.5" ;;
	forks) echo "--fork-share 0.5" ;;
	resign) echo "--resign 0.9 --resign-audit 0.1" ;;
	all) echo "--forced-playouts 2 --surprise-weight 0.5 --fork-share 0.5 --resign 0.9 --resign-audit 0.1" ;;
	*) echo "targets_experiment.sh: $1: no such variant" >&2 && return 1 ;;
	esac
}
variants=${VARIANTS:-plain plain32 forced gumbel32 gumbel16 surprise forks resign all}
case " $variants " in *" plain "*) ;; *) variants="plain $variants" ;; esac

# whole FILE COMMAND...: makes FILE of what the command prints, as a whole.
whole() {
	file=$1
	shift
	"$@" >"$file.tmp"
	mv "$file.tmp" "$file"
}

# failed WHAT: ends with the last line of the log.
failed() {
	echo "targets_experiment.sh: $1 failed: $(tail -n 1 "$out/log")" >&2
	exit 1
}

# net DIR NAME RUN...: trains a network on runs and exports it as NAME.
net() {
	dir=$1 name=$2
	shift 2
	[ -e "$name" ] && return 0
	cd "$here/train"
	if [ -e "$dir/checkpoint.pt" ]; then
		"$python" -m carozero_train train --out "$dir" --resume >>"$out/log" 2>&1 || failed "training in $dir"
	else
		rm -rf "$dir"
		"$python" -m carozero_train train "$@" --out "$dir" --size "$size" --batch 128 --steps "$steps" --seed 1 >>"$out/log" 2>&1 || failed "training in $dir"
	fi
	"$python" -m carozero_train export "$dir/checkpoint.pt" --out "$dir/net.$kind" --sizes 9 >>"$out/log" 2>&1 || failed "export of $dir"
	mv "$dir/net.$kind.sha256" "$name.sha256"
	mv "$dir/net.$kind" "$name"
	cd "$out"
}

# begin: the network that plays in all variants.
begin() {
	start=${START:-}
	[ -n "$start" ] && start=$(realpath "$start") && return 0
	start=$out/start.$kind
	[ -e "$start" ] && return 0
	dir=$out/teacher resume=
	[ -e "$dir/run.json" ] && resume=--resume
	"$program" selfplay --player alphabeta:nodes=500 $board --games 1000 --opening-max 8 --opening-balance 1 \
		--stop-at-proof --workers "$workers" --out "$dir" $resume >>"$out/log" 2>&1 || failed "selfplay into $dir"
	net "$out/start" "$start" "$dir"
}

# spent VARIANT: the processor time of its finished runs, in seconds.
spent() { cat "$out/$1"/*/cpu 2>/dev/null | awk '{ sum += $1 } END { printf "%.2f", sum }'; }

# play VARIANT: plays runs until the processor time is spent. A run that was cut short
# is played anew, since nobody knows what its first part took.
play() {
	mkdir -p "$out/$1"
	number=0
	TIMEFORMAT='%U %S'
	while awk "BEGIN { exit !($(spent "$1") < $each) }"; do
		number=$((number + 1))
		run=$out/$1/$number
		[ -e "$run/cpu" ] && continue
		rm -rf "$run"
		# shellcheck disable=SC2046
		taken=$({ time "$program" selfplay $board --model "$start" --playouts 64 --games "$chunk" --games-per-shard "$chunk" \
			--seed "$number" --workers "$workers" --out "$run" $(options "$1") >>"$out/log" 2>"$out/errors"; } 2>&1) || {
			cat "$out/errors" >&2
			return 1
		}
		echo "$taken" | awk '{ print $1 + $2 }' >"$run/cpu.tmp"
		mv "$run/cpu.tmp" "$run/cpu"
	done
}

# measure VARIANT: its match against the plain one, and its line.
measure() {
	journal=$out/$1.journal result=$out/$1.json
	if [ "$1" != plain ] && [ ! -e "$result" ]; then
		whole "$result" "$program" match $board --a "mcts:playouts=$playouts,model=$out/$1.$kind" --b "mcts:playouts=$playouts,model=$out/plain.$kind" \
			--games "$games" --workers "$workers" --journal "$journal" --json 2>>"$out/log"
	fi
	whole "$out/$1.samples" "$program" samples inspect --json $(ls -d "$out/$1"/*/ | sort -V)
	"$python" - "$1" "$(spent "$1")" "$out/$1.samples" "$result" <<'PY'
import json, os, sys
name, cpu, samples, result = sys.argv[1:]
s = json.load(open(samples))["total"]
line = f"{name:10} {float(cpu):8.0f} s {s['games']:6} games {s['rows']:8} rows"
if s.get("audited"):
    line += f"  audit: {s.get('false_resigns', 0)} false of {s.get('would_resign', 0)} in {s['audited']} games"
if os.path.exists(result):
    m = json.load(open(result))
    line += f"  +{m['a_wins']} ={m['draws']} -{m['b_wins']}  Elo {m['elo']:+.0f} +- {m['elo_error']:.0f}"
print(line)
PY
}

cd "$out"
exec 9>"$out/lock"
# What a killed one has begun goes on by itself until it is done.
flock -n 9 || { echo "targets_experiment.sh: $out: waiting for what another one has begun" >&2 && flock 9; }
for variant in $variants; do options "$variant" >/dev/null; done
begin
for variant in $variants; do play "$variant"; done
for variant in $variants; do net "$out/$variant-net" "$out/$variant.$kind" $(ls -d "$out/$variant"/*/ | sort -V); done
for variant in $variants; do measure "$variant"; done >"$out/results.tmp"
mv "$out/results.tmp" "$out/results.txt"
cat "$out/results.txt"
