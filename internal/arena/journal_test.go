package arena

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/internal/engine"
	"pgregory.net/rapid"
)

// journalled returns a match of 30 games with a journal, and a count of the
// games that are begun.
func journalled(path string, workers int) (Options, *atomic.Int32) {
	var begun atomic.Int32
	a := Entrant{Name: "greedy", New: func() (Player, error) {
		return &scripted{move: greedy, begin: func(context.Context, Start) error {
			begun.Add(1)
			return nil
		}}, nil
	}}
	opts := options(30, a,
		entrant("random", func(ctx context.Context, s *scripted, pos game.Position, clock engine.Clock) (game.Move, error) {
			if s.start.Game%5 == 3 {
				return game.NoMove, errBroken
			}
			return drawn(ctx, s, pos, clock)
		}))
	opts.Openings = &RandomOpenings{Start: opts.Start, Plies: 1, Seed: 5, Tries: 200}
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
			if !errors.Is(err, context.Canceled) || len(results) <= stop || report.Games != len(results) {
				t.Fatalf("%d workers: %v after %d results, report %+v", workers, err, len(results), report)
			}
			if !reflect.DeepEqual(results, want[:len(results)]) {
				t.Fatalf("%d workers: the results before the interruption differ", workers)
			}
			played += int(begun.Load())
			cancel()
		}
		opts, begun := journalled(path, workers)
		results, report := run(t, opts)
		if !reflect.DeepEqual(results, want) || !reflect.DeepEqual(figures(report), figures(wantReport)) {
			t.Fatalf("%d workers: %+v after resuming, %+v undisturbed", workers, report, wantReport)
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

func TestForeignJournalIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "match.jsonl")
	opts, _ := journalled(path, 1)
	opts.Games = 4
	run(t, opts)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	again, begun := journalled(path, 1)
	again.Openings = &RandomOpenings{Start: again.Start, Plies: 1, Seed: 6, Tries: 200}
	if _, _, err := tryRun(t.Context(), again); err == nil || !strings.Contains(err.Error(), "use the same openings") ||
		begun.Load() != 0 {
		t.Errorf("other openings: %v, %d games begun", err, begun.Load())
	}
	lines := strings.SplitAfter(string(good), "\n")
	for part, spoilt := range map[string]string{
		"line 2: ":                lines[0] + "{]\n",
		"line 1: this is not the": "hello\n",
		"line 3: game 0 is there": lines[0] + lines[1] + lines[1],
		"does not follow": lines[0] +
			`{"game":0,"players":[0,1],"opening":"","moves":"","result":"first","reason":"resign"}` + "\n",
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
		opts.Entrants[0].Parts = func() ([]Part, error) {
			return []Part{{"network", "net", "00ff"}, {"program", "x", "11"}},
				nil
		}
		return opts
	}
	run(t, described())
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(o *Options){
		`seed was 1, here 2`: func(o *Options) { o.Seed = 2 },
		`players[0].description was "mcts:playouts=10", here "mcts:playouts=11"`: func(o *Options) {
			o.Entrants[0].Description = "mcts:playouts=11"
		},
		`players[0].parts[0].sha256 was "00ff", here "00fe"`: func(o *Options) {
			o.Entrants[0].Parts = func() ([]Part, error) {
				return []Part{{"network", "net", "00fe"}, {"program", "x", "11"}},
					nil
			}
		},
		`start was`: func(o *Options) { o.Start = after(t, 8) },
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

// Every result is read back from its row as it was.
func TestRowsRoundTrip(t *testing.T) {
	start := gametest.NewMNK(4, 4, 3)
	rapid.Check(t, func(t *rapid.T) {
		want := &Result{
			Game:    rapid.IntRange(0, 1000).Draw(t, "game"),
			Players: [2]int{rapid.IntRange(0, 5).Draw(t, "first"), rapid.IntRange(0, 5).Draw(t, "second")},
			Moves: rapid.SliceOfN(rapid.Map(rapid.Uint16Range(0, 15), func(m uint16) game.Move { return game.Move(m) }), 1,
				16).Draw(t, "moves"),
			Outcome: rapid.SampledFrom([]game.Outcome{game.FirstWins, game.SecondWins, game.Draw}).Draw(t, "outcome"),
			Reason:  rapid.SampledFrom([]game.Reason{game.Line, game.Full, game.Forfeit}).Draw(t, "reason"),
		}
		want.Opening = rapid.IntRange(0, len(want.Moves)).Draw(t, "opening")
		if want.Reason == game.Forfeit {
			want.Forfeit = &Forfeit{
				Side: game.Side(rapid.IntRange(0, 1).Draw(t, "side")), Fault: Failed, Text: rapid.String().Draw(t, "text"),
			}
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
