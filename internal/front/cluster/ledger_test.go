package cluster

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestLedgerIsCut cuts a ledger at every byte, as a crash may: quarantines of whole lines
// are known, and one that is written afterwards is too.
func TestLedgerIsCut(t *testing.T) {
	path := filepath.Join(t.TempDir(), ledgerName)
	l := &ledger{unsynced{}, path, func() time.Time { return time.Time{} }}
	quarantined := func() (map[string]string, error) {
		list, err := l.quarantined()
		bad := map[string]string{}
		for _, e := range list {
			bad[e.Worker] = e.Why
		}
		return bad, err
	}
	if bad, err := quarantined(); err != nil || len(bad) != 0 {
		t.Fatalf("without a file: %v, %v", bad, err)
	}
	for _, e := range []entry{{Event: "taken", Worker: "a", Games: []int{1}}, {Event: "quarantined", Worker: "b", Why: "it lies"}} {
		if err := l.write(e); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for size := range len(whole) + 1 {
		if err := os.WriteFile(path, whole[:size], 0o666); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		if size >= len(whole)-1 { // at most the end of its line is missing
			want["b"] = "it lies"
		}
		if bad, err := quarantined(); err != nil || !maps.Equal(bad, want) {
			t.Fatalf("cut at %d: %v, %v", size, bad, err)
		}
		if err := l.write(entry{Event: "quarantined", Worker: "c", Why: "it floods"}); err != nil {
			t.Fatal(err)
		}
		want["c"] = "it floods"
		if bad, err := quarantined(); err != nil || !maps.Equal(bad, want) {
			t.Fatalf("cut at %d and gone on: %v, %v", size, bad, err)
		}
	}
}
