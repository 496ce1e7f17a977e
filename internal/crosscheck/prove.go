package crosscheck

import (
	"context"
	"slices"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
)

// Proof is a win of the side to move that was replayed against every legal
// defence.
type Proof struct {
	By    string      // "rules", "vcf", "vct", "full" or "search": who found it
	Plies int         // to the end of the game at most
	Line  []game.Move // the win against a defence that holds out long
	Asked int         // positions in which the replay needed an answer
	Nodes int         // of the search that found it
}

// prover proves wins in positions of one game. It belongs to one goroutine.
type prover struct {
	variant games.Variant
	wins    *games.Prover // nil: the game has none, and all moves are searched if it has a Decider
	nodes   int           // budget of each call of the solver
	least   int           // budget of escape, at least
}

func newProver(v games.Variant, nodes int) *prover {
	return &prover{variant: v, wins: v.Prover(proverTable), nodes: nodes, least: leastEscape}
}

// byAllMoves names a proof by all moves of both sides.
const byAllMoves = "full"

// decide returns a proof by all moves that the side to move wins, nil if none was found. Each
// search begins anew, so that none depends on the one before.
func (p *prover) decide(ctx context.Context, pos game.Position) *Proof {
	all, err := p.variant.Decider(games.ProofOptions{TableBytes: proverTable})
	if err != nil { // the game has none
		return nil
	}
	d, err := all.Solve(ctx, pos, 2*int64(p.nodes)) // half of it for the other side's wins
	if err != nil || d.Outcome != game.WinFor(pos.ToMove()) || len(d.Line) == 0 {
		return nil
	}
	return &Proof{By: byAllMoves, Plies: d.Plies, Line: d.Line, Nodes: int(d.Nodes)}
}

// Bounds of the prover.
const (
	proverTable = 32 << 20 // bytes of the solver's table
	maxAsked    = 20_000   // answers that a replay may take
	maxLine     = 400      // moves of a line
)

// atOnce returns the win that a move makes, if there is one.
func atOnce(pos game.Position) (c Proof, ok bool) {
	if wins := pos.Wins(nil); len(wins) > 0 {
		return Proof{By: "rules", Plies: 1, Line: wins[:1]}, true
	}
	return Proof{}, false
}

// solve returns what the solver claims of an undecided position: a win at
// once, by fours, or by fours and threes, within so many plies; ok is false if
// it claims nothing.
func (p *prover) solve(ctx context.Context, pos game.Position, within int) (c Proof, ok bool) {
	if c, ok = atOnce(pos); ok || p.wins == nil {
		return c, ok
	}
	for _, kind := range []vcf.Kind{vcf.VCF, vcf.VCT} {
		r := p.wins.Solve(ctx, pos, kind, p.nodes)
		if r.Outcome == vcf.Win && r.Plies <= within {
			return Proof{By: kind.String(), Plies: r.Plies, Line: append([]game.Move(nil), r.Line...)}, true
		}
	}
	return Proof{}, false
}

// prove returns a proof that the side to move wins, nil if none was found.
func (p *prover) prove(ctx context.Context, pos game.Position) *Proof {
	if c, ok := atOnce(pos); ok {
		return &c
	}
	if p.wins == nil {
		return p.decide(ctx, pos)
	}
	w, ok := p.wins.Find(ctx, pos, vcf.ProofLimits{Nodes: p.nodes, Asked: maxAsked}, vcf.VCF, vcf.VCT)
	if !ok {
		return nil
	}
	return &Proof{By: w.Kind.String(), Plies: w.Plies, Line: w.Line, Asked: w.Asked, Nodes: w.Nodes}
}

