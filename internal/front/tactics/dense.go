package tactics

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/alphabeta/vcf/proof"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/internal/support/option"
)

// Dense makes random boards of one rule set and size: stones of both sides
// strewn over a part of the board, with lines of both planted among them, and
// under the capture rule stones taken. The n-th board is a function of Seed and
// n. It belongs to one goroutine.
type Dense struct {
	Rules gomoku.Rules
	Size  int
	Seed  uint64

	// Exhaustive has NextShort try every line of five plies, too, where stones are
	// captured. That takes seconds a board.
	Exhaustive bool

	next   uint64
	solver *vcf.Solver
}

// BoardSize returns the size of the boards on which the games of a rule set are
// usually played: larger where stones are captured.
func BoardSize(rule string) int {
	if r, err := gomoku.Lookup(rule); err == nil && r.Captures {
		return 19
	}
	return int(option.BoardSize.Default)
}

// Next returns the next board: undecided, and without a win at once for the
// side to move. Nothing says that somebody wins on it.
func (d *Dense) Next() (*gomoku.Board, error) {
	for {
		rng := rand.New(rand.NewPCG(d.Seed, d.next))
		d.next++
		setup := d.strew(rng)
		for range rng.IntN(3) {
			d.plant(rng, setup.Stones, gomoku.StoneOf(setup.ToMove))
		}
		for range rng.IntN(3) {
			d.plant(rng, setup.Stones, gomoku.StoneOf(setup.ToMove.Other()))
		}
		b, err := gomoku.NewSetup(d.Rules, d.Size, setup)
		switch {
		case err != nil && b == nil && isIllegal(err): // both sides have won
			continue
		case err != nil:
			return nil, err
		case b.Outcome() == game.Undecided && len(b.Wins(nil)) == 0:
			return b, nil
		}
	}
}

// strew puts stones on a random part of the board, from a few to half of it.
func (d *Dense) strew(rng *rand.Rand) gomoku.Setup {
	s := gomoku.Setup{Stones: make([]gomoku.Stone, d.Size*d.Size), ToMove: game.Side(rng.IntN(2))}
	width, height := min(7+rng.IntN(13), d.Size), min(7+rng.IntN(13), d.Size)
	left, bottom := rng.IntN(d.Size-width+1), rng.IntN(d.Size-height+1)
	density := 0.04 + 0.4*rng.Float64()
	side := game.Side(rng.IntN(2))
	for range int(density * float64(width*height)) {
		c := (bottom+rng.IntN(height))*d.Size + left + rng.IntN(width)
		if s.Stones[c] == gomoku.Empty {
			s.Stones[c] = gomoku.StoneOf(side)
			side = side.Other()
		}
	}
	if d.Rules.Captures {
		s.Captured = [2]int{2 * rng.IntN(5), 2 * rng.IntN(5)}
	}
	return s
}

// plant makes a random empty cell one where the stone continues two lines: two
// or three stones of five cells in a row, in each of two directions.
func (d *Dense) plant(rng *rand.Rand, stones []gomoku.Stone, stone gomoku.Stone) {
	centre := rng.IntN(len(stones))
	if stones[centre] != gomoku.Empty {
		return
	}
	steps := [...][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 1}}
	first := rng.IntN(len(steps))
	for _, i := range [...]int{first, first + 1 + rng.IntN(len(steps)-1)} {
		step := steps[i%len(steps)]
		low := -rng.IntN(5)
		gap := low + rng.IntN(5) // stays empty, beside the cell itself
		few := 2 + rng.IntN(2)
		for k, placed := low, 0; k < low+5 && placed < few; k++ {
			x, y := centre%d.Size+k*step[0], centre/d.Size+k*step[1]
			if k == 0 || k == gap || x < 0 || y < 0 || x >= d.Size || y >= d.Size {
				continue
			}
			if c := y*d.Size + x; stones[c] == gomoku.Empty {
				stones[c] = stone
				placed++
			}
		}
	}
}

// Short is a board with a proven short win of the side to move.
type Short struct {
	Board *gomoku.Board
	Plies int    // of the shortest win that is known: 3 or 5
	By    string // "vcf", "vct", or "exhaustive" where every line was tried
	Line  []game.Move
}

// String returns the board's diagram and what is known of it.
func (s Short) String() string {
	b := s.Board
	text := fmt.Sprintf("%s, %v to move", b.Rules().Name, b.ToMove())
	if b.Rules().Captures {
		text += fmt.Sprintf(", captured %d and %d", b.Captured(game.First), b.Captured(game.Second))
	}
	n := gomoku.Notation{Size: b.Size()}
	return fmt.Sprintf("%s, wins in %d by %s (%s)\n%v", text, s.Plies, n.FormatMoves(s.Line), s.By, b)
}

// Figures of the search for short wins.
const (
	shortest, longest = 3, 5
	shortNodes        = 20_000
)

// NextShort returns the next board with a win of three or five plies that was
// replayed against every defence.
func (d *Dense) NextShort(ctx context.Context) (Short, error) {
	for {
		if err := ctx.Err(); err != nil {
			return Short{}, err
		}
		b, err := d.Next()
		if err != nil {
			return Short{}, err
		}
		if s, ok := d.short(ctx, b); ok {
			return s, nil
		}
	}
}

// short returns what proves that b has a short win, if anything does. Captures
// make threats that solvers of lines do not look for, so there every move is
// tried.
func (d *Dense) short(ctx context.Context, b *gomoku.Board) (Short, bool) {
	if d.solver == nil {
		d.solver = vcf.New(vcf.Options{})
	}
	for _, kind := range []vcf.Kind{vcf.VCF, vcf.VCT} {
		r := d.solver.Solve(ctx, pattern.FromBoard(b), kind, shortNodes)
		if r.Outcome != vcf.Win {
			continue
		}
		s := Short{Board: b, Plies: r.Plies, By: kind.String(), Line: append([]game.Move(nil), r.Line...)}
		if r.Plies < shortest || r.Plies > longest {
			return s, false
		}
		_, err := proof.Confirm(ctx, d.solver, b, kind, r.Plies, proof.Limits{Nodes: shortNodes})
		return s, err == nil
	}
	if d.Rules.Captures {
		for plies := shortest; plies == shortest || d.Exhaustive && plies == longest; plies += 2 {
			if m, ok := newBrute(b).wins(plies); ok {
				return Short{Board: b, Plies: plies, By: "exhaustive", Line: []game.Move{m}}, true
			}
		}
	}
	return Short{}, false
}
