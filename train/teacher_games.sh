#!/bin/sh
# Plays the positions that the shipped networks learn from: games of the classical
# search and of the tree search, all eight rule sets, boards of 9 to 20, in rounds of
# about 60,000 positions. It needs nobody: killed at any moment it goes on where it was
# when it is started again, and it plays the same samples whoever starts it.
#
#   train/teacher_games.sh [OUT] [FIRST_ROUND] [LAST_ROUND]
#
# By default rounds 1 to 110 into runs/teacher: 6.6 million positions. Every run is a
# directory of its own, OUT/ROUND-PLAYER-RULE-SIZE[-LINES], with its round as its seed.
# Every tenth round is for validation: its games begin as those of matches do, with four
# moves that leave the game level, and no network should be trained on them.
#
#   CAROZERO=FILE   the program (bin/carozero)
#   PLAYERS=LIST    who plays: "alphabeta mcts", or one of them; two scripts side by
#                   side, one for each, may fill the same directory
#   WORKERS=N       goroutines that play (all processors)
#   NODES=N         budget of the classical search a move (2000)
#   PLAYOUTS=N      budget of the tree search a move (400)
#   NET=NAME        line network that judges for the classical search (by default the
#                   shipped ones); none: the fitted evaluation everywhere
#   STOP_AT_PROOF=1 end games where they are proven; by default they go on to the last
#                   move, since a network that sees only undecided positions does not
#                   learn to carry a won game through
set -eu
program=${CAROZERO:-bin/carozero}
out=${1:-runs/teacher}
round=${2:-1}
last=${3:-110}
players=${PLAYERS:-alphabeta mcts}

command -v "$program" >/dev/null 2>&1 || {
	echo "teacher_games.sh: there is no program at $program: run make build, or say where with CAROZERO=FILE" >&2
	exit 2
}

for number in "FIRST_ROUND=$round" "LAST_ROUND=$last"; do
	case ${number#*=} in '' | 0* | *[!0-9]* | ??????????*)
		echo "teacher_games.sh: $number: want a whole number of at least 1" >&2
		exit 2
		;;
	esac
done
for player in $players; do
	case $player in alphabeta | mcts) ;; *)
		echo "teacher_games.sh: PLAYERS=$players: want alphabeta, mcts or both" >&2
		exit 2
		;;
	esac
done

# positions DIR...: how many positions their shards hold.
positions() {
	cat "$@" 2>/dev/null | sed -n 's/.*"rows":\([0-9]*\).*/\1/p' | awk '{n += $1} END {print n + 0}'
}

# run NAME RULE SIZE GAMES OPTIONS...: one run into OUT/ROUND-NAME, unless it is there.
run() {
	dir=$out/$round-$1 rule=$2 size=$3 games=$4
	shift 4
	[ -e "$dir/done" ] && return 0
	resume=
	[ -e "$dir/run.json" ] && resume=--resume
	"$program" selfplay "$@" --rule "$rule" --size "$size" --games "$games" --games-per-shard "$games" --seed "$round" \
		$openings --max-plies $((size * size / 2)) ${STOP_AT_PROOF:+--stop-at-proof} ${WORKERS:+--workers "$WORKERS"} \
		--out "$dir" $resume 2>"$dir.err" >>"$out/log" || {
		echo "teacher_games.sh: $dir was not played: $(tail -n 1 "$dir.err")" >&2
		exit 1
	}
	rm -f "$dir.err"
	: >"$dir/done"
	fresh=$((fresh + $(positions "$dir/manifest.jsonl")))
}

# classical RULE SIZE LINES GAMES: games of the classical search. Of the games with
# scored lines some start where one side stands clearly better.
classical() {
	case $players in *alphabeta*) ;; *) return 0 ;; esac
	balance=0.35
	[ "$3" -gt 1 ] && balance=0.8
	openings="--opening-min 1 --opening-max 9 --opening-balance $balance"
	[ $((round % 10)) -eq 0 ] && openings=$level
	run "alphabeta-$1-$2-$3" "$1" "$2" "$4" --player "alphabeta:nodes=${NODES:-2000}${NET:+,net=$NET}" --lines "$3"
}

# tree RULE SIZE GAMES: games of the tree search, half of the odd ones forked from the
# game before them.
tree() {
	case $players in *mcts*) ;; *) return 0 ;; esac
	openings="--opening-min 1 --opening-max 9"
	[ $((round % 10)) -eq 0 ] && openings=$level
	run "mcts-$1-$2" "$1" "$2" "$3" --playouts "${PLAYOUTS:-400}" --fork-share 0.5
}

# As matches begin, and as level.
level="--opening-min 4 --opening-max 4 --opening-balance 0.1"

mkdir -p "$out"
began=$(date +%s)
fresh=0
while [ "$round" -le "$last" ]; do
	classical caro 15 1 36
	classical caro 15 3 56
	classical caro 13 3 26
	classical caro 11 1 12
	classical caro 9 1 12
	classical caro 19 1 5
	classical caro 20 3 5
	tree caro 15 104
	tree caro 13 26
	tree caro 11 10
	tree caro 9 10
	tree caro 19 8
	tree caro 20 8
	classical freestyle 15 1 72
	classical freestyle 15 3 90
	classical freestyle 20 1 12
	classical freestyle 11 3 20
	classical freestyle 9 1 8
	tree freestyle 15 172
	tree freestyle 20 30
	tree freestyle 11 24
	tree freestyle 9 12
	classical renju 15 1 46
	classical renju 15 3 46
	tree renju 15 116
	tree renju 13 12
	classical standard 15 1 42
	classical standard 15 3 40
	classical standard 19 3 6
	tree standard 15 80
	tree standard 19 8
	classical school42 15 1 70
	classical school42 15 3 52
	classical school42 19 3 46
	tree school42 15 86
	tree school42 19 56
	for rule in caro-overline caro-edge caro-edge-overline; do
		classical "$rule" 15 1 10
		classical "$rule" 15 3 10
		tree "$rule" 15 20
	done
	seconds=$(($(date +%s) - began + 1))
	all=$(positions "$out"/*/manifest.jsonl)
	echo "$round $last $all $fresh $seconds" | awk '{
		done = $1; rest = ($2 - $1) * $3 / done
		printf "round %d of %d: %d positions, %d positions/s", $1, $2, $3, $4 / $5
		if ($4 > 0 && rest > 0) printf ", %.1f hours left", rest / ($4 / $5) / 3600
		print ""
	}'
	round=$((round + 1))
done
