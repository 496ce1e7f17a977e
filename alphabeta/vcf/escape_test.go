package vcf_test

import (
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// TestEscape compares Escape with searches of the position after every reply,
// one by one: where it shows a reply, no win is found after that, and where it
// says that all lose, there is one after all. A smaller budget decides less, and
// nothing differently.
func TestEscape(t *testing.T) {
	const nodes = 6_000
	s, single := vcf.New(vcf.Options{}), vcf.New(vcf.Options{})
	decided := map[vcf.Outcome]int{}
	for _, name := range gomoku.Names() {
		for _, b := range positions(t, name, 8, 10) {
			before := b.Board().Key()
			e := s.Escape(t.Context(), b, nil, nil, nodes)
			if b.Board().Key() != before {
				t.Fatalf("%s: the position has changed", name)
			}
			if again := s.Escape(t.Context(), b, []game.Move{e.Reply, 0, 0}, nil, nodes); again.Left != e.Left &&
				again.Left != vcf.Unknown && e.Left != vcf.Unknown {
				t.Errorf("%s: %v, and %v in another order", name, e, again)
			}
			for _, fewer := range []int{0, 30, 1000} {
				if less := s.Escape(t.Context(), b, nil, nil, fewer); less.Left != vcf.Unknown && e.Left != vcf.Unknown &&
					less.Left != e.Left || less.Nodes > fewer {
					t.Errorf("%s: %+v with %d nodes, then %+v", name, less, fewer, e)
				}
			}
			decided[e.Left]++
			left := left{t, single, s}
			switch e.Left {
			case vcf.None:
				if o := left.after(b, e.Reply); o == vcf.Win {
					t.Errorf("%s: %v does not escape from\n%v", name, e.Reply, b.Board())
				}
			case vcf.Win:
				for _, m := range b.Moves(nil) {
					if o := left.after(b, m); o == vcf.None {
						t.Errorf("%s: %v escapes from\n%v", name, m, b.Board())
					}
				}
			}
		}
	}
	if decided[vcf.None] < 20 || decided[vcf.Win] < 3 {
		t.Errorf("decided %v: too few of a kind", decided)
	}
}

// left decides what the opponent has left, reply by reply.
type left struct {
	t         *testing.T
	single, s *vcf.Solver
}

// after returns what win the opponent has left after a reply: where that
// threatens to win at once, after its best answer.
func (l left) after(b *pattern.Board, reply game.Move) vcf.Outcome {
	side := b.ToMove()
	b.Play(reply)
	defer b.Undo()
	if b.Outcome() != game.Undecided {
		if b.Outcome() == game.WinFor(side.Other()) {
			return vcf.Win
		}
		return vcf.None
	}
	if len(b.Wins(nil)) > 0 {
		return vcf.Win
	}
	o := l.single.Solve(l.t.Context(), b, vcf.VCT, 20_000).Outcome
	answers, forced := l.s.DefencesAtOnce(b, nil)
	if !forced || o == vcf.Win {
		return o
	}
	o = vcf.None
	for _, m := range answers {
		b.Play(m)
		if b.Outcome() == game.Undecided && len(b.Wins(nil)) == 0 {
			if e := l.s.Escape(l.t.Context(), b, nil, nil, 20_000); e.Left == vcf.Win {
				o = vcf.Win
			} else if e.Left == vcf.Unknown && o != vcf.Win {
				o = vcf.Unknown
			}
		}
		b.Undo()
	}
	return o
}
