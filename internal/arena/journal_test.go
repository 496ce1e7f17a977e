package arena

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/engine"
	"pgregory.net/rapid"
)

// journalled returns a match of 30 games with a journal, and a count of the
// games that are begun.
func journalled(path string, workers int) (Options, *atomic.Int32) {
	var begun atomic.Int32
	a := Entrant{Name: "greedy", New: func(context.Context) (Player, error) {
		return &scripted{move: greedy, begin: func(context.Context, Start) error {
			begun.Add(1)
			return nil
		}}, nil
	}}
	opts := options(30, a, entrant("random", func(ctx context.Context, s *scripted, pos game.Position, clock engine.Clock) (game.Move, error) {
		if s.start.Game%5 == 3 {
			return game.NoMove, errBroken
		}
		return drawn(ctx, s, pos, clock)
	}))
	opts.Openings = &RandomOpenings{Start: opts.Start, Plies: 1, Seed: 5}
	opts.Workers, opts.Journal = workers, path
	return opts, &begun
}

func TestResumeEqualsUndisturbed(t *testing.T) {
	opts, _ := journalled("", 1)
	want, wantReport := run(t, opts)
	for _, workers := range []int{1, 3} {
		path := filepath.Join(t.TempDir(), "match.jsonl")
		played := 0
		for _, stop := range []int{4, 17} {
			ctx, cancel := context.WithCancel(t.Context())
			opts, begun := journalled(path, workers)
			opts.OnResult = func(r *Result, _ Report) {
				if r.Game == stop {
					cancel()
				}
			}
			results, report, err := tryRun(ctx, opts)
			if !errors.Is(err, context.Canceled) || len(results) <= stop || report.Summary().Games != len(results) {
				t.Fatalf("%d workers: %v after %d results, report %+v", workers, err, len(results), report.Summary())
			}
			if !reflect.DeepEqual(results, want[:len(results)]) {
				t.Fatalf("%d workers: the results before the interruption differ", workers)
			}
			played += int(begun.Load())
			cancel()
		}
		opts, begun := journalled(path, workers)
		results, report := run(t, opts)
		if !reflect.DeepEqual(results, want) || report.Summary() != wantReport.Summary() {
			t.Fatalf("%d workers: %+v after resuming, %+v undisturbed", workers, report.Summary(), wantReport.Summary())
		}
		// Each interruption costs at most the games in progress.
		if played += int(begun.Load()); played > 30+2*workers {
			t.Errorf("%d workers: %d games were begun", workers, played)
		}
		opts, begun = journalled(path, workers)
		if again, _ := run(t, opts); !reflect.DeepEqual(again, want) || begun.Load() != 0 {
			t.Errorf("a finished match plays %d games", begun.Load())
		}
	}
}

func TestResumeUnderSPRT(t *testing.T) {
	test := &SPRT{Elo0: 0, Elo1: 200, Alpha: 0.2, Beta: 0.2}
	opts, _ := journalled("", 1)
	opts.SPRT = test
	want, wantReport := run(t, opts)
	if !wantReport.decided() {
		t.Fatalf("undecided: %+v", wantReport.Summary())
	}
	path := filepath.Join(t.TempDir(), "match.jsonl")
	for range 2 {
		opts, _ := journalled(path, 3)
		opts.SPRT = test
		results, report := run(t, opts)
		if !reflect.DeepEqual(results, want) || report.Summary() != wantReport.Summary() {
			t.Fatalf("%+v, want %+v", report.Summary(), wantReport.Summary())
		}
	}
}

