package selfplay

import (
	"cmp"
	"context"
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/mcts"
)

// Teacher is a search whose results a network learns from, other than the tree search
// with a network. Its answers are a pure function of the positions of the current
// game so far. It belongs to one goroutine.
type Teacher interface {
	// Forget begins a new game: it drops everything learnt so far.
	Forget()

	// Search searches a position that is not over, leaves it unchanged, and fills o
	// with its values and those of the best moves, lines of them. It fails if ctx ends.
	Search(ctx context.Context, pos game.Position, lines int, o *Opinion) error

	// Balance returns the value of a position that is not over, -1..1 for the side to
	// move, at a fraction of the cost of Search.
	Balance(ctx context.Context, pos game.Position) (float64, error)

	// Nodes returns the number of moves played in all searches so far.
	Nodes() int64
}

// Opinion is a Teacher's result for a position. Values are expected results for the
// side to move, -1..1; 1 and -1 are claimed or proven wins and losses.
type Opinion struct {
	Moves  []Scored   // best first, at least one
	Static float32    // static evaluation, without a search
	Proven mcts.Proof // of the position, against every defence; the first move keeps it
}

// Scored is a move and what it is worth.
type Scored struct {
	Move  game.Move
	Value float32
}

// TeacherOptions say how a teacher's opinions become targets and moves. Zero stands
// for the default that each field names.
type TeacherOptions struct {
	// Lines is the number of moves that get a score in each position. Zero means
	// 1: the target is the best move alone, and it is always played.
	Lines int

	// TargetTemperature is the temperature of the policy target, a softmax over the
	// moves' values: a value lower by it has 1/e of the share. Zero means 0.1.
	TargetTemperature float64

	// Temperature is the temperature of the softmax over the same values from which
	// the move to play is drawn. The zero value means 0.1 falling to 0 with a
	// half-life of 6 plies.
	Temperature mcts.Schedule

	// MaxLoss is how much worse than the best move the move played may be. Zero means
	// 0.2.
	MaxLoss float64
}

// Defaults of the zero TeacherOptions.
const (
	defaultLines             = 1
	defaultTargetTemperature = 0.1
	defaultMaxLoss           = 0.2
)

var defaultTeacherTemperature = mcts.Schedule{Start: 0.1, HalfLife: 6}

// WithDefaults returns o with each zero replaced by what it stands for.
func (o TeacherOptions) WithDefaults() TeacherOptions {
	o.Lines = cmp.Or(o.Lines, defaultLines)
	o.TargetTemperature = cmp.Or(o.TargetTemperature, defaultTargetTemperature)
	o.Temperature = cmp.Or(o.Temperature, defaultTeacherTemperature)
	o.MaxLoss = cmp.Or(o.MaxLoss, defaultMaxLoss)
	return o
}

// check names the first value that makes no sense.
func (o TeacherOptions) check() error {
	switch {
	case o.Lines < 1:
		return fmt.Errorf("selfplay: lines: %d, want at least 1", o.Lines)
	case !(o.TargetTemperature > 0):
		return fmt.Errorf("selfplay: target temperature: %v, want above 0", o.TargetTemperature)
	case o.Temperature.Start < 0 || o.Temperature.End < 0:
		return fmt.Errorf("selfplay: temperature: %v, want no negative number", o.Temperature)
	case o.MaxLoss < 0:
		return fmt.Errorf("selfplay: greatest loss: %v, want 0 or more", o.MaxLoss)
	}
	return nil
}
