package tune

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/front/arena"
	"github.com/carozero/carozero/internal/support/journal"
)

// formula is an objective without games: results follow the Elo formula, with 10 Elo
// lost for each step squared from a top.
type formula struct {
	parameters []Parameter
	top        []float64
	asked      int
	end        func(asked int) // called before each question
}

func (f *formula) ask(ctx context.Context) error {
	f.asked++
	if f.end != nil {
		f.end(f.asked)
	}
	return ctx.Err()
}

func (f *formula) Opening(ctx context.Context, round int, before []Opening) (Opening, error) {
	return Opening{Board: "formula", Moves: fmt.Sprintf("%d of round %d", len(before), round), Try: 3 * len(before), First: 10}, f.ask(ctx)
}

func (f *formula) Play(ctx context.Context, r Round, pairs int, fixed []Opening) ([5]int, error) {
	elo := func(v []float64) (sum float64) {
		for i, p := range f.parameters {
			x := (v[i] - f.top[i]) / p.Step
			sum -= 10 * x * x
		}
		return sum
	}
	stream := uint64(2 * r.Number)
	if r.Match {
		stream++
	}
	return pairsOf(rand.New(rand.NewPCG(uint64(len(fixed)), stream)), elo(r.A)-elo(r.B), pairs), f.ask(ctx)
}

// tuning returns the options of a small tuning, with a fresh method.
func tuning(t *testing.T, journal string) (Options, *formula) {
	t.Helper()
	parameters := []Parameter{{Name: "a", Start: 2, Min: 0.1, Max: 9, Step: 0.1}, {Name: "b", Start: 50, Min: 1, Max: 400, Step: 10, Whole: true}}
	o := Options{
		Parameters: parameters, Trials: 12, Pairs: 4, MatchRounds: 3, SPRT: arena.SPRT{Elo0: 0, Elo1: 30},
		Setup: []Item{{"player", "formula"}, {"seed", "1"}}, Journal: journal, Resume: true,
	}
	var err error
	if o.Method, err = NewSPSA(parameters, SPSAOptions{Trials: o.Trials, Pairs: o.Pairs, Seed: 1}); err != nil {
		t.Fatal(err)
	}
	f := &formula{parameters: parameters, top: []float64{2.3, 80}}
	o.Objective = f
	return o, f
}

