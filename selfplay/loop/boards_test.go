package loop

import (
	"testing"
)

// Options that the engine's packages name by their own words are named by their keys.
func TestOptionsAreNamedByTheirKeys(t *testing.T) {
	for option, want := range map[string]string{"workers": "workers", "cache": "cache_mib", "open-rule": "open_rule"} {
		if got := keyOf(option); got != want {
			t.Errorf("%s is %s, want %s", option, got, want)
		}
	}
}

// A board that no game has is refused in the words of the loop's file.
func TestABoardIsRefusedByItsKeys(t *testing.T) {
	_, err := settle(&Board{Game: "onitama", OpenRule: true}, "games[1].")
	if want := "games[1].open_rule: open_rule is for gomoku, not for onitama"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
