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
#   LINE=N          rows that the line network of all rule sets sees (20000000)
#   FREESTYLE=N     rows that the one of freestyle sees after it (2000000)
#   SCHOOL42=N      games of school42 that its network learns from, beside those in
#                   GAMES: so many by the fitted evaluation, then six tenths of that by
#                   the network that learned from those (10000)
#   RESIDUAL=N      rows that the residual network sees (8000000)
#   ONLY=LIST       of "games line freestyle school42 residual", those that are made (all)
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
program=${CAROZERO:-$root/bin/carozero}
python=${PYTHON:-$root/train/.venv/bin/python}
case $python in /*) ;; */*) python=$PWD/$python ;; esac
out=${1:-runs/nets}
games=${GAMES:-$out/games}
threads=${THREADS:-1}
line=${LINE:-20000000}
freestyle=${FREESTYLE:-2000000}
school42=${SCHOOL42:-10000}
residual=${RESIDUAL:-8000000}
only=${ONLY:-games line freestyle school42 residual}

fail() {
	echo "nets.sh: $*" >&2
	exit "${status:-1}"
}

wanted() { case " $only " in *" $1 "*) [ ! -e "$out/$1/done" ] ;; *) false ;; esac; }

status=2
[ -x "$program" ] || fail "there is no program at $program: run make build, or say where with CAROZERO=FILE"
"$python" -c 'import carozero_train.cli' 2>/dev/null ||
	fail "there is no trainer in $python: run train/setup_venv.sh, or say where with PYTHON=FILE"
for word in $only; do
	case $word in games | line | freestyle | school42 | residual) ;; *) fail "ONLY=$only: want some of games, line, freestyle, school42, residual" ;; esac
done
case $games in *[[:space:]]*) fail "the games are in $games: want a path without spaces" ;; esac
status=1
mkdir -p "$out/models"

if wanted games; then
	CAROZERO=$program "$root/train/games.sh" "$games"
	mkdir -p "$out/games"
	: >"$out/games/done"
fi

# Runs that are held out have names that begin with a letter.
all="$games/[0-9]*-*/"

# train NAME RUNS OPTIONS...: a training in OUT/NAME, resumed where it has begun.
train() {
	dir=$out/$1 runs=$2
	shift 2
	if [ -e "$dir/checkpoint.pt" ]; then
		"$python" -m carozero_train train --out "$dir" --resume
	else
		# shellcheck disable=SC2086 # a list of patterns
		"$python" -m carozero_train train $runs --out "$dir" --threads "$threads" --q-share 0.4 "$@"
	fi
}

export_net() { "$python" -m carozero_train export "$@"; }

if wanted line; then
	train line "$all" --size line16 --batch 512 --lr 0.002 --weight-decay 1e-4 --samples "$line" --seed 21 \
		--init-from "$root/models/taught7-line16.pt"
	export_net "$out/line/checkpoint.pt" --sizes 9-20 --rules all --temperature 1.5 --out "$out/models/line16.line"
	export_net "$out/line/checkpoint.pt" --out "$out/models/line16.pt"
	: >"$out/line/done"
fi

if wanted freestyle; then
	[ -e "$out/line/checkpoint.pt" ] || fail "freestyle follows line: there is no $out/line/checkpoint.pt"
	train freestyle "$games/[0-9]*-freestyle-*/" --size line16 --batch 512 \
		--lr 0.0015 --weight-decay 1e-4 --samples "$freestyle" --seed 22 --init-from "$out/line/checkpoint.pt"
	export_net "$out/freestyle/checkpoint.pt" --sizes 9-20 --rules freestyle --temperature 1.5 \
		--out "$out/models/line16-freestyle.line"
	: >"$out/freestyle/done"
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
	theirs="$games/[0-9]*-school42-*/ $out/school42/fitted/*/"
	school42 fitted 1001 "$school42" alphabeta:nodes=2000,net=none
	train school42/first "$theirs" --size line16 --batch 512 --lr 0.0015 --weight-decay 1e-4 \
		--samples 2000000 --seed 26 --init-from "$root/models/taught7-line16.pt"
	judge=$out/school42/first/net.line
	[ -e "$judge" ] || export_net "$out/school42/first/checkpoint.pt" --sizes 15-20 --rules school42 --temperature 1.5 --out "$judge"
	school42 judged 2001 "$((school42 * 6 / 10))" "alphabeta:nodes=2000,net=$judge"
	train school42/second "$theirs $out/school42/judged/*/" --size line16 --batch 512 --lr 0.0015 --weight-decay 1e-4 \
		--samples 2500000 --seed 27 --init-from "$out/school42/first/checkpoint.pt"
	export_net "$out/school42/second/checkpoint.pt" --sizes 15-20 --rules school42 --temperature 1.5 --out "$out/models/line16-school42.line"
	export_net "$out/school42/second/checkpoint.pt" --out "$out/models/line16-school42.pt"
	: >"$out/school42/done"
fi

if wanted residual; then
	train residual "$all" --size b4c64 --samples "$residual" --seed 23 --init-from "$root/models/taught5-b4c64.pt"
	export_net "$out/residual/checkpoint.pt" --sizes 9-20 --temperature 1.5 --out "$out/models/b4c64.onnx"
	export_net "$out/residual/checkpoint.pt" --out "$out/models/b4c64.pt"
	# shellcheck disable=SC2086
	"$python" -m carozero_train quantise "$out/models/b4c64.onnx" $all --out "$out/models/b4c64-int8.onnx"
	: >"$out/residual/done"
fi
echo "nets.sh: the networks are in $out/models"
