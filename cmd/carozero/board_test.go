package main

import (
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
