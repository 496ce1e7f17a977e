package fit

import (
	"bytes"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	classical "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/alphabeta/onitama"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
	rules "github.com/carozero/carozero/game/onitama"
)

func lookup(tb testing.TB, rule string) gomoku.Rules {
	tb.Helper()
	r, err := gomoku.Lookup(rule)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// randomGame returns a game of random moves, near stones in gomoku, which wins at once where
// it can in Onitama.
func randomGame(tb testing.TB, rng *rand.Rand, g Game) Record {
	start := func() (game.Position, error) { return pattern.New(g.(*gomokuGame).rules, 9) }
	moves := func(pos game.Position) []game.Move {
		b := pos.(*pattern.Board)
		return game.NearOnSquare(9, 2).Moves(b, b.Stones().Append(nil), nil)
	}
	if _, ok := g.(*onitamaGame); ok {
		first, err := rules.New(rules.AllCards.Random(rng))
		if err != nil {
			tb.Fatal(err)
		}
		start = func() (game.Position, error) { return first.Clone(), nil }
		moves = func(pos game.Position) []game.Move {
			if wins := pos.Wins(nil); len(wins) > 0 {
				return wins
			}
			return pos.Moves(nil)
		}
	}
	r := Record{Start: start}
	pos, err := start()
	if err != nil {
		tb.Fatal(err)
	}
	for pos.Outcome() == game.Undecided && len(r.Moves) < 81 {
		list := moves(pos)
		m := list[rng.IntN(len(list))]
		r.Moves = append(r.Moves, m)
		pos.Play(m)
	}
	r.Outcome, r.Reason = pos.Outcome(), pos.Reason()
	return r
}

// collected returns the data of so many games with results.
func collected(tb testing.TB, g Game, games int) *Data {
	tb.Helper()
	rng := rand.New(rand.NewPCG(11, 4))
	c := NewData(g)
	for c.Games < games {
		if err := c.Add(tb.Context(), randomGame(tb, rng, g)); err != nil && !errors.Is(err, ErrNoResult) {
			tb.Fatal(err)
		}
	}
	return c
}

func allGames(tb testing.TB) map[string]Game {
	list := map[string]Game{"onitama": Onitama()}
	for _, rule := range gomoku.Names() {
		list[rule] = Gomoku(lookup(tb, rule))
	}
	return list
}

// A row scores what the evaluation of its position does, and its target is the result for
// the side to move.
func TestRowsAreTheEvaluation(t *testing.T) {
	for name, g := range allGames(t) {
		weights := g.Prior().Mean
		score := func(pos game.Position) int {
			if b, ok := pos.(*pattern.Board); ok {
				return gomokuWeights(weights).Score(b)
			}
			return onitamaWeights(weights).Score(pos.(*rules.Board))
		}
		rng := rand.New(rand.NewPCG(2, 9))
		for range 3 {
			r := randomGame(t, rng, g)
			if err := r.replay(t.Context(), func(_ int, pos game.Position) error {
				row := newRow(g, pos, r.Outcome)
				if got, want := row.Score(weights), score(pos); math.Abs(got-float64(want)) > 1.01 {
					t.Fatalf("%s: the row's score is %v, the evaluation %v", name, got, want)
				}
				half := r.Outcome == game.Draw || r.Outcome == game.Undecided
				if want := map[bool]float32{half: 0.5, r.Outcome == game.WinFor(pos.ToMove()): 1}[true]; row.Target != want {
					t.Fatalf("%s: %v to move, %v: target %v", name, pos.ToMove(), r.Outcome, row.Target)
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// Positions that are not quiet and those of the opening are left out; every tenth game is
// held out; scores stand beside the rows for the side to move.
func TestCollector(t *testing.T) {
	for _, g := range []Game{Gomoku(lookup(t, "caro")), Onitama()} {
		rng := rand.New(rand.NewPCG(1, 2))
		c := NewData(g)
		for number := 0; number < 20; {
			r := randomGame(t, rng, g)
			if r.Outcome == game.Undecided {
				continue
			}
			r.Opening = 2
			var want []float64
			for i := range r.Moves {
				r.Scores = append(r.Scores, float64(i))
			}
			if err := r.replay(t.Context(), func(i int, pos game.Position) error {
				if i >= r.Opening && g.Quiet(t.Context(), pos) {
					want = append(want, forFirst(float64(i), pos.ToMove()))
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			before := [2]int{len(c.Fit), len(c.Held)}
			if err := c.Add(t.Context(), r); err != nil {
				t.Fatal(err)
			}
			got := [2]int{len(c.Fit) - before[0], len(c.Held) - before[1]}
			held := number%holdEvery == holdEvery-1
			if held && got != [2]int{0, len(want)} || !held && got != [2]int{len(want), 0} {
				t.Fatalf("game %d: %v rows, want %d", number, got, len(want))
			}
			if !held && !slices.Equal(c.scores[before[0]:], want) {
				t.Fatalf("game %d: scores %v, want %v", number, c.scores[before[0]:], want)
			}
			number++
		}
		good := randomGame(t, rng, g)
		good.Outcome, good.Reason = game.FirstWins, game.Forfeit
		if err := c.Add(t.Context(), good); !errors.Is(err, ErrNoResult) {
			t.Errorf("a forfeit: %v", err)
		}
		good.Reason, good.Moves = game.NoReason, []game.Move{game.NoMove}
		if err := c.Add(t.Context(), good); err == nil || c.Games != 20 {
			t.Errorf("an illegal move: %v", err)
		}
	}
}

// Two fits to the same games find the same weights, which lose less than those set by hand.
func TestRegress(t *testing.T) {
	for _, name := range []string{"freestyle", "renju", "school42", "onitama"} {
		g := allGames(t)[name]
		var results [2]Result
		for i := range results {
			var err error
			if results[i], err = Regress(t.Context(), collected(t, g, 60), 0.3, 0); err != nil {
				t.Fatal(err)
			}
		}
		got := results[0]
		if !(got.Loss[0] < got.HandLoss[0]) {
			t.Errorf("%s: loss %v, by hand %v", name, got.Loss, got.HandLoss)
		}
		if !reflect.DeepEqual(got, results[1]) {
			t.Errorf("%s: two fits to the same games differ", name)
		}
	}
	g := Onitama()
	if _, err := Regress(t.Context(), collected(t, g, 20), 1, 0); err == nil {
		t.Error("few games: accepted")
	}
}

// A target moves from the result towards the score of the search by the trust in it, where
// there is one. Scaled scores that promise half of what comes true count twice.
func TestTrustInScores(t *testing.T) {
	for _, scaled := range []bool{false, true} {
		data := collected(t, Onitama(), 100)
		rng := rand.New(rand.NewPCG(9, 10))
		results := make([]float32, len(data.Fit))
		for i := range results {
			data.scores[i] = 200 * rng.NormFloat64()
			results[i] = 0
			if rng.Float64() < Probability(2*data.scores[i]) {
				results[i] = 1
			}
		}
		data.scores[0] = math.NaN()
		for i := range results {
			data.Fit[i].Target = results[i]
		}
		data.mix(0.5, scaled)
		for i, s := range data.scores {
			factor, want := 1.0, float64(results[i])
			if scaled {
				factor = 2
			}
			if i > 0 {
				want = want/2 + Probability(factor*s)/2
			}
			if got := float64(data.Fit[i].Target); math.Abs(got-want) > 0.03 {
				t.Fatalf("scaled %v, score %v, result %v: target %v, want %v", scaled, s, results[i], got, want)
			}
		}
	}
}

// Each weight that a position can have, and no other, may stray from what is set by hand.
func TestPriors(t *testing.T) {
	for name, g := range allGames(t) {
		p := g.Prior()
		half := len(p.Mean) / 2
		free, used := make([]bool, 2*half), make([]bool, half)
		for _, factor := range p.Factors {
			for _, l := range factor {
				if free[l.Weight] = true; l.Amount == 0 || math.IsNaN(l.Amount) {
					t.Fatalf("%s: weight %d has a load of %v", name, l.Weight, l.Amount)
				}
			}
		}
		if g, ok := g.(*gomokuGame); ok {
			for _, s := range sections(&g.rules) {
				for f := s.from; f < s.to; f++ {
					used[f] = true
				}
			}
			// Nothing taken, a cell that is nothing to anyone: from these the others count.
			used[classical.Taken], used[classical.Contested] = false, false
		} else {
			for f := range used {
				used[f] = true
			}
		}
		for f := range half {
			if free[f] != used[f] || free[half+f] != used[f] {
				t.Errorf("%s, feature %d: may stray is %v and %v, want %v", name, f, free[f], free[half+f], used[f])
			}
		}
	}
}

func position(tb testing.TB, rule string, size int, moves string) *pattern.Board {
	tb.Helper()
	list, err := gomoku.Notation{Size: size}.ParseMoves(moves)
	if err != nil {
		tb.Fatal(err)
	}
	b, err := pattern.New(lookup(tb, rule), size)
	if err != nil {
		tb.Fatal(err)
	}
	for _, m := range list {
		b.Play(m)
	}
	return b
}

func TestQuiet(t *testing.T) {
	for _, c := range []struct {
		name, rule, moves string
		want              bool
	}{
		{"the empty board", "caro", "", false},
		{"an opening", "freestyle", "h8i9j7", true},
		{"the opponent has an open three", "freestyle", "h8a1i8a3j8", true},
		{"five in one", "freestyle", "h8h9i8i9j8j9k8k9", false},
		{"a four to defend against", "freestyle", "h8h9i8i9j8j9k8", false},
		{"an open three of its own", "freestyle", "h8a1i8a3j8c1", false},
		{"the game is over", "freestyle", "h8h9i8i9j8j9k8k9l8", false},
	} {
		b := position(t, c.rule, 15, c.moves)
		if got := Gomoku(lookup(t, c.rule)).Quiet(t.Context(), b); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// The source parses, has the notes, and the weights at their features.
func TestSource(t *testing.T) {
	for _, name := range []string{"caro-edge-overline", "renju", "school42", "onitama"} {
		g := allGames(t)[name]
		weights := make([]float64, len(g.Prior().Mean))
		var want []string
		for i := range weights {
			weights[i] = float64(i%2000 - 1000)
		}
		early := weights[:len(weights)/2]
		if g, ok := g.(*gomokuGame); ok {
			for _, s := range sections(&g.rules) {
				want = append(want, fmt.Sprintf("%s %g, %g, ", s.head, early[s.from], early[s.from+1]))
			}
			want = append(want, "var "+identifier(name)+"Weights = Weights{ Early:")
		} else {
			from := onitama.HandMasters + rules.Squares*int(rules.Crab)
			want = append(want, fmt.Sprintf("HandMasters + %d*%d: // Crab %g, %g, ", rules.Squares, rules.Crab, early[from],
				early[from+1]),
				"var fittedWeights = Weights{ Early:", "Margin: 110, MarginPly: 80,")
		}
		text, err := g.Source(weights, []string{"two\nlines"})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(text, []byte("// Code generated by carozero fit; DO NOT EDIT.\n\n// two lines\n\npackage ")) {
			t.Errorf("%s: the file begins with %.80q", name, text)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "", text, 0); err != nil {
			t.Fatal(err)
		}
		got := strings.Join(strings.Fields(string(text)), " ")
		for _, w := range want {
			if !strings.Contains(got, w) && !strings.Contains(strings.ReplaceAll(got, ":// ", ": // "), w) {
				t.Errorf("%s: no %q", name, w)
			}
		}
	}
}
