package selfplay

import (
	"cmp"
	"context"
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/mcts"
)

// Teacher judges positions by other means than a network and a tree search. What
// it learns of one position may help it with the next ones of the same game, and
// nothing else may: its answers are a pure function of the game's positions so
// far. It belongs to one goroutine.
type Teacher interface {
	// Forget begins a new game.
	Forget()

	// Judge searches an open position, which it leaves alone, and fills o with its
	// opinion of it and of its lines best moves. It fails if ctx ends.
	Judge(ctx context.Context, pos game.Position, lines int, o *Opinion) error

	// Balance returns what an open position is worth to the side to move, -1..1,
	// for a fraction of what Judge costs.
	Balance(ctx context.Context, pos game.Position) (float64, error)

	// Nodes returns how many moves all searches so far have played.
	Nodes() int64
}

// Opinion is what a Teacher says of a position. Values are expected results for
// the side to move, -1..1, where 1 and -1 are wins and losses that the search
// claims or has proven.
type Opinion struct {
	Moves  []Scored   // best first, at least one
	Static float32    // value without a search
	Proven mcts.Proof // of the position, against every defence; the first move keeps it
}

// Scored is a move and what it is worth.
type Scored struct {
	Move  game.Move
	Value float32
}

// TeacherOptions say what is made of a teacher's opinions. Zero stands for the
// default that each field names.
type TeacherOptions struct {
	// Lines is the number of moves that get a score in each position. Zero means
	// 1: the target is the best move alone, and no other is ever played.
	Lines int

	// TargetTemperature is that of the softmax over the moves' values that is the
	// policy target: a value lower by it has 1/e of the share. Zero means 0.1.
	TargetTemperature float64

	// Temperature is that of the softmax by which the move to play is drawn from the
	// same values. The zero value means 0.1 falling to 0 with a half-life of 6
	// plies.
	Temperature mcts.Schedule

	// MaxLoss is by how much a move that is played may be worse than the best one.
	// Zero means 0.2.
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
