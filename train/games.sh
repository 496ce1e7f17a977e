#!/bin/sh
# Plays games for networks to learn from, until there are enough positions. It needs nobody:
# killed at any moment, it continues where it was. The same program, networks, kind of
# processor and seed give the same bytes, so that a lost folder costs its hours and no more.
#
#   train/games.sh [OUT]            (make games)
#
# OUT is runs/games by default. Each run of a hundred games is a folder, NUMBER-PLAYER-RULE-SIZE-LINES;
# of each kind the fifth and every tenth after it is held-..., for validation: its games begin from
# level openings, and no network should be trained on them. OUT/ledger has a line for each run: number,
# kind, positions, SHA-256 of its shard. The kind that is furthest below its share is played next.
#
#   CAROZERO=FILE   the program (bin/carozero)
#   SEED=N          seed of all games (1); run NUMBER has the seed N * 1000000 + NUMBER
#   POSITIONS=N     how many are enough (6000000; 97% differ)
#   PLAYERS=LIST    who plays, in equal parts: alphabeta (the default), mcts, or both
#   NODES=N         budget of alphabeta a move (8000)
#   PLAYOUTS=N      budget of mcts a move (400)
#   WORKERS=N       goroutines that play (all processors)
set -eu

# A rule set, its share in per cent, and what it is divided into, SIZE:LINES:PARTS. LINES
# is how many moves of a position alphabeta scores.
table="
caro               30 15:1:4 15:3:5 13:3:2 11:1:1 9:1:1 19:1:1 20:3:1
freestyle          30 15:1:4 15:3:5 20:1:2 11:3:1 9:1:1
renju              12 15:1:1 15:3:1
standard           10 15:1:4 15:3:4 19:3:1
school42            9 15:1:4 15:3:4 19:3:3
caro-overline       3 15:1:1 15:3:1
caro-edge           3 15:1:1 15:3:1
caro-edge-overline  3 15:1:1 15:3:1
"
games=100

program=${CAROZERO:-bin/carozero} out=${1:-runs/games} seed=${SEED:-1} goal=${POSITIONS:-6000000}
players=${PLAYERS:-alphabeta}

usage() {
	echo "games.sh: $*" >&2
	exit 2
}

command -v "$program" >/dev/null 2>&1 || usage "there is no program at $program: run make build, or say where with CAROZERO=FILE"
for player in $players; do
	case $player in alphabeta | mcts) ;; *) usage "PLAYERS=$players: want alphabeta, mcts or both" ;; esac
done
for number in "$seed" "$goal"; do
	case $number in '' | *[!0-9]*) usage "SEED and POSITIONS are whole numbers: $number is none" ;; esac
done
mkdir -p "$out"
touch "$out/ledger"

# Prints what is to be played next, NUMBER KIND HELD, and nothing if there are enough positions.
next() {
	echo "$table" | awk -v players="$players" -v goal="$goal" '
		BEGIN { n = split(players, player, " ") }
		FNR == NR {
			for (i = 3; i <= NF; i++) { split($i, f, ":"); parts[NR] += f[3] }
			for (i = 3; i <= NF; i++) for (p = 1; p <= n; p++) {
				split($i, f, ":")
				kind = player[p] "-" $1 "-" f[1] "-" (player[p] == "mcts" ? 1 : f[2])
				if (!(kind in share)) order[++kinds] = kind
				share[kind] += $2 * f[3] / parts[NR]
			}
			next
		}
		{ positions[$2] += $3; runs[$2]++; all += $3; number = $1 }
		END {
			if (all >= goal) exit
			for (i = 1; i <= kinds; i++)
				if (best == "" || positions[order[i]] / share[order[i]] < positions[best] / share[best]) best = order[i]
			print number + 1, best, runs[best] % 10 == 4 ? "held-" : ""
		}' - "$out/ledger"
}

# play NUMBER KIND DIR: one run, continued if it has begun.
play() {
	IFS=- read -r player rest <<-END
		$2
	END
	lines=${rest##*-} rest=${rest%-*}
	size=${rest##*-} rule=${rest%-*} resume=
	settings="--player mcts --playouts ${PLAYOUTS:-400}"
	[ "$player" = mcts ] || settings="--player alphabeta:nodes=${NODES:-8000} --lines $lines"
	balance=0.35
	[ "$lines" -gt 1 ] && balance=0.8
	openings="--opening-min 1 --opening-max 9 --opening-balance $balance"
	case $3 in */held-*) openings="--opening-min 4 --opening-max 4 --opening-balance 0.1" ;; esac
	[ -e "$3/run.json" ] && resume=--resume
	# A game that is undecided after six rows of stones is a draw: few go another way later.
	# shellcheck disable=SC2086 # lists of words
	"$program" selfplay $settings --rule "$rule" --size "$size" --games $games --games-per-shard $games \
		--seed $((seed * 1000000 + $1)) $openings --max-plies $((size * 6)) ${WORKERS:+--workers "$WORKERS"} \
		--out "$3" $resume >>"$out/log" 2>"$out/error" </dev/null || {
		echo "games.sh: $3 was not played: $(tail -n 1 "$out/error")" >&2
		exit 1
	}
}

# value NAME FILE: the value of a key in a run's manifest, which has one line.
value() { sed -n 's/.*"'"$1"'":"\{0,1\}\([0-9a-f]*\).*/\1/p' "$2"; }

began=$(date +%s) fresh=0
while
	todo=$(next)
	[ -n "$todo" ]
do
	read -r number kind held <<-END
		$todo
	END
	dir=$out/$held$number-$kind
	play "$number" "$kind" "$dir"
	rows=$(value rows "$dir/manifest.jsonl")
	grep -q "^$number " "$out/ledger" || echo "$number $kind $rows $(value sha256 "$dir/manifest.jsonl")" >>"$out/ledger"
	fresh=$((fresh + rows))
	awk -v goal="$goal" -v fresh=$fresh -v seconds=$(($(date +%s) - began + 1)) '{ all += $3 }
		END {
			hour = fresh / seconds * 3600
			printf "%s: %d of %d positions, %.0f an hour, %.1f hours left\n", $1 "-" $2, all, goal, hour, (goal > all ? goal - all : 0) / hour
		}' "$out/ledger"
done
echo "games.sh: $(awk '{ n += $3 } END { print n + 0 }' "$out/ledger") positions in $out; digest of the ledger $(sha256sum <"$out/ledger" | cut -c1-16)"
