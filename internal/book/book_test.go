package book

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

var (
	ctx = context.Background()
	by  = Stamp{"tester", time.Unix(1_700_000_000, 0).UTC()}
)

// entropy returns bytes that are the same for the same seed.
func entropy(seed byte) *rand.ChaCha8 { return rand.NewChaCha8([32]byte{seed}) }

func newBook(t testing.TB, seed byte) *Book {
	t.Helper()
	b, err := Create(filepath.Join(t.TempDir(), "b.book"), entropy(seed))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func board(t testing.TB, rule string, size int, moves string) *gomoku.Board {
	t.Helper()
	r, err := gomoku.Lookup(rule)
	if err != nil {
		t.Fatal(err)
	}
	pos, err := gomoku.ParsePosition(r, size, moves)
	if err != nil {
		t.Fatal(err)
	}
	return pos
}

func update(t testing.TB, b *Book, do func(w *Writer) error) {
	t.Helper()
	if err := b.Update(ctx, do); err != nil {
		t.Fatal(err)
	}
}

// image returns a position under a symmetry.
func image(t testing.TB, pos *gomoku.Board, sym int) *gomoku.Board {
	t.Helper()
	to, err := gomoku.NewSetup(pos.Rules(), pos.Size(), pos.Setup(sym))
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// randomBoard plays random moves, up to one that would end the game.
func randomBoard(rng *rand.Rand, rule string, size, plies int) *gomoku.Board {
	r, err := gomoku.Lookup(rule)
	if err != nil {
		panic(err)
	}
	pos, err := gomoku.New(r, size)
	if err != nil {
		panic(err)
	}
	for range plies {
		moves := pos.Moves(nil)
		if len(moves) == 0 {
			break
		}
		pos.Play(moves[rng.IntN(len(moves))])
	}
	if pos.Outcome() != game.Undecided {
		pos.Undo()
	}
	return pos
}

// A key is the same for all symmetries, differs for positions that are no images of each
// other, and gives the position back.
func TestKeys(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	seen := map[string][]*gomoku.Board{}
	for _, rule := range []string{"caro", "school42", "renju"} {
		for i := range 300 {
			size := []int{5, 15, 16, 22}[i%4]
			pos := randomBoard(rng, rule, size, rng.IntN(40))
			at := placeOf(pos)
			for sym := range gomoku.Symmetries {
				to := image(t, pos, sym)
				other := placeOf(to)
				if !bytes.Equal(other.key, at.key) {
					t.Fatalf("symmetry %d changes the key of\n%v", sym, pos)
				}
				for c := range size * size {
					m := game.Move(c)
					if back := at.own(size, at.stored(size, m)); back != m {
						t.Fatalf("symmetry %d: cell %d comes back as %d", at.sym, m, back)
					}
				}
			}
			v := VariantOf(pos)
			back, err := v.Board(string(at.key))
			if err != nil {
				t.Fatal(err)
			}
			if image(t, pos, at.sym).Key() != back.Key() {
				t.Fatalf("the key of\n%v gives\n%v", pos, back)
			}
			name := v.String() + string(at.key)
			seen[name] = append(seen[name], pos)
		}
	}
	for _, list := range seen {
		for _, other := range list[1:] {
			same := false
			for sym := range gomoku.Symmetries {
				same = same || image(t, list[0], sym).Key() == other.Key()
			}
			if !same {
				t.Fatalf("one key for\n%v and\n%v", list[0], other)
			}
		}
	}
}

func FuzzKeys(f *testing.F) {
	v := VariantOf(board(f, "school42", 15, ""))
	for _, key := range [][]byte{placeOf(board(f, "school42", 15, "h8i9j7")).key, nil, {0}, {0, 1, 255, 255, 3},
		{0, 1, 0, 0, 0}, {0, 2, 0}, {4, 0}, {2, 1, 1, 0}, {0, 250}, {0, 1, 200, 1}} {
		f.Add(key)
	}
	f.Fuzz(func(t *testing.T, key []byte) {
		pos, err := v.Board(string(key))
		if err != nil && !errors.Is(err, ErrDamaged) {
			t.Fatal(err)
		}
		if err == nil && !bytes.Equal(placeOf(pos).key, key) {
			t.Fatalf("%x is not the key of its position", key)
		}
	})
}

func TestWriteAndRead(t *testing.T) {
	b := newBook(t, 1)
	pos := board(t, "caro", 15, "h8i9j7")
	best := func(text string) game.Move {
		m, err := gomoku.Notation{Size: 15}.ParseMoves(text)
		if err != nil {
			t.Fatal(err)
		}
		return m[0]
	}
	value := Value{Source: Source{"mcts", "net-1", "v1"}, Value: 0.25, Nodes: 400, Depth: 7, Best: best("k8"), Stamp: by}
	proof := Value{Source: Source{"alphabeta", "", "v1"}, Value: 1, Proof: game.Won, Plies: 9, Nodes: 1 << 40,
		Best: game.NoMove, Stamp: Stamp{"other", by.Time}}
	update(t, b, func(w *Writer) error {
		return errors.Join(
			w.SetValue(pos, value), w.SetValue(pos, proof),
			w.SetLabel(pos, Forced, by), w.SetComment(pos, "đẹp", by),
			w.SetExpanded(pos),
		)
	})
	want := Position{Label: Forced, Expanded: true, Comment: "đẹp", Stamp: by,
		Values: []Value{value, proof}}
	for sym := range gomoku.Symmetries {
		got, ok, err := b.Get(image(t, pos, sym))
		if err != nil || !ok {
			t.Fatal(ok, err)
		}
		turned := want
		turned.Values = []Value{value, proof}
		turned.Values[0].Best = game.Move(gomoku.Transform(15, sym, int(value.Best)))
		if !reflect.DeepEqual(got, turned) {
			t.Errorf("symmetry %d: %+v, want %+v", sym, got, turned)
		}
	}
	over := board(t, "caro", 15, "h8a1i8c1j8e1k8g1l8")
	if err := b.Update(ctx, func(w *Writer) error { return w.SetLabel(over, Loss, by) }); !errors.Is(err, ErrOver) {
		t.Error(err)
	}
	if r, plies := want.Proof(); r != game.Won || plies != 9 {
		t.Errorf("proof %v in %d", r, plies)
	}
	if _, ok, err := b.Get(board(t, "caro", 15, "h8")); ok || err != nil {
		t.Error(ok, err)
	}
	for _, other := range []*gomoku.Board{board(t, "renju", 15, ""), board(t, "caro", 13, "")} {
		if _, _, err := b.Get(other); !errors.Is(err, ErrVariant) || !strings.Contains(err.Error(), "caro 15x15") {
			t.Error(err)
		}
	}
}

// The moves of a position are those whose successors are in the book, whatever order of
// moves or orientation has put them there.
func TestMoves(t *testing.T) {
	b := newBook(t, 1)
	first := board(t, "caro", 15, "h8")
	update(t, b, func(w *Writer) error {
		for _, text := range []string{"h8i9", "h8h9", "h8i9j7"} {
			if _, err := w.add(board(t, "caro", 15, text), by); err != nil {
				return err
			}
		}
		return nil
	})
	list, err := b.Moves(first)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range list {
		names = append(names, gomoku.Notation{Size: 15}.FormatMove(m.Move))
	}
	if got := strings.Join(names, " "); got != "g7 h7 i7 g8 i8 g9 h9 i9" {
		t.Errorf("moves %s", got)
	}
	if list, err = b.Moves(board(t, "caro", 15, "j7i9")); err != nil || len(list) != 1 || list[0].Move != 112 {
		t.Errorf("by transposition: %+v, %v", list, err)
	}
}

func TestRefusedWrites(t *testing.T) {
	b := newBook(t, 1)
	pos := board(t, "caro", 15, "h8")
	for name, do := range map[string]func(w *Writer) error{
		"long comment": func(w *Writer) error { return w.SetComment(pos, strings.Repeat("a", MaxComment+1), by) },
		"control":      func(w *Writer) error { return w.SetComment(pos, "a\x1b[31m", by) },
		"no UTF-8":     func(w *Writer) error { return w.SetComment(pos, "\xff", by) },
		"author":       func(w *Writer) error { return w.SetLabel(pos, Win, Stamp{"a\nb", by.Time}) },
		"label":        func(w *Writer) error { return w.SetLabel(pos, Excluded+1, by) },
		"value": func(w *Writer) error {
			return w.SetValue(pos, Value{Source: Source{Engine: "e"}, Value: 1.5, Best: game.NoMove})
		},
		"no engine":       func(w *Writer) error { return w.SetValue(pos, Value{Best: game.NoMove}) },
		"half of a batch": func(w *Writer) error { _, err := w.add(pos, by); return errors.Join(err, errors.New("no")) },
	} {
		if err := b.Update(ctx, do); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, ok, err := b.Get(pos); ok || !errors.Is(err, ErrVariant) {
		t.Error("something was written", ok, err)
	}
}

// Nothing of a foreign, damaged, newer or older file is believed, and it stays as it is.
func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good")
	b, err := Create(good, entropy(1))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	update(t, b, func(w *Writer) error {
		for range 500 {
			if _, err := w.add(randomBoard(rng, "caro", 15, 12), by); err != nil {
				return err
			}
		}
		return nil
	})
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	edited := func(do func(d []byte)) []byte { d := bytes.Clone(data); do(d); return d }
	for name, c := range map[string]struct {
		data []byte
		want error
	}{
		"empty":     {nil, ErrForeign},
		"text":      {[]byte("h8i9j7\n"), ErrForeign},
		"other app": {edited(func(d []byte) { d[idAt] = 0 }), ErrForeign},
		"newer":     {edited(func(d []byte) { d[versionAt+3] = 9 }), ErrVersion},
		"older":     {edited(func(d []byte) { d[versionAt+3] = 2 }), ErrVersion},
		"cut off":   {data[:len(data)-4096], ErrDamaged},
		"header":    {edited(func(d []byte) { copy(d[16:24], "\xff\xff\xff\xff\xff\xff\xff\xff") }), ErrDamaged},
	} {
		for _, mode := range []Mode{ReadOnly, ReadWrite} {
			path := filepath.Join(dir, "bad")
			if err := os.WriteFile(path, c.data, 0o644); err != nil {
				t.Fatal(err)
			}
			b, err := Open(path, mode)
			if err == nil {
				_ = b.Close()
			}
			if !errors.Is(err, c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s, mode %d: %v, want %v", name, mode, err, c.want)
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, c.data) {
				t.Errorf("%s: the file was changed, %v", name, err)
			}
			if left, _ := filepath.Glob(path + "-*"); left != nil {
				t.Errorf("%s: left behind: %v", name, left)
			}
		}
	}
	if _, err := Open(filepath.Join(dir, "none"), ReadOnly); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if _, err := Create(good, entropy(1)); err == nil {
		t.Error("a book was made over another file")
	}
	empty := filepath.Join(dir, "empty")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if b, err := Create(empty, entropy(1)); err != nil || b.Close() != nil {
		t.Error(err)
	}
	// Pages overwritten with noise: Verify sees it, or a read says that it is damaged.
	for page := 1; page*4096 < len(data); page++ {
		noisy := edited(func(d []byte) {
			for i := page * 4096; i < (page+1)*4096; i++ {
				d[i] = byte(rng.Uint32())
			}
		})
		path := filepath.Join(dir, "noisy")
		if err := os.WriteFile(path, noisy, 0o644); err != nil {
			t.Fatal(err)
		}
		b, err := Open(path, ReadOnly)
		if err == nil {
			_, err = b.Verify(ctx, nil)
			_ = b.Close()
		}
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("noise in page %d: %v", page, err)
		}
	}
}

func TestLocked(t *testing.T) {
	b := newBook(t, 1)
	pos := board(t, "caro", 15, "h8")
	other, err := Open(b.Path(), ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.writer.Exec("PRAGMA busy_timeout = 10"); err != nil {
		t.Fatal(err)
	}
	update(t, b, func(w *Writer) error {
		if _, err := w.add(pos, by); err != nil {
			return err
		}
		if err := other.Update(ctx, func(w *Writer) error { return nil }); !errors.Is(err, ErrLocked) {
			t.Errorf("a second writer: %v", err)
		}
		if _, _, err := other.Get(pos); !errors.Is(err, ErrVariant) {
			t.Errorf("an unfinished batch was read: %v", err)
		}
		return nil
	})
	if _, ok, err := other.Get(pos); !ok || err != nil {
		t.Error("a finished batch was not read", err)
	}
}

// A full disk: SQLite is given no more pages than the file has.
func TestFull(t *testing.T) {
	b := newBook(t, 1)
	if _, err := b.writer.Exec("PRAGMA max_page_count = 30"); err != nil {
		t.Fatal(err)
	}
	pos := board(t, "caro", 15, "h8")
	update(t, b, func(w *Writer) error { return w.SetComment(pos, "kept", by) })
	rng := rand.New(rand.NewPCG(1, 3))
	err := b.Update(ctx, func(w *Writer) error {
		for range 5000 {
			if _, err := w.add(randomBoard(rng, "caro", 15, 12), by); err != nil {
				return err
			}
		}
		return nil
	})
	if !errors.Is(err, ErrFull) {
		t.Fatal(err)
	}
	if p, ok, err := b.Get(pos); !ok || err != nil || p.Comment != "kept" {
		t.Error(p, ok, err)
	}
	if sum, err := b.Verify(ctx, nil); err != nil || sum.Positions != 1 {
		t.Error(sum, err)
	}
}
