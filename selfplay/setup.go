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

// Setup is what is played and with what: the parts that come from outside.
type Setup struct {
	// Start is the usual position that games start from; it is only cloned. Its
	// game must go on.
	Start game.Position

	// Deal returns the position that one game starts from, an open one that rng
	// may decide. Nil means that all start from Start.
	Deal func(rng *rand.Rand) (game.Position, error)

	// Format returns the text of a game's moves from its start, Parse what the text
	// says. Parse may be nil where no game forks from another.
	Format func(start game.Position, moves []game.Move) string
	Parse  func(text string) (start game.Position, moves []game.Move, err error)

	// Encoder makes the rows' planes; it is only cloned.
	Encoder nn.Encoder

	// Columns is the width of the board if moves are cell indices counted
	// row by row, else 0.
	Columns int

	// Header says what the shards are about. Search may hold what else can
	// change a result, such as the evaluator's and the solver's options; the
	// runner puts its own options before it. Seed, Rows and Games are the
	// runner's.
	Header samples.Header

	// Teacher makes what judges a worker's positions in place of the tree search.
	// Teachers of different workers must give the same answers. Nil means that the
	// tree search plays, with the two parts that follow.
	Teacher func(worker int) (Teacher, error)

	// Evaluator makes a worker's evaluator and is called on the worker's
	// goroutine. Evaluators of different workers must give the same results.
	Evaluator func(worker int) (nn.Evaluator, error)

	// Solver makes a worker's solver. It may be nil.
	Solver func(worker int) mcts.Solver

	// Follow lets the network change at the boundaries of shards; nil: it does not.
	// The Header's and the Evaluator's is the one to begin with.
	Follow *Follow
}

// run describes the run to package samples. The options have their defaults.
func (s *Setup) run(o Options) (samples.Run, error) {
	if s.Start.Outcome() != game.Undecided || s.Start.Ply() != 0 {
		return samples.Run{}, fmt.Errorf("selfplay: the start position has %d moves, want an open game without any", s.Start.Ply())
	}
	if s.Teacher != nil && (o.ForkShare > 0 || o.Targets != (Targets{Gumbel: o.Targets.Gumbel}) || o.Targets.Gumbel.Considered > 0 || s.Follow != nil) {
		return samples.Run{}, errors.New("selfplay: a teacher's games have no forks, no targets of visits, and no network to follow")
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
