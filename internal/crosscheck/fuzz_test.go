package crosscheck

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// FuzzRows reads any bytes as a rows file: what it takes for rows in order must
// be whole lines from the start, numbered from 0.
func FuzzRows(f *testing.F) {
	f.Add([]byte(`{"run":"r","index":0}` + "\n" + `{"run":"r","index":1}` + "\n" + `{"run":"r","ind`))
	f.Add([]byte(`{"run":"r","index":1}` + "\n" + `{"run":"r","index":0}` + "\n"))
	f.Add([]byte(`{"run":"other","index":0}` + "\n"))
	f.Add([]byte("\n\n{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "rows")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		j, err := openJournal(path, true)
		if err != nil {
			t.Fatal(err)
		}
		defer j.close()
		next := 0
		_, err = j.load("r", func(r *Row) error {
			if r.Index != next || r.Run != "r" {
				t.Fatalf("row %d of %q, want %d", r.Index, r.Run, next)
			}
			next++
			return nil
		})
		if err != nil {
			if !errors.Is(err, ErrRows) {
				t.Fatalf("%v is not ErrRows", err)
			}
			return
		}
		if j.end < 0 || j.end > int64(len(data)) || j.end > 0 && data[j.end-1] != '\n' {
			t.Fatalf("%d of %d bytes in order", j.end, len(data))
		}
		if err := j.ready(); err != nil {
			t.Fatal(err)
		}
	})
}
