#!/bin/sh
# Records what the program prints and writes: a restructuring leaves the record as it
# was, byte for byte. Times and speeds are left out.
#
#   cmd/carozero/testdata/behaviour.sh PROGRAM OUT
#
# Compare two records with diff -r. Takes a minute or two of one core.
set -eu
program=$1
out=$2
case $program in /*) ;; *) program=$PWD/$program ;; esac
rm -rf "$out"
mkdir -p "$out"
cd "$out"

# timeless leaves out what differs from one call to the next.
timeless() {
	sed -E 's/"(program|seconds|ms|elapsed_ms|time_ms|[a-z_]*_per_s|created|version|commit|elapsed|nps|duration[a-z_]*|started|ended)":("[^"]*"|[-+.eE0-9]+)/"\1":0/g;
		s/[0-9.]+ (positions|evals|playouts|nodes|games|leaves)\/s/N \1\/s/g; s/ in [0-9.]+ m?s\b/ in N s/g; s/ +[0-9.]+ ?(ms|s)\b/  N \1/g; s/^[0-9.]+ ms/N ms/'
}

# say NAME ARGS...: what a command prints, and its status.
say() {
	name=$1
	shift
	status=0
	"$program" "$@" >"$name.out" 2>"$name.err" </dev/null || status=$?
	{
		echo "status $status"
		timeless <"$name.out"
		echo '-- standard error'
		timeless <"$name.err"
	} >"$name.txt"
	rm "$name.out" "$name.err"
}

# Help of every command.
commands() {
	"$program" "$@" --help | sed -n '/^Available Commands:/,/^$/p' | awk 'NR > 1 && NF {print $1}'
}
help() {
	"$program" "$@" --help >"help-$(echo "$*" | tr ' ' -).txt"
	for sub in $(commands "$@"); do
		case $sub in help | completion) ;; *) help "$@" "$sub" ;; esac
	done
}
"$program" --help >help.txt
for command in $(commands); do
	case $command in help | completion) ;; *) help "$command" ;; esac
done

# Searches, proofs, refusals.
for rule in freestyle standard renju caro caro-overline caro-edge caro-edge-overline school42; do
	say "search-mcts-$rule" search --rule $rule --position h8i9i8j9 --playouts 300 --json
	say "search-alphabeta-$rule" search --rule $rule --engine alphabeta --position h8i9i8j9 --nodes 20000 --lines 3 --json
	say "selfplay-mcts-$rule" selfplay --rule $rule --games 2 --playouts 40 --seed 3 --workers 1 --json --out "run-mcts-$rule"
	say "selfplay-alphabeta-$rule" selfplay --rule $rule --player alphabeta:nodes=300 --lines 2 --games 2 --seed 3 --workers 1 --json --out "run-alphabeta-$rule"
	say "match-$rule" match --rule $rule --a alphabeta:nodes=300 --b mcts:playouts=30 --games 2 --workers 1 --json --journal "match-$rule.jsonl"
	say "solve-$rule" solve --rule $rule --position h8a1h9b3i8d1i9f1 --json
done
say search-text search --position h8i9j8i7 --playouts 200
say search-classical-text search --engine alphabeta --position h8i9j8i7 --nodes 30000 --lines 2
say search-uniform search --model uniform --size 9 --playouts 200 --json
say search-strong search --model strong --position h8i9 --playouts 24 --json
say search-onitama search --game onitama --model uniform --playouts 200 --json
say search-onitama-alphabeta search --game onitama --engine alphabeta --nodes 20000 --json
say selfplay-strong selfplay --model strong --size 9 --games 2 --playouts 16 --seed 5 --json --out run-strong
say selfplay-options selfplay --size 9 --rule freestyle --games 4 --playouts 32 --cheap-playouts 8 --forced-playouts 2 \
	--resign 0.9 --resign-audit 0.5 --stop-at-proof --seed 5 --json --out run-options
say selfplay-gumbel selfplay --size 9 --games 2 --playouts 16 --gumbel 8 --seed 5 --json --out run-gumbel
say selfplay-onitama selfplay --game onitama --model uniform --games 2 --playouts 50 --json --out run-onitama
say verify samples verify run-mcts-caro run-options
say inspect samples inspect run-mcts-caro run-options
say inspect-json samples inspect run-mcts-caro --json
say crosscheck crosscheck --input run-options --mcts playouts=16 --alphabeta nodes=2000 --limit 12 --workers 1 --rows crosscheck.jsonl --json
say models models list
say models-json models list --json
say forbidden forbidden --rule renju --position h8a1i8a2h9a3i9a4
say perft perft --depth 3 --size 9
say loop-config loop config
say bad-flag search --cpuct x
say bad-position search --position h8h8
say bad-player match --a mcts:cpuct=1000 --b mcts
say bad-rule search --rule chess
say bad-memory selfplay --memory 99999999 --out nowhere
say convert convert run-mcts-caro --to sgf --out games.sgf
say show show --position h8i9

# Dialogues.
printf 'START 15\nINFO rule 9\nINFO max_node 2000\nINFO timeout_turn 0\nBEGIN\nTURN 8,8\nTURN 9,9\nABOUT\nEND\n' |
	"$program" gomocup 2>&1 | timeless >gomocup.txt || true
{
	echo '{"id":"a","moves":[["B","h8"],["W","i9"]],"maxVisits":60}'
	echo '{"id":"b","moves":[["B","h8"],["W","i9"]],"maxVisits":60,"engine":"each","maxNodes":3000,"overrideSettings":{"cpuct":2,"alphabeta.rfp":"off"}}'
	echo '{"id":"c","rules":"renju","moves":[["B","h8"]],"maxVisits":20,"overrideSettings":{"memory":1000000}}'
	echo '{"id":"d","action":"query_version"}'
} | "$program" analysis --analysis-threads 1 2>&1 | timeless | sort >analysis.txt

# What was written, with times left out; a shard's bytes by their digest.
for file in $(find . -name run.json -o -name '*.jsonl' | sort); do
	timeless <"$file" | sed -E 's/"sha256": ?"[0-9a-f]*",?//' >"$file.timeless"
	mv "$file.timeless" "$file"
done
find . -name '*.msgpack.zst' | sort | xargs sha256sum >shards.sha256
find . -name '*.msgpack.zst' -exec rm {} +
