package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	classical "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/alphabeta/regression"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// ErrNoResult says that a game has no result to learn from: it was not
// finished, or lost by a forfeit.
var ErrNoResult = errors.New("the game has no result on the board")

// holdEvery is the number of games of which one is held out.
const holdEvery = 10

// Data are the quiet positions of games: those to fit weights to, and those of
// every tenth game, which are held out to see what the weights are worth in
// games that they have not seen.
type Data struct {
	Games  int
	Fit    regression.Rows
	Held   regression.Rows
	Played []Game // whose positions are in Fit
}

// Collector turns games of one rule set into Data. It belongs to one goroutine.
type Collector struct {
	rules   gomoku.Rules
	trust   float64
	quiet   quiet
	data    Data
	counter regression.Counter
}

// NewCollector returns a Collector for games under r. Trust, 0..1, is the share
// that the score of a search has in the target of a position where a game tells
// it; the result of the game has the rest. Positions held out have their results
// alone.
func NewCollector(r gomoku.Rules, trust float64) *Collector {
	return &Collector{rules: r, trust: trust, quiet: newQuiet()}
}

// Collected returns what has been collected so far. It belongs to c.
func (c *Collector) Collected() *Data { return &c.data }

// Add adds the quiet positions of a game from the end of its opening on. It
// takes nothing from a game without a result, for which it returns
// ErrNoResult.
func (c *Collector) Add(ctx context.Context, g Game) error {
	if g.Rules != c.rules {
		return fmt.Errorf("a game of %s: want %s like the others", g.Rules.Name, c.rules.Name)
	}
	if g.Outcome == game.Undecided || g.Reason == game.Forfeit {
		return ErrNoResult
	}
	b, err := pattern.New(g.Rules, g.Size)
	if err != nil {
		return err
	}
	rows, trust := &c.data.Fit, c.trust
	held := c.data.Games%holdEvery == holdEvery-1
	if held {
		rows, trust = &c.data.Held, 0
	}
	for i, m := range g.Moves {
		if err := ctx.Err(); err != nil {
			return err
		}
		if i >= max(g.Opening, 1) && c.quiet.is(ctx, b) {
			row := c.row(b, g.Outcome)
			if g.Scores != nil && trust > 0 && !math.IsNaN(g.Scores[i]) {
				p := regression.Probability(forFirst(g.Scores[i], b.ToMove()))
				row.Target = float32(float64((1-trust)*float64(row.Target)) + float64(trust*p))
			}
			rows.Add(row)
		}
		if !b.Legal(m) {
			return fmt.Errorf("move %d is illegal", i+1)
		}
		b.Play(m)
	}
	c.data.Games++
	if !held {
		g.Moves = slices.Clone(g.Moves)
		c.data.Played = append(c.data.Played, g)
	}
	return nil
}

// row returns the row of a position in a game with that outcome. Its terms are
// c's and valid until the next call.
func (c *Collector) row(b *pattern.Board, o game.Outcome) regression.Row {
	classical.Features(b, c.counter.Count)
	return regression.Row{
		Terms:  c.counter.Terms(),
		Phase:  float32(classical.Phase(b)) / classical.FullPhase,
		Target: float32(1+o.Value(b.ToMove())) / 2,
	}
}
