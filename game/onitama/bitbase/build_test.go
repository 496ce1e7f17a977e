package bitbase

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/game/onitama"
)

// bytesOf builds a table and returns its file.
func bytesOf(t *testing.T, path string, men int, o Options) []byte {
	t.Helper()
	if err := Build(t.Context(), path, theCards, men, o); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(PartName(path)); err == nil {
		t.Fatal("the part is still there")
	}
	return data
}

func TestThreadsChangeNothing(t *testing.T) {
	folder := t.TempDir()
	one := bytesOf(t, filepath.Join(folder, "one"), 3, Options{Threads: 1})
	for _, threads := range []int{2, 7} {
		if two := bytesOf(t, filepath.Join(folder, "two"), 3, Options{Threads: threads}); !bytes.Equal(one, two) {
			t.Errorf("the bytes of %d threads differ", threads)
		}
	}
}

// A build that is stopped anywhere, or whose part is cut anywhere, goes on to the
// same bytes.
func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table")
	var steps int
	whole := bytesOf(t, path, 3, Options{Progress: func(Progress) { steps++ }})
	ends := []int{len(header{mustCards(t), 3}.line())} // where lines and classes end
	table, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer table.Close()
	for _, c := range table.list {
		s := table.sections[c]
		ends = append(ends, int(s.at), int(s.at+s.Size()))
	}
	cuts := []int{0, ends[0] - 1}
	for _, end := range ends {
		cuts = append(cuts, end, end+9)
	}
	for _, cut := range cuts {
		if err := os.WriteFile(PartName(path), whole[:min(cut, len(whole))], 0o644); err != nil {
			t.Fatal(err)
		}
		if got := bytesOf(t, path, 3, Options{}); !bytes.Equal(got, whole) {
			t.Fatalf("the bytes differ after a cut at %d", cut)
		}
	}
	for _, stop := range []int{1, steps / 2, steps - 1} {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		err := Build(ctx, path, theCards, 3, Options{Progress: func(Progress) {
			if n++; n == stop {
				cancel()
			}
		}})
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped at %d of %d: %v", stop, steps, err)
		}
		if got := bytesOf(t, path, 3, Options{}); !bytes.Equal(got, whole) {
			t.Fatalf("the bytes differ after a stop at %d of %d", stop, steps)
		}
	}
	// A damaged class is built again, and so are those after it.
	wrong := bytes.Clone(whole)
	wrong[ends[2]-5]++
	if err := os.WriteFile(PartName(path), wrong, 0o644); err != nil {
		t.Fatal(err)
	}
	if got := bytesOf(t, path, 3, Options{}); !bytes.Equal(got, whole) {
		t.Fatal("the bytes differ after damage")
	}
}

func mustCards(t *testing.T) *cards {
	t.Helper()
	c, err := newCards(theCards)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// The part of another table, and what is no part, stay as they are.
func TestPartStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table")
	other, err := newCards([5]onitama.Card{onitama.Boar, onitama.Cobra, onitama.Crab, onitama.Crane, onitama.Dragon})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"other cards":   {header{other, 3}.line(), ErrCards},
		"other men":     {header{mustCards(t), 4}.line(), ErrCards},
		"other version": {strings.Replace(header{other, 3}.line(), "version 1", "version 2", 1), ErrVersion},
		"another file":  {"a letter to a friend\n", ErrFormat},
		"a bad line":    {magic + " version 1 cards a men 3\n", ErrDamaged},
	} {
		if err := os.WriteFile(PartName(path), []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		err := Build(t.Context(), path, theCards, 3, Options{})
		if !errors.Is(err, c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v; want %v in one line", name, err, c.want)
		}
		if got, err := os.ReadFile(PartName(path)); err != nil || string(got) != c.text {
			t.Errorf("%s: the part was changed to %.80q, %v", name, got, err)
		}
	}
}

