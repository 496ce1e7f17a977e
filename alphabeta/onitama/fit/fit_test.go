package fit

import (
	"bytes"
	"context"
	"errors"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/carozero/carozero/alphabeta/onitama"
	"github.com/carozero/carozero/alphabeta/regression"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	rules "github.com/carozero/carozero/game/onitama"
)

// randomGame returns a game of random moves, which wins at once where it can.
func randomGame(tb testing.TB, rng *rand.Rand) Game {
	start, err := rules.New(rules.AllCards.Random(rng))
	if err != nil {
		tb.Fatal(err)
	}
	g := Game{Start: start}
	b := start.Clone().(*rules.Board)
	for b.Outcome() == game.Undecided && len(g.Moves) < 80 {
		moves := b.Wins(nil)
		if len(moves) == 0 {
			moves = b.Moves(nil)
		}
		m := moves[rng.IntN(len(moves))]
		g.Moves = append(g.Moves, m)
		b.Play(m)
	}
	g.Outcome, g.Reason = b.Outcome(), b.Reason()
	return g
}

// collect returns the data of games that have been decided.
func collect(tb testing.TB, games int) *Data {
	rng := rand.New(rand.NewPCG(3, 4))
	var c Collector
	for c.Collected().Games < games {
		if err := c.Add(tb.Context(), randomGame(tb, rng)); err != nil && !errors.Is(err, ErrNoResult) {
			tb.Fatal(err)
		}
	}
	return c.Collected()
}

// Positions with a capture or a win at once are left out, and so are those of the opening;
// every tenth game is held out; scores stand beside the rows for the side to move.
func TestCollector(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var c Collector
	for number := 0; number < 20; {
		g := randomGame(t, rng)
		if g.Outcome == game.Undecided {
			continue
		}
		g.Opening = 2
		for i := range g.Moves {
			g.Scores = append(g.Scores, float64(i))
		}
		before := [2]int{c.data.Fit.Len(), c.data.Held.Len()}
		var want []float64
		b := g.Start.Clone().(*rules.Board)
		for i, m := range g.Moves {
			quiet := len(b.Wins(nil)) == 0
			for _, m := range b.Moves(nil) {
				quiet = quiet && !b.Captures(m)
			}
			if quiet && i >= g.Opening {
				score := float64(i)
				if b.ToMove() == game.Second {
					score = -score
				}
				want = append(want, score)
			}
			b.Play(m)
		}
		if err := c.Add(t.Context(), g); err != nil {
			t.Fatal(err)
		}
		got := [2]int{c.data.Fit.Len() - before[0], c.data.Held.Len() - before[1]}
		held := number%holdEvery == holdEvery-1
		if held && got != [2]int{0, len(want)} || !held && got != [2]int{len(want), 0} {
			t.Fatalf("game %d: %v rows, want %d", number, got, len(want))
		}
		for i, score := range want {
			if !held && c.data.Scores[before[0]+i] != score {
				t.Fatalf("game %d: score %v, want %v", number, c.data.Scores[before[0]+i], score)
			}
		}
		number++
	}
	if err := c.Add(t.Context(), Game{Outcome: game.FirstWins, Reason: game.Forfeit}); !errors.Is(err, ErrNoResult) {
		t.Errorf("a forfeit: %v", err)
	}
	foreign := Game{Start: gametest.NewMNK(3, 3, 3), Outcome: game.FirstWins}
	if err := c.Add(t.Context(), foreign); err == nil {
		t.Error("tic-tac-toe is accepted")
	}
	illegal := randomGame(t, rng)
	illegal.Outcome, illegal.Moves = game.FirstWins, []game.Move{rules.MoveCount}
	if err := c.Add(t.Context(), illegal); err == nil {
		t.Error("an illegal move is accepted")
	}
}

// Rows have the score of the weights, and the result for the side to move.
func TestRowsAreTheEvaluation(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var c Collector
	w := onitama.FittedWeights()
	for range 30 {
		g := randomGame(t, rng)
		b := g.Start.Clone().(*rules.Board)
		for _, m := range g.Moves {
			row := c.row(b, game.FirstWins)
			if got, want := row.Score(vector(w)), float64(w.Score(b)); math.Abs(got-want) >= 1 {
				t.Fatalf("%v, want %v", got, want)
			}
			if want := float32(1 - int(b.ToMove())); row.Target != want {
				t.Fatalf("target %v, want %v", row.Target, want)
			}
			b.Play(m)
		}
	}
}

