package alphabeta_test

import (
	"errors"
	"testing"

	"github.com/carozero/carozero/alphabeta"
)

// A table beyond the memory is refused, and nothing is lost by asking for it.
func TestTableLargerThanMemory(t *testing.T) {
	const tooMuch = 1 << 30 // 1 PiB
	if _, err := alphabeta.New(alphabeta.Plain{}, alphabeta.Options{TableMiB: tooMuch}); !errors.Is(err, alphabeta.ErrMemory) {
		t.Errorf("New: %v", err)
	}
	s := searcher(t, alphabeta.Plain{}, alphabeta.Options{TableMiB: 1})
	if err := s.Resize(tooMuch); !errors.Is(err, alphabeta.ErrMemory) {
		t.Errorf("Resize: %v", err)
	}
	if err := alphabeta.CheckTable(tooMuch); !errors.Is(err, alphabeta.ErrMemory) {
		t.Errorf("CheckTable: %v", err)
	}
	if err := alphabeta.CheckTable(1); err != nil {
		t.Errorf("1 MiB: %v", err)
	}
}
