package record

import (
	"errors"
	"strings"
	"testing"
)

// Files beyond the bounds are read no further than to the first game, move or mark too
// many: what is wrong after it is not seen.
func TestParseBounds(t *testing.T) {
	o := Options{MaxGames: 3, MaxNodes: 8, MaxMarks: 4}
	lib := libHead(3, 4) + "\x00\x00" + strings.Repeat("\x78\x00", 7)
	for text, want := range map[string]string{
		"h8\nh8\nh8\n":             "",
		"h8\nh8\nh8\nh8\n?":        "want at most 3 games and 8 moves",
		"h8i9j7\nh8i9j7\n":         "",
		"h8i9j7\nh8i9j7k7\n?":      "want at most 3 games and 8 moves",
		"(;B[hh])(;B[hh])(;B[hh])": "", "(;B[hh])(;B[hh])(;B[hh])(;B[hh])?": "want at most 3 games and 8 moves",
		"(;" + strings.Repeat("(;B[hh])", 7) + ")": "", "(;" + strings.Repeat("(;B[hh])", 8) + "(?": "line 1: too large: want at most 3 games and 8 moves",
		"(;" + strings.Repeat(";C[x]", 8) + ";?": "want at most 3 games and 8 moves",
		"(;TR[aa:ab])(;SQ[aa]MA[aa])":            "", "(;TR[aa:ab])(;SQ[aa]MA[aa];CR[aa];?": "more than 4 marks",
		lib: "", lib + "\x78\x00\xff": "want at most 3 games and 8 moves",
	} {
		_, _, err := Parse([]byte(text), "x.lib", o)
		if want == "" && err != nil || want != "" && (!errors.Is(err, ErrTooBig) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
