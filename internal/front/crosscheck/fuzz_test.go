package crosscheck

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/disk"
)

// someRun is the run of the rows that fuzzing begins with.
const someRun = "0123456789abcdef"

// someRow returns a line of a rows file.
func someRow(t testing.TB, index int) string {
	t.Helper()
	line, err := json.Marshal(&Row{Format: rowsFormat, Version: rowsFileVersion, Run: someRun, Index: index, Ply: 3 * index})
	if err != nil {
		t.Fatal(err)
	}
	return string(line) + "\n"
}

// checkRows reads any bytes as a rows file. They are refused in one line, or the rows in
// order are whole lines from the start, numbered from 0; the file stays as it is. It
// returns how many rows are in order, -1 for a refused file.
func checkRows(t testing.TB, path string, data []byte) int {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	next := 0
	j, err := rowsFile.Open(path, true)
	if err == nil {
		defer j.Close()
		_, err = loadRows(j, someRun, func(r *Row) error {
			if r.Index != next || r.Run != someRun {
				t.Fatalf("row %d of %q, want %d", r.Index, r.Run, next)
			}
			next++
			return nil
		})
	}
	after, readErr := os.ReadFile(path)
	if readErr != nil || !bytes.Equal(after, data) {
		t.Fatalf("reading changed %q to %q", data, after)
	}
	if err != nil {
		if !errors.Is(err, disk.ErrRefused) || strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Fatalf("error %q", err)
		}
		return -1
	}
	if len(data) > 0 && !bytes.Contains(data, []byte(rowsFormat)) && !bytes.Contains(data, []byte(`\u`)) {
		t.Fatal("a file without a row is accepted")
	}
	if left := data[:j.End()]; bytes.Count(left, []byte("\n")) != next {
		t.Fatalf("%q is left of %q with %d rows", left, data, next)
	}
	return next
}

func FuzzRows(f *testing.F) {
	row := func(index int) string { return someRow(f, index) }
	f.Add([]byte(row(0) + row(1) + row(2)[:9]))
	f.Add([]byte(row(1) + row(0)))
	f.Add([]byte(row(0) + `{"run":"other","index":0}` + "\n"))
	f.Add([]byte(row(0) + "\n\n{}\n"))
	f.Add([]byte(row(0)[:len(row(0))-2]))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, data []byte) { checkRows(t, filepath.Join(t.TempDir(), "rows"), data) })
}

// With a bit of a byte turned over, a rows file is refused, or a value differs, or a row
// stands elsewhere.
func TestTurnedBits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows")
	data := []byte(someRow(t, 0) + someRow(t, 1))
	rng := rand.New(rand.NewPCG(1, 1))
	refused := 0
	for at := range data {
		spoilt := bytes.Clone(data)
		spoilt[at] ^= 1 << rng.IntN(8)
		if checkRows(t, path, spoilt) < 0 {
			refused++
		}
	}
	if refused < len(data)*3/4 {
		t.Errorf("%d of %d were refused", refused, len(data))
	}
}
