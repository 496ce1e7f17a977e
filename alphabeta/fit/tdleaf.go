package fit

import (
	"context"
	"math"
	"math/rand/v2"

	"golang.org/x/sync/errgroup"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
)

// TDLeaf learns weights from the differences between the values of successive positions of
// games, by TD-Leaf(λ) (Baxter, Tridgell and Weaver, "Learning to Play Chess Using Temporal
// Differences", Machine Learning 40, 2000). A search of a few plies gives each position of a
// game, from the end of the opening on, the winning probability of the first player at the
// leaf of its principal variation, or 0 or 1 where it claims a loss or a win. With v[t] that
// value, d[t] = v[t+1] - v[t], and the result of the game after the last position, weights w
// move by
//
//	rate * sum over t of (derivative of v[t] by w) * (sum over j >= t of λ^(j-t) * d[j]).
//
// They begin as those set by hand, and move in the factors of the prior, each step divided by
// the root of the sum of the squares of the steps before it (AdaGrad: Duchi, Hazan and Singer,
// Journal of Machine Learning Research 12, 2011). The games of a batch are searched with the
// same weights, each from a cleared table: what it learns is a function of the games and of
// these fields, the number of workers apart.
type TDLeaf struct {
	Lambda float64 // 0..1: what a difference one ply later counts
	Depth  int     // of the search of a position, in plies, 1 or more
	Rate   float64 // of learning in the first batch, in deviations of the prior; it falls to 0 in equal steps
	Passes int     // over all games
	Seed   uint64  // of the order of the games in a pass

	Workers int // games at once; 0 means 1
}

// The defaults of a TDLeaf: the λ of Baxter, Tridgell and Weaver.
const (
	DefaultLambda = 0.7
	DefaultDepth  = 2
	DefaultRate   = 0.3
	DefaultPasses = 1
)

// batch is how many games are searched with the same weights.
const batch = 16

// Fit learns weights from the games of data that are not held out, from those set by hand on,
// unless ctx ends. progress, unless nil, is told of every batch.
func (l *TDLeaf) Fit(ctx context.Context, data *Data, progress func(done, of int)) (Result, error) {
	if err := data.check(); err != nil {
		return Result{}, err
	}
	g, games := data.game, data.played
	s := newStudent(g.Prior())
	learners := make(chan *learner, max(1, l.Workers)) // those that are free
	for range cap(learners) {
		searcher, err := alphabeta.New(g.Engine(rounded(s.weights)), alphabeta.Options{TableMiB: tableMiB})
		if err != nil {
			return Result{}, err
		}
		learners <- &learner{TDLeaf: l, game: g, searcher: searcher}
	}
	perPass := (len(games) + batch - 1) / batch
	for pass := range l.Passes {
		order := rand.New(rand.NewPCG(l.Seed, uint64(pass))).Perm(len(games))
		for b := range perPass {
			done, of := pass*perPass+b, l.Passes*perPass
			engine := g.Engine(rounded(s.weights))
			list := order[b*batch : min((b+1)*batch, len(games))]
			lessons := make([]lesson, len(list))
			group, ctx := errgroup.WithContext(ctx)
			for k, number := range list {
				w := <-learners
				group.Go(func() (err error) {
					defer func() { learners <- w }()
					w.searcher.SetGame(engine)
					w.weights = s.weights
					lessons[k], err = w.lesson(ctx, &games[number])
					return err
				})
			}
			if err := group.Wait(); err != nil {
				return Result{}, err
			}
			s.learn(lessons, l.Rate*(1-float64(done)/float64(of)))
			if progress != nil {
				progress(done+1, of)
			}
		}
	}
	return data.measured(rounded(s.weights)), nil
}

// student is the weights in the making. They move in the x of a prior, of which the
// weights that have lines in common share parts, so that a rare one learns with others.
type student struct {
	prior   Prior
	x       []float64 // by factor of the prior
	squares []float64 // sum of the slopes squared, by factor
	weights []float64 // at x
}