// A crash can end the file in the middle of any line.
func TestTornJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "match.jsonl")
	opts, _ := journalled(path, 1)
	opts.Games = 6
	want, _ := run(t, opts)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	torn := append(bytes.Clone(data[:len(data)/2]), bytes.Repeat([]byte("x"), len(data))...)
	for _, size := range []int{0, bytes.IndexByte(data, '\n') + 1, len(data) / 2, len(data) - 1, len(torn)} {
		left := data
		if size > len(data) {
			left = torn
		}
		if err := os.WriteFile(path, left[:size], 0o644); err != nil {
			t.Fatal(err)
		}
		opts, begun := journalled(path, 1)
		opts.Games = 6
		results, _ := run(t, opts)
		whole := max(bytes.Count(left[:size], []byte("\n"))-1, 0)
		if !reflect.DeepEqual(results, want) || int(begun.Load()) != 6-whole {
			t.Errorf("%d bytes: %d games begun, want %d", size, begun.Load(), 6-whole)
		}
		if again, _ := os.ReadFile(path); !bytes.Equal(again, data) {
			t.Errorf("%d bytes: the journal is not what it was", size)
		}
	}
}

func TestLongerMatchGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "match.jsonl")
	opts, _ := journalled(path, 2)
	opts.Games = 7
	run(t, opts)
	opts, begun := journalled(path, 2)
	opts.Games = 12
	results, _ := run(t, opts)
	if len(results) != 12 || begun.Load() != 5 {
		t.Errorf("%d results, %d games begun", len(results), begun.Load())
	}
}

// An odd number of games is numbered differently from a larger one where there are more
// than two players.
func TestLongerRoundRobinIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "match.jsonl")
	for _, games := range []int{3, 3, 4} {
		opts := options(games, entrant("a", drawn), entrant("b", drawn), entrant("c", drawn))
		opts.Journal = path
		_, report, err := tryRun(t.Context(), opts)
		if games == 3 && (err != nil || report.Games() != 9) {
			t.Errorf("%d games, %v", report.Games(), err)
		}
		if games == 4 && (!errors.Is(err, disk.ErrRefused) || !strings.Contains(err.Error(), "an odd number of games must stay the same")) {
			t.Errorf("%v", err)
		}
	}
}

func TestForeignJournalIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "match.jsonl")
	opts, _ := journalled(path, 1)
	opts.Games = 4
	run(t, opts)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for part, spoil := range map[string]func(o *Options){
		"seed 1, here 2":     func(o *Options) { o.Seed = 2 },
		"players":            func(o *Options) { o.Entrants[0].Name = "other" },
		"time control":       func(o *Options) { o.Entrants[0].Control.Turn = 1e9 },
		"move limit 0, here": func(o *Options) { o.MaxPlies = 9 },
		"setting":            func(o *Options) { o.Setting = "3,4,3" },
		"start position":     func(o *Options) { o.Start = after(t, 8) },
		"use the same openings": func(o *Options) {
			o.Openings = &RandomOpenings{Start: o.Start, Plies: 1, Seed: 6}
		},
	} {
		opts, begun := journalled(path, 1)
		spoil(&opts)
		_, _, err := tryRun(t.Context(), opts)
		if err == nil || !strings.Contains(err.Error(), part) || begun.Load() != 0 {
			t.Errorf("error %v, %d games begun, want %q", err, begun.Load(), part)
		}
	}
	lines := strings.SplitAfter(string(good), "\n")
	for part, spoilt := range map[string]string{
		"line 2: ":                     lines[0] + "{]\n",
		"line 1: this is not the":      "hello\n",
		"line 3: game 0 is there":      lines[0] + lines[1] + lines[1],
		"line 2: game 0: move":         lines[0] + `{"game":0,"players":[0,1],"opening":"a1","moves":"a1","result":"first","reason":"line"}` + "\n",
		"where the rules say":          lines[0] + `{"game":0,"players":[0,1],"opening":"a1","moves":"a2","result":"first","reason":"line"}` + "\n",
		"has the players":              lines[0] + `{"game":0,"players":[1,0],"opening":"a1","moves":"a2","result":"first","reason":"resign"}` + "\n",
		"want first, second or draw":   lines[0] + `{"game":0,"players":[0,1],"opening":"","moves":"","result":"won","reason":"resign"}` + "\n",
		"without its explanation":      lines[0] + `{"game":0,"players":[0,1],"opening":"","moves":"","result":"first","reason":"forfeit"}` + "\n",
		"which gives":                  lines[0] + `{"game":0,"players":[0,1],"opening":"","moves":"","result":"first","reason":"resign"}` + "\n",
		"the move limit is 0":          lines[0] + `{"game":0,"players":[0,1],"opening":"a1","moves":"a2","result":"draw","reason":"limit"}` + "\n",
		"want the side first or secon": lines[0] + `{"game":0,"players":[0,1],"opening":"","moves":"","result":"first","reason":"forfeit","forfeit":{"side":"third","fault":"","text":""}}` + "\n",
	} {
		if err := os.WriteFile(path, []byte(spoilt), 0o644); err != nil {
			t.Fatal(err)
		}
		opts, _ := journalled(path, 1)
		if _, _, err := tryRun(t.Context(), opts); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v, want %q", err, part)
		}
		if after, _ := os.ReadFile(path); string(after) != spoilt {
			t.Errorf("%s: a refused journal was changed", part)
		}
	}
}

