package fit

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/carozero/carozero/alphabeta/onitama"
	"github.com/carozero/carozero/alphabeta/regression"
	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/onitama"
)

// ErrNoResult says that a game has no result to learn from: it was not finished, or lost
// by a forfeit.
var ErrNoResult = errors.New("the game has no result on the board")

// holdEvery is the number of games of which one is held out.
const holdEvery = 10

// Game is a recorded game.
type Game struct {
	Start   game.Position // before the first move, a board of Onitama; not changed
	Moves   []game.Move
	Opening int // leading moves that no player chose

	// Scores are those of the searches that chose the moves, for the first player; NaN
	// where there was none, nil if there are none.
	Scores  []float64
	Outcome game.Outcome
	Reason  game.Reason
}

// Data are the quiet positions of games: those to fit weights to, and those of every tenth
// game, which are held out.
type Data struct {
	Games     int
	Fit, Held regression.Rows

	// Scores are those of the searches of the positions in Fit, for the side to move; NaN
	// where there was none.
	Scores []float64
}

// Collector turns games into Data. The zero value is ready. It belongs to one goroutine.
type Collector struct {
	data    Data
	counter regression.Counter
	moves   []game.Move
}

// Collected returns what has been collected so far. It belongs to c.
func (c *Collector) Collected() *Data { return &c.data }

// Add adds the quiet positions of a game. It takes nothing from a game without a result,
// for which it returns ErrNoResult.
func (c *Collector) Add(ctx context.Context, g Game) error {
	if g.Outcome == game.Undecided || g.Reason == game.Forfeit {
		return ErrNoResult
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	b, ok := g.Start.Clone().(*rules.Board)
	if !ok {
		return fmt.Errorf("%T is not a board of Onitama", g.Start)
	}
	held := c.data.Games%holdEvery == holdEvery-1
	for i, m := range g.Moves {
		if !b.Legal(m) {
			return fmt.Errorf("move %d is illegal", i+1)
		}
		if i >= g.Opening && c.quiet(b) {
			if row := c.row(b, g.Outcome); held {
				c.data.Held.Add(row)
			} else {
				c.data.Fit.Add(row)
				c.data.Scores = append(c.data.Scores, g.score(i, b.ToMove()))
			}
		}
		b.Play(m)
	}
	c.data.Games++
	return nil
}

// score returns that of the search for move i, for the side to move.
func (g *Game) score(i int, side game.Side) float64 {
	switch {
	case i >= len(g.Scores):
		return math.NaN()
	case side == game.Second:
		return -g.Scores[i]
	}
	return g.Scores[i]
}

// quiet reports whether the side to move can neither win at once nor take anything.
func (c *Collector) quiet(b *rules.Board) bool {
	c.moves = b.Moves(c.moves[:0])
	for _, m := range c.moves {
		if b.Captures(m) {
			return false
		}
	}
	c.moves = b.Wins(c.moves[:0])
	return len(c.moves) == 0
}

// row returns the row of a position in a game with that outcome. Its terms are c's and
// valid until the next call.
func (c *Collector) row(b *rules.Board, o game.Outcome) regression.Row {
	onitama.Features(b, c.counter.Count)
	return regression.Row{
		Terms:  c.counter.Terms(),
		Phase:  float32(onitama.Phase(b)) / onitama.FullPhase,
		Target: float32(1+o.Value(b.ToMove())) / 2,
	}
}
