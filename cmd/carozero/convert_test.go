package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/report"
)

// recordedGame is a game in SGF with a variation, that black has won by a line.
const recordedGame = "(;GM[4]SZ[15]RU[freestyle]PB[Ann]PW[Ben]RE[B+];B[hh]C[centre];W[ha];B[gh];W[ia];" +
	"B[ih];W[ja];B[jh](;W[ca];B[fh])(;W[fh]))\n"

// Self-play becomes SGF, that text: the moves stay.
func TestConvertRoundTheFormats(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	run0 := path("run")
	mustRun(t, "selfplay", "--model", "uniform", "--size", "15", "--games", "3", "--playouts", "2", "--max-plies", "12",
		"--out", run0)
	mustRun(t, "convert", run0, "--out", path("a.sgf"), "--check")
	mustRun(t, "convert", path("a.sgf"), "--out", path("one")+"/", "--to", "sgf")
	lines := func(args ...string) string {
		return mustRun(t, append([]string{"convert", "--out", "-", "--to", "text"}, args...)...)
	}
	var want []string
	for _, line := range strings.Split(lines(path("a.sgf")), "\n") {
		if strings.HasPrefix(line, "h8") || len(line) > 20 && strings.Trim(line, "abcdefghijklmno0123456789") == "" {
			want = append(want, line)
		}
	}
	for _, source := range []string{run0, path("one")} {
		got := lines(source)
		for _, line := range want {
			if !strings.Contains(got, line+"\n") {
				t.Errorf("%s lacks %s:\n%s", source, line, got)
			}
		}
	}
	if len(want) != 3 {
		t.Errorf("%d games: %q", len(want), want)
	}
}

// A folder whose games were put into a file of its own gives the same file again, however
// that is called; a file that is named is read.
func TestConvertIntoItsOwnFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "a.sgf", []byte(recordedGame))
	writeFile(t, "b.sgf", []byte("(;GM[4]SZ[15]RU[freestyle];B[hh];W[ii])"))
	mustRun(t, "convert", ".", "--out", "all.sgf")
	read := func() string {
		t.Helper()
		text, err := os.ReadFile("all.sgf")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	want := read()
	if err := os.Symlink("all.sgf", "link.txt"); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{".", "--out", "all.sgf"}, {".", "--out", "./all.sgf"}, {".", "--out", "link.txt", "--to", "sgf"},
		{"all.sgf", "--out", "all.sgf"},
	} {
		mustRun(t, append([]string{"convert"}, args...)...)
		if got := read(); got != want {
			t.Errorf("%q:\n%s\nwant\n%s", args, got, want)
		}
	}
	if err := errors.Join(os.Remove("a.sgf"), os.Remove("b.sgf")); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if status, message := performed(t, []string{"convert", ".", "--out", "all.sgf"}, strings.NewReader(""),
		&out); status == 0 || !strings.Contains(message, ".: no games or positions in it beside all.sgf") {
		t.Errorf("status %d, %q", status, message)
	}
	if got := read(); got != want {
		t.Errorf("it has become\n%s", got)
	}
}

func TestConvertReports(t *testing.T) {
	dir := t.TempDir()
	in, bad, out := filepath.Join(dir, "a.sgf"), filepath.Join(dir, "bad.sgf"), filepath.Join(dir, "a.txt")
	writeFile(t, in, []byte(recordedGame))
	writeFile(t, bad, []byte("(;GM[4]SZ[15];B[hh];W[hh])"))
	r := printed[report.Conversion](t, "convert", in, "--out", out, "--json", "--check")
	if r.Games != 1 || r.Files != 1 || r.Format != "text" || *r.Illegal != 0 {
		t.Errorf("%+v", r)
	}
	status, printed, message := run(t, "convert", bad, "--check", "--rule", "caro", "--to", "sgf", "--out", "-")
	if status != statusFound || !strings.Contains(printed, "bad.sgf:1: move 2, h8, is illegal under caro 15x15") ||
		!strings.Contains(printed, "RU[caro]") || !strings.Contains(message, "1 of 1 games") {
		t.Errorf("status %d, %q, %q", status, printed, message)
	}
	refuse(t, []refusal{
		{"convert --out x.mp3 " + in, statusUsage, "--to: want sgf, text"},
		{"convert --to sgf --charset klingon --out - " + in, statusUsage, "--charset: unknown charset"},
		{"convert --to sgf --out - " + filepath.Join(dir, "none"), statusFailed, "none"},
		{"convert --out " + out + " " + in, statusFailed, "stays as it is: name another"},
		{"convert --game onitama --to text --out - " + in, statusFailed, "have no such form"},
		{"convert --to psq --out x " + in, statusUsage, "--to psq"},
	}...)
}

func TestOddRecordsAreTold(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "a.sgf")
	writeFile(t, in, []byte("Hello\n(;GM[4]SZ[5]RU[Renju rules];B[aa];W[bb]"))
	odd := `a.sgf:2: text before the game is passed over`
	out := strings.TrimSpace(mustRun(t, "convert", "--check", in, "--out", filepath.Join(dir, "b.sgf"), "--json"))
	var told report.Conversion
	if err := json.Unmarshal([]byte(out[strings.LastIndex(out, "\n")+1:]), &told); err != nil || len(told.Notes) != 3 {
		t.Fatalf("%s, %v", out, err)
	}
	if !strings.HasSuffix(told.Notes[0], odd) || !strings.Contains(out, "carozero: "+told.Notes[0]+"\n") {
		t.Errorf("%s", out)
	}
	if !strings.HasSuffix(told.Notes[1], "the last ) is missing") ||
		!strings.HasSuffix(told.Notes[2], `rule "Renju rules", taken as renju`) {
		t.Errorf("%q", told.Notes)
	}
}

func TestShow(t *testing.T) {
	dir := t.TempDir()
	shown := printed[report.Shown](t, "show", "h8h15g8", "--json")
	if shown.Position != "h8h15g8" || shown.Move != 3 || shown.ToMove != "second" || shown.Outcome != "undecided" {
		t.Errorf("%+v", shown)
	}
	out := filepath.Join(dir, "a.svg")
	for range 2 { // the second time in place of the first
		mustRun(t, "show", "h8", "--out", out)
	}
	if data, err := os.ReadFile(out); err != nil || !bytes.Contains(data, []byte(`aria-labelledby="title"`)) {
		t.Errorf("%.200s, %v", data, err)
	}
	mustRun(t, "show", "--game", "onitama", "--out", filepath.Join(dir, "cards.svg"))
	writeFile(t, filepath.Join(dir, "foreign.svg"), []byte("hello"))
	refuse(t, []refusal{
		{"show nonsense!", statusUsage, "nonsense"},
		{"show h8 --out a.jpg", statusUsage, "ends in .svg"},
		{"show h8 --position h9", statusUsage, "goes with a call without"},
		{"show h8 --out " + filepath.Join(dir, "foreign.svg"), statusFailed, "no picture of this program"},
	}...)
}
