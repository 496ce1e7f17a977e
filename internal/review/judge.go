// Package review judges the moves of a game by the expected result that each gives away, by an
// engine's opinion of every position ([Turn]), in which a draw counts as half a win. [Judge] makes
// the [Report], which becomes a page of its own ([Report.WritePage]) or comments and variations of
// a record ([Report.Annotate]).
package review

import (
	"fmt"
	"math"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/games"
)

// Class says how good a move was.
type Class uint8

// The classes, the best first.
const (
	Unjudged Class = iota // nothing is known of a position beside the move
	Best
	Good
	Inaccuracy
	Mistake
	Blunder
	classes
)

var classNames = [classes]string{"", "best", "good", "inaccuracy", "mistake", "blunder"}

// String returns "best" and so on, "" of Unjudged.
func (c Class) String() string { return classNames[c] }

// Grade is a class with the least loss, in 0..1, that a move of it has.
type Grade struct {
	Class string  `json:"class"`
	Loss  float64 `json:"loss"`
}

// leastLoss is the least loss of each class: what a move takes from the expected result of the
// side that made it, never less than 0. The engine's own move loses nothing.
var leastLoss = [classes]float64{Good: 0.01, Inaccuracy: 0.05, Mistake: 0.10, Blunder: 0.20}

// Accuracy are the constants of a move's accuracy: Scale exp(-Rate loss) - Less, in 0..100,
// of a loss in 0..1.
type Accuracy struct {
	Scale float64 `json:"scale"`
	Rate  float64 `json:"rate"`
	Less  float64 `json:"less"`
}

// accuracy is lichess.org's.
var accuracy = Accuracy{Scale: 103.1668, Rate: 4.354, Less: 3.1669}

// Of returns the accuracy of a move.
func (a Accuracy) Of(loss float64) float64 {
	return max(0, min(100, a.Scale*math.Exp(-a.Rate*loss)-a.Less))
}

// Scale is all that a program needs to judge moves as this package does.
type Scale struct {
	Grades   []Grade  `json:"grades"` // the best first
	Accuracy Accuracy `json:"accuracy"`
}

// NewScale returns the scale.
func NewScale() Scale {
	s := Scale{Accuracy: accuracy}
	for c := Best; c < classes; c++ {
		s.Grades = append(s.Grades, Grade{c.String(), leastLoss[c]})
	}
	return s
}

// ClassOf returns the class of a loss.
func ClassOf(loss float64) Class {
	c := Best
	for c+1 < classes && loss >= leastLoss[c+1] {
		c++
	}
	return c
}

// Game is what is reviewed.
type Game struct {
	Variant games.Variant
	Start   game.Position // of turn 0; left alone
	Moves   []game.Move   // legal
	Opening int           // leading moves that no player chose

	Title, Black, White, Result string // "": unknown
}

// Turn is an engine's opinion of a position of the game.
type Turn struct {
	TurnNumber int        `json:"turnNumber"` // moves before it
	Value      float64    `json:"value"`      // Black's expected result, in 0..1
	Best       string     `json:"best"`       // the engine's move; "": unknown
	Line       []string   `json:"line"`       // that it expects, from Best on; to the end where that is proven
	Proven     game.Proof `json:"proven"`
}

// TurnError says what is wrong with a turn.
type TurnError struct {
	Index int    // in the list of turns
	Field string // of the turn
	Why   string
}

func (e *TurnError) Error() string {
	return fmt.Sprintf("turn %d of the list: %s: %s", e.Index+1, e.Field, e.Why)
}

// Move is a move of the game as it is judged.
type Move struct {
	Number int // from 1
	Side   game.Side
	Text   string
	Class  Class
	Loss   float64 // in 0..1
	Before float64 // expected result of Side before the move, if Class is not Unjudged
	After  float64 // and after it
	Played bool    // a player chose it

	Best   string // what the engine would have played; "": unknown, or nothing better than the move
	Line   []string
	Proven game.Proof // of the position before the move, where Line proves it
}

// Sum is what the moves of one side amount to.
type Sum struct {
	Moves    int // judged and chosen by the player
	Accuracy float64
	Counts   [classes]int // of moves, by class
}

