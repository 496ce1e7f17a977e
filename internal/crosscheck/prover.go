package crosscheck

import (
	"context"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/alphabeta/vcf/proof"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Proof is a win of the side to move that was replayed against every legal
// defence.
type Proof struct {
	By    string      // "rules", "vcf", "vct" or "search": who found it
	Plies int         // to the end of the game at most
	Line  []game.Move // the win against a defence that holds out long
	Asked int         // positions in which the replay needed an answer
}

// prover proves forced wins. It belongs to one goroutine.
type prover struct {
	solver *vcf.Solver
	nodes  int // budget of each call of the solver
}

func newProver(nodes int) *prover {
	return &prover{solver: vcf.New(vcf.Options{TableBytes: proverTable}), nodes: nodes}
}

// Bounds of the prover.
const (
	proverTable = 8 << 20 // bytes of the solver's table
	maxAsked    = 20_000  // answers that a replay may take
	maxLine     = 400     // moves of a line
)

// anyLength bounds no win.
const anyLength = 1 << 20

// solve returns what the solver claims of an undecided position: a win at
// once, by fours, or by fours and threes, within so many plies; ok is false if
// it claims nothing.
func (p *prover) solve(ctx context.Context, pos game.Position, within int) (c Proof, ok bool) {
	if wins := pos.Wins(nil); len(wins) > 0 {
		return Proof{By: "rules", Plies: 1, Line: wins[:1]}, true
	}
	board, is := pos.(*gomoku.Board)
	if !is {
		return Proof{}, false
	}
	for _, kind := range []vcf.Kind{vcf.VCF, vcf.VCT} {
		r := p.solver.Solve(ctx, pattern.FromBoard(board), kind, p.nodes)
		if r.Outcome == vcf.Win && r.Plies <= within {
			return Proof{By: kind.String(), Plies: r.Plies, Line: append([]game.Move(nil), r.Line...)}, true
		}
	}
	return Proof{}, false
}

// prove returns a proof that the side to move wins, nil if none was found.
func (p *prover) prove(ctx context.Context, pos game.Position) *Proof {
	c, ok := p.solve(ctx, pos, anyLength)
	if !ok {
		return nil
	}
	if c.Plies == 1 {
		return &c
	}
	board := pos.(*gomoku.Board)
	kind := vcf.VCF
	if c.By == vcf.VCT.String() {
		kind = vcf.VCT
	}
	return p.replay(ctx, board, c, func(b *gomoku.Board, left int) (game.Move, bool) {
		m, plies, ok := p.solver.Follow(ctx, pattern.FromBoard(b), kind, p.nodes)
		return m, ok && plies <= left
	})
}

// replay plays a claim through the rules, with answers by the given function,
// which is told how many plies are left, and returns it if it held within its
// plies.
func (p *prover) replay(ctx context.Context, b *gomoku.Board, c Proof, answer func(b *gomoku.Board, left int) (game.Move, bool)) *Proof {
	end := b.Ply() + c.Plies
	questions := maxAsked
	asked, err := proof.Replay(b, c.Plies, func(b *gomoku.Board) (game.Move, int, bool) {
		if questions--; questions < 0 || ctx.Err() != nil {
			return game.NoMove, 0, false
		}
		left := end - b.Ply()
		m, ok := answer(b, left)
		return m, left, ok
	})
	if err != nil {
		return nil
	}
	c.Asked = asked
	return &c
}

// byClaim names a proof whose answers the solver and alpha-beta found
// together.
const byClaim = "search"

// claimSlack is by how many plies a win may take longer than an engine claims
// and still be a proof, and claimSearches how many of alpha-beta's searches a
// replay may take.
const (
	claimSlack    = 12
	claimSearches = 60
)

// answers holds what the winner plays, by the key of the position: the solver's
// line to the win, or the engine's expectation.
type answers map[[2]uint64]Proof

// proveClaim returns a proof of the win that o claims for the side to move, nil
// if o claims none or it does not stand the replay. After o's move the solver
// answers, and e, with budget, where the solver sees nothing.
func (p *prover) proveClaim(ctx context.Context, pos game.Position, o *Opinion, e Engine, budget int) (*Proof, error) {
	board, ok := pos.(*gomoku.Board)
	if !ok || o.Claim <= 0 {
		return nil, nil
	}
	claimed := Proof{By: byClaim, Plies: o.Claim + claimSlack, Line: o.Line}
	found, searches := answers{board.Key(): claimed}, claimSearches
	var failed error
	replayed := p.replay(ctx, board, claimed, func(b *gomoku.Board, left int) (game.Move, bool) {
		a, ok := found[b.Key()]
		if !ok {
			a, ok = p.solve(ctx, b, left)
		}
		if !ok && searches > 0 && failed == nil {
			searches--
			var next Opinion
			next, failed = e.Search(ctx, b, budget)
			a, ok = Proof{By: byClaim, Line: next.Line}, failed == nil && next.Claim > 0
		}
		if !ok {
			return game.NoMove, false
		}
		found[b.Key()] = a
		return a.Line[0], true
	})
	if replayed != nil {
		replayed.Line = found.line(board)
	}
	return replayed, failed
}

// line returns the win that the answers lead to against the defences that they
// expect. It must have stood the replay; b is the same afterwards.
func (a answers) line(b *gomoku.Board) (line []game.Move) {
	side := b.ToMove()
	defer func() {
		for range line {
			b.Undo()
		}
	}()
	play := func(m game.Move) {
		line = append(line, m)
		b.Play(m)
	}
	for b.Outcome() == game.Undecided && len(line) < maxLine {
		if wins := b.Wins(nil); len(wins) > 0 && b.ToMove() == side {
			play(wins[0])
			break
		}
		answer, ok := a[b.Key()]
		if !ok {
			break
		}
		if answer.By != byClaim {
			for _, m := range answer.Line {
				play(m)
			}
			continue
		}
		play(answer.Line[0])
		if b.Outcome() != game.Undecided {
			break
		}
		reply := b.Moves(nil)[0]
		if len(answer.Line) > 1 && b.Legal(answer.Line[1]) {
			reply = answer.Line[1]
		}
		play(reply)
	}
	return line
}

// leavesNone returns a legal reply, after the move m of the winning side has
// been played on pos, to which the solver finds no win, NoMove if there is
// none: then the win was kept. likely are replies to try first. The solver's
// answers are claims, which is enough to acquit.
func (p *prover) leavesNone(ctx context.Context, pos game.Position, likely []game.Move) game.Move {
	side := pos.ToMove().Other()
	replies := append([]game.Move(nil), likely...)
	replies = pos.Moves(replies)
	for _, r := range replies {
		if !pos.Legal(r) {
			continue
		}
		pos.Play(r)
		kept := pos.Outcome() == game.WinFor(side)
		if pos.Outcome() == game.Undecided {
			_, kept = p.solve(ctx, pos, anyLength)
		}
		pos.Undo()
		if !kept {
			return r
		}
	}
	return game.NoMove
}
