package fit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/carozero/carozero/alphabeta"
	classical "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/alphabeta/regression"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// TDLeaf learns weights from the differences between the values of successive positions
// of games; see the package's comment. What it learns is a function of the games and of
// these fields, the number of workers apart.
type TDLeaf struct {
	Rules  gomoku.Rules
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

// Check returns an error if the fields make no sense.
func (l *TDLeaf) Check() error {
	switch {
	case !(l.Lambda >= 0 && l.Lambda <= 1):
		return fmt.Errorf("lambda %v: want 0..1", l.Lambda)
	case l.Depth < 1 || l.Depth > alphabeta.MaxDepth:
		return fmt.Errorf("depth %d: want 1..%d", l.Depth, alphabeta.MaxDepth)
	case !(l.Rate > 0) || l.Rate-l.Rate != 0:
		return fmt.Errorf("rate %v: want a positive number", l.Rate)
	case l.Passes < 1:
		return fmt.Errorf("%d passes: want 1 or more", l.Passes)
	}
	return nil
}

// Fit learns weights from the games of data that are not held out, unless ctx ends.
// progress, unless nil, is told of every batch.
func (l *TDLeaf) Fit(ctx context.Context, data *Data, progress func(done, of int)) (Result, error) {
	if err := data.check(); err != nil {
		return Result{}, err
	}
	weights, err := l.learn(ctx, data.Played, progress)
	if err != nil {
		return Result{}, err
	}
	return measured(l.Rules, data, weights), nil
}

// learn returns the weights that it learns from games, from those set by hand on.
func (l *TDLeaf) learn(ctx context.Context, games []Game, progress func(done, of int)) (*classical.Weights, error) {
	if err := l.Check(); err != nil {
		return nil, err
	}
	learners := make([]*learner, max(1, l.Workers))
	for i := range learners {
		var err error
		if learners[i], err = newLearner(l); err != nil {
			return nil, err
		}
	}
	s := newStudent(HandPrior(l.Rules, 1))
	lessons := make([]lesson, batch)
	perPass := (len(games) + batch - 1) / batch
	for pass := range l.Passes {
		order := rand.New(rand.NewPCG(l.Seed, uint64(pass))).Perm(len(games))
		for b := range perPass {
			done, of := pass*perPass+b, l.Passes*perPass
			list := order[b*batch : min((b+1)*batch, len(games))]
			model := classical.NewModel(l.Rules, rounded(s.weights))
			for _, w := range learners {
				w.model, w.weights = model, s.weights
			}
			if err := teach(ctx, learners, games, list, lessons[:len(list)]); err != nil {
				return nil, err
			}
			s.learn(lessons[:len(list)], l.Rate*(1-float64(done)/float64(of)))
			if progress != nil {
				progress(done+1, of)
			}
		}
	}
	return rounded(s.weights), nil
}

// student is the weights in the making. They move in the x of a prior, of which the
// weights that have lines in common share parts, so that a rare one learns with others.
type student struct {
	prior    regression.Prior
	x        []float64 // by factor of the prior
	squares  []float64 // sum of the slopes squared, by factor
	weights  []float64 // at x
	gradient []float64 // scratch, by weight
}

func newStudent(p regression.Prior) *student {
	n := len(p.Mean)
	s := &student{prior: p, x: make([]float64, len(p.Factors)), squares: make([]float64, len(p.Factors)), weights: make([]float64, n), gradient: make([]float64, n)}
	s.prior.Weights(s.weights, s.x)
	return s
}

// learn moves the weights by the lessons: each x by the slope of the values, divided by the
// root of the sum of its squares so far (AdaGrad), so that rare factors move as far as
// common ones, times the rate.
func (s *student) learn(lessons []lesson, rate float64) {
	clear(s.gradient)
	for i := range lessons {
		lessons[i].addGradient(s.gradient)
	}
	for k, factor := range s.prior.Factors {
		slope := 0.0
		for _, f := range factor {
			slope += float64(f.Amount * s.gradient[f.Weight])
		}
		s.squares[k] += float64(slope * slope)
		if slope != 0 {
			s.x[k] += float64(rate*slope) / math.Sqrt(s.squares[k])
		}
	}
	s.prior.Weights(s.weights, s.x)
}

// lesson is what one game teaches: the leaves of its positions, and by how much the score
// of each should rise for its side to move.
type lesson struct {
	leaves regression.Rows
	slopes []float64 // by leaf
}

// addGradient adds the leaves, each as much as its slope says, by weight.
func (l *lesson) addGradient(gradient []float64) {
	for i, slope := range l.slopes {
		row := l.leaves.At(i)
		row.AddGradient(slope, gradient)
	}
}

// judged is a position of a game with the value that a search gives it, in points of the
// first player, 0..1.
type judged struct {
	value float64
	leaf  int       // among the rows of leaves; -1 if the value is that of a win or a loss
	side  game.Side // to move at the leaf
}

// newLesson returns what the positions of a game teach, in their order, the last of them
// followed by the result, by TD(λ): with d[t] = value[t+1] - value[t], the last being
// result - value, the value of position t should rise by
//
//	sum over j >= t of λ^(j-t) * d[j].
func newLesson(positions []judged, leaves regression.Rows, result, lambda float64) lesson {
	l := lesson{leaves: leaves, slopes: make([]float64, leaves.Len())}
	ahead, next := 0.0, result
	for t := len(positions) - 1; t >= 0; t-- {
		p := &positions[t]
		ahead = float64(lambda*ahead) + (next - p.value)
		next = p.value
		if p.leaf >= 0 {
			slope := float64(ahead*p.value) * (1 - p.value) / regression.Scale
			l.slopes[p.leaf] = forFirst(slope, p.side)
		}
	}
	return l
}

// points returns those of the first player for the result of a game.
func points(o game.Outcome) float64 { return (1 + float64(o.Value(game.First))) / 2 }

// learner searches the positions of one game after the other.
type learner struct {
	*TDLeaf
	searcher *alphabeta.Searcher
	rows     *Collector
	model    *classical.Model // of weights, rounded
	weights  []float64
}

func newLearner(l *TDLeaf) (*learner, error) {
	w := &learner{TDLeaf: l, rows: NewCollector(l.Rules, 0)}
	var err error
	w.searcher, err = alphabeta.New(classical.Game{Models: func(gomoku.Rules) *classical.Model { return w.model }}, alphabeta.Options{TableMiB: tableMiB})
	return w, err
}

// lesson searches the positions of a game from the end of its opening on.
func (w *learner) lesson(ctx context.Context, g *Game) (lesson, error) {
	if g.Rules != w.Rules {
		return lesson{}, fmt.Errorf("a game of %s: want %s like the others", g.Rules.Name, w.Rules.Name)
	}
	if g.Outcome == game.Undecided || g.Reason == game.Forfeit {
		return lesson{}, nil
	}
	b, err := pattern.New(g.Rules, g.Size)
	if err != nil {
		return lesson{}, err
	}
	w.searcher.Clear()
	var positions []judged
	var leaves regression.Rows
	for i, m := range g.Moves {
		if i >= max(g.Opening, 1) {
			p, err := w.judge(ctx, b, &leaves)
			if err != nil {
				return lesson{}, err
			}
			positions = append(positions, p)
		}
		if !b.Legal(m) {
			return lesson{}, fmt.Errorf("move %d is illegal", i+1)
		}
		b.Play(m)
	}
	return newLesson(positions, leaves, points(g.Outcome), w.Lambda), nil
}

// judge searches a position, and adds the leaf of its principal variation to leaves
// unless the search claims a win or a loss. The value is that of the leaf.
func (w *learner) judge(ctx context.Context, b *pattern.Board, leaves *regression.Rows) (judged, error) {
	r, err := w.searcher.Search(ctx, b, alphabeta.Limits{Depth: w.Depth})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return judged{}, err
	}
	if _, claimed := r.Score.Claim(); claimed {
		return judged{value: regression.Probability(forFirst(float64(r.Score), b.ToMove())), leaf: -1}, nil
	}
	line := r.Lines[0].Moves
	for _, m := range line {
		b.Play(m)
	}
	defer func() {
		for range line {
			b.Undo()
		}
	}()
	if o := b.Outcome(); o != game.Undecided {
		return judged{value: points(o), leaf: -1}, nil
	}
	side := b.ToMove()
	row := w.rows.row(b, game.Draw)
	leaves.Add(row)
	return judged{value: regression.Probability(forFirst(row.Score(w.weights), side)), leaf: leaves.Len() - 1, side: side}, nil
}
