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
	"freestyle":          {0x14f7bb54e8382b9b, 0x964177bb0ad4e5c5, 0x5be5faf07f59f07b, 0x13d5b8b7d23fdae7},
	"standard":           {0x3bed7d61c2be448d, 0xe3d427d4000a0fe3, 0xa259ee2b2ba221aa, 0x87e7fe2c0551a7c0},
	"renju":              {0x106de589440e3e59, 0x943263eae4e90f77, 0xc44dada2125f5d3d, 0x32cd0ad6f66ad3a4},
	"caro":               {0xe2ca2e7b4fdaf9, 0x2323f71ef4a2c10b, 0x4614767298c55b0b, 0xbb86f28ccac9bf39},
	"caro-overline":      {0x14f7bb54e8382b9b, 0xcb779ff0f3f077c3, 0x8ad27b45f505b795, 0xc5ed3b98d2e2582d},
	"caro-edge":          {0xe2ca2e7b4fdaf9, 0x27fde227f14de80f, 0x6130476ab51898fb, 0xfa346b29eaf276eb},
	"caro-edge-overline": {0x14f7bb54e8382b9b, 0x77b1bc80c7188fed, 0x1ee7d49f68cfac51, 0xff6ef626f2e9c363},
	"school42":           {0xfe35e5c5210e9cb3, 0x5460eb85ab154813, 0xa863bef5dd431571, 0x39d29d0fbf087c6f},
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

// goldenBoards returns boards with few and with many stones.
func goldenBoards(t *testing.T, name string) []*pattern.Board {
	boards := positions(t, name, 16, 2026)
	rng := rand.New(rand.NewPCG(2026, 11))
	for i := 0; len(boards) < 24; i++ {
		b := scatter(rules(t, name), 13+i%5, []float64{0.1, 0.2, 0.3}[i%3], rng)
		if b != nil && b.Outcome() == game.Undecided {
			boards = append(boards, pattern.FromBoard(b))
		}
	}
	return boards
}

// room returns a budget that takes some milliseconds.
func room(b *pattern.Board) int {
	if b.Board().Rules().Captures {
		return 500
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
	for _, nodes := range []int{100, room(b)} {
		moves, complete := s.Defences(context.Background(), b, nodes, nil)
		fmt.Fprintln(w, moves, complete)
	}
	moves, forced := s.DefencesAtOnce(b, nil)
	fmt.Fprintln(w, moves, forced)
	legal := b.Moves(nil)
	fmt.Fprintln(w, s.Escape(context.Background(), b, slices.Clone(legal[:min(3, len(legal))]), nil, 2000))
}
