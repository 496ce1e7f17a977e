package vcf_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// goldenAnswers are digests of a solver's answers, node counts and lines among them, by
// rule set: of wins by fours and by threes, of the same without deepening, and of
// defences and escapes. They must come out the same on every processor and with every
// build. A change here means that the solver searches differently: say why in the commit.
var goldenAnswers = map[string][4]uint64{
	"freestyle":          {0x46ef67aeed03300b, 0x5094f1b3d9daab8d, 0x1ef050f844cc4eb, 0xf96a5b3cd2a93571},
	"standard":           {0xa1ee7ecacb18942d, 0x471ab0074cda9a93, 0xdfca0117790cc73a, 0x723ec877b136072c},
	"renju":              {0x18408276582527e9, 0xc50aca87d647dae7, 0xe2ec5aec3e69632d, 0x19e20bef8cd541c0},
	"caro":               {0xaeb22c9408c5f21, 0x1ddac2b3371a987f, 0xd8bf789a29c96f2f, 0xfd7dbe5429bd22a7},
	"caro-overline":      {0x46ef67aeed03300b, 0xc0ae2fab87c72357, 0x6157979348135571, 0x81415c1f4dd166eb},
	"caro-edge":          {0xaeb22c9408c5f21, 0x5bec1fe6ca8075b7, 0x2d48888fe9ee0cf3, 0x1fb189d8173e1150},
	"caro-edge-overline": {0x46ef67aeed03300b, 0x88b29ca8c6e54e39, 0x59a9039886ffc1c5, 0x8223c4eada174dbd},
	"school42":           {0x6d065ff33ea7d866, 0x4a13cc102e30c5ce, 0x4df53bca36bc717d, 0x24b6ee1f852646ac},
}

func TestGoldenAnswers(t *testing.T) {
	for _, name := range gomoku.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			boards := goldenBoards(t, name)
			var got [4]uint64
			for i, answer := range []func(w io.Writer, b *pattern.Board){
				func(w io.Writer, b *pattern.Board) { answerWins(w, vcf.New(vcf.Options{}), b, vcf.VCF) },
				func(w io.Writer, b *pattern.Board) { answerWins(w, vcf.New(vcf.Options{}), b, vcf.VCT) },
				func(w io.Writer, b *pattern.Board) {
					answerWins(w, vcf.NewUndeepened(vcf.Options{}), b, vcf.VCF)
					answerWins(w, vcf.NewUndeepened(vcf.Options{}), b, vcf.VCT)
				},
				answerDefences,
			} {
				h := fnv.New64a()
				for _, b := range boards {
					answer(h, b)
				}
				got[i] = h.Sum64()
			}
			if want := goldenAnswers[name]; got != want {
				t.Errorf("\n%q: {%#x, %#x, %#x, %#x},\nwant %#x", name, got[0], got[1], got[2], got[3], want)
			}
		})
	}
}

// goldenBoards returns boards with few and with many stones, and some where the side to
// move faces a four and has no row itself, or where few stones can be captured.
func goldenBoards(t *testing.T, name string) []*pattern.Board {
	boards := positions(t, name, 16, 2026)
	rng := rand.New(rand.NewPCG(2026, 11))
	for i := 0; len(boards) < 24; i++ {
		b := scatter(rules(t, name), 13+i%5, []float64{0.1, 0.2, 0.3}[i%3], rng)
		if b != nil && b.Outcome() == game.Undecided {
			boards = append(boards, pattern.FromBoard(b))
		}
	}
	for len(boards) < 27 {
		b := cluster(rules(t, name), 12, 14, rng)
		if b == nil {
			continue
		}
		p := pattern.FromBoard(b)
		if b.Rules().Captures || p.Count(b.ToMove().Other(), pattern.Five) == 1 &&
			p.Count(b.ToMove(), pattern.Three)+p.Count(b.ToMove(), pattern.Four) == 0 {
			boards = append(boards, p)
		}
	}
	return boards
}

// room returns a budget that takes some milliseconds.
func room(b *pattern.Board) int {
	if b.Board().Rules().Captures {
		return 4000
	}
	return 2500
}

// answerWins writes the win that s finds with a small and a larger budget, and the first
// moves of its strategy.
func answerWins(w io.Writer, s *vcf.Solver, b *pattern.Board, kind vcf.Kind) {
	for _, nodes := range []int{100, room(b)} {
		r := s.Solve(context.Background(), b, kind, nodes)
		fmt.Fprintln(w, r.Outcome, r.Plies, r.Nodes, r.Shortest, r.Line)
		if r.Outcome != vcf.Win || r.Plies < 3 {
			continue
		}
		after := pattern.FromBoard(b.Board())
		after.Play(r.Line[0])
		for i, reply := range after.Moves(nil) {
			if i%8 > 0 {
				continue
			}
			after.Play(reply)
			m, plies, ok := s.Follow(context.Background(), after, kind, 50)
			fmt.Fprintln(w, m, plies, ok)
			after.Undo()
		}
	}
}

// answerDefences writes the defences of the side to move, and where they fail how it
// escapes.
func answerDefences(w io.Writer, b *pattern.Board) {
	s := vcf.New(vcf.Options{})
	moves, forced := s.DefencesAtOnce(b, nil)
	fmt.Fprintln(w, moves, forced)
	legal := b.Moves(nil)
	fmt.Fprintln(w, s.Escape(context.Background(), b, slices.Clone(legal[:min(3, len(legal))]), nil, 2000))
}
