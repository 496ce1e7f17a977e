package enginetest

import (
	"path/filepath"
	"testing"

	"github.com/carozero/carozero/game/onitama/bitbase"
	"github.com/carozero/carozero/internal/engine/games"
)

// Endgames returns the endgames of Onitama of so many men with the usual cards, which are
// closed with the test.
func Endgames(t testing.TB, men int) games.Endgames {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table.bitbase")
	five, err := bitbase.ParseCards("Crab,Crane,Dragon,Monkey,Tiger")
	if err != nil {
		t.Fatal(err)
	}
	if err := bitbase.Build(t.Context(), path, five, men, bitbase.Options{}); err != nil {
		t.Fatal(err)
	}
	e, err := games.OpenEndgames(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e
}
