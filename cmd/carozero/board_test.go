package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// A drawn board has the size that it is drawn with, everywhere.
func TestTheDiagramHasItsSize(t *testing.T) {
	seven := strings.Repeat(".......\n", 7)
	for _, command := range []string{"search --model uniform --playouts 4", "search --engine alphabeta --nodes 50", "solve", "forbidden", "perft --depth 1"} {
		args := append(strings.Fields(command), "--board", "-")
		for _, more := range [][]string{nil, {"--size", "7"}} {
			status, out, message := runWith(t, seven, append(append(args, "--json"), more...)...)
			if status != 0 || !strings.Contains(out, `"size":7,`) {
				t.Errorf("%s %v: status %d, %s%s", command, more, status, out, message)
			}
		}
		status, _, message := runWith(t, seven, append(args, "--size", "15")...)
		if status != statusUsage || !strings.Contains(message, "--board - has 7 rows, --size is 15") {
			t.Errorf("%s: status %d, %q", command, status, message)
		}
		status, _, message = runWith(t, "...\n...\n...\n", args...)
		if status != statusUsage || !strings.Contains(message, "5 to 22") || !strings.Contains(message, "--board") {
			t.Errorf("%s: status %d, %q", command, status, message)
		}
	}
}

// Errors of the rules name the flags that they are about.
// What is said of a diagram is its board, not the moves of an empty one.
func TestReportsOfADiagramHaveItsBoard(t *testing.T) {
	const board = ".....\n..X..\n..O..\n.....\n....."
	for _, line := range []string{"search --model uniform --playouts 3 --json", "search --engine alphabeta --depth 1 --json", "perft --depth 1 --json"} {
		for flag, want := range map[string]map[string]any{
			"--board -": {"position": nil, "board": strings.ReplaceAll(strings.Join(strings.Split(board, ""), " "), " \n ", "\n")},
			"--size 5":  {"position": "", "board": nil},
		} {
			status, out, message := runWith(t, board, strings.Fields(line+" "+flag)...)
			var r map[string]any
			if err := json.Unmarshal([]byte(out), &r); status != 0 || err != nil {
				t.Fatalf("%s %s: status %d, %s, %v", line, flag, status, message, err)
			}
			for key := range want {
				if r[key] != want[key] {
					t.Errorf("%s %s: %s is %q, want %q", line, flag, key, r[key], want[key])
				}
			}
		}
	}
}

func TestErrorsOfPositionsNameFlags(t *testing.T) {
	two := "XX...\n" + strings.Repeat(".....\n", 4)
	for _, test := range []struct{ args, in, want string }{
		{"perft --depth 1 --board -", two,
			"--board -: illegal setup: 2 stones of first and 0 of second do not tell whose turn it is; give --to-move first or second"},
		{"perft --depth 1 --captured 2,0 --to-move first --board -", two,
			"--board -: illegal setup: first has captured 2; nothing is captured under caro"},
		{"perft --depth 1 --game onitama --to-move first --board -", two,
			"--board -: --to-move and --captured are for gomoku; an onitama diagram has a line 'to move:'"},
		{"perft --depth 1 --game onitama --open-rule", "",
			"--open-rule is for gomoku, not for onitama (--game, --rule, --size)"},
	} {
		status, _, message := runWith(t, test.in, strings.Fields(test.args)...)
		if status != statusUsage || message != test.want {
			t.Errorf("%s: status %d, %q, want %q", test.args, status, message, test.want)
		}
	}
}
