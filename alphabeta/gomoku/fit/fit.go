// Package fit fits the weights of the classical evaluation to the results of
// games, and the order in which the search tries moves to the moves chosen.
//
// # Model
//
// The evaluation is linear in its weights (see Weights in package
// alphabeta/gomoku): a position is a sparse [Row] of features, and its score
// the sum of their weights, which move from those of the beginning of a game to
// those of its end with the number of stones. A score s stands for the
// probability 1/(1+exp(-s/Scale)) that the side to move wins; a draw counts as
// half a win. The weights are fitted by logistic regression: they make the
// results of the games as probable as they can be under a normal [Prior]
// (Bishop, Pattern Recognition and Machine Learning, 2006, sections 3.3.1 and
// 4.3.2). Its mean are the weights set by hand, and its factors tie together
// the weights of cells that have lines in common: most of the thousands of
// combinations are too rare to be learnt one by one. L-BFGS finds the minimum
// of that convex problem in a few hundred passes over the rows.
//
// # Positions
//
// A Collector replays games and takes the positions from the end of the opening
// on that the search would leave to its evaluation: no side completes a line with its
// next move, and the side to move has no win by continuous fours. Each counts once, for
// the side to move. Swapping colours or turning the board adds nothing, because sides
// share weights if the rules treat them alike, and features count cells. Every tenth
// game is held out; the losses reported for these games measure the weights on unseen
// games.
//
// The result of a game is a noisy target and the same for all its positions. If a game
// has scores of a search, a share of the target is the score (see NewCollector), so that
// the fit learns what the search finds a few plies later. The targets of held-out games
// are results only.
//
// # TD-Leaf
//
// A [TDLeaf] learns the same weights in another way: by TD-Leaf(λ) (Baxter, Tridgell and
// Weaver, "Learning to Play Chess Using Temporal Differences", Machine Learning 40, 2000).
// A search of a few plies gives each position of a game, from the end of the opening on,
// the winning probability of the first player at the leaf of its principal variation, or
// 0 or 1 where it claims a loss or a win. With v[t] that value, d[t] = v[t+1] - v[t], and
// the result of the game after the last position, weights w move by
//
//	rate * sum over t of (derivative of v[t] by w) * (sum over j >= t of λ^(j-t) * d[j]).
//
// They begin as those set by hand, and move in the factors of the prior, each step
// divided by the root of the sum of the squares of the steps before it (AdaGrad: Duchi,
// Hazan and Singer, Journal of Machine Learning Research 12, 2011). The rate falls to 0 in
// equal steps. The games of a batch, 16, are searched with the same weights, each from a
// cleared table, so that workers change nothing.
//
// One pass over 2,592 games of freestyle, 15x15, with searches of two plies, learned
// weights whose loss in 288 games held out was 0.625 at a rate of 0.08 and 0.618 at 0.3;
// by hand it was 0.648, fitted to the results 0.604. In 400 games each, at 2,000 nodes,
// those of rate 0.08 lost 36 +- 32 Elo to the fitted ones, and those of 0.3 won 13 +- 32.
//
// # Order of moves
//
// A ChoiceCollector takes the positions that the search leaves to its order of
// moves, with the moves that it lists and the one that was played. FitOrder makes
// these choices as probable as they can be in a softmax regression whose features
// are the codes of a cell for both sides, under a prior that ties codes together
// like that of the weights.
//
// # Games
//
// Selfplay plays them: the classical engine against itself with a few thousand nodes a
// move. Each game begins with random moves near the centre and near stones that the
// engine finds fairly balanced. Diverse openings matter more than strong play; without
// them the same few games would be repeated.
//
// # Recipe
//
// The weights of a rule set R are made by
//
//	carozero fit play --rule R --games 4000 --nodes 2000 --seed 1 --out games/R
//	carozero fit --rule R --input games/R --spread 4 --trust 0.8 --out alphabeta/gomoku/weights_R.go
//
// and the order by
//
//	carozero fit order --rule R --input games/R --out alphabeta/gomoku/order_R.go
//
// The head of each generated file says which games it was fitted to. With few
// games a smaller spread loses less on those held out. A second generation is
// fitted to further games, under another seed, that were played with the weights
// of the first, beside the games of the generation or two before. The name of a
// new file's variable goes into the map in evaluation.go of package
// alphabeta/gomoku. Weights ship only if they win a match:
//
//	carozero match --rule R --games 400 --opening-plies 6 --a alphabeta:nodes=3000 --b alphabeta:nodes=3000,weights=hand
//
// # Worth
//
// Elo of each generation of weights in such matches on 15x15, at 2,000 or 3,000
// nodes, with the errors of 95%. The games of generations 3 and later, of 2 for
// caro and renju, were fitted to with --trust 0.8; of four fits to the same games
// that one won most in every generation but one.
//
//	freestyle    1 over by hand +98 +- 34, 2 over 1 +108 +- 36, 3 over 2 +66 +- 29, 4 over 3 +48 +- 33, 5 over 4 +8 +- 33
//	standard     1 over by hand +136 +- 34, 2 over 1 +142 +- 34, 3 over 2 +58 +- 35, 4 over 3 +30 +- 32
//	caro         1 over by hand +128 +- 52, 2 over 1 +171 +- 46
//	renju        1 over by hand +85 +- 38, 2 over 1 +153 +- 52
//
// Then the features changed. In 1,350 games of freestyle, eighteen levels
// instead of nine took the cross-entropy with the scores of searches, in 150
// games held out, from 0.5468 to 0.5457; the classes of both sides at a cell
// took it to 0.5456, the numbers of cells to 0.5431, and all three to 0.5411.
// Pairs of numbers of both sides added nothing. With all three, weights fitted
// to the games of the last two generations won +51 +- 32 in freestyle (252 games)
// and +49 +- 32 in standard (300 games) over the last generation above, at 20,000
// nodes, and those of caro +79 +- 33 (300 games) at 10,000. In renju the same
// was worth +10 +- 34 (300 games), so that its weights stayed.
// Further games did not help: 2,500 of 5,000 nodes a move by these weights. With
// those of the last generation they made weights of -43 +- 33 in freestyle, with
// those of the last two -12 +- 32 in freestyle and -15 +- 32 in standard, each in 300
// games at 20,000 nodes.
//
// The weights of caro serve its other kinds as well; over those by hand they won
// +160 +- 59 in 100 games of caro-overline, +207 +- 53 in 150 of caro-edge and
// +140 +- 53 in 120 of caro-edge-overline. Those of school42 won +354 +- 73 in 200
// games at 3,000 nodes over weights set by hand.
package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	classical "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/alphabeta/regression"
	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// LeastGames is how many games a fit needs.
