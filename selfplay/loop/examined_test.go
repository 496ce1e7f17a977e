package loop

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
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
		if !errors.Is(err, ErrPatience) || !strings.Contains(err.Error(), want) || !strings.HasSuffix(err.Error(),
			fmt.Sprintf("now %d", c.patience)) {
			t.Errorf("a patience of %d: %v", c.patience, err)
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
