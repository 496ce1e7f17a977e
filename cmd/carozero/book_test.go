package main

import (
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/book"
	"github.com/carozero/carozero/internal/report"
)

// fillBook makes a book of caro with positions that are worth so much to the side to move.
func fillBook(t *testing.T, file string, values map[string]float64) {
	t.Helper()
	rules, err := gomoku.Lookup("caro")
	if err != nil {
		t.Fatal(err)
	}
	b, err := book.Create(file, rand.NewChaCha8([32]byte{}))
	if err != nil {
		t.Fatal(err)
	}
	err = b.Update(t.Context(), func(w *book.Writer) error {
		for moves, value := range values {
			pos, err := gomoku.ParsePosition(rules, 15, moves)
			if err != nil {
				return err
			}
			if err := w.SetValue(pos, book.Value{Source: book.Source{Engine: "e"}, Value: value, Best: game.NoMove,
				Stamp: book.Stamp{Author: "t", Time: time.Unix(1e9, 0)}}); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, b.Close()); err != nil {
		t.Fatal(err)
	}
}

// bookOf runs a command that prints a book, and returns it.
func bookOf(t *testing.T, args ...string) report.Book {
	t.Helper()
	return printed[report.Book](t, append(append([]string{"book"}, args...), "--json")...)
}

// queryOf runs a command that prints a position of a book, and returns it.
func queryOf(t *testing.T, args ...string) report.BookQuery {
	t.Helper()
	return printed[report.BookQuery](t, append(append([]string{"book"}, args...), "--json")...)
}

func TestBookQuery(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.book")
	fillBook(t, file, map[string]float64{"": 0.1, "h8": -0.1, "h8i9": 0.2, "h8i9j10": -0.2, "h8h9": 0.4})
	q := queryOf(t, "query", file, "--position", "h8")
	if !q.Found || *q.Here.Value != -0.1 || q.Here.Time != "2001-09-09 01:46:40" || len(q.Moves) != 8 ||
		*q.Moves[0].Value != -0.2 {
		t.Errorf("%+v %+v", q, q.Here)
	}
	mustRun(t, "match", "--opening-plies", "1", "--a", "mcts:playouts=2,model=uniform,book="+file, "--b",
		"alphabeta:nodes=50,weights=hand,book="+file, "--games", "2", "--max-plies", "8")
	if status, _, message := run(t, "match", "--rule", "renju", "--a", "mcts:playouts=2,model=uniform,book="+file, "--b",
		"alphabeta:nodes=50", "--games", "2"); status != 1 || !strings.Contains(message, "of other rules") {
		t.Errorf("status %d: %s", status, message)
	}
	if r := bookOf(t, "verify", file); r.Done.Positions != 5 || r.Done.Values != 5 {
		t.Errorf("%+v", r.Done)
	}
}

// The engines of play and gomocup answer from a book of their rules and size.
func TestBookInPlay(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.book")
	fillBook(t, file, map[string]float64{"a2": -1})
	for _, e := range [][]string{{"--engine", "mcts", "--model", "uniform", "--playouts", "2"},
		{"--engine", "alphabeta", "--nodes", "20"}} {
		_, out, message := runWith(t, "quit\n", append([]string{"play", "--side", "second", "--book", file}, e...)...)
		moved := false
		for _, m := range []string{"a2", "b1", "a14", "b15", "n1", "o2", "n15", "o14"} {
			moved = moved || strings.Contains(out, "Engine plays "+m+" (its win rate 100%, from the book)")
		}
		if !moved {
			t.Errorf("%v: %s%s", e, out, message)
		}
		out, message = runApart(t, "START 15\nINFO rule 9\nBEGIN\n", ",", append([]string{"gomocup", "--book", file},
			e...)...)
		if !strings.Contains("0,1 1,0 0,13 1,14 13,0 14,1 13,14 14,13", strings.TrimSpace(strings.TrimPrefix(out, "OK"))) {
			t.Errorf("%v: %s%s", e, out, message)
		}
		out, message = runApart(t, "START 9\nINFO rule 9\nBEGIN\n", ",", append([]string{"gomocup", "--book", file}, e...)...)
		if strings.Contains(out, "ERROR") || strings.Contains(message, "came from") {
			t.Errorf("another size: %s%s", out, message)
		}
	}
	if status, _, message := run(t, "play", "--size", "9", "--book", file); status != 1 ||
		!strings.Contains(message, "of other rules") {
		t.Errorf("status %d: %s", status, message)
	}
	if status, _, message := run(t, "gomocup", "--book", file+"x"); status != 1 || !strings.Contains(message, "--book") {
		t.Errorf("status %d: %s", status, message)
	}
}

func TestBookBuild(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.book")
	build := []string{"build", file, "--size", "9", "--mcts", "playouts=8,model=uniform,memory=1", "--alphabeta",
		"nodes=200,table=1,weights=hand", "--workers", "1", "--expansions"}
	r := bookOf(t, append(build, "3")...)
	if r.Build.Expanded != 3 || r.Build.Positions < 6 || r.Variants[0].Size != 9 || r.Variants[0].Expanded != 3 {
		t.Fatalf("%+v %+v", r.Build, r.Variants)
	}
	if r := bookOf(t, append(build, "4")...); r.Build.Expanded != 4 {
		t.Errorf("%+v", r.Build)
	}
	if q := queryOf(t, "query", file); !q.Found || len(q.Here.Values) != 3 || q.Here.Value == nil || len(q.Moves) == 0 {
		t.Errorf("%+v", q)
	}
	mustRun(t, "book", "verify", file)
}

// A win with quiet moves comes into the book with a certificate that holds, once.
func TestBookProve(t *testing.T) {
	const quiet = "h8a1i9a3j8a15"
	file := filepath.Join(t.TempDir(), "a.book")
	mustRun(t, "book", "build", file, "--rule", "freestyle", "--position", quiet, "--expansions", "1", "--width", "1",
		"--workers", "1",
		"--mcts", "playouts=4,model=uniform,memory=1,solver-leaf=0,solver-root=0,solver-replies=0", "--alphabeta",
		"nodes=20,table=1")
	prove := []string{"prove", file, "--position", quiet, "--least", "-0.5", "--proofs", "1", "--nodes", "2000000"}
	for _, tried := range []int{1, 0} {
		if r := bookOf(t, prove...); r.Proved.Proven != 1 || r.Proved.Tried < tried || tried == 0 && r.Proved.Tried != 0 ||
			r.Variants[0].Certificates != 1 {
			t.Errorf("%+v %+v", r.Proved, r.Variants)
		}
	}
	if q := queryOf(t, "query", file, "--position", quiet); q.Here.Proof != game.Won || !q.Here.Certificate {
		t.Errorf("%+v", q.Here)
	}
	if r := bookOf(t, "verify", file); r.Done.Certificates != 1 {
		t.Errorf("%+v", r.Done)
	}
}

// Bad input is one line, and neither makes nor changes a file.
func TestBookBadInput(t *testing.T) {
	dir := t.TempDir()
	none, junk, good := filepath.Join(dir, "none.book"), filepath.Join(dir, "junk"), filepath.Join(dir, "good.book")
	writeFile(t, junk, []byte("junk"))
	fillBook(t, good, map[string]float64{"": 0, "h8": 0})
	for _, c := range []struct {
		status int
		want   string
		args   []string
	}{
		{1, "no opening book", []string{"show", junk}},
		{1, "no such file", []string{"show", none}},
		{1, "no such file", []string{"build", none, "--expansions", "1",
			"--mcts", "model=" + filepath.Join(dir, "missing.czl")}},
	} {
		status, _, message := run(t, append([]string{"book"}, c.args...)...)
		if status != c.status || !strings.Contains(message, c.want) || strings.Count(strings.TrimSpace(message), "\n") != 0 {
			t.Errorf("%v: status %d: %s", c.args, status, message)
		}
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("a book was made for nothing")
	}
	data, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4096; i < 8192; i++ {
		data[i] = 0x5a
	}
	writeFile(t, good, data)
	if status, _, message := run(t, "book", "verify", good); status != 3 || !strings.Contains(message, "damaged") {
		t.Errorf("status %d: %s", status, message)
	}
}