const LeastGames = 50

// Result is what a fit found.
type Result struct {
	Weights *classical.Weights `json:"-"`

	regression.Comparison
}

// Fit fits weights of a rule set to data, unless ctx ends. Spread is that of
// HandPrior.
func Fit(ctx context.Context, r gomoku.Rules, data *Data, spread float64) (Result, error) {
	if err := data.check(); err != nil {
		return Result{}, err
	}
	if !(spread > 0) || math.IsInf(spread, 1) {
		return Result{}, fmt.Errorf("spread %v: want a positive number", spread)
	}
	prior := HandPrior(r, spread)
	fitted, err := regression.Minimise(ctx, &data.Fit, prior)
	if err != nil {
		return Result{}, err
	}
	return measured(r, data, rounded(fitted)), nil
}

// check returns an error if there are too few games.
func (d *Data) check() error {
	if d.Games < LeastGames || d.Held.Len() == 0 {
		return fmt.Errorf("%d games with %d quiet positions: want at least %d games", d.Games, d.Fit.Len()+d.Held.Len(), LeastGames)
	}
	return nil
}

// measured returns the result that these weights are.
func measured(r gomoku.Rules, data *Data, weights *classical.Weights) Result {
	return Result{Weights: weights, Comparison: regression.Compare(&data.Fit, &data.Held, vector(weights), vector(classical.HandWeights(r)))}
}

// vector returns weights in the order of rows: early ones first.
func vector(w *classical.Weights) []float64 {
	v := make([]float64, 2*classical.NumFeatures)
	for f := range classical.NumFeatures {
		v[f], v[classical.NumFeatures+f] = float64(w.Early[f]), float64(w.Late[f])
	}
	return v
}

// mostWeight bounds a weight to both sides of 0.
const mostWeight = 30000

// rounded returns the weights of a vector.
func rounded(v []float64) *classical.Weights {
	w := new(classical.Weights)
	for f := range classical.NumFeatures {
		w.Early[f], w.Late[f] = round(v[f]), round(v[classical.NumFeatures+f])
	}
	return w
}

func round(v float64) int16 {
	return int16(math.Round(math.Max(-mostWeight, math.Min(mostWeight, v))))
}