// certificate returns the certificate that the side to move in pos wins, checked by the
// rules; nil if none was found.
func (p *prover) certificate(ctx context.Context, pos game.Position) []byte {
	if pos.Outcome() != game.Undecided {
		return nil
	}
	data, err := p.variant.WinCertificate(ctx, pos, pos.ToMove(), games.CertifyNodes)
	if err != nil {
		return nil // the replay stands for the proof
	}
	return data
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

// answers holds what the winner plays, by the hash of the position: the solver's
// line to the win, or the engine's expectation.
type answers map[uint64]Proof

// proveClaim returns a proof of the win that o claims for the side to move, nil
// if o claims none or it does not stand the replay. After o's move the solver
// answers, and e, with budget, where the solver sees nothing.
func (p *prover) proveClaim(ctx context.Context, pos game.Position, o *engine.Answer, e engine.Engine,
	budget int) (*Proof, error) {
	if p.wins == nil || o.Proof.Result != game.Won {
		return nil, nil
	}
	claimed := Proof{By: byClaim, Plies: o.Proof.Signed() + claimSlack, Line: o.Line,
		Nodes: max(int(o.Stats.Nodes), budget)}
	found, questions, searches := answers{pos.Hash(): claimed}, maxAsked, claimSearches
	var failed error
	asked, err := p.wins.Replay(pos, claimed.Plies, func(pos game.Position, left int) (game.Move, bool) {
		if questions--; questions < 0 || ctx.Err() != nil {
			return game.NoMove, false
		}
		a, ok := found[pos.Hash()]
		if !ok {
			a, ok = p.solve(ctx, pos, left)
		}
		if !ok && searches > 0 && failed == nil {
			searches--
			var next *engine.Answer
			if next, failed = think(ctx, e, pos, budget); failed == nil && next.Proof.Result == game.Won {
				a, ok = Proof{By: byClaim, Line: next.Line}, true
			}
		}
		if !ok {
			return game.NoMove, false
		}
		found[pos.Hash()] = a
		return a.Line[0], true
	})
	if err != nil {
		return nil, failed
	}
	claimed.Line, claimed.Asked = found.line(pos), asked
	return &claimed, failed
}

// line returns the win that the answers lead to against the defences that they
// expect. It must have stood the replay; pos is the same afterwards.
func (a answers) line(pos game.Position) (line []game.Move) {
	side := pos.ToMove()
	defer func() {
		for range line {
			pos.Undo()
		}
	}()
	play := func(m game.Move) {
		line = append(line, m)
		pos.Play(m)
	}
	for pos.Outcome() == game.Undecided && len(line) < maxLine {
		if wins := pos.Wins(nil); len(wins) > 0 && pos.ToMove() == side {
			play(wins[0])
			break
		}
		answer, ok := a[pos.Hash()]
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
		if pos.Outcome() != game.Undecided {
			break
		}
		reply := pos.Moves(nil)[0]
		if len(answer.Line) > 1 && pos.Legal(answer.Line[1]) {
			reply = answer.Line[1]
		}
		play(reply)
	}
	return line
}

// Bounds of the search for a reply that leaves no win, and of alpha-beta's look at
// it: what was easily found may be hard to refute.
const (
	leastEscape = 1_000_000 // moves that the solver plays
	leastDoubt  = 200_000   // alpha-beta's nodes
	timesTook   = 10        // and so many times what the win took
	mostHolds   = 5         // moves that alpha-beta looks at to see whether one holds
)

// escape looks for a reply of the side to move in pos, none of those in except, after
// which its opponent has no win by fours and threes left; took is what a win of the opponent took. Games
// without a solver of wins have Unknown, since nothing is shown of them.
func (p *prover) escape(ctx context.Context, pos game.Position, likely, except []game.Move, took int) (e vcf.Escape,
	budget int) {
	budget = max(p.least, timesTook*p.nodes, timesTook*took)
	if p.wins == nil {
		return vcf.Escape{Reply: game.NoMove}, 0
	}
	return p.wins.Escape(ctx, pos, likely, except, budget), budget
}

// holds looks for a move of the side to move in pos, none of those in except, after
// which its opponent has no win of any kind that is proven: in games without a solver, none
// at once and none that all moves show.
func (p *prover) holds(ctx context.Context, pos game.Position, likely, except []game.Move) (e vcf.Escape, budget int) {
	if p.wins != nil {
		return p.escape(ctx, pos, likely, except, 0)
	}
	opponent := pos.ToMove().Other()
	for _, m := range slices.Concat(likely, pos.Moves(nil)) {
		if !pos.Legal(m) || slices.Contains(except, m) {
			continue
		}
		pos.Play(m)
		loses := pos.Outcome() == game.WinFor(opponent) || pos.Outcome() == game.Undecided && p.prove(ctx, pos) != nil
		pos.Undo()
		if !loses {
			return vcf.Escape{Left: vcf.None, Reply: m}, 0
		}
	}
	return vcf.Escape{Left: vcf.Win, Reply: game.NoMove}, 0
}