func runTuning(t *testing.T, ctx context.Context, o Options) (Result, error) {
	t.Helper()
	tuning, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return tuning.Run(ctx)
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// A tuning moves towards the top, fixes its openings first, and says that the result
// beats the start.
func TestATuning(t *testing.T) {
	o, f := tuning(t, "")
	o.Trials, o.Pairs, o.MatchRounds = 300, 8, 60
	o.Method, _ = NewSPSA(o.Parameters, SPSAOptions{Trials: o.Trials, Pairs: o.Pairs, Seed: 1})
	r, err := runTuning(t, t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range r.Estimates {
		if off := (e.Result - f.top[i]) / e.Step; off > 1 || off < -1 || !(e.Error > 0 && e.Error < 5*e.Step) {
			t.Errorf("%s: %g +- %g, want %g", e.Name, e.Result, e.Error, f.top[i])
		}
	}
	if r.Verdict != arena.AcceptH1 || r.Openings != 480 || len(r.Digest) != 64 || !strings.Contains(r.MatchText(), "SPRT h1") {
		t.Errorf("%s, %d openings, digest %s", r.MatchText(), r.Openings, r.Digest)
	}
}

// Wherever a tuning is killed, between two lines or within one, it goes on to the same
// bytes and the same result.
func TestATuningSurvivesAKillAtEveryLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	o, _ := tuning(t, path)
	want, err := runTuning(t, t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	whole := readFile(t, path)
	rows := bytes.SplitAfter(whole, []byte("\n"))
	if len(rows) < 1+12+1+12+1+1 || !bytes.Contains(rows[12], []byte(`"opening"`)) || !bytes.Contains(rows[13], []byte(want.Digest)) || !bytes.Contains(rows[14], []byte(`"number":0`)) {
		t.Fatalf("the openings are not fixed before the first trial, or lines are missing:\n%s", whole)
	}
	kept := len(rows[0])
	for i := 1; i < len(rows); i++ {
		torn := len(rows[i]) / 2 * (i % 2)
		writeFile(t, path, whole[:kept+torn])
		o, f := tuning(t, path)
		got, err := runTuning(t, t.Context(), o)
		if err != nil || !reflect.DeepEqual(got, want) || !bytes.Equal(readFile(t, path), whole) {
			t.Fatalf("cut in line %d after %d bytes: %v\n%+v\n%+v", i+1, torn, err, got, want)
		}
		if left := len(rows) - 1 - i; f.asked > left {
			t.Errorf("cut in line %d: %d questions were asked again, %d lines were missing", i+1, f.asked, left)
		}
		kept += len(rows[i])
	}
	o, f := tuning(t, path)
	if got, err := runTuning(t, t.Context(), o); err != nil || !reflect.DeepEqual(got, want) || f.asked != 0 || !bytes.Equal(readFile(t, path), whole) {
		t.Errorf("a tuning that is over: %v, %d questions", err, f.asked)
	}
}

// A tuning whose context ends says so, with what was counted until then, and another
// goes on to the same bytes.
func TestATuningIsInterrupted(t *testing.T) {
	dir := t.TempDir()
	o, _ := tuning(t, filepath.Join(dir, "whole"))
	want, err := runTuning(t, t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for asked := 1; asked < 25; asked += 8 {
		path := filepath.Join(dir, fmt.Sprint(asked))
		ctx, cancel := context.WithCancel(t.Context())
		o, f := tuning(t, path)
		f.end = func(n int) {
			if n == asked {
				cancel()
			}
		}
		r, err := runTuning(t, ctx, o)
		if !errors.Is(err, context.Canceled) || r.Trials != max(0, asked-13) || len(r.Estimates) != 2 {
			t.Errorf("ended at %d: %v, %+v", asked, err, r)
		}
		o, _ = tuning(t, path)
		if got, err := runTuning(t, t.Context(), o); err != nil || !reflect.DeepEqual(got, want) || !bytes.Equal(readFile(t, path), readFile(t, filepath.Join(dir, "whole"))) {
			t.Errorf("ended at %d and resumed: %v, %+v", asked, err, got)
		}
	}
}

// What is no journal of this tuning is refused in one line that says why, and stays as
// it is.
func TestRefusedJournals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	o, _ := tuning(t, path)
	if _, err := runTuning(t, t.Context(), o); err != nil {
		t.Fatal(err)
	}
	whole := string(readFile(t, path))
	lines := strings.SplitAfter(whole, "\n")
	change := func(line int, old, new string) string {
		changed := strings.Clone(lines[line])
		if changed = strings.Replace(changed, old, new, 1); changed == lines[line] {
			t.Fatalf("no %q in %s", old, lines[line])
		}
		return strings.Join(lines[:line], "") + changed + strings.Join(lines[line+1:], "")
	}
	for name, c := range map[string]struct{ text, want string }{
		"foreign":          {"hello\n", "no"},
		"another file":     {`{"format":"carozero-match","version":2}` + "\n", "not the journal of a tuning"},
		"a torn header":    {lines[0][:len(lines[0])-1], "not the journal of a tuning"},
		"an old version":   {change(0, `"version":1`, `"version":0`), "version 0, want 1"},
		"another player":   {change(0, `"value":"formula"`, `"value":"other"`), `its player is "other", here "formula"`},
		"less of a setup":  {change(0, `,{"what":"seed","value":"1"}`, ""), "no seed"},
		"more of a setup":  {change(0, `"value":"1"}]`, `"value":"1"},{"what":"x","value":"y"}]`), `its x is "y"`},
		"a changed move":   {change(3, "2 of", "9 of"), "digest"},
		"a missing line":   {strings.Join(lines[:5], "") + strings.Join(lines[6:], ""), "want opening 12"},
		"a changed value":  {change(14, `"a":[`, `"a":[1`), "want trial 0"},
		"a missing trial":  {strings.Join(lines[:15], "") + strings.Join(lines[16:], ""), "want trial 1"},
		"pairs too many":   {change(14, `"pairs":[`, `"pairs":[7`), "want 4"},
		"negative pairs":   {change(14, `"pairs":[`, `"pairs":[-`), "line 15"},
		"no row":           {change(15, "{", "["), "line 16"},
		"another letter":   {change(14, `"number"`, `"Number"`), `line 15: at byte 11 "\"Number\":0`},
		"a spoiled key":    {change(14, `"number":0`, `"nunber":0`), `line 15: at byte 11 "\"nunber\":0`},
		"one more key":     {change(3, `"try"`, `"more":1,"try"`), "line 4: at byte "},
		"more than it all": {whole + lines[len(lines)-2], "want no more lines"},
	} {
		writeFile(t, path, []byte(c.text))
		o, _ := tuning(t, path)
		_, err := runTuning(t, t.Context(), o)
		if !errors.Is(err, journal.ErrRefused) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if string(readFile(t, path)) != c.text {
			t.Errorf("%s: the file was changed", name)
		}
	}
	writeFile(t, path, []byte(whole))
	o, _ = tuning(t, path)
	o.Resume = false
	if _, err := runTuning(t, t.Context(), o); !errors.Is(err, journal.ErrRefused) || !strings.Contains(err.Error(), "resume it") {
		t.Errorf("begun anew over a journal: %v", err)
	}
}

// With a bit of a byte turned over, a journal is refused in one line and stays as it is;
// only a last line that has lost its end is made again.
func TestTurnedBits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	small := func() Options {
		o, _ := tuning(t, path)
		o.Trials, o.MatchRounds = 2, 1
		return o
	}
	if _, err := runTuning(t, t.Context(), small()); err != nil {
		t.Fatal(err)
	}
	whole := readFile(t, path)
	rng := rand.New(rand.NewPCG(1, 1))
	for at := range whole {
		spoilt := bytes.Clone(whole)
		spoilt[at] ^= 1 << rng.IntN(8)
		writeFile(t, path, spoilt)
		_, err := runTuning(t, t.Context(), small())
		after := readFile(t, path)
		if at == len(whole)-1 {
			if err != nil || !bytes.Equal(after, whole) {
				t.Errorf("without its end: %v", err)
			}
		} else if !errors.Is(err, journal.ErrRefused) || strings.Contains(err.Error(), "\n") || !bytes.Equal(after, spoilt) {
			t.Fatalf("%q: %v, left\n%s", spoilt, err, after)
		}
	}
}

// Values are whole where they must be, lie on a grid of decimals, and stay in range.
func TestValuesOfParameters(t *testing.T) {
	for _, c := range []struct {
		p    Parameter
		x    float64
		want float64
	}{
		{Parameter{Start: 2, Min: 1, Max: 3, Step: 0.125}, 0.3333, 2.042}, {Parameter{Start: 2, Min: 1, Max: 3, Step: 0.125}, 100, 3}, {Parameter{Start: 2, Min: 1, Max: 3, Step: 0.125}, -100, 1},
		{Parameter{Start: 7, Min: 1, Max: 30, Step: 2, Whole: true}, 0.3, 8}, {Parameter{Start: 7, Min: 1, Max: 30, Step: 2, Whole: true}, 0.2, 7},
		{Parameter{Start: 2, Min: 1, Max: 3, Step: 2e-9}, 1, 2.000000002},
		{Parameter{Start: 19652, Min: 1, Max: 1e9, Step: 1965}, 0.1, 19850},
	} {
		if got := c.p.value(c.x); got != c.want {
			t.Errorf("%+v, %g steps: %v, want %v", c.p, c.x, got, c.want)
		}
	}
}

// The page shows every parameter with its course, its error or that it is not known,
// and the match; it replaces nothing but a page.
func TestPage(t *testing.T) {
	dir := t.TempDir()
	o, _ := tuning(t, filepath.Join(dir, "t.jsonl"))
	r, err := runTuning(t, t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	r.Estimates[0].Name, r.Estimates[0].Error = "<a>", 0.25
	path := filepath.Join(dir, "t.html")
	for range 2 { // the second replaces the first
		if err := r.SavePage(path, o.Trials, o.Setup); err != nil {
			t.Fatal(err)
		}
	}
	text := string(readFile(t, path))
	for _, want := range []string{"12 of 12 trials of 4 pairs", "&lt;a&gt; over pairs of games", "<td>0.25</td>", "<td>not known</td>", r.Digest, "result against start: 24 games", "player: formula", "</html>"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if n := strings.Count(text, "<svg"); n != 2 {
		t.Errorf("%d charts", n)
	}
	if n := strings.Count(text, "<circle"); n < 2*13 {
		t.Errorf("%d dots", n)
	}
	if err := r.SavePage(filepath.Join(dir, "t.jsonl"), o.Trials, o.Setup); err == nil {
		t.Error("the journal was taken for a page")
	}
}
