package alphabeta_test

import (
	"context"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
)

// mix is a hash of two words.
func mix(a, b uint64) uint64 {
	z := (a ^ b*0x9E3779B97F4A7C15) + 0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// rough knows every game badly: its evaluation, stages and noisy moves are
// hashes, so that nothing is as a search would have it.
type rough struct {
	seed    uint64
	quiesce bool
	margin  alphabeta.Score // of one ply; 0 for unknown
	extend  bool
	solver  alphabeta.Solver
	share   int // of the solver, in percent
	knows   int // of as many positions one is an endgame; 0: none
}

func (rough) Techniques() alphabeta.Options { return alphabeta.Options{} }

const roughSlots = 16

func (g rough) Bind(pos game.Position) (alphabeta.Heuristics, error) {
	r := &roughParts{rough: g, pos: pos, moves: make([]game.Move, 0, pos.MaxMoves())}
	heuristics := alphabeta.Heuristics{Position: pos, Evaluation: r, Picker: r, Solver: g.solver, SolverShare: g.share,
		Slots: roughSlots}
	if g.quiesce {
		heuristics.Quiescence = r
	}
	if g.knows > 0 {
		heuristics.Endgames = r
	}
	return heuristics, nil
}

type roughParts struct {
	rough
	pos   game.Position
	moves []game.Move
}

func (r *roughParts) Evaluate() alphabeta.Score {
	return alphabeta.Score(mix(r.seed, r.pos.Hash())%401) - 200
}

func (r *roughParts) Margin(depth int) alphabeta.Score { return r.margin * alphabeta.Score(depth) }

func (r *roughParts) Quiet() bool { return mix(r.seed+2, r.pos.Hash())%16 > 0 }

func (r *roughParts) Stage(n int, list []alphabeta.ScoredMove) ([]alphabeta.ScoredMove, bool) {
	r.moves = r.pos.Moves(r.moves[:0])
	for _, m := range r.moves {
		if mix(r.seed, uint64(m))%3 == uint64(n) {
			list = append(list, r.Describe(m))
		}
	}
	return list, n < 2
}

// Probe says of one of so many positions, by its hash, that it is a draw, a win or a
// loss.
func (r *roughParts) Probe() (alphabeta.Score, bool) {
	h := mix(r.seed+3, r.pos.Hash())
	if r.knows == 0 || h%uint64(r.knows) > 0 {
		return 0, false
	}
	plies := 3 + 2*int(h>>20%5)
	return [...]alphabeta.Score{0, alphabeta.WinIn(plies), alphabeta.LossIn(plies + 1)}[h>>40%3], true
}

func (r *roughParts) Best() game.Move { return r.pos.Moves(nil)[0] }

func (r *roughParts) Describe(m game.Move) alphabeta.ScoredMove {
	h := mix(r.seed, uint64(m))
	e := alphabeta.ScoredMove{Move: m, Slot: uint16(m % roughSlots), Hint: int32(h >> 40 % 64)}
	if h%3 == 0 {
		e.Kind = alphabeta.Tactical
	}
	e.Extend = r.extend && h>>8%4 == 0
	return e
}

func (r *roughParts) Noisy(depth int, list []alphabeta.ScoredMove) ([]alphabeta.ScoredMove, bool) {
	if depth == 3 {
		return list, false
	}
	h := mix(r.seed+1, r.pos.Hash())
	r.moves = r.pos.Moves(r.moves[:0])
	for _, m := range r.moves {
		if mix(h, uint64(m))%4 == 0 {
			list = append(list, r.Describe(m))
		}
	}
	return list, h%5 == 0
}

// minimax is the twin of the search: no window, no table, no order. It returns
// the value that an exhaustive search to the depth must have.
func minimax(heuristics *alphabeta.Heuristics, depth, ply int) alphabeta.Score {
	pos := heuristics.Position
	if o := pos.Outcome(); o != game.Undecided {
		switch o.Value(pos.ToMove()) {
		case 1:
			return alphabeta.WinIn(ply)
		case -1:
			return alphabeta.LossIn(ply)
		}
		return 0
	}
	if ply > 0 && len(pos.Wins(nil)) > 0 {
		return alphabeta.WinIn(ply + 1)
	}
	if worth, ok := probe(heuristics); ok && ply > 0 {
		return fromNode(worth, ply)
	}
	if depth <= 0 {
		return stand(heuristics, 0, ply)
	}
	best := -alphabeta.Win
	for _, m := range pos.Moves(nil) {
		pos.Play(m)
		best = max(best, -minimax(heuristics, depth-1, ply+1))
		pos.Undo()
	}
	return best
}

// probe asks the endgames, if there are some.
func probe(heuristics *alphabeta.Heuristics) (alphabeta.Score, bool) {
	if heuristics.Endgames == nil {
		return 0, false
	}
	return heuristics.Endgames.Probe()
}

// fromNode counts a claim that counts plies from a node at ply from the root.
func fromNode(worth alphabeta.Score, ply int) alphabeta.Score {
	plies, ok := worth.Claim()
	switch {
	case !ok:
		return worth
	case worth > 0:
		return alphabeta.WinIn(plies + ply)
	}
	return alphabeta.LossIn(plies + ply)
}

// stand is minimax below the horizon.
func stand(heuristics *alphabeta.Heuristics, depth, ply int) alphabeta.Score {
	pos := heuristics.Position
	best := heuristics.Evaluation.Evaluate()
	if heuristics.Quiescence == nil {
		return best
	}
	noisy, forced := heuristics.Quiescence.Noisy(depth, nil)
	if forced && len(noisy) > 0 {
		best = -alphabeta.Win
	}
	for _, e := range noisy {
		pos.Play(e.Move)
		var score alphabeta.Score
		if _, ok := probe(heuristics); ok || pos.Outcome() != game.Undecided || len(pos.Wins(nil)) > 0 {
			score = minimax(heuristics, 0, ply+1)
		} else {
			score = stand(heuristics, depth+1, ply+1)
		}
		best = max(best, -score)
		pos.Undo()
	}
	return best
}

// oracle returns the value of pos by minimax.
func oracle(tb testing.TB, g alphabeta.Game, pos game.Position, depth int) alphabeta.Score {
	tb.Helper()
	heuristics, err := g.Bind(pos.Clone())
	if err != nil {
		tb.Fatal(err)
	}
	return minimax(&heuristics, depth, 0)
}

// searcher returns a new Searcher.
func searcher(tb testing.TB, g alphabeta.Game, o alphabeta.Options) *alphabeta.Searcher {
	tb.Helper()
	s, err := alphabeta.New(g, o)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// search searches pos with a new Searcher and checks the result's form.
func search(tb testing.TB, g alphabeta.Game, o alphabeta.Options, pos game.Position,
	l alphabeta.Limits) alphabeta.Result {
	tb.Helper()
	if o.TableMiB == 0 {
		o.TableMiB = 1
	}
	before := pos.Hash()
	r, err := searcher(tb, g, o).Search(context.Background(), pos, l)
	if err != nil {
		tb.Fatal(err)
	}
	if pos.Hash() != before {
		tb.Fatal("the search changed the position")
	}
	checkResult(tb, pos, r)
	return r
}

// checkResult checks that the lines of r can be played, begin with different
// moves and get worse, and that claims of the best line are no shorter than it.
func checkResult(tb testing.TB, pos game.Position, r alphabeta.Result) {
	tb.Helper()
	if len(r.Lines) == 0 || r.Lines[0].Moves[0] != r.Move || r.Lines[0].Score != r.Score {
		tb.Fatalf("move %d and score %v, but the lines are %v", r.Move, r.Score, r.Lines)
	}
	seen := map[game.Move]bool{}
	for i, l := range r.Lines {
		if seen[l.Moves[0]] {
			tb.Fatalf("two lines begin with %d", l.Moves[0])
		}
		seen[l.Moves[0]] = true
		if i > 0 && l.Depth == r.Lines[i-1].Depth && l.Score > r.Lines[i-1].Score {
			tb.Fatalf("line %d is better than the one before: %v", i+1, r.Lines)
		}
		p := pos.Clone()
		for _, m := range l.Moves {
			if !p.Legal(m) {
				tb.Fatalf("line %v: %d is illegal", l.Moves, m)
			}
			p.Play(m)
		}
		if plies, ok := l.Score.Claim(); ok && plies < len(l.Moves) {
			tb.Fatalf("%v with a line of %d moves", l.Score, len(l.Moves))
		}
	}
}

// off returns options with one technique off each, by name, and with none.
func off() map[string]alphabeta.Options {
	return map[string]alphabeta.Options{
		"all on":          {},
		"no scout":        {Scout: alphabeta.Off},
		"no aspiration":   {Aspiration: alphabeta.Off},
		"narrow":          {Aspiration: 1},
		"no table":        {TableMiB: alphabeta.Off},
		"no history":      {History: alphabeta.Off},
		"no continuation": {Continuation: alphabeta.Off},
		"bare": {Scout: alphabeta.Off, Aspiration: alphabeta.Off, TableMiB: alphabeta.Off,
			History: alphabeta.Off, Continuation: alphabeta.Off},
	}
}
