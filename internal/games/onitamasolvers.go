package games

import (
	"context"
	"errors"

	onitamasearch "github.com/carozero/carozero/alphabeta/onitama"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
	"github.com/carozero/carozero/game/onitama/bitbase"
	"github.com/carozero/carozero/mcts"
)

// Solvers implements [Solved].
func (onitamaVariant) Solvers(n SolverNodes) mcts.Solver { return &onitamaSolvers{budget: n} }

// onitamaSolvers implements [mcts.Solver] with short wins by all moves. Once its context
// has ended a method returns within 1024 moves.
type onitamaSolvers struct {
	mcts.NoSolver
	budget SolverNodes
	prover onitamasearch.Prover
	played int // moves, at roots
}

// Leaf implements [mcts.Solver].
func (s *onitamaSolvers) Leaf(ctx context.Context, pos game.Position) mcts.Solution {
	w, _ := s.win(ctx, pos, s.budget.Leaf)
	return w
}

// Root implements [mcts.Solver].
func (s *onitamaSolvers) Root(ctx context.Context, pos game.Position) mcts.Solution {
	w, nodes := s.win(ctx, pos, s.budget.Root)
	s.played += nodes
	return w
}

// Refute implements [mcts.Solver].
func (s *onitamaSolvers) Refute(ctx context.Context, pos game.Position, moves []game.Move, wins []mcts.Solution) {
	for i, m := range moves {
		wins[i] = s.after(ctx, pos, m, s.budget.Replies)
	}
}

// Audit implements [mcts.Solver] with the budget of Root.
func (s *onitamaSolvers) Audit(ctx context.Context, pos game.Position, m game.Move) mcts.Solution {
	return s.after(ctx, pos, m, s.budget.Root)
}

// after looks for a win of the side to move after m.
func (s *onitamaSolvers) after(ctx context.Context, pos game.Position, m game.Move, nodes int) mcts.Solution {
	pos.Play(m)
	defer pos.Undo()
	if pos.Outcome() != game.Undecided {
		return mcts.Solution{}
	}
	w, played := s.win(ctx, pos, nodes)
	s.played += played
	return w
}

// win looks for a win of the side to move, within so many moves.
func (s *onitamaSolvers) win(ctx context.Context, pos game.Position, nodes int) (w mcts.Solution, played int) {
	if nodes <= 0 || ctx.Err() != nil {
		return w, 0
	}
	m := s.prover.Prove(ctx, pos.(*onitama.Board), nodes)
	if m.Plies == 0 {
		return w, m.Nodes
	}
	return mcts.Solution{Proof: game.Won, Move: m.Move, Plies: m.Plies}, m.Nodes
}

// RootNodes implements [mcts.Solver].
func (s *onitamaSolvers) RootNodes() int { return s.played }

// onitamaEndgames implements [Endgames] with a bitbase.
type onitamaEndgames struct{ table *bitbase.Table }

func openOnitamaEndgames(ctx context.Context, path string) (Endgames, error) {
	t, err := bitbase.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	return onitamaEndgames{t}, nil
}

// Suits implements [Endgames]. The cards must be the same; men that are too many may
// be taken.
func (e onitamaEndgames) Suits(pos game.Position) error {
	if err := e.Covers(pos); !errors.Is(err, bitbase.ErrMen) {
		return err
	}
	return nil
}

// Covers implements [Endgames].
func (e onitamaEndgames) Covers(pos game.Position) error {
	if b, ok := pos.(*onitama.Board); ok {
		return e.table.Covers(b)
	}
	return errors.New("the endgames are of Onitama")
}

// Probe implements [Endgames].
func (e onitamaEndgames) Probe(pos game.Position) (game.Result, int) {
	value, plies, _ := e.table.Probe(pos.(*onitama.Board))
	return value, plies
}

// Best implements [Endgames].
func (e onitamaEndgames) Best(pos game.Position) game.Move {
	m, ok := e.table.Best(pos.(*onitama.Board))
	if !ok {
		return game.NoMove
	}
	return m
}

// Close implements [Endgames].
func (e onitamaEndgames) Close() error { return errors.Join(e.table.Err(), e.table.Close()) }

// onitamaDecider implements [Decider]: each side's wins are looked for in turn, with budgets
// that double, so that a side that wins quickly does so whoever it is. It denies no wins, and
// so it finds no draws.
type onitamaDecider struct {
	sides    [2]*onitamasearch.Solver // of the side to move, and of the other
	progress func(int64)
}

// firstSlice is how many moves each side gets at first.
const firstSlice = 100_000

// Decider implements [Solved].
func (onitamaVariant) Decider(o ProofOptions) Decider {
	d := &onitamaDecider{progress: o.Progress}
	if o.TableBytes == 0 {
		o.TableBytes = 256 << 20
	}
	for i := range d.sides {
		d.sides[i] = onitamasearch.NewSolver(o.TableBytes / 2)
	}
	return d
}

// Solve implements [Decider].
func (d *onitamaDecider) Solve(ctx context.Context, pos game.Position, nodes int64) (r Decision, err error) {
	b := pos.(*onitama.Board)
	if b.Outcome() != game.Undecided {
		return Decision{Outcome: b.Outcome()}, ctx.Err()
	}
	for most := int64(firstSlice); err == nil; most *= 2 {
		r.Nodes, r.Ended = 0, true
		for i, side := range []game.Side{b.ToMove(), b.ToMove().Other()} {
			var w onitamasearch.Win
			w, err = d.sides[i].Solve(ctx, b, side, int(min(most, nodes/2)))
			played := int64(d.sides[i].Moves())
			r.Nodes += played
			r.Ended = r.Ended && w.Ended
			if d.progress != nil {
				d.progress(played)
			}
			if w.Found {
				r.Outcome, r.Plies, r.Line, r.Ended = game.WinFor(side), w.Plies, w.Line, false
				return r, nil
			}
		}
		if r.Ended || most >= nodes/2 {
			break
		}
	}
	return r, err
}

// Certify implements [Decider]: there are no certificates.
func (d *onitamaDecider) Certify(context.Context, game.Position, Decision) ([]byte, error) {
	return nil, nil
}
