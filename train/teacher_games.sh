#!/bin/sh
# Plays games of the classical engine as training samples, round after round, until
# it is stopped; started again it goes on where it was. Every run is a directory
# of its own, ROUND-RULE-SIZE-LINES, with its round as its seed.
#
#   train/teacher_games.sh [OUT] [FIRST_ROUND] [LAST_ROUND]
#
# CAROZERO names the program (bin/carozero), NODES the budget of a search (2000),
# WORKERS the number of goroutines (all processors), NET the line network that judges
# (the shipped one where it is the stronger; none: the fitted evaluation). With STOP_AT_PROOF=1 a game ends
# when it is proven; otherwise it goes on to the last move, since a network that sees
# only undecided positions does not learn to carry a won game through.
set -eu
program=${CAROZERO:-bin/carozero}
nodes=${NODES:-2000}
out=${1:-runs/teacher}
round=${2:-1}
last=${3:-1000000}

# play RULE SIZE LINES GAMES
play() {
	dir=$out/$round-$1-$2-$3
	resume=
	[ -e "$dir/run.json" ] && resume=--resume
	[ -e "$dir/done" ] && return 0
	# Some of the games start where one side stands clearly better; games of a half full
	# board are drawn.
	balance=0.35
	[ "$3" -gt 1 ] && balance=0.8
	"$program" selfplay --player "alphabeta:nodes=$nodes${NET:+,net=$NET}" --rule "$1" --size "$2" --lines "$3" --games "$4" \
		--games-per-shard "$4" --seed "$round" --opening-min 1 --opening-max 9 --opening-balance "$balance" --max-plies $(($2 * $2 / 2)) \
		${STOP_AT_PROOF:+--stop-at-proof} ${WORKERS:+--workers "$WORKERS"} --out "$dir" $resume 2>>"$out/errors" >>"$out/log"
	: >"$dir/done"
}

mkdir -p "$out"
while [ "$round" -le "$last" ]; do
	play caro 15 1 120
	play freestyle 15 1 180
	play caro 15 3 120
	play freestyle 15 3 180
	play standard 15 1 100
	play renju 15 1 100
	play freestyle 20 1 60
	play caro 11 1 40
	play caro 13 3 40
	play caro 19 1 40
	play caro 9 1 30
	play freestyle 11 3 30
	play caro-overline 15 1 40
	play caro-edge 15 1 40
	play caro-edge-overline 15 1 40
	play school42 19 1 30
	play standard 19 3 20
	play renju 13 3 20
	round=$((round + 1))
done
