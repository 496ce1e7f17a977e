package engine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/models"
	"github.com/carozero/carozero/nn"
)

// ClassicalOptions configure a Classical. The zero value works.
type ClassicalOptions struct {
	Search  alphabeta.Options // its Clock is replaced by the real time
	Weights games.Weights
	Judge   nn.IncrementalNetwork // evaluates instead of Weights; nil: none
	Proof   ProofNodes
	Level   Level // the zero value plays the best move and sets no budget

	Endgames games.Endgames // nil: none
}

// Classical is the classical search as an [Engine], for one variant.
type Classical struct {
	searcher *alphabeta.Searcher
	proof    ProofNodes
	variant  games.Variant
	prover   *games.Prover // checks claims; nil until it is needed
	level    Level
	learned  bool // something was searched since the last Forget

	reply    game.Move // expected by the last Think; NoMove: none
	expected uint64    // hash of the position before that reply
}

var _ Engine = (*Classical)(nil)

// NewClassical returns a Classical. It fails, with alphabeta.ErrMemory, if the table is
// larger than the machine's memory.
func NewClassical(v games.Variant, o ClassicalOptions) (*Classical, error) {
	o, err := o.Judged(v)
	if err != nil {
		return nil, err
	}
	if o.Level.Slips > 0 {
		o.Proof = ProofNodes{Root: alphabeta.Off, Claim: alphabeta.Off}
	}
	began := time.Now()
	o.Search.Clock = func() int64 { return int64(time.Since(began)) }
	s, err := alphabeta.New(o.Game(v), o.Search)
	if err != nil {
		return nil, err
	}
	return &Classical{
		searcher: s, variant: v, proof: o.Proof.withDefaults(), level: o.Level,
		reply: game.NoMove,
	}, nil
}

// Prepare does the first Think's setup in advance, before a clock runs. It forgets nothing.
func (c *Classical) Prepare() error {
	start, err := c.variant.Start()
	if err != nil {
		return err
	}
	c.newClaims(context.Background(), start)
	if err := c.searcher.Prepare(start); err != nil {
		return fmt.Errorf("preparing %s %dx%d: %w", c.variant.Rule(), c.variant.Size, c.variant.Size, err)
	}
	return nil
}

// Adopt makes c an engine for another variant of its game with the options o. It forgets
// all positions.
func (c *Classical) Adopt(v games.Variant, o ClassicalOptions) error {
	o, err := o.Judged(v)
	if err != nil {
		return err
	}
	if c.learned {
		c.Forget()
	}
	c.variant, c.reply = v, game.NoMove
	c.searcher.SetGame(o.Game(v))
	return nil
}

// Forget implements [Engine]: it clears the table.
func (c *Classical) Forget() {
	c.reply, c.learned = game.NoMove, false
	c.searcher.Clear()
}

// Close implements [Engine].
func (c *Classical) Close() error { return nil }

// Think implements [Engine]. A level's budget replaces the limits on nodes and
// lines.
func (c *Classical) Think(ctx context.Context, pos game.Position, l Limits) (*Answer, error) {
	budget := l.Clock.Iterative()
	limits := alphabeta.Limits{Nodes: l.Nodes, Depth: l.Depth, Lines: l.Lines, Time: budget.Hard, Soft: budget.Soft}
	if l.Restrict != nil {
		side := pos.ToMove()
		limits.Barred = func(m game.Move) bool { return l.Restrict.Barred(0, side, m) }
		c.Forget()
		defer c.Forget()
	}
	if c.level.Nodes > 0 {
		limits.Nodes, limits.Lines = c.level.Nodes, c.level.Lines
	}
	if l.Report != nil {
		limits.Progress = classicalReporter(&l, c.variant.Curve())
	}
	c.reply = game.NoMove
	r, _, err := c.Search(ctx, pos, limits)
	if err != nil && (ctx.Err() == nil || len(r.Lines) == 0) {
		return nil, fmt.Errorf("searching: %w", err)
	}
	m := c.level.choose(r.Lines, l.Seed, pos.Ply())
	if reply := r.Reply(); m == r.Move && reply != game.NoMove {
		next := pos.Clone()
		next.Play(m)
		c.reply, c.expected = reply, next.Hash()
	}
	a := withMove(classicalAnswer(&r, c.variant.Curve()), m)
	if l.Restrict != nil && a.Proof.Result == game.Lost {
		a.Proof = game.Proof{} // the barred moves may hold
	}
	return a, nil
}

