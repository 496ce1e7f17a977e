package selfplay

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// searcher searches the positions of a game in the order in which they are played,
// one game after the other. It belongs to one play.
type searcher interface {
	// start sets the first position of a game with that seed.
	start(pos game.Position, seed uint64) error

	// begin begins the search of the position, ply moves into the game.
	begin(ply int)

	// step continues the search until it is done or waits for the evaluator, and
	// reports whether it waits. absorb takes in the results that it waited for.
	step(ctx context.Context) (waits bool, err error)
	absorb()

	// decision returns the result of the search that is done. It is valid until the
	// next begin.
	decision(ply int) (*decision, error)

	// advance plays m, which leads to pos.
	advance(m game.Move, pos game.Position) error
}

// decision is the result of searching a position: the values of its row, and the move
// to play.
type decision struct {
	move   game.Move
	moves  []searchedMove // at least one, in any order
	rootQ  float32        // value for the side to move, -1..1
	netQ   float32        // the same without a search
	proven mcts.Proof
	full   bool    // not a cheap search
	weight float32 // of the row; 0: none is recorded
}

// searchedMove is a move with its share of the policy target.
type searchedMove struct {
	move   game.Move
	visits uint32
	target float32 // of the policy; the targets of a decision sum to 1
}

// treeSearcher searches with the network's tree search.
type treeSearcher struct {
	opts     *Options
	searcher *mcts.Searcher
	root     mcts.RootPolicy // of full searches

	seed uint64 // of the game
	pcg  rand.PCG
	rng  *rand.Rand
	full bool // the search under way is a full one

	result mcts.Result // scratch
	answer decision
	policy policy
}

func newTreeSearcher(opts *Options, eval nn.Evaluator, solver mcts.Solver) *treeSearcher {
	j := &treeSearcher{opts: opts, searcher: mcts.New(opts.Search, eval, solver), root: opts.Targets.root()}
	j.rng = rand.New(&j.pcg)
	return j
}

func (j *treeSearcher) start(pos game.Position, seed uint64) error {
	j.seed = seed
	return j.searcher.SetPosition(pos)
}

func (j *treeSearcher) begin(ply int) {
	j.pcg.Seed(j.seed^moveStream, uint64(ply))
	j.full = j.opts.CheapPlayouts == 0 || j.rng.Float64() < j.opts.FullShare
	limits := mcts.Limits{Playouts: j.opts.CheapPlayouts}
	if j.full {
		limits = j.opts.Targets.limits(j.opts.Playouts, samples.GameSeed(j.seed^noiseStream, uint64(ply)), j.root)
	}
	j.searcher.Begin(context.Background(), limits)
}

func (j *treeSearcher) step(ctx context.Context) (waits bool, err error) {
	for !j.searcher.Done() {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if j.searcher.Select() {
			return true, nil
		}
	}
	return false, nil
}

func (j *treeSearcher) absorb() { j.searcher.Backup(nn.All) }

// decision draws the move with the next random number of the stream that chose a full
// or a cheap search, unless sequential halving has chosen it.
func (j *treeSearcher) decision(ply int) (*decision, error) {
	r, v := &j.result, &j.answer
	halved := j.full && j.opts.Targets.Gumbel.Considered > 0
	if halved {
		v.move = j.searcher.Choice(r)
	} else {
		j.searcher.Result(r)
		v.move = mcts.Pick(r.Children, j.opts.Temperature.At(ply), j.rng)
	}
	v.rootQ, v.netQ, v.proven, v.full = r.RootQ, r.NetValue, r.Proven, j.full
	v.weight = j.opts.CheapWeight
	if j.full {
		v.weight = 1
	}
	if v.move == game.NoMove || len(r.Children) == 0 {
		return nil, fmt.Errorf("selfplay: a search of %d playouts found no move", r.Playouts)
	}
	switch {
	case halved:
		v.rootQ = j.policy.improved(j.opts.Targets.Gumbel, r)
	case j.full && j.opts.Targets.Forced > 0:
		j.policy.pruned(j.searcher, mcts.Forced(j.opts.Targets.Forced), r.Children)
	default:
		j.policy.visits(r.Children)
	}
	return v, j.enter(v)
}

// enter adds the moves that have visits or a share of the target to v.
func (j *treeSearcher) enter(v *decision) error {
	r := &j.result
	v.moves = v.moves[:0]
	visits := false
	for i := range r.Children {
		c := &r.Children[i]
		if share := float32(j.policy.shares[i]); c.Visits > 0 || share > 0 {
			v.moves = append(v.moves, searchedMove{move: c.Move, visits: c.Visits, target: share})
			visits = visits || c.Visits > 0
		}
	}
	if !visits && r.Proven == mcts.Unknown {
		return fmt.Errorf("selfplay: a search of %d playouts visited no move", r.Playouts)
	}
	return nil
}

func (j *treeSearcher) advance(m game.Move, pos game.Position) error {
	if j.opts.DropTree {
		return j.searcher.SetPosition(pos)
	}
	return j.searcher.Advance(m)
}

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

// teacherSearcher searches with a Teacher. It never waits.
type teacherSearcher struct {
	opts    *TeacherOptions
	teacher Teacher

	seed    uint64 // of the game
	pcg     rand.PCG
	rng     *rand.Rand
	pos     game.Position // the play's, only read
	opinion Opinion
	chances []float64 // scratch
	answer  decision
}

func newTeacherSearcher(opts *TeacherOptions, teacher Teacher) *teacherSearcher {
	j := &teacherSearcher{opts: opts, teacher: teacher}
	j.rng = rand.New(&j.pcg)
	return j
}

func (j *teacherSearcher) start(pos game.Position, seed uint64) error {
	j.pos, j.seed = pos, seed
	j.teacher.Forget()
	return nil
}

func (j *teacherSearcher) begin(int) {}

func (j *teacherSearcher) step(ctx context.Context) (waits bool, err error) {
	return false, j.teacher.Search(ctx, j.pos, j.opts.Lines, &j.opinion)
}

func (*teacherSearcher) absorb() {}

func (j *teacherSearcher) decision(ply int) (*decision, error) {
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
	if t := j.opts.Temperature.At(ply); t > 0 && len(scored) > 1 && v.proven == mcts.Unknown {
		j.chances = shares(j.chances[:0], scored, t, j.opts.MaxLoss)
		j.pcg.Seed(j.seed^moveStream, uint64(ply))
		v.move = scored[draw(j.chances, j.rng)].Move
	}
	return v, nil
}

func (*teacherSearcher) advance(game.Move, game.Position) error { return nil }

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

// teacherBalance evaluates openings with a teacher, before their games begin.
type teacherBalance struct {
	teacher Teacher
	worth   float64
}

func (b *teacherBalance) ask(ctx context.Context, pos game.Position) (answered bool, err error) {
	b.teacher.Forget()
	b.worth, err = b.teacher.Balance(ctx, pos)
	return true, err
}

func (b *teacherBalance) value() float64 { return b.worth }