// A match goes on only as the same: the first thing that differs is named, in
// one line, and the journal stays as it is.
func TestAnotherMatchIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "match.jsonl")
	described := func() Options {
		opts, _ := journalled(path, 1)
		opts.Games, opts.Program = 2, "1.0 abc"
		opts.Entrants[0].Description = "mcts:playouts=10"
		opts.Entrants[0].Parts = func() ([]Part, error) { return []Part{{"network", "net", "00ff"}, {"program", "x", "11"}}, nil }
		return opts
	}
	run(t, described())
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	parts := func(list ...Part) func() ([]Part, error) { return func() ([]Part, error) { return list, nil } }
	for want, change := range map[string]func(o *Options){
		`program "1.0 abc", here "1.1 def"`:                                   func(o *Options) { o.Program = "1.1 def" },
		`player "greedy": it was "mcts:playouts=10", here "mcts:playouts=11"`: func(o *Options) { o.Entrants[0].Description = "mcts:playouts=11" },
		`the network "net" had the SHA-256 "00ff", here "00fe"`: func(o *Options) {
			o.Entrants[0].Parts = parts(Part{"network", "net", "00fe"}, Part{"program", "x", "11"})
		},
		`network "net", here network "other"`: func(o *Options) {
			o.Entrants[0].Parts = parts(Part{"network", "other", "00ff"}, Part{"program", "x", "11"})
		},
		"2 files, here 1": func(o *Options) { o.Entrants[0].Parts = parts(Part{"network", "net", "00ff"}) },
		"2 files, here 0": func(o *Options) { o.Entrants[0].Parts = nil },
		"no such program": func(o *Options) {
			o.Entrants[1].Parts = func() ([]Part, error) { return nil, errors.New("no such program") }
		},
	} {
		opts := described()
		change(&opts)
		_, _, err := tryRun(t.Context(), opts)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("error %v, want %q", err, want)
		}
		if after, _ := os.ReadFile(path); !bytes.Equal(after, good) {
			t.Fatalf("%s: the journal was changed", want)
		}
	}
	if results, _ := run(t, described()); len(results) != 2 {
		t.Errorf("%d results of the same match", len(results))
	}
}

// ownHeader returns a match, its header, and the line that this is in a journal.
func ownHeader(tb testing.TB) (*Match, header, []byte) {
	tb.Helper()
	opts, _ := journalled("", 1)
	m, err := New(opts)
	if err != nil {
		tb.Fatal(err)
	}
	h, err := m.header()
	if err != nil {
		tb.Fatal(err)
	}
	line, err := json.Marshal(h)
	if err != nil {
		tb.Fatal(err)
	}
	return m, h, append(line, '\n')
}

