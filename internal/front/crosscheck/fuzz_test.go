package crosscheck

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// FuzzRows reads any bytes as a rows file: what it takes for rows in order must
// be whole lines from the start, numbered from 0.
func FuzzRows(f *testing.F) {
	const run = "0123456789abcdef"
	row := func(index int) string { return fmt.Sprintf(`%s"index":%d}`, rowStart(run), index) + "\n" }
	f.Add([]byte(row(0) + row(1) + row(2)[:9]))
	f.Add([]byte(row(1) + row(0)))
	f.Add([]byte(row(0) + `{"run":"other","index":0}` + "\n"))
	f.Add([]byte(row(0) + "\n\n{}\n"))
	f.Add([]byte(row(0)[:len(row(0))-2]))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		path := filepath.Join(t.TempDir(), "rows")
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		next := 0
		refused := func(err error) {
			after, readErr := os.ReadFile(path)
			if !errors.Is(err, ErrRows) || readErr != nil || !bytes.Equal(after, data) || strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Fatalf("%q is not ErrRows, or the file was changed to %q", err, after)
			}
		}
		j, err := openJournal(path, true)
		if err != nil {
			refused(err)
			return
		}
		defer j.close()
		_, err = j.load(run, func(r *Row) error {
			if r.Index != next || r.Run != run {
				t.Fatalf("row %d of %q, want %d", r.Index, r.Run, next)
			}
			next++
			return nil
		})
		if err != nil {
			refused(err)
			return
		}
		if len(data) > 0 && !bytes.Contains(data, []byte(rowsFormat)) && !bytes.Contains(data, []byte(`\u`)) {
			t.Fatal("a file without a row is accepted")
		}
		if err := j.ready(); err != nil {
			t.Fatal(err)
		}
		left, err := os.ReadFile(path)
		if err != nil || len(left) > 0 && left[len(left)-1] != '\n' || !bytes.HasPrefix(data, left) {
			t.Fatalf("%q is left of %q", left, data)
		}
	})
}
