#!/bin/sh
# Makes the next networks to ship with the program: plays the games that they learn from,
# trains, exports and quantises. It needs nobody: killed at any moment it goes on where
# it was when it is started again. The networks start from the weights in models/. The
# files come to OUT/models. A core plays some 300,000 positions an hour, 55 MB a million, and
# trains a line network on 3,000 rows a second, a residual one on 400.
#
#   train/nets.sh [OUT]
#
# OUT is runs/nets by default; the games lie in OUT/games, or where GAMES says.
#
#   CAROZERO=FILE   the program (bin/carozero)
#   PYTHON=FILE     Python with the trainer (train/.venv/bin/python)
#   GAMES=DIR       games of train/games.sh, whose variables hold; those that are missing are played
#   THREADS=N       threads of a training (1: one core each)
#   SCHOOL42=N      games of school42 that its network learns from, beside those in
#                   GAMES: so many by the fitted evaluation, then six tenths of that by
#                   the network that learned from those (10000)
#   ONLY=LIST       of "games line freestyle school42 residual", those that are made (all)
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
program=${CAROZERO:-$root/bin/carozero}
python=${PYTHON:-$root/train/.venv/bin/python}
case $python in /*) ;; */*) python=$PWD/$python ;; esac
out=${1:-runs/nets}
games=${GAMES:-$out/games} threads=${THREADS:-1} school42=${SCHOOL42:-10000}
all="games line freestyle school42 residual"

usage() {
	echo "nets.sh: $*" >&2
	exit 2
}

[ -x "$program" ] || usage "there is no program at $program: run make build, or say where with CAROZERO=FILE"
"$python" -c 'import carozero_train.cli' 2>/dev/null ||
	usage "there is no trainer in $python: run train/setup_venv.sh, or say where with PYTHON=FILE"
for word in ${ONLY:-$all}; do
	case " $all " in *" $word "*) ;; *) usage "ONLY=$ONLY: want some of $all" ;; esac
done
case $games in *[[:space:]]*) usage "the games are in $games: want a path without spaces" ;; esac
mkdir -p "$out/models"

# wanted NAME: whether it is to be made; finished NAME: it has been made.
wanted() { case " ${ONLY:-$all} " in *" $1 "*) [ ! -e "$out/$1/done" ] ;; *) false ;; esac }
finished() { mkdir -p "$out/$1" && : >"$out/$1/done"; }

if wanted games; then
	CAROZERO=$program "$root/train/games.sh" "$games"
	finished games
fi

# Runs that are held out have names that begin with a letter.
runs="$games/[0-9]*-*/"

# train NAME RUNS OPTIONS...: a training in OUT/NAME, resumed where it has begun.
train() {
	dir=$out/$1 of=$2
	shift 2
	if [ -e "$dir/checkpoint.pt" ]; then
		"$python" -m carozero_train train --out "$dir" --resume
	else
		# shellcheck disable=SC2086 # a list of patterns
		"$python" -m carozero_train train $of --out "$dir" --threads "$threads" --q-share 0.4 "$@"
	fi
}

train_line() { train "$@" --size line16 --batch 512 --weight-decay 1e-4; }

# export_net NAME FILE OPTIONS...: the network of OUT/NAME.
export_net() {
	from=$out/$1/checkpoint.pt to=$2
	shift 2
	"$python" -m carozero_train export "$from" --out "$to" "$@"
}

if wanted line; then
	train_line line "$runs" --lr 0.002 --samples 20000000 --seed 21 --init-from "$root/models/taught7-line16.pt"
	export_net line "$out/models/line16.line" --sizes 9-20 --rules all --temperature 1.5
	export_net line "$out/models/line16.pt"
	finished line
fi

if wanted freestyle; then
	[ -e "$out/line/checkpoint.pt" ] || usage "freestyle follows line: there is no $out/line/checkpoint.pt"
	train_line freestyle "$games/[0-9]*-freestyle-*/" --lr 0.0015 --samples 2000000 --seed 22 \
		--init-from "$out/line/checkpoint.pt"
	export_net freestyle "$out/models/line16-freestyle.line" --sizes 9-20 --rules freestyle --temperature 1.5
	finished freestyle
fi

# school42 PART FIRST GAMES PLAYER...: games of school42 in OUT/school42/PART, on 15x15 and
# 19x19, with one scored move and with three, in runs of 500 whose seeds begin with FIRST.
school42() {
	part=$out/school42/$1 seed=$2 left=$3
	shift 3
	mkdir -p "$part"
	while [ "$left" -gt 0 ]; do
		for board in 15-1 15-3 19-3 19-1; do
			dir=$part/$seed-$board size=${board%-*} lines=${board#*-} resume=
			[ -e "$dir/done" ] && continue
			[ -e "$dir/run.json" ] && resume=--resume
			balance=0.35
			[ "$lines" -eq 3 ] && balance=0.8
			"$program" selfplay --player "$1" --lines "$lines" --rule school42 --size "$size" --games 500 --games-per-shard 250 \
				--seed "$seed" --opening-min 1 --opening-max 9 --opening-balance "$balance" --max-plies $((size * size / 2)) \
				--workers "$threads" --out "$dir" $resume
			: >"$dir/done"
		done
		seed=$((seed + 1)) left=$((left - 2000))
	done
}

if wanted school42; then
	theirs="$games/[0-9]*-school42-*/ $out/school42/fitted/*/" judge=$out/school42/first/net.line
	file="--sizes 15-20 --rules school42 --temperature 1.5"
	school42 fitted 1001 "$school42" alphabeta:nodes=2000,net=none
	train_line school42/first "$theirs" --lr 0.0015 --samples 2000000 --seed 26 --init-from "$root/models/taught7-line16.pt"
	# shellcheck disable=SC2086 # lists of words
	[ -e "$judge" ] || export_net school42/first "$judge" $file
	school42 judged 2001 "$((school42 * 6 / 10))" "alphabeta:nodes=2000,net=$judge"
	train_line school42/second "$theirs $out/school42/judged/*/" --lr 0.0015 --samples 2500000 --seed 27 \
		--init-from "$out/school42/first/checkpoint.pt"
	# shellcheck disable=SC2086
	export_net school42/second "$out/models/line16-school42.line" $file
	finished school42
fi

if wanted residual; then
	train residual "$runs" --size b4c64 --samples 8000000 --seed 23 --init-from "$root/models/taught9-b4c64.pt"
	export_net residual "$out/models/b4c64.onnx" --sizes 9-20 --temperature 1.5
	export_net residual "$out/models/b4c64.pt"
	# shellcheck disable=SC2086
	"$python" -m carozero_train quantise "$out/models/b4c64.onnx" $runs --out "$out/models/b4c64-int8.onnx"
	finished residual
fi
echo "nets.sh: the networks are in $out/models"