// Every byte counts, and so does the length.
func TestReadRefusesDamage(t *testing.T) {
	whole := bytesOf(t, filepath.Join(t.TempDir(), "table"), 2, Options{})
	if _, err := read(t.Context(), bytes.NewReader(whole)); err != nil {
		t.Fatal(err)
	}
	known := func(err error) bool {
		for _, want := range []error{ErrFormat, ErrVersion, ErrDamaged, ErrCut, ErrMen} {
			if errors.Is(err, want) {
				return !strings.Contains(err.Error(), "\n")
			}
		}
		return false
	}
	for i := range whole {
		whole[i] ^= 1 << (i % 8)
		if _, err := read(t.Context(), bytes.NewReader(whole)); !known(err) {
			t.Fatalf("byte %d with the bit %d turned: %v", i, i%8, err)
		}
		whole[i] ^= 1 << (i % 8)
		if i > 300 && i%16 > 0 {
			continue
		}
		if _, err := read(t.Context(), bytes.NewReader(whole[:i])); !errors.Is(err, ErrCut) || !known(err) {
			t.Fatalf("cut after %d bytes: %v", i, err)
		}
	}
	for name, c := range map[string]struct {
		from, to string
		want     error
	}{
		"version":  {"version 1", "version 2", ErrVersion},
		"cards":    {"Crab,Crane", "Boar,Crane", ErrDamaged},
		"order":    {"Crab,Crane", "Crane,Crab", ErrDamaged},
		"men":      {"men 2", "men 7", ErrMen},
		"more men": {"men 2", "men 3", ErrDamaged},
		"zeros":    {"men 2", "men 02", ErrDamaged},
		"class":    {"class 1 1", "class 2 1", ErrDamaged},
		"wins":     {"wins 1", "wins 2", ErrDamaged},
		"longest":  {"longest 22", "longest 23", ErrDamaged},
		"magic":    {"carozero", "caro", ErrFormat},
	} {
		_, err := read(t.Context(), strings.NewReader(strings.Replace(string(whole), c.from, c.to, 1)))
		if !errors.Is(err, c.want) || !known(err) {
			t.Errorf("%s: %v; want %v", name, err, c.want)
		}
	}
	if _, err := read(t.Context(), strings.NewReader(string(whole)+"x")); !errors.Is(err, ErrDamaged) {
		t.Errorf("with a byte more: %v", err)
	}
	if _, err := Open(t.Context(), filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// FuzzRead reads lines with a number of zeros, the bytes of draws, behind them.
func FuzzRead(f *testing.F) {
	c, err := newCards(theCards)
	if err != nil {
		f.Fatal(err)
	}
	h := header{c, 2}
	s := section{Summary: Summary{Class: Class{1, 1}, Draws: Class{1, 1}.Size()}}
	size := uint16(s.Size())
	sum := s.hash(h)
	sum.Write(make([]byte, size))
	sum.Sum(s.sum[:0])
	lines := h.line() + s.line()
	if _, err := read(f.Context(), strings.NewReader(lines+string(make([]byte, size)))); err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(lines), size)
	f.Add([]byte(lines), size-1)
	f.Add([]byte(lines), size+1)
	f.Add([]byte(h.line()), uint16(0))
	f.Add([]byte(magic+" version 99999999999999999999 cards"), uint16(9))
	f.Add([]byte(strings.Replace(lines, "men 2", "men 6", 1)), size)
	f.Fuzz(func(t *testing.T, lines []byte, zeros uint16) {
		data := append(lines, make([]byte, zeros)...)
		table, err := read(t.Context(), bytes.NewReader(data))
		if (table == nil) != (err != nil) {
			t.Fatalf("a table %v with the error %v", table != nil, err)
		}
		if table != nil && (table.end() != int64(len(data)) || table.men != 2) {
			// No more men fit into so many bytes.
			t.Fatalf("%d bytes are a table of %d men", len(data), table.men)
		}
	})
}