// Files of others are never changed, whatever they look like; an empty one is
// new.
func TestFilesOfOthersStay(t *testing.T) {
	_, _, own := ownHeader(t)
	for name, text := range map[string]string{
		"a line":            "my thesis",
		"lines":             "my thesis\nchapter 1\n",
		"JSON lines":        `{"game":0,"result":"first"}` + "\n" + `{"game":1,"result":"second"}` + "\n",
		"a JSON line":       `{"game":0}`,
		"another format":    `{"format":"carozero-samples","version":1}` + "\n",
		"another version":   `{"format":"carozero-match","version":1,"players":["a","b"]}` + "\n",
		"a list":            "[]\n",
		"a newline":         "\n",
		"newlines and ours": "\n" + string(own),
		"zeros":             strings.Repeat("\x00", 5000),
		"one long line":     strings.Repeat("x", 3*maxLine),
		"a part of ours":    string(own[:len(own)/2]),
		"ours without end":  string(own[:len(own)-1]),
		"ours in a list":    "[" + string(own[:len(own)-1]) + "]\n",
		"ours and a long":   string(own) + strings.Repeat("x", 3*maxLine) + "\n",
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		opts, begun := journalled(path, 1)
		_, _, err := tryRun(t.Context(), opts)
		after, readErr := os.ReadFile(path)
		if err == nil || strings.Contains(err.Error(), "\n") || len(err.Error()) > 400 || readErr != nil || string(after) != text || begun.Load() != 0 {
			t.Errorf("%s: error %v, %d bytes of %d, %d games begun", name, err, len(after), len(text), begun.Load())
		}
	}
	for name, path := range map[string]string{"a folder": t.TempDir(), "a device": os.DevNull} {
		opts, _ := journalled(path, 1)
		if _, _, err := tryRun(t.Context(), opts); err == nil {
			t.Errorf("%s is taken for a journal", name)
		}
	}
	real, link := filepath.Join(t.TempDir(), "real"), filepath.Join(t.TempDir(), "link")
	if err := errors.Join(os.WriteFile(real, nil, 0o644), os.Symlink(real, link)); err != nil {
		t.Fatal(err)
	}
	opts, _ := journalled(link, 1)
	opts.Games = 2
	run(t, opts)
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("a symbolic link to an empty file was replaced")
	}
	if text, err := os.ReadFile(real); err != nil || bytes.Count(text, []byte("\n")) != 3 {
		t.Errorf("%q (%v)", text, err)
	}
}

// A second match on a journal in use is refused and told who uses it.
func TestJournalInUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "match.jsonl")
	opts, _ := journalled(path, 1)
	opts.Games = 4
	second := 0
	opts.OnResult = func(*Result, Report) {
		other, begun := journalled(path, 1)
		_, _, err := tryRun(t.Context(), other)
		if !errors.Is(err, disk.ErrHeld) || !strings.Contains(err.Error(), fmt.Sprint("process ", os.Getpid())) || begun.Load() != 0 {
			t.Errorf("error %v", err)
		}
		second++
	}
	if results, _ := run(t, opts); len(results) != 4 || second != 4 {
		t.Errorf("%d results, %d attempts", len(results), second)
	}
	if names, err := os.ReadDir(filepath.Dir(path)); err != nil || len(names) != 1 {
		t.Errorf("beside the journal: %v (%v)", names, err)
	}
}