// A fit loses less than the weights set by hand, and comes nearer to what
// made the results.
func TestFitLearns(t *testing.T) {
	data := collect(t, 400)
	truth := vector(onitama.HandWeights())
	truth[onitama.Tempo], truth[onitama.NumFeatures+onitama.Tempo] = 150, 150
	rng := rand.New(rand.NewPCG(7, 8))
	for _, rows := range []*regression.Rows{&data.Fit, &data.Held} {
		for i := range rows.Len() {
			row := rows.At(i)
			target := float32(0)
			if rng.Float64() < regression.Probability(row.Score(truth)) {
				target = 1
			}
			rows.SetTarget(i, target)
		}
	}
	w, err := Fit(t.Context(), data, Options{Spread: 1})
	if err != nil {
		t.Fatal(err)
	}
	if w.Early[onitama.Tempo] < 24 || w.Late[onitama.Tempo] < 24 {
		t.Errorf("having the move is worth %d and %d, want much more than the 12 set by hand", w.Early[onitama.Tempo], w.Late[onitama.Tempo])
	}
	if c := Measured(data, w); c.Loss[0] >= c.HandLoss[0] || c.Loss[1] >= c.HandLoss[1] {
		t.Errorf("%+v", c)
	}
}

// Scores count on the scale that suits the results: where they promise half of what comes
// true, targets are those of scores twice as high.
func TestScoresAreScaled(t *testing.T) {
	data := collect(t, 100)
	rng := rand.New(rand.NewPCG(9, 10))
	data.Scores = data.Scores[:0]
	for i := range data.Fit.Len() {
		score := 200 * rng.NormFloat64()
		data.Scores = append(data.Scores, score)
		target := float32(0)
		if rng.Float64() < regression.Probability(2*score) {
			target = 1
		}
		data.Fit.SetTarget(i, target)
	}
	data.Scores[0] = math.NaN()
	data.Fit.SetTarget(0, 0.5)
	data.mix(1)
	if got := data.Fit.At(0).Target; got != 0.5 {
		t.Errorf("without a score the target is %v, want 0.5", got)
	}
	for i := 1; i < data.Fit.Len(); i++ {
		if got, want := float64(data.Fit.At(i).Target), regression.Probability(2*data.Scores[i]); math.Abs(got-want) > 0.05 {
			t.Fatalf("score %v: target %v, want %v", data.Scores[i], got, want)
		}
	}
}

func TestFitRefuses(t *testing.T) {
	few, enough := collect(t, 20), collect(t, LeastGames)
	for name, err := range map[string]error{
		"few games":    second(Fit(t.Context(), few, Options{Spread: 1})),
		"no spread":    second(Fit(t.Context(), enough, Options{})),
		"too trustful": second(Fit(t.Context(), enough, Options{Spread: 1, Trust: 2})),
	} {
		if err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if w, err := Fit(ctx, enough, Options{Spread: 1}); w != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

// Every weight of a card has a prior of its own, and cards with a step in common share one.
func TestHandPrior(t *testing.T) {
	p := HandPrior(1)
	together := func(a, b int) bool {
		for _, factor := range p.Factors {
			var hasA, hasB bool
			for _, l := range factor {
				hasA, hasB = hasA || l.Weight == a, hasB || l.Weight == b
			}
			if hasA && hasB {
				return true
			}
		}
		return false
	}
	held := func(card rules.Card, cell int) int { return onitama.HandStudents + rules.Squares*int(card) + cell }
	for name, c := range map[string]struct {
		a, b int
		want bool
	}{
		"boar and crab both step forward":       {held(rules.Boar, 7), held(rules.Crab, 7), true},
		"but not from different cells":          {held(rules.Boar, 7), held(rules.Crab, 8), false},
		"boar and tiger have nothing in common": {held(rules.Boar, 7), held(rules.Tiger, 7), false},
		"a card's cells have":                   {held(rules.Boar, 7), held(rules.Boar, 12), true},
		"early and late weights have":           {held(rules.Boar, 7), onitama.NumFeatures + held(rules.Boar, 7), true},
		"a card in the hand and aside do not":   {held(rules.Boar, 7), onitama.SideStudents + 7, false},
	} {
		if got := together(c.a, c.b); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	loaded := make([]bool, len(p.Mean))
	for _, factor := range p.Factors {
		for _, l := range factor {
			loaded[l.Weight] = true
		}
	}
	for w, ok := range loaded {
		if !ok {
			t.Fatalf("weight %d cannot stray", w)
		}
	}
}

// The source is Go, holds the weights in order and the notes.
func TestSource(t *testing.T) {
	w := new(onitama.Weights)
	for f := range onitama.NumFeatures {
		w.Early[f], w.Late[f] = int16(f), int16(-f)
	}
	source, err := Source(w, []string{"a  note"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := parser.ParseFile(token.NewFileSet(), "w.go", source, 0); err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(source, []byte("// Code generated by carozero fit; DO NOT EDIT.\n\n// a note\n")) {
		t.Errorf("%.80s", source)
	}
	text := strings.Join(strings.Fields(string(source)), " ")
	for _, want := range []string{"Tempo: 0,", "Students: 1, 2,", "HandStudents + 25*0: // Boar 51, 52,", "SideMasters + 25*31: // Viper", "-3260,"} {
		if !strings.Contains(text, want) && !strings.Contains(strings.ReplaceAll(text, ":// ", ": // "), want) {
			t.Errorf("no %q", want)
		}
	}
}
