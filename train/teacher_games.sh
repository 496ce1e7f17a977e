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

# run PLAYER RULE SIZE LINES GAMES: one run into OUT, unless it is there. Of the games of
# the classical search with scored lines some start where one side stands clearly better.
run() {
	size=$3 lines=$4 resume= balance=
	case $1 in
	alphabeta)
		dir=$out/$round-alphabeta-$2-$size-$lines
		balance="--opening-balance 0.35"
		[ "$lines" -gt 1 ] && balance="--opening-balance 0.8"
		settings="--player alphabeta:nodes=${NODES:-2000}${NET:+,net=$NET} --lines $lines"
		;;
	mcts)
		dir=$out/$round-mcts-$2-$size
		settings="--playouts ${PLAYOUTS:-400}"
		;;
	esac
	[ -e "$dir/done" ] && return 0
	[ -e "$dir/run.json" ] && resume=--resume
	openings="--opening-min 1 --opening-max 9 $balance"
	[ $((round % 10)) -eq 0 ] && openings=$level
	# shellcheck disable=SC2086 # lists of words
	"$program" selfplay $settings --rule "$2" --size "$size" --games "$5" --games-per-shard "$5" --seed "$round" \
		$openings --max-plies $((size * size / 2)) ${STOP_AT_PROOF:+--stop-at-proof} ${WORKERS:+--workers "$WORKERS"} \
		--out "$dir" $resume 2>"$dir.err" >>"$out/log" </dev/null || {
		echo "teacher_games.sh: $dir was not played: $(tail -n 1 "$dir.err")" >&2
		exit 1
	}
	rm -f "$dir.err"
	: >"$dir/done"
	fresh=$((fresh + $(positions "$dir/manifest.jsonl")))
}

# A round: who plays by which rules, and runs of SIZE:LINES:GAMES, which scored lines the
# classical search alone has.
round_of() {
	while read -r player rule runs; do
		case " $players " in *" $player "*) ;; *) continue ;; esac
		for each in $runs; do
			games=${each##*:} each=${each%:*}
			run "$player" "$rule" "${each%:*}" "${each#*:}" "$games"
		done
	done <<-END
		alphabeta caro 15:1:36 15:3:56 13:3:26 11:1:12 9:1:12 19:1:5 20:3:5
		mcts caro 15:1:104 13:1:26 11:1:10 9:1:10 19:1:8 20:1:8
		alphabeta freestyle 15:1:72 15:3:90 20:1:12 11:3:20 9:1:8
		mcts freestyle 15:1:172 20:1:30 11:1:24 9:1:12
		alphabeta renju 15:1:46 15:3:46
		mcts renju 15:1:116 13:1:12
		alphabeta standard 15:1:42 15:3:40 19:3:6
		mcts standard 15:1:80 19:1:8
		alphabeta school42 15:1:70 15:3:52 19:3:46
		mcts school42 15:1:86 19:1:56
		alphabeta caro-overline 15:1:10 15:3:10
		mcts caro-overline 15:1:20
		alphabeta caro-edge 15:1:10 15:3:10
		mcts caro-edge 15:1:20
		alphabeta caro-edge-overline 15:1:10 15:3:10
		mcts caro-edge-overline 15:1:20
	END
}

# As matches begin, and as level.
level="--opening-min 4 --opening-max 4 --opening-balance 0.1"

mkdir -p "$out"
began=$(date +%s)
fresh=0
while [ "$round" -le "$last" ]; do
	round_of
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
