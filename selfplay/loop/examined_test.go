package loop

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/nn/nntest"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// With a patience of 0 a trainer may fail for ever: the loop plays all of its rounds.
// With one of n it ends after n failures, and tells what to do.
func TestPatience(t *testing.T) {
	for _, c := range []struct{ patience, rounds, done int }{
		{0, 3, 3}, {1, 3, 1}, {2, 3, 2}, {3, 3, 3}, {4, 3, 3},
	} {
		toy := toyConfig()
		toy.Rounds, toy.Patience = c.rounds, c.patience
		toy.Trainer.Train = trainerOf("fails")
		s, err := runToy(t, t.TempDir(), toy, newToyWorld().host())
		if s == nil || s.done() != c.done || (err != nil) != (c.done < c.rounds) {
			t.Fatalf("a patience of %d: %v, want %d rounds", c.patience, err, c.done)
		}
		if err == nil {
			continue
		}
		want := fmt.Sprintf("in %d rounds in a row", c.patience)
		if !errors.Is(err, ErrPatience) || !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(), fmt.Sprintf("now %d", c.patience)) {
			t.Errorf("a patience of %d: %v", c.patience, err)
		}
	}
}

// A round's folder has a journal for each board of its gate, counted from 1.
func TestMatchesOfARound(t *testing.T) {
	dir, c := t.TempDir(), toyConfig()
	c.Rounds = 1
	mustRunToy(t, dir, c, newToyWorld())
	found, err := filepath.Glob(filepath.Join(dir, "round-0001", "gate", "match-*.jsonl"))
	if err != nil || len(found) == 0 {
		t.Fatalf("%v, %v", found, err)
	}
	for i, path := range found {
		if want := fmt.Sprintf("match-%02d.jsonl", i+1); filepath.Base(path) != want {
			t.Errorf("%s, want %s", path, want)
		}
	}
}

// The ends of the ranges are in them, what is beyond is not.
func TestRangesOfALoop(t *testing.T) {
	for _, c := range []struct {
		key   string
		set   func(*Config, float64)
		good  []float64
		wrong []float64
	}{
		{"gate.crosscheck.sigmas", func(c *Config, v float64) { c.Gate.CrossCheck.Sigmas = v }, []float64{0, 10}, []float64{-0.001, -1, 10.001, math.Inf(1), math.NaN()}},
		{"gate.tactics.tolerance", func(c *Config, v float64) { c.Gate.Tactics.Tolerance = int(v) }, []float64{0, 1_000_000}, []float64{-1, 1_000_001}},
		{"patience", func(c *Config, v float64) { c.Patience = int(v) }, []float64{0, 1_000_000_000}, []float64{-1, 1_000_000_001}},
		{"rounds", func(c *Config, v float64) { c.Rounds = int(v) }, []float64{1, 1_000_000}, []float64{-1, 0, 1_000_001}},
		{"workers", func(c *Config, v float64) { c.Workers = int(v) }, []float64{0, 1}, []float64{-1}},
		{"trainer.window", func(c *Config, v float64) { c.Trainer.Window = int(v) }, []float64{0, 1_000_000_000}, []float64{-1, 1_000_000_001}},
	} {
		for _, v := range c.good {
			toy := toyConfig()
			if c.set(&toy, v); toy.Check() != nil {
				t.Errorf("%s = %v: %v", c.key, v, toy.Check())
			}
		}
		for _, v := range c.wrong {
			toy := toyConfig()
			c.set(&toy, v)
			var key *KeyError
			if err := toy.Check(); !errors.As(err, &key) || key.Key != c.key {
				t.Errorf("%s = %v: %v", c.key, v, err)
			}
		}
	}
}