// Game is a finished game of gomoku.
type Game struct {
	Rules   gomoku.Rules
	Size    int
	Moves   []game.Move // legal, from the empty board
	Opening int         // leading moves that nobody chose
	Scores  []float64   // what a search thought of each of Moves, for the first player; NaN where it did not; nil if of none
	Outcome game.Outcome
	Reason  game.Reason
}

// solverNodes bounds the search for a win by fours in one position.
const solverNodes = 500

// quiet distinguishes positions that the search evaluates statically from those that it
// resolves by threats. It belongs to one goroutine.
type quiet struct{ solver *vcf.Solver }

func newQuiet() quiet { return quiet{vcf.New(vcf.Options{})} }

// is reports whether the game goes on, neither side completes a winning line
// or takes the last stones with its next move, and the side to move is not
// found to win by continuous fours.
func (q quiet) is(ctx context.Context, b *pattern.Board) bool {
	if b.Outcome() != game.Undecided {
		return false
	}
	for _, side := range []game.Side{game.First, game.Second} {
		if t := b.Threats(side); !t.Five.Empty() {
			return false
		}
	}
	return q.solver.Solve(ctx, b, vcf.VCF, solverNodes).Outcome != vcf.Win
}

// HandPrior returns the prior whose mean is the weights set by hand for a rule set. spread
// multiplies all amounts; 1 is usual.
func HandPrior(r gomoku.Rules, spread float64) regression.Prior {
	hand := classical.HandWeights(r)
	p := priorBuilder{spread: spread, Prior: regression.Prior{Mean: make([]float64, 2*classical.NumFeatures)}}
	for f := range classical.NumFeatures {
		p.Mean[f] = float64(hand.Early[f])
		p.Mean[classical.NumFeatures+f] = float64(hand.Late[f])
	}
	for _, base := range cellBases(&r) {
		p.addCells(base)
	}
	p.addLevels()
	for f := classical.Contested + 1; f < classical.OwnCells; f++ {
		p.add([]member{{f, contestedDeviation}})
	}
	for f := classical.OwnCells; f < classical.Taken; f++ {
		p.add([]member{{f, numberDeviation}})
	}
	if r.Captures {
		for f := classical.Taken + 1; f < classical.NumFeatures; f++ {
			p.add([]member{{f, 10 + math.Abs(p.Mean[f])/3}})
		}
	}
	return p.Prior
}

// cellBases returns the numbers of the first cell features of the sides, which
// share theirs unless renju tells them apart.
func cellBases(r *gomoku.Rules) []int {
	if r.Renju[0] || r.Renju[1] {
		return []int{classical.FreeCells, classical.BoundCells}
	}
	return []int{classical.FreeCells}
}

// priorBuilder is a Prior in the making.
type priorBuilder struct {
	regression.Prior
	spread float64
}

// member is a feature of a factor.
type member struct {
	feature int
	amount  float64
}

// lateShare is the deviation of the difference between the end and the
// beginning of a game, in parts of that of both.
const lateShare = 0.5

// add adds two factors for some features: one for both weights of each, one
// that moves them apart.
func (p *priorBuilder) add(members []member) {
	both, apart := make([]regression.Load, 0, 2*len(members)), make([]regression.Load, 0, 2*len(members))
	for _, m := range members {
		a := p.spread * m.amount
		early, late := m.feature, classical.NumFeatures+m.feature
		both = append(both, regression.Load{Weight: early, Amount: a}, regression.Load{Weight: late, Amount: a})
		apart = append(apart, regression.Load{Weight: early, Amount: -lateShare * a}, regression.Load{Weight: late, Amount: lateShare * a})
	}
	p.Factors = append(p.Factors, both, apart)
}

// Deviations of the worth of a cell: by each of its four lines, by each pair of
// its lines, and by all four at once. The first grows with what a line is worth
// by hand.
const (
	lineDeviation = 2.0
	lineShare     = 0.25
	pairDeviation = 1.0
	cellDeviation = 1.5
)

// addCells adds the factors of the cells with the features from base on.
func (p *priorBuilder) addCells(base int) {
	shapes := pattern.CodeShapes()
	byLine := newGroups[pattern.Shape]()
	byPair := newGroups[[2]pattern.Shape]()
	alone := map[pattern.Shape]float64{} // the worth of a cell with one line that is not void
	void := shapes[0][0]
	for code, s := range shapes {
		if s[1] == void {
			alone[s[0]] = math.Abs(p.Mean[base+code])
		}
	}
	for code, s := range shapes {
		f := base + code
		for i, a := range s {
			byLine.add(a, f, lineDeviation+lineShare*alone[a])
			for _, b := range s[i+1:] {
				byPair.add([2]pattern.Shape{a, b}, f, pairDeviation)
			}
		}
		p.add([]member{{f, cellDeviation}})
	}
	for _, g := range byLine.list {
		p.add(g)
	}
	for _, g := range byPair.list {
		p.add(g)
	}
}

