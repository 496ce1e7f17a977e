package bookfiles

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/record/book"
)

// journalOf returns a journal of a match of caro 15x15.
func journalOf(t *testing.T, games ...string) string {
	t.Helper()
	header := fmt.Sprintf(`{"format":"carozero-match","version":2,"program":"p","players":[{"name":"a","description":"a","control":"none","parts":[]},`+
		`{"name":"b","description":"b","control":"none","parts":[]}],"seed":1,"max_plies":30,"setting":"gomoku caro 15","start":"%016x"}`, at(t, "caro", "").Hash())
	return header + "\n" + strings.Join(games, "")
}

func gameRow(number int, opening, moves, result, more string) string {
	return fmt.Sprintf(`{"game":%d,"players":[0,1],"opening":%q,"moves":%q,"result":%q,"reason":"full"%s}`, number, opening, moves, result, more) + "\n"
}

// imported imports a file of a text.
func imported(t *testing.T, b *book.Book, name, text string) (Imported, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	o, _ := options(t, "renju") // a journal says itself of which rules it is
	return Games(ctx, b, []string{path}, o)
}

// The games of a journal count once, whatever the state in which it is read and how
// often; forfeits count without a result, and a line that is being written not at all.
func TestJournal(t *testing.T) {
	b := newBook(t)
	one, two := gameRow(0, "h8", "i9", "first", ""), gameRow(1, "h8", "g7", "draw", "")
	three := gameRow(2, "h8", "h9", "second", `,"forfeit":{"side":"first","fault":"crash","text":"gone"}`)
	sum, err := imported(t, b, "m.jsonl", journalOf(t, one)+two[:20])
	if err != nil || sum.Games != 1 || sum.Results != 1 || sum.Positions != 3 {
		t.Fatalf("%+v, %v", sum, err)
	}
	for range 2 {
		sum, err = imported(t, b, "m.jsonl", journalOf(t, one, two, three))
		if err != nil || sum.Games != 3 || sum.Known != 1 {
			t.Errorf("%+v, %v", sum, err)
		}
	}
	if sum.Results != 0 {
		t.Errorf("the second time %d results are new", sum.Results)
	}
	for moves, want := range map[string]book.Results{
		"": {Wins: 1, Draws: 1}, "h8": {Losses: 1, Draws: 1}, "h8i9": {Wins: 1, Draws: 1}, "h8h9": {},
	} {
		if got := get(t, b, at(t, "caro", moves)).Results; got != want {
			t.Errorf("%q: %+v, want %+v", moves, got, want)
		}
	}
	if sum, err := imported(t, b, "m.jsonl", journalOf(t, one)); err != nil || sum.Results != 0 {
		t.Errorf("an earlier state: %+v, %v", sum, err)
	}
	if got := get(t, b, at(t, "caro", "")).Results; got != (book.Results{Wins: 1, Draws: 1}) {
		t.Errorf("after an earlier state: %+v", got)
	}
	other := gameRow(0, "h8", "j10", "first", "")
	if _, err := imported(t, b, "m.jsonl", journalOf(t, other)); err != nil || get(t, b, at(t, "caro", "")).Results.Games() != 3 {
		t.Errorf("another match: %v", err)
	}
	before, _ := b.Variants()
	for want, text := range map[string]string{
		"is not legal":         journalOf(t, one, gameRow(1, "h8", "h8", "first", "")),
		"is there twice":       journalOf(t, one, one),
		"want first, second":   journalOf(t, one, gameRow(1, "h8", "i9", "won", "")),
		"no game of this":      journalOf(t),
		"line 2":               journalOf(t, `{"game":0,"unknown":1}`+"\n"),
		"a player 7":           journalOf(t, strings.Replace(one, "[0,1]", "[0,7]", 1)),
		"version 9":            strings.Replace(journalOf(t, one), `"version":2`, `"version":9`, 1),
		"on the empty board":   strings.Replace(journalOf(t, one), `"start":"`, `"start":"0`, 1),
		"bad rule":             strings.Replace(journalOf(t, one), "gomoku caro 15", "gomoku chess 15", 1),
		"the setting of":       strings.Replace(journalOf(t, one), "gomoku caro 15", "caro", 1),
		"more than":            journalOf(t, one, strings.Repeat("x", 1<<20)),
		"positions of gomoku,": strings.Replace(journalOf(t, one), "gomoku caro 15", "onitama onitama 5", 1),
	} {
		if sum, err := imported(t, b, "m.jsonl", text); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || sum.Games != 0 {
			t.Errorf("%s: %+v, %v", want, sum, err)
		}
	}
	if after, _ := b.Variants(); !reflect.DeepEqual(after, before) {
		t.Errorf("%+v became %+v", before, after)
	}
}