func newStudent(p Prior) *student {
	n := len(p.Factors)
	return &student{prior: p, x: make([]float64, n), squares: make([]float64, n), weights: p.Mean}
}

// learn moves the weights by the lessons: each x by the slope of the values, divided by the
// root of the sum of its squares so far (AdaGrad), so that rare factors move as far as
// common ones, times the rate.
func (s *student) learn(lessons []lesson, rate float64) {
	gradient, slopes := make([]float64, len(s.weights)), make([]float64, len(s.x))
	for _, l := range lessons {
		l.addGradient(gradient)
	}
	s.prior.AddSlope(slopes, gradient)
	for k, slope := range slopes {
		s.squares[k] += float64(slope * slope)
		if slope != 0 {
			s.x[k] += float64(rate*slope) / math.Sqrt(s.squares[k])
		}
	}
	s.weights = s.prior.Weights(s.x)
}

// judged is a position of a game with the value that a search gives it, in points of the
// first player, 0..1.
type judged struct {
	value float64
	leaf  *Row      // nil if the value is that of a win or a loss
	side  game.Side // to move at the leaf
	slope float64   // by how much the score of the leaf should rise for side
}

// lesson is what one game teaches: its positions in their order.
type lesson []judged

// set sets the slopes by TD(λ), the last position being followed by the result: with
// d[t] = value[t+1] - value[t], the last being result - value, the value of position t should
// rise by
//
//	sum over j >= t of λ^(j-t) * d[j].
func (l lesson) set(result, lambda float64) {
	ahead, next := 0.0, result
	for t := len(l) - 1; t >= 0; t-- {
		p := &l[t]
		ahead = float64(lambda*ahead) + (next - p.value)
		next = p.value
		p.slope = forFirst(float64(ahead*p.value)*(1-p.value)/Scale, p.side)
	}
}

// addGradient adds the leaves, each as much as its slope says, by weight.
func (l lesson) addGradient(gradient []float64) {
	for _, p := range l {
		if p.leaf != nil {
			p.leaf.AddGradient(p.slope, gradient)
		}
	}
}

// points returns those of the first player for the result of a game.
func points(o game.Outcome) float64 { return (1 + float64(o.Value(game.First))) / 2 }

// tableMiB is the table of one learner. A search of a few plies fills little of it, and it is
// cleared before every game.
const tableMiB = 1

// learner searches the positions of one game after the other.
type learner struct {
	*TDLeaf
	game     Game
	searcher *alphabeta.Searcher // with the weights, rounded
	weights  []float64
}

// lesson searches the positions of a game from the end of its opening on, but for the first.
func (w *learner) lesson(ctx context.Context, r *Record) (lesson, error) {
	w.searcher.Clear()
	var l lesson
	err := r.replay(ctx, func(i int, pos game.Position) error {
		if i < max(r.Opening, 1) {
			return nil
		}
		p, err := w.judge(ctx, pos)
		l = append(l, p)
		return err
	})
	l.set(points(r.Outcome), w.Lambda)
	return l, err
}

// judge searches a position. The value is that of the leaf of its principal variation unless
// the search claims a win or a loss.
func (w *learner) judge(ctx context.Context, pos game.Position) (judged, error) {
	r, err := w.searcher.Search(ctx, pos, alphabeta.Limits{Depth: w.Depth})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return judged{}, err
	}
	if _, claimed := r.Score.Claim(); claimed {
		return judged{value: Probability(forFirst(float64(r.Score), pos.ToMove()))}, nil
	}
	for _, m := range r.Lines[0].Moves {
		pos.Play(m)
		defer pos.Undo()
	}
	if o := pos.Outcome(); o != game.Undecided {
		return judged{value: points(o)}, nil
	}
	row, side := newRow(w.game, pos, game.Draw), pos.ToMove()
	return judged{value: Probability(forFirst(row.Score(w.weights), side)), leaf: &row, side: side}, nil
}
