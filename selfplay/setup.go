package selfplay

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// Setup is the game that is played and the engines that play it.
type Setup struct {
	// Start is the usual starting position; it is only cloned and must not be over.
	Start game.Position

	// Deal returns the starting position of one game, which may be drawn with rng and
	// must not be over. Nil means that all games start from Start.
	Deal func(rng *rand.Rand) (game.Position, error)

	// Format returns the text of a game's start and moves.
	Format func(start game.Position, moves []game.Move) string

	// Encoder makes the rows' planes; it is only cloned.
	Encoder nn.Encoder

	// Columns is the width of the board if moves are cell indices counted
	// row by row, else 0.
	Columns int

	// Header is the header of the shards. Its Search holds what else can change a
	// result, such as the evaluator's and the solver's options; Run puts its own
	// options before it and sets Seed, Rows and Games.
	Header samples.Header

	// Teacher makes a worker's teacher, which searches its positions in place of the
	// tree search. Teachers of different workers must give the same results. Nil means
	// the tree search, with Evaluator and Solver.
	Teacher func(worker int) (Teacher, error)

	// Evaluator makes a worker's evaluator and is called on the worker's
	// goroutine. Evaluators of different workers must give the same results.
	Evaluator func(worker int) (nn.Evaluator, error)

	// Solver makes a worker's solver. It may be nil.
	Solver func(worker int) mcts.Solver

	// Follow lets the network change between shards; nil: it does not. The run begins
	// with the network of Header and Evaluator.
	Follow *Follow
}

// run describes the run to package samples. The options have their defaults.
func (s *Setup) run(o Options) (samples.Run, error) {
	if s.Start.Outcome() != game.Undecided || s.Start.Ply() != 0 {
		return samples.Run{}, fmt.Errorf("selfplay: the start position has %d moves, want an open game without any", s.Start.Ply())
	}
	if s.Teacher != nil && (o.Targets != (Targets{Gumbel: o.Targets.Gumbel}) || o.Targets.Gumbel.Considered > 0 || s.Follow != nil) {
		return samples.Run{}, errors.New("selfplay: a teacher's games have no targets of visits and no network to follow")
	}
	fields := o.fields
	if s.Teacher != nil {
		fields = o.taughtFields
	}
	search, err := fields(s.Header.Search)
	if err != nil {
		return samples.Run{}, err
	}
	if s.Follow != nil {
		search = append(search, samples.Field{Key: "follow", Value: true})
	}
	h := s.Header
	h.Search, h.Seed = search, o.Seed
	shape := s.Encoder.Shape()
	return samples.Run{
		Header:        h,
		Layout:        samples.NewLayout(shape.Planes, shape.Height*shape.Width, shape.Globals, shape.Actions),
		Games:         o.Games,
		GamesPerShard: o.GamesPerShard,
		Follows:       s.Follow != nil,
	}, nil
}