// What a book is written as in JSON lines comes back as it was, and adds nothing to the
// book that it is of.
func TestRowsComeBack(t *testing.T) {
	b := newBook(t)
	if _, err := imported(t, b, "m.jsonl", journalOf(t, gameRow(0, "h8", "i9j7", "first", ""))); err != nil {
		t.Fatal(err)
	}
	best, err := gomoku.Notation{Size: 15}.ParseMoves("j7")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Update(ctx, func(w *book.Writer) error {
		pos := at(t, "caro", "h8i9")
		v := book.Value{Source: book.Source{Engine: "e", Network: "n", Build: "b"}, Value: -0.25, Proof: book.Lost, Plies: 6, Nodes: 7, Depth: 3, Best: best[0], Stamp: by}
		if err := w.SetValue(pos, v); err != nil {
			return err
		}
		if err := w.SetLabel(pos, book.Excluded, by); err != nil {
			return err
		}
		return w.SetComment(pos, `a "rude" 五 <b>`, by)
	}); err != nil {
		t.Fatal(err)
	}
	lines := func(b *book.Book) string {
		v := book.VariantOf(at(t, "caro", ""))
		var out bytes.Buffer
		if _, err := WriteJSON(ctx, b, v, &out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	text := lines(b)
	back := newBook(t)
	for range 2 {
		sum, err := imported(t, back, "x.jsonl", text)
		if err != nil || sum.Games != 4 {
			t.Fatalf("%+v, %v", sum, err)
		}
	}
	if got := lines(back); got != text {
		t.Errorf("%s\nwant\n%s", got, text)
	}
	if _, err := imported(t, b, "x.jsonl", text); err != nil || lines(b) != text {
		t.Errorf("into itself: %v, %s", err, lines(b))
	}
	if got := get(t, back, at(t, "caro", "h8g7")); got.Results != (book.Results{Wins: 1}) || got.Label != book.Excluded {
		t.Errorf("%+v", got)
	}
	first, _, _ := strings.Cut(text, "\n")
	for want, line := range map[string]string{
		":1: ":             first[:40],
		"bad rule":         strings.Replace(first, `"caro"`, `"chess"`, 1),
		"to move":          strings.Replace(first, `"to_move":"first"`, `"to_move":"third"`, 1),
		"two stones":       strings.Replace(first, `"first":""`, `"first":"a1a1"`, 1),
		"the sums of":      strings.Replace(first, `","wins":1`, `","wins":-1`, 1),
		"results of -1":    strings.ReplaceAll(first, `"wins":1`, `"wins":-1`),
		"unknown label":    strings.Replace(first, `"wins"`, `"label":"best","wins"`, 1),
		"control":          strings.Replace(first, `"wins"`, `"comment":"a\u001bb","wins"`, 1),
		"want -1 to 1":     strings.Replace(first, `"values":[]`, `"values":[{"engine":"e","value":7,"nodes":1,"depth":1}]`, 1),
		"proof":            strings.Replace(first, `"values":[]`, `"values":[{"engine":"e","value":0,"proof":"maybe","nodes":1,"depth":1}]`, 1),
		"the name of its ": strings.Replace(first, `"values":[]`, `"values":[{"engine":"","value":0,"nodes":1,"depth":1}]`, 1),
	} {
		if line == first {
			t.Fatalf("%s: the line is not spoilt: %s", want, first)
		}
		if _, err := imported(t, back, "x.jsonl", line+"\n"); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", want, err)
		}
	}
	if lines(back) != text {
		t.Error("what was refused changed the book")
	}
}

// What is wrong in lines of positions is said with the line.
func TestRowsAreNumbered(t *testing.T) {
	const row = `{"rule":"renju","size":15,"first":"h8","second":"","to_move":"second","values":[],"author":"a","time":1}` + "\n"
	for text, want := range map[string]string{
		row + `{"comment":"` + strings.Repeat("x", maxRow) + "\"}\n": ":2: too large: the line has more than 1048576 bytes",
		row + row + `{"rule":"chess"}`:                               ":3: ",
		row + "\n":                                                   ":2: ",
	} {
		if _, err := imported(t, newBook(t), "t.json", text); err == nil || !strings.Contains(err.Error(), "t.json"+want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.150q: %v, want %q", text, err, want)
		}
	}
	if sum, err := imported(t, newBook(t), "t.json", row); err != nil || sum.Positions != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
}
