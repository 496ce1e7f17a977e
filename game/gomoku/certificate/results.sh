#!/bin/sh
# What RESULTS.md says: decides small boards, and looks for wins after three stones of caro.
#
#   sh game/gomoku/certificate/results.sh [FOLDER]
#
# Each result is a file in the folder (runs/results), with its certificate beside it; a run
# that was killed goes on with the next one. NODES, MEMORY (MiB), OPENING, SIZES
# and RULES are bounds.
set -eu
out=${1:-runs/results}
program=${PROGRAM:-bin/carozero}
mkdir -p "$out"

for size in ${SIZES:-5 6 7}; do
  for rule in ${RULES:-freestyle standard caro caro-overline caro-edge caro-edge-overline renju school42}; do
    name=$out/$rule-$size
    [ -s "$name.txt" ] && continue
    "$program" solve --rule "$rule" --size "$size" --position "" --kind full --nodes "${NODES:-40000000}" \
      --memory "${MEMORY:-1000}" --certificate "$name.cert" > "$name.part" 2>&1
    mv "$name.part" "$name.txt"
    echo "$rule ${size}x$size: $(head -1 "$name.txt")"
  done
done

# After h8 and a stone beside it or at its corner: all third stones in the middle 5x5, of
# which renju names 26, and under the open rule all outside it; one of each mirrored pair.
awk 'BEGIN {
  split("h9 i9", seconds)
  for (i = 1; i <= 2; i++) for (y = 0; y < 15; y++) for (x = 0; x < 15; x++) {
    far = (x < 5 || x > 9 || y < 5 || y > 9)
    third = sprintf("%c%d", 97 + x, y + 1)
    if (third == "h8" || third == seconds[i]) continue
    if (i == 1 && x < 7 || i == 2 && x > y) continue
    printf "%s h8%s%s\n", (far ? "true" : "false"), seconds[i], third
  }
}' | while read -r far stones; do
  name=$out/caro-$stones
  [ -s "$name.json" ] && continue
  echo "{\"id\":\"$stones\",\"action\":\"query_certificate\",\"rules\":{\"name\":\"caro\",\"openRule\":$far},\"initialPosition\":\"$stones\",\"maxNodes\":${OPENING:-200000}}" \
    | "$program" analysis --model uniform --analysis-threads 1 > "$name.part"
  mv "$name.part" "$name.json"
done
echo "openings of caro: $(cat "$out"/caro-h8*.json | grep -c '"certificate"' || true) of $(ls "$out"/caro-h8*.json | wc -l) won"
