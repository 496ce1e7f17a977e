package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/report"
	"github.com/carozero/carozero/internal/review"
)

// blundered is a game in which Black does not stop four stones.
const blundered = "(;GM[4]SZ[15]RU[freestyle]PB[Ann]PW[Ben];B[hh];W[ha];B[aa];W[ia];B[ba];W[ja];" +
	"B[oo];W[ka];B[ao];W[la])\n"

// The command finds the blunder, writes a page and annotates the game, the same each time.
func TestReview(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	writeFile(t, path("game.sgf"), []byte(blundered))
	args := []string{"review", path("game.sgf"), "--model", "uniform", "--max-visits", "30", "--memory", "16"}
	var r report.Review
	text := mustRun(t, append(args, "--json", "--out", path("a.html"))...)
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	bad := r.Moves[6]
	if len(r.Moves) != 10 || bad.Player != "B" || bad.Move != "o1" || bad.Class != "blunder" && bad.Class != "mistake" ||
		r.Unjudged != 0 || r.White.Moves != 5 {
		t.Errorf("%s", text)
	}
	page := readText(t, path("a.html"))
	if !strings.Contains(page, review.PageMark) || !strings.Contains(page, "Ann") {
		t.Errorf("the page is %.300s", page)
	}
	mustRun(t, append(args, "--out", path("a.html"), "--analysis-threads", "1")...)
	if again := readText(t, path("a.html")); again != page {
		t.Error("one thread reviews otherwise")
	}
	mustRun(t, append(args, "--out", path("b.sgf"), "--language", "vi")...)
	if sgf := readText(t, path("b.sgf")); !strings.Contains(sgf, "Đen") || !strings.Contains(sgf, "V[") {
		t.Errorf("the annotated game is %s", sgf)
	}
	mustRun(t, "convert", "--check", "--out", "-", "--to", "text", path("b.sgf"))
}

// What cannot be reviewed is said in a line, and no file is touched.
func TestReviewRefuses(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	writeFile(t, path("game.sgf"), []byte(blundered))
	writeFile(t, path("none.sgf"), []byte("(;GM[4]SZ[15])"))
	writeFile(t, path("bad.sgf"), []byte("(;GM[4]SZ[15];B[hh];W[hh])"))
	writeFile(t, path("mine.html"), []byte("mine"))
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{path("game.sgf"), "--out", path("game.sgf")}, "stays as it is"},
		{[]string{path("game.sgf"), "--out", path("mine.html")}, "stays as it is"},
		{[]string{path("game.sgf"), "--out", path("x.txt")}, ".html or .sgf"},
		{[]string{path("game.sgf"), "--number", "2"}, "1 game"},
		{[]string{path("game.sgf"), "--out", path("no/x.html")}, "no such file or directory"},
		{[]string{path("game.sgf"), "--engine", "each"}, "one engine"},
		{[]string{path("none.sgf")}, "no moves"},
		{[]string{path("bad.sgf")}, "h8"},
		{[]string{path("absent.sgf")}, "absent.sgf"},
		{nil, "a file with a game"},
	} {
		status, _, message := run(t, append([]string{"review", "--model", "uniform", "--max-visits", "1"}, c.args...)...)
		if status == 0 || !strings.Contains(message, c.want) || strings.Contains(message, "\n") {
			t.Errorf("%v: status %d, %q, want %q", c.args, status, message, c.want)
		}
	}
	if readText(t, path("game.sgf")) != blundered || readText(t, path("mine.html")) != "mine" {
		t.Error("a file was changed")
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 4 {
		t.Errorf("%v, %v", list, err)
	}
}

// readText returns what a file has.
func readText(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A game of Onitama is known without --game, and with solved endgames the moves of one are judged by what they come to.
func TestReviewOfCards(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "game.txt")
	writeFile(t, text, []byte("Monkey,Crane/Tiger,Crab/Dragon:crane c1c2 tiger a5a3\n"))
	judge := func(file string, more ...string) (r report.Review) {
		t.Helper()
		line := append([]string{
			"review", file, "--engine", "alphabeta", "--max-nodes", "200", "--table", "1", "--json",
		}, more...)
		readPrinted(t, &r, line...)
		return r
	}
	if r := judge(text); len(r.Moves) != 2 {
		t.Errorf("%+v", r)
	}
	// The master wins in three moves by going on, and loses in ten by going back.
	writeFile(t, text, []byte("Monkey,Crane/Tiger,Crab/Dragon 2O2/5/3X1/5/5 first:monkey d3c2\n"))
	page := filepath.Join(dir, "review.html")
	r := judge(text, "--bitbase", smallBitbase(t), "--out", page)
	if len(r.Moves) != 1 || r.Moves[0].Best == "" || r.Moves[0].Loss != 1 {
		t.Errorf("%+v", r)
	}
	if data, err := os.ReadFile(page); err != nil || !strings.Contains(string(data), r.Moves[0].Best) {
		t.Errorf("%v, %d bytes", err, len(data))
	}
}