// Report is a game with its moves judged.
type Report struct {
	Game   *Game
	Moves  []Move
	Sides  [2]Sum
	values []float64 // Black's by turn; NaN: unknown
}

// Judge judges the moves of a game. Turns may be missing; their order is free. The error is
// a [TurnError].
func Judge(g *Game, turns []Turn) (*Report, error) {
	r := &Report{Game: g, values: make([]float64, len(g.Moves)+1)}
	for i := range r.values {
		r.values[i] = math.NaN()
	}
	known := make([]int, len(g.Moves)+1) // from 1, in turns; 0: unknown
	for i := range turns {
		t := &turns[i]
		switch {
		case t.TurnNumber < 0 || t.TurnNumber > len(g.Moves):
			return nil, &TurnError{i, "turnNumber", fmt.Sprintf("%d: want 0 to %d", t.TurnNumber, len(g.Moves))}
		case known[t.TurnNumber] > 0:
			return nil, &TurnError{i, "turnNumber", fmt.Sprintf("%d is there twice", t.TurnNumber)}
		case !(t.Value >= 0 && t.Value <= 1):
			return nil, &TurnError{i, "value", fmt.Sprintf("%v: want 0 to 1", t.Value)}
		}
		known[t.TurnNumber] = i + 1
		r.values[t.TurnNumber] = t.Value
	}
	pos := g.Start.Clone()
	for i, m := range g.Moves {
		move := Move{Number: i + 1, Side: pos.ToMove(), Text: g.Variant.Notation().FormatMove(m), Played: i >= g.Opening}
		var before *Turn
		if k := known[i] - 1; k >= 0 {
			before = &turns[k]
			line, err := checked(g.Variant, pos, before)
			if err != nil {
				err.Index = k
				return nil, err
			}
			if before.Best != "" && before.Best != move.Text {
				move.Best, move.Line, move.Proven = before.Best, line, before.Proven
			}
		}
		pos.Play(m)
		if i+1 == len(g.Moves) && pos.Outcome() != game.Undecided {
			r.values[i+1] = (float64(pos.Outcome().Value(game.First)) + 1) / 2
		}
		r.grade(&move, before)
		r.Moves = append(r.Moves, move)
	}
	for side := range r.Sides {
		r.Sides[side].Accuracy /= float64(max(1, r.Sides[side].Moves))
	}
	return r, nil
}

// grade gives a move its class and adds it to the sum of its side.
func (r *Report) grade(m *Move, before *Turn) {
	m.Before, m.After = r.values[m.Number-1], r.values[m.Number]
	if math.IsNaN(m.Before) || math.IsNaN(m.After) || before == nil {
		return
	}
	if m.Side == game.Second {
		m.Before, m.After = 1-m.Before, 1-m.After
	}
	if m.Loss = max(0, m.Before-m.After); before.Best == m.Text {
		m.Loss = 0
	}
	m.Class = ClassOf(m.Loss)
	if m.Class == Best {
		m.Best, m.Line, m.Proven = "", nil, game.Proof{}
	}
	if !m.Played {
		return
	}
	s := &r.Sides[m.Side]
	s.Moves++
	s.Accuracy += accuracy.Of(m.Loss)
	s.Counts[m.Class]++
}

// checked returns the line of a turn, after Best and the line were found to be legal there.
func checked(v games.Variant, pos game.Position, t *Turn) ([]string, *TurnError) {
	line := t.Line
	if t.Best != "" && (len(line) == 0 || line[0] != t.Best) {
		line = append([]string{t.Best}, line...)
	}
	at := pos.Clone()
	for i, text := range line {
		field := fmt.Sprintf("line[%d]", i)
		if i == 0 {
			field = "best"
		}
		moves, err := v.Notation().ParseMoves(text)
		if err != nil || len(moves) != 1 {
			return nil, &TurnError{Field: field, Why: fmt.Sprintf("%.20q is no move", text)}
		}
		if at.Outcome() != game.Undecided || !at.Legal(moves[0]) {
			return nil, &TurnError{
				Field: field, Why: fmt.Sprintf("%s is no legal move there", v.Notation().FormatMove(moves[0])),
			}
		}
		at.Play(moves[0])
	}
	return line, nil
}
