package book_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/book"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/record"
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
	want := book.Imported{Files: 1, Games: 4, Illegal: 2, Results: 2, Merged: book.Merged{New: 5, Comments: 1}}
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
	for _, f := range []record.Format{record.SGF, record.Lib} {
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
		path := filepath.Join(t.TempDir(), "tree"+f.Extension())
		var out bytes.Buffer
		sum, err := b.WriteTree(ctx, at(t, "renju", ""), f, "test:1", &out)
		if err != nil || sum.Left != 1 || sum.Positions != 9 {
			t.Fatalf("%v: %+v, %v", f, sum, err)
		}
		if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		back := newBook(t)
		o, _ := options(t, "renju")
		got, err := book.ImportGames(ctx, back, []string{path}, o)
		if err != nil || got.New != sum.Positions || got.Comments != 4 {
			t.Fatalf("%v: %+v, %v", f, got, err)
		}
		for _, line := range lines {
			if p := get(t, back, at(t, "renju", line)); p.Comment != "end "+line {
				t.Errorf("%v: %s: %q", f, line, p.Comment)
			}
		}
	}
}

// labelledBook has positions with values, labels and a comment.
func labelledBook(t *testing.T) *book.Book {
	b := newBook(t)
	value := func(x float64, proof game.Result, plies int) book.Value {
		return book.Value{Source: book.Source{Engine: "e"}, Value: x, Proof: proof, Plies: plies, Depth: 12,
			Best: game.NoMove, Stamp: by}
	}
	if err := b.Update(ctx, func(w *book.Writer) error {
		for _, err := range []error{
			w.SetValue(at(t, "renju", "h8"), value(0.25, 0, 0)),
			w.SetValue(at(t, "renju", "h8i9j8"), value(-1, game.Lost, 6)),
			w.SetLabel(at(t, "renju", "h8i9"), book.Win, by),
			w.SetLabel(at(t, "renju", "h8h9"), book.Forced, by),
			w.SetLabel(at(t, "renju", "h8a1"), book.Excluded, by),
			w.SetComment(at(t, "renju", "h8a1"), "đừng đi", by),
			w.SetLabel(at(t, "renju", "h8h9h10"), book.Draw, by),
		} {
			if err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return b
}

func TestJSON(t *testing.T) {
	var out bytes.Buffer
	sum, err := labelledBook(t).WriteJSON(ctx, book.VariantOf(at(t, "renju", "")), &out)
	if err != nil || sum.Positions != 6 {
		t.Fatalf("%+v, %v", sum, err)
	}
	labels := map[string]int{}
	for line := range strings.Lines(out.String()) {
		var r struct {
			Rule, Label, Author string
			Size, Time          int
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		labels[r.Label]++
		if r.Rule != "renju" || r.Size != 15 || r.Author != "tester" || r.Time != 1e9 {
			t.Errorf("%+v", r)
		}
	}
	if got := fmt.Sprint(labels); got != "map[:2 draw:1 excluded:1 forced:1 win:1]" {
		t.Error(got)
	}
}

func TestBalanced(t *testing.T) {
	b := newBook(t)
	var text strings.Builder
	for game, result := range []string{"B+", "W+", "B+", "W+", "B+", "B+", "B+", "0"} {
		second := "ig"
		if game >= 4 && game < 7 {
			second = "gh"
		}
		fmt.Fprintf(&text, "(;GM[4]SZ[15]RU[caro]RE[%s];B[hh];W[%s];B[aa])", result, second)
	}
	path := filepath.Join(t.TempDir(), "a.sgf")
	if err := os.WriteFile(path, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	o, _ := options(t, "caro")
	if _, err := book.ImportGames(ctx, b, []string{path}, o); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	v := book.VariantOf(at(t, "caro", ""))
	sum, err := b.WriteBalanced(ctx, v, book.Balance{Count: 1, MinGames: 4, Low: 0.4, High: 0.6, MinPlies: 2}, &out)
	if err != nil || sum.Positions != 1 {
		t.Fatalf("%+v, %v: %q", sum, err, out.String())
	}
	moves := strings.TrimSpace(out.String())
	if book.Key(at(t, "caro", moves)) != book.Key(at(t, "caro", "h8i9")) {
		t.Error(moves)
	}
	if _, err := b.WriteBalanced(ctx, v, book.Balance{Count: 1, MinGames: 100, High: 1}, &out); err == nil {
		t.Error("no error without openings")
	}
}

// The parts of the balanced openings share no position and are all of them together; a seed
// draws the same openings each time, and another one others.
func TestBalancedParts(t *testing.T) {
	b := newBook(t)
	rng := rand.New(rand.NewPCG(3, 3))
	v := book.VariantOf(at(t, "caro", ""))
	err := b.Update(ctx, func(w *book.Writer) error {
		for range 60 {
			pos := at(t, "caro", "")
			for range 3 {
				pos.Play(pos.Moves(nil)[rng.IntN(len(pos.Moves(nil)))])
				for _, o := range []game.Outcome{game.WinFor(game.First), game.WinFor(game.Second)} {
					if err := w.AddResult(pos, "g", o, by); err != nil {
						return err
					}
				}
			}
		}
		_, err := w.Add(at(t, "caro", ""), by)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	lines := func(o book.Balance) []string {
		t.Helper()
		o.Count, o.MinGames, o.Low, o.High, o.MinPlies = cmp.Or(o.Count, 1000), 2, 0.4, 0.6, 3
		var out bytes.Buffer
		if _, err := b.WriteBalanced(ctx, v, o, &out); err != nil {
			t.Fatal(err)
		}
		return strings.Fields(out.String())
	}
	parts := map[string]int{}
	for part := 1; part <= 3; part++ {
		list := lines(book.Balance{Part: part, Parts: 3})
		if len(list) < 5 {
			t.Errorf("part %d of 3 has %d openings", part, len(list))
		}
		for _, moves := range list {
			parts[book.Key(at(t, "caro", moves))]++
		}
	}
	whole := lines(book.Balance{})
	for _, moves := range whole {
		if n := parts[book.Key(at(t, "caro", moves))]; n != 1 {
			t.Errorf("%s is in %d parts", moves, n)
		}
	}
	if len(whole) != len(parts) {
		t.Errorf("%d openings, %d in parts", len(whole), len(parts))
	}
	one, other := lines(book.Balance{Count: 20, Seed: 1}), lines(book.Balance{Count: 20, Seed: 2})
	if !slices.Equal(one, lines(book.Balance{Count: 20, Seed: 1})) || slices.Equal(one, other) {
		t.Errorf("by seeds: %v, %v", one, other)
	}
}
