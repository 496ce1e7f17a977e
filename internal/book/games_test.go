package book_test

import (
	"bytes"
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/book"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/games"
)

var (
	ctx = context.Background()
	by  = book.Stamp{Author: "tester", Time: time.Unix(1e9, 0).UTC()}
)

func newBook(t *testing.T) *book.Book {
	t.Helper()
	b, err := book.Create(filepath.Join(t.TempDir(), "b.book"), rand.NewChaCha8([32]byte{1}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b
}

func at(t *testing.T, rule, moves string) *gomoku.Board {
	t.Helper()
	r, err := gomoku.Lookup(rule)
	if err != nil {
		t.Fatal(err)
	}
	b, err := gomoku.ParsePosition(r, 15, moves)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func get(t *testing.T, b *book.Book, pos *gomoku.Board) book.Position {
	t.Helper()
	p, ok, err := b.Get(pos)
	if err != nil || !ok {
		t.Fatalf("%v: %v, %v", pos, ok, err)
	}
	return p
}

func options(t *testing.T, rule string) (o book.ImportOptions, notes *[]string) {
	t.Helper()
	v, err := games.NewVariant(games.VariantOptions{Rule: rule, Size: 15})
	if err != nil {
		t.Fatal(err)
	}
	notes = new([]string)
	return book.ImportOptions{Games: gamefiles.Options{Variant: v}, Stamp: by,
		Note: func(text string) { *notes = append(*notes, text) }}, notes
}

const sgf = "(;GM[4]FF[4]SZ[15]RU[caro]RE[B+R];B[hh];W[ig]C[a\nb](;B[jf];W[aa])(;B[hg]))" +
	"(;GM[4]FF[4]SZ[15]RU[caro]RE[0];B[hh];W[gg])(;GM[4]SZ[15]RU[caro]RE[W+];B[hh];W[hh])" +
	"(;GM[4]SZ[15]AB[hh]AW[ig]PL[W];W[aa])"

// A rule that no rule set is called is told of once, unless the rule is given.
func TestGamesOfAnUnknownRule(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.sgf")
	if err := os.WriteFile(path, []byte(strings.Repeat("(;GM[4]SZ[15]RU[Swap9];B[hh])", 3)), 0o644); err != nil {
		t.Fatal(err)
	}
	o, notes := options(t, "caro")
	if sum, err := book.ImportGames(ctx, newBook(t), []string{path}, o); err != nil || sum.Games != 3 ||
		sum.Illegal != 0 {
		t.Fatalf("%+v, %v", sum, err)
	}
	if len(*notes) != 1 || !strings.Contains((*notes)[0], `unknown rule "Swap9", taken as caro: the rules are freestyle`) {
		t.Errorf("%q", *notes)
	}
	o, notes = options(t, "caro")
	o.Games.Fixed = true
	if _, err := book.ImportGames(ctx, newBook(t), []string{path}, o); err != nil || len(*notes) != 0 {
		t.Errorf("%q, %v, with the rule given", *notes, err)
	}
}

// A file of games is counted once, its variations have no results, and games that are not
// legal are left out.
func TestGames(t *testing.T) {
	b := newBook(t)
	path := filepath.Join(t.TempDir(), "a.sgf")
	if err := os.WriteFile(path, []byte(sgf), 0o644); err != nil {
		t.Fatal(err)
	}
	o, notes := options(t, "caro")
	o.Plies = 3
	sum, err := book.ImportGames(ctx, b, []string{path}, o)
	want := book.Imported{Files: 1, Games: 4, Illegal: 2, Results: 2, New: 5, Comments: 1}
	if err != nil || sum != want {
		t.Fatalf("%+v, %v", sum, err)
	}
	if len(*notes) != 2 || !strings.Contains((*notes)[0], "move 2, h8, is illegal") ||
		!strings.Contains((*notes)[1], "white is to move") {
		t.Errorf("%q", *notes)
	}
	for moves, results := range map[string]book.Results{
		"": {Wins: 1, Draws: 1}, "h8": {Losses: 1, Draws: 1}, "h8i9": {Wins: 1, Draws: 1}, "h8i9j10": {Losses: 1},
		"h8i9h9": {},
	} {
		if p := get(t, b, at(t, "caro", moves)); p.Results != results {
			t.Errorf("%q: %+v, want %+v", moves, p.Results, results)
		}
	}
	if p := get(t, b, at(t, "caro", "h8i9")); p.Comment != "a b" {
		t.Errorf("%q", p.Comment)
	}
	again, err := book.ImportGames(ctx, b, []string{path}, o)
	if err != nil || again.Known != 1 || again.Games != 0 || get(t, b, at(t, "caro", "h8")).Results.Games() != 2 {
		t.Errorf("%+v, %v", again, err)
	}
	bad := filepath.Join(t.TempDir(), "bad.sgf")
	if err := os.WriteFile(bad, []byte("(;GM[4]SZ[15];B[aa];W[bb])(;B[zz"), 0o644); err != nil {
		t.Fatal(err)
	}
	if sum, err := book.ImportGames(ctx, b, []string{bad}, o); err == nil || sum.Files != 0 {
		t.Errorf("%+v, %v", sum, err)
	}
	if _, ok, err := b.Get(at(t, "caro", "a15")); ok || err != nil {
		t.Error("half of a file is in the book", err)
	}
}

// Trees that are written and read again hold the same positions.
func TestTreesComeBack(t *testing.T) {
	b := newBook(t)
	lines := []string{"h8i9j7", "h8i9h9g8", "h8h9h10", "h8h9g9"}
	if err := b.Update(ctx, func(w *book.Writer) error {
		for _, line := range lines {
			moves, err := gomoku.Notation{Size: 15}.ParseMoves(line)
			if err != nil {
				return err
			}
			pos := at(t, "renju", "")
			for _, m := range moves {
				if _, err := w.Add(pos, by); err != nil {
					return err
				}
				pos.Play(m)
			}
			if err := w.SetComment(pos, "end "+line, by); err != nil {
				return err
			}
		}
		_, err := w.Add(at(t, "renju", "a1b1c3a2"), by) // nothing leads there
		return err
	}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "tree.sgf")
	var out bytes.Buffer
	sum, err := b.WriteSGF(ctx, at(t, "renju", ""), "test:1", &out)
	if err != nil || sum.Left != 1 || sum.Positions != 9 {
		t.Fatalf("%+v, %v", sum, err)
	}
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	back := newBook(t)
	o, _ := options(t, "renju")
	got, err := book.ImportGames(ctx, back, []string{path}, o)
	if err != nil || got.New != sum.Positions || got.Comments != 4 {
		t.Fatalf("%+v, %v", got, err)
	}
	for _, line := range lines {
		if p := get(t, back, at(t, "renju", line)); p.Comment != "end "+line {
			t.Errorf("%s: %q", line, p.Comment)
		}
	}
}