// classicalReporter returns the function that is called after each iteration.
func classicalReporter(l *Limits, curve games.Curve) func(alphabeta.Result) {
	next := time.Now().Add(l.Every)
	return func(r alphabeta.Result) {
		if now := time.Now(); l.Every == 0 || !now.Before(next) {
			next = now.Add(l.Every)
			l.Report(classicalAnswer(&r, curve))
		}
	}
}

// Ponder implements [Engine]: it searches the position after the expected reply if
// pos is the position before it. Results are in the table; an error would show again in Think.
func (c *Classical) Ponder(ctx context.Context, pos game.Position) {
	if c.reply != game.NoMove && c.expected == pos.Hash() {
		_, _ = c.searcher.Ponder(ctx, pos, c.reply, alphabeta.Limits{})
	}
}

// Resize changes the size of the table, and empties it; it fails as NewClassical does.
func (c *Classical) Resize(mib int) error {
	return c.searcher.Resize(mib)
}

// Search is alphabeta.Searcher.Search, whatever the level, with a solver beside it in
// gomoku. If the solver proves a win first, that is the result, without a search unless
// several lines are wanted; what the search claims, in interim results too, is checked by
// the solver. The solver's moves before the search count towards the search's budget, those
// for claims do not. With barred moves the solver is not used. proven reports whether the
// solver has proven that the result's move wins.
func (c *Classical) Search(
	ctx context.Context, pos game.Position, l alphabeta.Limits,
) (r alphabeta.Result, proven bool, err error) {
	c.learned = true
	began := time.Now()
	k := c.newClaims(ctx, pos)
	if k == nil || l.Barred != nil {
		r, err = c.searcher.Search(ctx, pos, l)
		return r, false, err
	}
	if k.before(&l) && l.Lines <= 1 {
		return k.proven(began), true, nil
	}
	before := int64(k.spent)
	if l.Nodes > 0 {
		l.Nodes = max(1, l.Nodes-before)
	}
	if l.Time > 0 {
		var cancel context.CancelFunc
		k.ctx, cancel = SystemTime{}.WithDeadline(ctx, began.Add(l.Time))
		defer cancel()
		l.Time = max(time.Nanosecond, l.Time-time.Since(began))
	}
	show := l.Progress
	l.Progress = func(r alphabeta.Result) {
		k.check(&r)
		if show != nil {
			r.Stats.Nodes += before
			r.Stats.SolverNodes += before
			show(r)
		}
	}
	r, err = c.searcher.Search(ctx, pos, l)
	k.check(&r)
	r.Stats.Nodes += before
	r.Stats.SolverNodes += before
	return r, k.win != nil && r.Move == k.win.Moves[0], err
}

// Game returns what the classical search needs to know of the variant's game, with the
// evaluation of the options.
func (o ClassicalOptions) Game(v games.Variant) alphabeta.Game {
	return v.ClassicalBy(games.Evaluation{Weights: o.Weights, Judge: o.Judge, Endgames: o.Endgames})
}

// Judged replaces games.BestWeights by the actual evaluation for the variant. A level keeps
// the fitted weights, so that it means the same strength in every release.
func (o ClassicalOptions) Judged(v games.Variant) (ClassicalOptions, error) {
	if o.Judge != nil {
		return o, o.Judge.Suits(v)
	}
	if o.Weights != games.BestWeights {
		return o, nil
	}
	o.Weights = games.FittedWeights
	if o.Level.Nodes > 0 {
		return o, nil
	}
	entry, found, err := models.ForClassical(v.Rule(), v.Size)
	if err != nil || !found {
		return o, err
	}
	best, err := networks.LoadJudge(entry.Name)
	if err == nil && best.Suits(v) == nil { // and for this game, not for another one with a rule set of the same name
		o.Judge = best
	}
	return o, err
}

