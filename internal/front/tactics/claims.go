package tactics

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Claim is what an engine says of a position.
type Claim struct {
	Move  game.Move
	Plies int // to a win of the side to move, negative to a loss; 0: nothing is claimed
}

// ClaimScore counts what an engine claimed of random boards of one rule set.
type ClaimScore struct {
	Rule         string `json:"rule"`
	Boards       int    `json:"boards"`
	Wins         int    `json:"claimed_wins"`
	Proven       int    `json:"proven"` // claimed wins on boards that are proven to be won
	Longer       int    `json:"longer"` // of these, those of more plies than the proof has
	Losses       int    `json:"claimed_losses"`
	Contradicted int    `json:"contradictions"` // claims that a proof speaks against
}

// RunClaims asks an engine about so many boards and returns what it claimed, and
// a text for every claim that is contradicted: a loss where the side to move is
// proven to win, a win by a move after which the opponent is, and a win within
// three plies where trying everything finds none. Proofs are the solver's with at
// most nodes moves and, where captures count, those of brute force.
func RunClaims(ctx context.Context, d *Dense, boards, nodes int, ask func(game.Position) (Claim, error)) (s ClaimScore, wrong []string, err error) {
	s.Rule = d.Rules.Name
	judge := judge{solver: vcf.New(vcf.Options{}), nodes: nodes}
	for range boards {
		if err := ctx.Err(); err != nil {
			return s, wrong, err
		}
		b, err := d.Next()
		if err != nil {
			return s, wrong, err
		}
		c, err := ask(b.Copy())
		if err != nil {
			return s, wrong, err
		}
		s.Boards++
		if why := s.count(ctx, &judge, b, c); why != "" {
			s.Contradicted++
			wrong = append(wrong, fmt.Sprintf("%s: %v", why, Missed{Short{Board: b, By: "random"}, c.Move}))
		}
	}
	return s, wrong, nil
}

// count adds a claim and returns what contradicts it, "" if nothing does.
func (s *ClaimScore) count(ctx context.Context, j *judge, b *gomoku.Board, c Claim) string {
	if c.Plies == 0 {
		return ""
	}
	plies := j.plies(ctx, pattern.FromBoard(b))
	if c.Plies < 0 {
		s.Losses++
		if plies == 0 && b.Rules().Captures {
			if _, ok := newBrute(b).wins(shortest); ok {
				plies = shortest
			}
		}
		if plies > 0 {
			return fmt.Sprintf("loss in %d claimed, win in %d proven", -c.Plies, plies)
		}
		return ""
	}
	s.Wins++
	if plies > 0 {
		s.Proven++
		if plies < c.Plies {
			s.Longer++
		}
	}
	return refutation(ctx, j, b, c)
}

// refutation returns what contradicts a claimed win, "" if nothing does.
func refutation(ctx context.Context, j *judge, b *gomoku.Board, c Claim) string {
	if c.Plies <= shortest && !newBrute(b).winsBy(c.Move, c.Plies) {
		return fmt.Sprintf("win in %d claimed, and there is none by that move", c.Plies)
	}
	after := b.Copy()
	if after.Play(c.Move); after.Outcome() != game.Undecided {
		return ""
	}
	if lost := j.plies(ctx, pattern.FromBoard(after)); lost > 0 {
		return fmt.Sprintf("win in %d claimed, the opponent's in %d proven", c.Plies, lost)
	}
	return ""
}

// plies returns the length of a proven win of the side to move, 0 if none is.
func (j *judge) plies(ctx context.Context, b *pattern.Board) int {
	if len(b.Wins(nil)) > 0 {
		return 1
	}
	for _, kind := range []vcf.Kind{vcf.VCF, vcf.VCT} {
		if r := j.solver.Decide(ctx, b, kind, j.nodes); r.Outcome == vcf.Win {
			return r.Plies
		}
	}
	return 0
}