// FuzzHeader reads any bytes as a journal's first line: it is refused in one
// short line that a terminal can be given, or is this match's.
func FuzzHeader(f *testing.F) {
	_, _, own := ownHeader(f)
	path := filepath.Join(f.TempDir(), "fuzz.jsonl")
	f.Add(own)
	f.Add(bytes.Replace(own, []byte("greedy"), []byte(`\u001b[2J`), 1))
	f.Add([]byte(`{"format":"carozero-match","version":2,"players":[{"parts":[{}]}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if _, err := loaded(t, path, append(bytes.Clone(line), '\n')); err != nil && strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Fatalf("%q", err.Error())
		}
	})
}

func TestJournalFolderIsMissing(t *testing.T) {
	opts, _ := journalled(filepath.Join(t.TempDir(), "none", "match.jsonl"), 1)
	if _, _, err := tryRun(t.Context(), opts); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// Every result is read back from its row as it was.
func TestRowsRoundTrip(t *testing.T) {
	start := gametest.NewMNK(4, 4, 3)
	rapid.Check(t, func(t *rapid.T) {
		want := &Result{
			Game:    rapid.IntRange(0, 1000).Draw(t, "game"),
			Players: [2]int{rapid.IntRange(0, 5).Draw(t, "first"), rapid.IntRange(0, 5).Draw(t, "second")},
			Moves:   rapid.SliceOfN(rapid.Map(rapid.Uint16Range(0, 15), func(m uint16) game.Move { return game.Move(m) }), 1, 16).Draw(t, "moves"),
			Outcome: rapid.SampledFrom([]game.Outcome{game.FirstWins, game.SecondWins, game.Draw}).Draw(t, "outcome"),
			Reason:  rapid.SampledFrom([]game.Reason{game.Line, game.Full, game.Forfeit}).Draw(t, "reason"),
		}
		want.Opening = rapid.IntRange(0, len(want.Moves)).Draw(t, "opening")
		if want.Reason == game.Forfeit {
			want.Forfeit = &Forfeit{Side: game.Side(rapid.IntRange(0, 1).Draw(t, "side")), Fault: Failed, Text: rapid.String().Draw(t, "text")}
		}
		data, err := json.Marshal(newRow(want, start.Notation()))
		if err != nil {
			t.Fatal(err)
		}
		var r row
		if err := json.Unmarshal(data, &r); err != nil {
			t.Fatal(err)
		}
		got, err := r.result(start.Notation())
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%s reads as %+v (%v), want %+v", data, got, err, want)
		}
	})
}

// loaded returns the games of a journal's file, which reading leaves as it is, and the
// error, which is one line.
func loaded(tb testing.TB, path string, data []byte) (map[int]*Result, error) {
	tb.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		tb.Fatal(err)
	}
	opts, _ := journalled(path, 1)
	m, err := New(opts)
	if err != nil {
		tb.Fatal(err)
	}
	j, finished, err := m.openJournal()
	if err == nil {
		j.Close()
	}
	if after, readErr := os.ReadFile(path); readErr != nil || !bytes.Equal(after, data) {
		tb.Fatalf("reading changed %q to %q", data, after)
	}
	if err != nil && (!errors.Is(err, disk.ErrRefused) || strings.Contains(err.Error(), "\n")) {
		tb.Fatalf("error %v", err)
	}
	return finished, err
}

// With a bit of a byte turned over, a journal is refused, or another game by the rules
// stands in place of the one that was changed.
func TestTurnedBits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "match.jsonl")
	opts, _ := journalled(path, 1)
	opts.Games = 2
	results, _ := run(t, opts)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	refused, end := 0, bytes.IndexByte(data, '\n')
	for at := range data {
		spoilt := bytes.Clone(data)
		spoilt[at] ^= 1 << rng.IntN(8)
		finished, err := loaded(t, path, spoilt)
		if err != nil {
			refused++
			continue
		}
		same := 0
		for _, r := range results {
			if found := finished[r.Game]; found != nil && reflect.DeepEqual(found.Moves, r.Moves) {
				same++
			}
		}
		if at <= end || same == 0 {
			t.Fatalf("%q is taken", spoilt)
		}
	}
	if refused < len(data)*3/4 {
		t.Errorf("%d of %d were refused", refused, len(data))
	}
}

func FuzzJournal(f *testing.F) {
	m, _, head := ownHeader(f)
	f.Add([]byte(`{"game":0,"players":[0,1],"opening":"a1","moves":"b1a2b2a3","result":"first","reason":"line"}` + "\n"))
	f.Add([]byte(`{"game":-1}` + "\n\n" + `{"game":1,"reason":"forfeit","forfeit":{"side":"first"}}` + "\n"))
	path := filepath.Join(f.TempDir(), "fuzz.jsonl")
	f.Fuzz(func(t *testing.T, rows []byte) {
		finished, err := loaded(t, path, append(bytes.Clone(head), rows...))
		if err != nil {
			return
		}
		for number, r := range finished {
			if number != r.Game || number < 0 || number >= 30 || r.verify(m.opts.Start, m.opts.MaxPlies) != nil {
				t.Fatalf("game %d is %+v", number, r)
			}
		}
	})
}
