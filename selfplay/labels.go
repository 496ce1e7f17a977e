package selfplay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// Labeler is a search other than the tree search whose scores of moves are the targets of
// training, and which plays the games. Its answers are a pure function of the positions of the current
// game so far. It belongs to one goroutine.
type Labeler interface {
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

// Opinion is a Labeler's result for a position. Values are expected results for the
// side to move, -1..1; 1 and -1 are claimed or proven wins and losses.
type Opinion struct {
	Moves  []Scored    // best first, at least one
	Static float32     // static evaluation, without a search
	Proven game.Result // of the position, against every defence; the first move keeps it
}

// Scored is a move and what it is worth.
type Scored struct {
	Move  game.Move
	Value float32
}

// LabelOptions say how a Labeler's opinions become targets and moves. Zero stands
// for the default that each field names.
type LabelOptions struct {
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

// Defaults of the zero LabelOptions.
const (
	defaultLines             = 1
	defaultTargetTemperature = 0.1
	defaultMaxLoss           = 0.2
)

var defaultLabelTemperature = mcts.Schedule{Start: 0.1, HalfLife: 6}

// WithDefaults returns o with each zero replaced by what it stands for.
func (o LabelOptions) WithDefaults() LabelOptions {
	o.Lines = cmp.Or(o.Lines, defaultLines)
	o.TargetTemperature = cmp.Or(o.TargetTemperature, defaultTargetTemperature)
	o.Temperature = cmp.Or(o.Temperature, defaultLabelTemperature)
	o.MaxLoss = cmp.Or(o.MaxLoss, defaultMaxLoss)
	return o
}

// labelPlayer plays with a Labeler. It never waits.
type labelPlayer struct {
	opts    *LabelOptions
	labeler Labeler

	seed    uint64 // of the game
	pcg     rand.PCG
	rng     *rand.Rand
	pos     game.Position // the slot's, only read
	opinion Opinion
	chances []float64 // scratch
	answer  decision
}

func newLabelPlayer(opts *LabelOptions, labeler Labeler) *labelPlayer {
	j := &labelPlayer{opts: opts, labeler: labeler}
	j.rng = rand.New(&j.pcg)
	return j
}

func (j *labelPlayer) balance(ctx context.Context, pos game.Position) (float64, error) {
	j.labeler.Forget()
	return j.labeler.Balance(ctx, pos)
}

func (j *labelPlayer) start(pos game.Position, seed uint64) error {
	j.pos, j.seed = pos, seed
	j.labeler.Forget()
	return nil
}

func (j *labelPlayer) search(ctx context.Context, ply int) (*decision, error) {
	if err := j.labeler.Search(ctx, j.pos, j.opts.Lines, &j.opinion); err != nil {
		return nil, err
	}
	scored := j.opinion.Moves
	v := &j.answer
	v.rootQ, v.netQ, v.proven = scored[0].Value, j.opinion.Static, j.opinion.Proven
	v.full, v.weight = true, 1
	j.chances = shares(j.chances[:0], scored, j.opts.TargetTemperature, math.Inf(1))
	v.moves = v.moves[:0]
	for i, s := range scored {
		v.moves = append(v.moves, searchedMove{move: s.Move, target: float32(j.chances[i])})
	}
	v.move = scored[0].Move
	if t := j.opts.Temperature.At(ply); t > 0 && len(scored) > 1 && v.proven == game.Unproven {
		j.chances = shares(j.chances[:0], scored, t, j.opts.MaxLoss)
		j.pcg.Seed(j.seed^moveStream, uint64(ply))
		v.move = scored[draw(j.chances, j.rng)].Move
	}
	return v, nil
}

func (*labelPlayer) advance(game.Move, game.Position) error { return nil }

// certain is the least value that counts as a win; its negative is the greatest that
// counts as a loss.
const certain = 1

// shares appends each move's share of a softmax over the values at a temperature.
// Moves that lose get nothing unless all lose, and moves worse than the best by more
// than most get nothing. If the best move wins, the winning moves share equally.
func shares(list []float64, scored []Scored, temperature, most float64) []float64 {
	best := scored[0].Value
	sum := 0.0
	for _, s := range scored {
		behind := float64(best) - float64(s.Value)
		share := nn.Exp(-behind / temperature)
		switch {
		case best >= certain && s.Value < certain, best > -certain && s.Value <= -certain, behind > most:
			share = 0
		}
		list = append(list, share)
		sum += share
	}
	for i := range list {
		list[i] /= sum
	}
	return list
}

// draw returns an index drawn with the given probabilities, which sum to 1.
func draw(chances []float64, rng *rand.Rand) int {
	mark := rng.Float64()
	last := 0
	for i, c := range chances {
		if c == 0 {
			continue
		}
		last = i
		if mark -= c; mark < 0 {
			break
		}
	}
	return last
}

// labelDefaults are the budget and the table of a classical player. It does short searches of
// many positions, so that clearing a larger table would cost more than it saves.
var labelDefaults = players.Args{{Key: "nodes", Value: "2000"}, {Key: "table", Value: "2"}}

// balanceShare is the fraction 1/balanceShare of its budget used to evaluate an
// opening.
const balanceShare = 4

// alphaBeta is the classical player of a run.
type alphaBeta struct {
	engine engine.ClassicalOptions
	nodes  int64  // of a search
	text   string // the description with all budgets
}

// parseAlphaBeta reads the description of a classical player. It rejects clocks, threads and
// pondering, because they would make games depend on more than their seeds.
func parseAlphaBeta(text string) (a alphaBeta, err error) {
	spec, err := players.ParseSpec(text)
	if err != nil {
		return a, err
	}
	for _, d := range labelDefaults {
		if _, given := spec.Args.Get(d.Key); !given {
			spec.Args = append(spec.Args, d)
		}
	}
	if a.engine, a.nodes, err = players.ParseFixedClassical(spec); err != nil {
		return a, fmt.Errorf("player %q: %w", text, err)
	}
	a.text = spec.String()
	return a, nil
}

// judgeDigest returns the digest of what judges in a classical search, "" for none.
func judgeDigest(v games.Variant, o engine.ClassicalOptions) string {
	if o.Judge != nil {
		return o.Judge.SHA256()
	}
	if s, ok := v.Rules.(games.Solved); ok {
		return s.Digest(o.Weights)
	}
	return ""
}

// labelled returns what package selfplay needs for games that the classical player plays.
func (r *Run) labelled(v games.Variant) (Setup, error) {
	setup, err := newSetup(v, v.Searchable)
	if err != nil {
		return setup, err
	}
	l, err := parseAlphaBeta(r.Player)
	if err == nil {
		l.engine, err = l.engine.Judged(v)
	}
	if err != nil {
		return setup, err
	}
	curve := v.Curve()
	setup.Header, err = r.header(v, samples.OrderedMap{
		{Key: "player", Value: l.text},
		{Key: "score_scale", Value: curve.Scale},
	})
	if err != nil {
		return setup, err
	}
	setup.Header.Model = string(players.AlphaBeta)
	setup.Header.ModelSHA256 = judgeDigest(v, l.engine)
	setup.Labeler = func(int) (Labeler, error) {
		c, err := engine.NewClassical(v, l.engine)
		if err != nil {
			return nil, err
		}
		return &classicalLabeler{engine: c, game: l.engine.Game(v), budget: l.nodes, curve: curve}, nil
	}
	return setup, nil
}

// classicalLabeler implements [Labeler] with the classical search.
type classicalLabeler struct {
	engine *engine.Classical
	game   alphabeta.Game
	budget int64 // of a search, in nodes
	curve  games.Curve
	wins   []game.Move // scratch
	nodes  int64       // of all searches
}

// Forget implements [Labeler].
func (l *classicalLabeler) Forget() { l.engine.Forget() }

// Nodes implements [Labeler].
func (l *classicalLabeler) Nodes() int64 { return l.nodes }

// Search implements [Labeler]. If a move ends the game it does not search. Only
// results of the rules and of solvers count as proven, not claims of the search.
func (l *classicalLabeler) Search(ctx context.Context, pos game.Position, lines int, o *Opinion) error {
	o.Moves, o.Proven = o.Moves[:0], game.Unproven
	var err error
	if o.Static, err = l.static(pos); err != nil {
		return err
	}
	if l.wins = pos.Wins(l.wins[:0]); len(l.wins) > 0 {
		for _, m := range l.wins {
			o.Moves = append(o.Moves, Scored{Move: m, Value: 1})
		}
		o.Proven = game.Won
		return nil
	}
	r, proven, err := l.engine.Search(ctx, pos, alphabeta.Limits{Nodes: l.budget, Lines: lines})
	if err != nil {
		return fmt.Errorf("searching: %w", err)
	}
	l.nodes += r.Stats.Nodes
	for _, line := range r.Lines {
		o.Moves = append(o.Moves, Scored{Move: line.Moves[0], Value: l.curve.Value(line.Score)})
	}
	if proven {
		o.Proven = game.Won
	}
	return nil
}

// Balance implements [Labeler].
func (l *classicalLabeler) Balance(ctx context.Context, pos game.Position) (float64, error) {
	r, _, err := l.engine.Search(ctx, pos, alphabeta.Limits{Nodes: max(1, l.budget/balanceShare)})
	if err != nil {
		return 0, fmt.Errorf("searching: %w", err)
	}
	l.nodes += r.Stats.Nodes
	return float64(l.curve.Value(r.Score)), nil
}

// static returns the static evaluation.
func (l *classicalLabeler) static(pos game.Position) (float32, error) {
	parts, err := l.game.Bind(pos.Clone())
	if err != nil {
		return 0, err
	}
	if parts.Evaluation == nil {
		return 0, errors.New("the game has no evaluation")
	}
	return l.curve.Value(parts.Evaluation.Evaluate()), nil
}
