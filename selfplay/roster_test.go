package selfplay

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"github.com/carozero/carozero/selfplay/samples"
)

// memoryRecord is a record without files.
type memoryRecord map[int]samples.PlayedBy

func (r memoryRecord) Of(id int) (samples.PlayedBy, bool) { by, ok := r[id]; return by, ok }
func (r memoryRecord) Path(sum string) string             { return sum }
func (r memoryRecord) Keep(string, []byte) error          { return nil }
func (r memoryRecord) Drop(string) error                  { return nil }
func (r memoryRecord) Begin(id int, model, sum string) error {
	r[id] = samples.PlayedBy{FromGame: id, Model: model, SHA256: sum}
	return nil
}

// A coordinator, where no worker plays, keeps no network open.
func TestNobodyKeepsNetworksOpen(t *testing.T) {
	open, most := 0, 0
	content := "first"
	follow := &Follow{
		Look: func() ([]byte, error) { return []byte(content), nil },
		Open: func(path string) (Network, error) {
			open++
			most = max(most, open)
			return Network{SHA256: path, Close: func() error { open--; return nil }}, nil
		},
		Note: func(line string) { t.Error(line) },
	}
	r := newRoster(&Setup{Follow: follow}, memoryRecord{})
	for id, text := range []string{"first", "first", "second", "third", "third", "fourth"} {
		content = text
		n, err := r.of(id)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256([]byte(text))
		if n.SHA256 != hex.EncodeToString(sum[:]) {
			t.Errorf("game %d is played by %s", id, n.SHA256)
		}
		if err := r.release(n); err != nil || open != 0 {
			t.Errorf("after game %d: %d networks are open, %v", id, open, err)
		}
	}
	if most != 1 {
		t.Errorf("%d networks were open at once", most)
	}
}