// Deviations of what levels are worth: by the level of each side, and by both.
const (
	levelDeviation = 20.0
	levelShare     = 0.25
	bothDeviation  = 15.0
)

// The deviation of what a cell is worth by its classes for both sides, beside
// what it is worth by its lines.
const contestedDeviation = 2.0

// The deviation of what a number of cells of one class is worth.
const numberDeviation = 7.5

// addLevels adds the factors of the strongest threats of both sides.
func (p *priorBuilder) addLevels() {
	turn := p.Mean[classical.Standing]
	sides := newGroups[[2]int]()
	for own := range classical.Levels {
		for opp := range classical.Levels {
			f := classical.Standing + classical.Levels*own + opp
			sides.add([2]int{0, own}, f, levelDeviation+levelShare*math.Abs(p.Mean[classical.Standing+classical.Levels*own]-turn))
			sides.add([2]int{1, opp}, f, levelDeviation+levelShare*math.Abs(p.Mean[classical.Standing+opp]-turn))
			p.add([]member{{f, bothDeviation}})
		}
	}
	for _, g := range sides.list {
		p.add(g)
	}
}

// groups collects the features that have something in common, in the order in
// which it is first met. What a feature has several times counts as often.
type groups[K comparable] struct {
	list [][]member
	at   map[K]int
}

func newGroups[K comparable]() *groups[K] { return &groups[K]{at: map[K]int{}} }

func (g *groups[K]) add(key K, feature int, amount float64) {
	i, known := g.at[key]
	if !known {
		i = len(g.list)
		g.at[key] = i
		g.list = append(g.list, nil)
	}
	if last := len(g.list[i]) - 1; last >= 0 && g.list[i][last].feature == feature {
		g.list[i][last].amount += amount
		return
	}
	g.list[i] = append(g.list[i], member{feature, amount})
}

// ahead is how many finished games of one worker may wait to be taken.
const ahead = 16

// Play plays the games and hands them to take in the order of their numbers,
// all on the caller's goroutine. It has ended all of its goroutines when it
// returns, with the first error of take or of ctx.
func (s *Selfplay) Play(ctx context.Context, take func(id int, g Game) error) error {
	if err := s.Check(); err != nil {
		return err
	}
	n := min(max(s.Workers, 1), s.Games)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	group, ctx := errgroup.WithContext(ctx)
	lanes := make([]chan Game, n)
	for i := range lanes {
		lanes[i] = make(chan Game, ahead)
		group.Go(func() error { return s.playEvery(ctx, i, n, lanes[i]) })
	}
	failure := s.collect(ctx, lanes, take)
	stop()
	if err := group.Wait(); err != nil && errors.Is(failure, context.Canceled) {
		return err // what made the others stop
	}
	return failure
}

// playEvery plays every n-th game, beginning with the i-th.
func (s *Selfplay) playEvery(ctx context.Context, i, n int, out chan<- Game) error {
	w, err := newWorker(s)
	if err != nil {
		return err
	}
	for k := i; k < s.Games; k += n {
		g, err := w.play(ctx, s.First+k)
		if err != nil {
			return err
		}
		select {
		case out <- g:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// collect takes the games in order.
func (s *Selfplay) collect(ctx context.Context, lanes []chan Game, take func(int, Game) error) error {
	for k := range s.Games {
		select {
		case g := <-lanes[k%len(lanes)]:
			if err := take(s.First+k, g); err != nil {
				return err
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// teach has the learners make the lessons of some of the games, lesson k of game list[k].
// All of its goroutines have ended when it returns, with the first error.
func teach(ctx context.Context, learners []*learner, games []Game, list []int, lessons []lesson) error {
	group, ctx := errgroup.WithContext(ctx)
	var taken atomic.Int64
	for _, w := range learners {
		group.Go(func() error {
			for {
				k := int(taken.Add(1)) - 1
				if k >= len(list) {
					return nil
				}
				var err error
				if lessons[k], err = w.lesson(ctx, &games[list[k]]); err != nil {
					return err
				}
			}
		})
	}
	return group.Wait()
}
