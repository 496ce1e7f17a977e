#!/bin/sh
# Prints COUNT openings of RULE on 15x15 that measure: random ones of four moves after which
# each colour scores 30 to 70% of twelve games. Four players of 1,800 to 2,200 nodes a move,
# about equal, meet each other with both colours.
#
#   train/openings.sh RULE COUNT >train/openings/RULE.txt
#
# Killed, it continues from the games in runs/openings. The same program gives the same lines.
#
#   CAROZERO=FILE   the program (bin/carozero)
#   WORKERS=N       games at once (all processors)
set -eu
program=${CAROZERO:-bin/carozero} games=runs/openings
[ $# -eq 2 ] && [ "$2" -gt 0 ] 2>/dev/null || {
	echo "usage: openings.sh RULE COUNT" >&2
	exit 2
}
mkdir -p "$games"

# The openings of all games so far that are level, in order.
level() {
	cat "$games/$1".* | awk -F'"' '
		/"opening":/ {
			for (i = 2; i < NF; i++) if ($i == "opening") opening = $(i + 2); else if ($i == "result") result = $(i + 2)
			if (!(opening in played)) order[++n] = opening
			played[opening]++
			first[opening] += result == "first" ? 1 : result == "draw" ? 0.5 : 0
		}
		END {
			for (i = 1; i <= n; i++) {
				share = first[order[i]] / played[order[i]]
				if (played[order[i]] == 12 && share >= 0.3 && share <= 0.7) print order[i]
			}
		}'
}

seed=0
while [ "$seed" -eq 0 ] || [ "$(level "$1" | wc -l)" -lt "$2" ]; do
	seed=$((seed + 1))
	for pair in "1800 1900" "1800 2100" "1800 2200" "1900 2100" "1900 2200" "2100 2200"; do
		"$program" match --rule "$1" --a "alphabeta:nodes=${pair% *}" --b "alphabeta:nodes=${pair#* }" --opening-plies 4 \
			--games 40 --max-plies 100 --seed "$seed" ${WORKERS:+--workers "$WORKERS"} \
			--journal "$games/$1.$seed.${pair% *}-${pair#* }" >/dev/null
	done
	echo "openings.sh: $(level "$1" | wc -l) of $2 level openings in $((seed * 20))" >&2
done
echo "# train/openings.sh $1 $2, build $("$program" version | sed -n '1s/carozero \([^ ]*\).*/\1/p')"
echo "# for gomoku $1 15"
level "$1" | head -n "$2"
