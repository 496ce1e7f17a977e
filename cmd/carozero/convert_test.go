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
	if out := mustRun(t, "show", in); !strings.Contains(out, odd) {
		t.Errorf("show: %s", out)
	}
}

func TestShow(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "a.sgf")
	writeFile(t, in, []byte(recordedGame+recordedGame))
	if got := mustRun(t, "show", in); !strings.Contains(got, "X X X X X") ||
		!strings.Contains(got, "freestyle 15x15 after 9 moves: first has won") || !strings.Contains(got, "Ann – Ben  B+") {
		t.Errorf("%s", got)
	}
	shown := printed[report.Shown](t, "show", in, "--nth", "2", "--move", "3", "--json")
	if shown.Position != "h8h15g8" || shown.Move != 3 || shown.ToMove != "second" || shown.Outcome != "undecided" {
		t.Errorf("%+v", shown)
	}
	out := filepath.Join(dir, "a.svg")
	for range 2 { // the second time in place of the first
		mustRun(t, "show", in, "--out", out)
	}
	if data, err := os.ReadFile(out); err != nil || !bytes.Contains(data, []byte(`aria-labelledby="title"`)) {
		t.Errorf("%.200s, %v", data, err)
	}
	mustRun(t, "show", "--game", "onitama", "--out", filepath.Join(dir, "cards.svg"))
	writeFile(t, filepath.Join(dir, "foreign.svg"), []byte("hello"))
	refuse(t, []refusal{
		{"show nonsense!", statusUsage, "is no file, and no position"},
		{"show h8 --out a.jpg", statusUsage, "ends in .svg"},
		{"show h8 --move 2", statusUsage, "the game has 1 moves"},
		{"show h8 --position h9", statusUsage, "want one of them"},
		{"show --nth 3 " + in, statusUsage, "has 2 games"},
		{"show --move 90 " + in, statusFailed, "the game has 9 moves, not 90"},
		{"show h8 --out " + filepath.Join(dir, "foreign.svg"), statusFailed, "no picture of this program"},
	}...)
}

// Commands that take a position take it from a recorded game too, and a match its
// openings from a library.
func TestRecordsAsInput(t *testing.T) {
	dir := t.TempDir()
	psq, lib, sgf := filepath.Join(dir, "a.psq"), filepath.Join(dir, "a.lib"), filepath.Join(dir, "a.sgf")
	writeFile(t, psq,
		[]byte("Piskvorky 15x15, 0:0, 0\n8,8,0\n8,7,0\n9,9,0\n9,7,0\n8,6,0\n9,10,0\n9,5,0\n9,4,0\n-1\n-1,Renju\n"))
	writeFile(t, lib, []byte("\xffRenLib\xff\x03\x00"+strings.Repeat("\xff", 10)+"\x78\x00\x68\xc0\x69\x40"))
	writeFile(t, sgf, []byte(recordedGame))
	if got := mustRun(t, "forbidden", "--board", psq); !strings.HasPrefix(got, "g9 double-three") {
		t.Errorf("forbidden: %q", got)
	}
	out := mustRun(t, "match", "--a", "alphabeta:nodes=20,table=1", "--b", "alphabeta:nodes=30,table=1", "--games", "4",
		"--openings", lib, "--sgf", filepath.Join(dir, "games"))
	if out == "" {
		t.Error("no report")
	}
	for game, want := range map[string]string{"1": ";B[hh];W[hg]", "2": ";B[hh];W[hg]", "3": ";B[hh];W[ig]"} {
		data, err := os.ReadFile(filepath.Join(dir, "games", "game-00000"+game+".sgf"))
		if err != nil || !strings.Contains(string(data), want) {
			t.Errorf("game %s: %s, %v, want %s", game, data, err, want)
		}
	}
	refuse(t, []refusal{
		{"perft --depth 1 --size 9 --board " + psq, statusUsage, "is of 15x15, --size is 9"},
		{"perft --depth 1 --to-move first --board " + psq, statusUsage, "is a recorded game"},
		{"perft --depth 1 --game onitama --board " + psq, statusUsage, "is none of onitama"},
		{"match --a alphabeta:nodes=20,table=1 --b alphabeta:nodes=30,table=1 --games 2 --rule freestyle --openings " + sgf,
			statusFailed, "the game is over after move 9: want openings"},
	}...)
}