// What a round's report says of games is what a reader of the shards counts.
func TestGamesReport(t *testing.T) {
	var g GamesReport
	g.Calibration = make([]Bin, calibrationBins)
	row := func(outcome int8, rootQ, netQ float32, proven int8, target ...float32) samples.Row {
		return samples.Row{Outcome: outcome, RootQ: rootQ, NetQ: netQ, Proven: proven, Target: target}
	}
	shard := samples.Shard{Columns: &samples.Columns{}, Header: samples.Header{Games: []samples.Game{
		{Plies: 7, Result: game.FirstWins.String()}, {Plies: 5, Result: game.SecondWins.String()},
		{Plies: 9, Result: game.Draw.String()}, {Plies: 8, Result: game.SecondWins.String()},
	}}}
	g.addShard(&shard)
	for _, r := range []samples.Row{
		row(1, 1, 0.5, samples.ProvenWin, 1, 0),             // expected to win, and does
		row(-1, -1, 0, samples.ProvenLoss, 0.5, 0.5),        // to lose, and does
		row(0, 0, 1, samples.ProvenUnknown, 0.5, 0.25, .25), // half, and draws
		row(1, -0.5, -1, samples.ProvenUnknown, 1),          // a quarter, and wins
		row(1, 0.125, 1, samples.ProvenUnknown, 1),          // a little above half, and wins
	} {
		g.addRow(&r)
	}
	g.finish()
	want := GamesReport{
		Games: 4, Positions: 5, First: 1, Second: 2, Draws: 1, MeanPlies: 7.25, Shortest: 5, Longest: 9, Proven: 2,
		Entropy:     rounded((math.Ln2 + 1.5*math.Ln2) / 5),
		SearchBrier: rounded((0.75*0.75 + 0.4375*0.4375) / 5),
		NetBrier:    rounded((0.25*0.25 + 0.5*0.5 + 0.5*0.5 + 1) / 5),
		Calibration: make([]Bin, calibrationBins),
	}
	want.Calibration[0] = Bin{1, 0, 0}
	want.Calibration[2] = Bin{1, 0.25, 1}
	want.Calibration[5] = Bin{2, rounded(0.53125), 0.75}
	want.Calibration[9] = Bin{1, 1, 1}
	if fmt.Sprint(g) != fmt.Sprint(want) {
		t.Errorf("got\n%+v, want\n%+v", g, want)
	}
	if g.DrawShare() != 0.25 || (&GamesReport{}).DrawShare() != 0 {
		t.Errorf("draws: %v and %v", g.DrawShare(), (&GamesReport{}).DrawShare())
	}
	var empty GamesReport
	if empty.finish(); fmt.Sprint(empty) != fmt.Sprint(GamesReport{}) {
		t.Errorf("without games: %+v", empty)
	}
}

// The report of shards on disk counts every game and row of every folder.
func TestGamesReportOfShards(t *testing.T) {
	dir := t.TempDir()
	start := gametest.NewMNK(3, 3, 3)
	setup := selfplay.Setup{
		Start: start, Columns: 3, Encoder: nntest.TicTacToe{},
		Format:    func(_ game.Position, moves []game.Move) string { return start.Notation().FormatMoves(moves) },
		Header:    samples.Header{Game: "mnk", Size: 3, Planes: samples.Planes{Version: "mnk-1", Names: []string{"own", "opp"}}},
		Evaluator: func(int) (nn.Evaluator, error) { return nn.NewMock(5), nil },
	}
	var dirs []string
	games, rows := 0, 0
	for i, name := range []string{"a", "b"} {
		path := filepath.Join(dir, name)
		sum, err := selfplay.Play(t.Context(), setup, selfplay.Options{Games: 5 + i, GamesPerShard: 2, Seed: uint64(i), Playouts: 4}, selfplay.Host{Dir: path, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		games, rows, dirs = games+sum.Games, rows+sum.Positions, append(dirs, path)
	}
	g, err := gamesReport(t.Context(), dirs)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, b := range g.Calibration {
		n += b.N
	}
	if g.Games != 11 || g.Games != games || g.Positions != rows || n != rows || g.First+g.Second+g.Draws != games || g.Shortest < 5 || g.Longest > 9 {
		t.Errorf("%d games and %d rows, report %+v", games, rows, g)
	}
}
