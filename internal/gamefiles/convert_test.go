package gamefiles

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/record"
)

// sources are files of all formats: one game each but many.sgf.
var sources = map[string]string{
	"a.sgf":    "(;GM[4]SZ[15]RU[renju]PB[Ann]PW[Ben]RE[B+R]C[root];B[hh]C[centre](;W[ig];B[ii])(;W[hg]))",
	"b.psq":    "Piskvorky 15x15, 11:11, 0\n8,8,12\n9,7,13\none\ntwo\n0\n2,Renju\n",
	"c.lib":    "\xffRenLib\xff\x03\x00" + strings.Repeat("\xff", 10) + "\x78\x00\x69\x08hi\x00\x00\x68\x40",
	"d.txt":    "h8i9j10\n",
	"many.sgf": "(;GM[4]SZ[15];B[hh])(;GM[4]SZ[15];B[ii])(;GM[4]SZ[15];B[hh];W[hh])",
}

// open writes the sources to a folder and opens some of them.
func open(t *testing.T, names ...string) (in *Trees, folder string) {
	t.Helper()
	folder = t.TempDir()
	var paths []string
	for _, name := range names {
		paths = append(paths, filepath.Join(folder, name))
		if err := os.WriteFile(paths[len(paths)-1], []byte(sources[name]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	in, err := OpenTrees(paths, Options{Variant: variant(t, "freestyle", 15)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in, folder
}

// options returns options whose notes go to a list.
func options(to record.Format, notes *[]string) *Conversion {
	return &Conversion{To: to, Program: "carozero:test", Note: func(text string) {
		if notes != nil {
			*notes = append(*notes, text)
		}
	}}
}

func TestStream(t *testing.T) {
	in, _ := open(t, "a.sgf", "b.psq", "c.lib", "d.txt", "many.sgf")
	var out bytes.Buffer
	var notes []string
	o := options(record.SGF, &notes)
	o.Check, o.Rule = true, "caro"
	sum, err := o.Stream(context.Background(), &out, in)
	if err != nil || sum.Games != 7 || sum.Illegal != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "many.sgf:1: move 2, h8, is illegal under freestyle 15x15") {
		t.Errorf("%q", notes)
	}
	if got := strings.Count(out.String(), "RU[caro]"); got != 5 || strings.Count(out.String(), "AP[carozero:test]") != 7 ||
		!strings.Contains(out.String(), "C[centre]") {
		t.Errorf("%d of rule caro\n%s", got, out.String())
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	in, _ = open(t, "many.sgf")
	if _, err := options(record.SGF, nil).Stream(stopped, &out, in); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// A folder gets a file for each game, and what is there of others stays.
func TestFolder(t *testing.T) {
	in, folder := open(t, "a.sgf", "many.sgf", "b.psq")
	out := filepath.Join(folder, "new", "sgf")
	sum, err := options(record.SGF, nil).Folder(context.Background(), out, in)
	if err != nil || sum.Games != 5 {
		t.Fatalf("%+v, %v", sum, err)
	}
	var names []string
	for _, path := range sum.Files {
		names = append(names, filepath.Base(path))
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
	if got := strings.Join(names, " "); got != "a.sgf many-000001.sgf many-000002.sgf many-000003.sgf b.sgf" {
		t.Errorf("files %s", got)
	}
	in, _ = open(t, "a.sgf")
	if _, err := options(record.SGF, nil).Folder(context.Background(), out, in); err != nil {
		t.Errorf("its own file: %v", err)
	}
	for _, to := range []record.Format{record.SGF, record.Text} {
		foreign := filepath.Join(out, "d"+to.Extension())
		if err := os.WriteFile(foreign, []byte("(;GM[4];B[hh])"), 0o644); err != nil {
			t.Fatal(err)
		}
		in, _ = open(t, "d.txt")
		if _, err := options(to, nil).Folder(context.Background(), out, in); err == nil ||
			!strings.Contains(err.Error(), "stays as it is") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v over the file of another: %v", to, err)
		}
	}
	_, one := open(t, "a.sgf")
	_, two := open(t, "a.sgf")
	twice, err := OpenTrees([]string{one, two}, Options{Variant: variant(t, "freestyle", 15)})
	if err != nil {
		t.Fatal(err)
	}
	defer twice.Close()
	if _, err := options(record.SGF, nil).Folder(context.Background(), filepath.Join(one, "twice"), twice); err == nil ||
		!strings.Contains(err.Error(), "as that of another game") {
		t.Errorf("two games in one file: %v", err)
	}
}

// A rule that is the beginning of what a group is called is taken, others are guessed, and both
// are told where the rules are asked.
func TestRulesAreGuessed(t *testing.T) {
	for rule, c := range map[string]struct{ want, note string }{
		"Freestyle15_1": {"freestyle", `rule "Freestyle15_1", taken as freestyle`},
		"RENJU RULES":   {"renju", `rule "RENJU RULES", taken as renju`}, "Renju": {"renju", ""}, "": {"freestyle", ""},
		"Gomoku": {"freestyle", `unknown rule "Gomoku", taken as freestyle: the rules are`},
	} {
		path := filepath.Join(t.TempDir(), "a.psq")
		if err := os.WriteFile(path, []byte("Piskvorky 15x15, 11:11, 0\n8,8,1\na\nb\n0\n1,"+rule+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		in, err := OpenTrees([]string{path}, Options{Variant: variant(t, "freestyle", 15)})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		r, err := in.Next()
		if err != nil || r.Variant.Rule() != c.want {
			t.Errorf("%s is %s, %v; want %s", rule, r.Variant.Rule(), err, c.want)
		}
		if notes := r.Notes(false); (len(notes) == 0) != (c.note == "") ||
			!strings.Contains(strings.Join(notes, ""), c.note) || len(r.Notes(true)) > 0 {
			t.Errorf("%s: %q, want %q", rule, notes, c.note)
		}
	}
}

// Whoever reads lines gets notes of what is odd in their records, as the records have them.
func TestReaderNotes(t *testing.T) {
	folder := write(t, map[string]string{
		"a.sgf": "hello (;GM[4]SZ[15]RU[Caro15_1];B[hh])", "b.sgf": "(;GM[4]SZ[15]RU[caro];B[hh])",
	})
	var notes []string
	o := Options{Variant: variant(t, "caro", 15), Note: func(text string) { notes = append(notes, text) }}
	if _, err := readAll([]string{folder}, o); err != nil || len(notes) != 2 ||
		!strings.HasSuffix(notes[0], "text before the game is passed over") ||
		!strings.HasSuffix(notes[1], `a.sgf:1: rule "Caro15_1", taken as caro`) {
		t.Errorf("%q, %v", notes, err)
	}
}