// SetTechniques sets the techniques of the classical search that a list such as
// "rfp=off,lmr=80" names.
func SetTechniques(o *alphabeta.Options, list string) error {
	for _, item := range strings.Split(list, ",") {
		key, text, _ := strings.Cut(item, "=")
		technique, ok := option.Find(alphabeta.Techniques, key)
		if !ok {
			return fmt.Errorf("unknown technique %q: want %s", key, strings.Join(option.Keys(alphabeta.Techniques), ", "))
		}
		if err := technique.Set(o, text); err != nil {
			return fmt.Errorf("%s=%s: %w", key, text, err)
		}
	}
	return nil
}

// Level is a strength of play. Its budget is in nodes, so that a level plays
// alike on every machine.
type Level struct {
	Name  string
	Nodes int64 // of a move; 0 in the zero Level only

	// The weaker levels search several moves and play a random one of the best
	// Lines that is at most Margin worse than the first.
	Lines  int
	Margin alphabeta.Score

	// Of a hundred moves so many are any of the Lines, whatever they are worth, unless the
	// first of them wins at once. A level that slips has no solver.
	Slips int
}

// levels are the strengths of play, weakest first.
var levels = []Level{
	{Name: "beginner", Nodes: 100, Lines: 60, Margin: 400, Slips: 98},
	{Name: "easy", Nodes: 200, Lines: 3, Margin: 50},
	{Name: "medium", Nodes: 1_500, Lines: 1},
	{Name: "hard", Nodes: 20_000, Lines: 1},
	{Name: "max", Nodes: 300_000, Lines: 1},
}

// elo are the strengths of the levels by the name of a game, measured in its usual rule set
// by matches of neighbours; the weakest level has 0. See docs/strength.md.
var elo = map[string]map[string]int{
	"gomoku":  {"beginner": 0, "easy": 1136, "medium": 1772, "hard": 2303, "max": 2727},
	"onitama": {"beginner": 0, "easy": 1042, "medium": 1646, "hard": 2177, "max": 2574},
}

// Elo returns the strength of the level in the game of that name, where it was measured: the
// weakest level has 0, and 100 more are a score of 64 percent.
func (l Level) Elo(name string) (rating int, measured bool) {
	rating, measured = elo[name][l.Name]
	return rating, measured
}

// LevelNames returns the names of the levels, weakest first.
func LevelNames() []string {
	var names []string
	for _, l := range levels {
		names = append(names, l.Name)
	}
	return names
}

// ParseLevel returns the level of that name.
func ParseLevel(name string) (Level, error) {
	for _, l := range levels {
		if l.Name == name {
			return l, nil
		}
	}
	return Level{}, fmt.Errorf("unknown level %q: want one of %s", name, strings.Join(LevelNames(), ", "))
}

// choose returns the first move of one of the lines, of which there is at
// least one. Unless it slips it takes a claimed win, and avoids a claimed loss if it can.
func (l Level) choose(lines []alphabeta.Line, seed uint64, ply int) game.Move {
	best := lines[0]
	rng := rand.New(rand.NewPCG(seed, uint64(ply)))
	if l.Slips > 0 && best.Score != alphabeta.WinIn(1) && rng.IntN(100) < l.Slips {
		return lines[rng.IntN(len(lines))].Moves[0]
	}
	if _, claimed := best.Score.Claim(); claimed || l.Margin == 0 {
		return best.Moves[0]
	}
	near := 1
	for near < len(lines) && lines[near].Score >= best.Score-l.Margin {
		near++
	}
	return lines[rng.IntN(near)].Moves[0]
}
