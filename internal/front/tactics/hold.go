package tactics

import (
	"context"
	_ "embed"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Hold is a position in which exactly one move holds: every other legal move
// is proven to lose to continuous fours, and that one is not known to lose. Its
// text is one line of fields, separated by spaces:
//
//	rule size position move
type Hold struct {
	Rule     string
	Size     int
	Position string // moves from the empty board
	Move     string
}

//go:embed holds.txt
var holds string

// Holds returns the positions of this kind that ship with the program.
func Holds() ([]Hold, error) { return ReadHolds(strings.NewReader(holds)) }

// ReadHolds reads positions, a line each; empty lines and lines that begin with
// # are left out. Its error names the line at fault.
func ReadHolds(r io.Reader) ([]Hold, error) { return readLines(r, parseHold) }

func parseHold(text string) (h Hold, err error) {
	f := strings.Fields(text)
	if len(f) != 4 {
		return h, fmt.Errorf("%d fields, want: rule size position move", len(f))
	}
	h = Hold{Rule: f[0], Position: f[2], Move: f[3]}
	if h.Size, err = strconv.Atoi(f[1]); err != nil {
		return h, fmt.Errorf("size %q: want a number", f[1])
	}
	b, err := h.Board()
	if err != nil {
		return h, err
	}
	if m, err := h.Only(); err != nil || !b.Legal(m) {
		return h, fmt.Errorf("move %q: want a legal one", h.Move)
	}
	return h, nil
}

// String returns the line of text.
func (h Hold) String() string {
	return fmt.Sprintf("%s %d %s %s", h.Rule, h.Size, h.Position, h.Move)
}

// Board returns the position, which is undecided.
func (h Hold) Board() (*gomoku.Board, error) {
	return Problem{Rule: h.Rule, Size: h.Size, Position: h.Position}.Board()
}

// Only returns the move that holds.
func (h Hold) Only() (game.Move, error) {
	moves, err := gomoku.Notation{Size: h.Size}.ParseMoves(h.Move)
	if err == nil && len(moves) != 1 {
		err = fmt.Errorf("%d moves, want one", len(moves))
	}
	if err != nil {
		return game.NoMove, err
	}
	return moves[0], nil
}

// HoldFinder looks for positions in which exactly one move holds. It belongs
// to one goroutine.
type HoldFinder struct {
	Refute  int // budget of the search for the opponent's fours after each move
	Trust   int // budget of the search for the opponent's threats after the one that is left
	PerGame int // most positions of one game, the first of it; 0: any number
	Each    int // most positions of each rule set and size; 0: any number

	solver *vcf.Solver
	seen   map[[2]uint64]bool
	found  map[kind]int
}

// kind is what HoldFinder.Each counts by.
type kind struct {
	rule string
	size int
}

// full reports whether no more positions of a kind are wanted.
func (f *HoldFinder) full(k kind) bool { return f.Each > 0 && f.found[k] >= f.Each }

// leastStones is from how many stones on a hold is looked for: with fewer,
// neither side has a threat yet.
const leastStones = 6

// Game looks at the positions of a game, given by its moves, without those in
// which a five is there to be made or stopped, which need no search.
func (f *HoldFinder) Game(ctx context.Context, r gomoku.Rules, size int, moves []game.Move) ([]Hold, error) {
	if f.seen == nil {
		f.seen, f.found = map[[2]uint64]bool{}, map[kind]int{}
	}
	b, err := gomoku.New(r, size)
	if err != nil {
		return nil, err
	}
	n := gomoku.Notation{Size: size}
	k := kind{r.Name, size}
	var found []Hold
	for i, m := range moves {
		if f.full(k) || f.PerGame > 0 && len(found) == f.PerGame {
			break
		}
		if i >= leastStones && !f.seen[b.Key()] {
			f.seen[b.Key()] = true
			if only, ok := f.Only(ctx, b); ok {
				found = append(found, Hold{r.Name, size, n.FormatMoves(moves[:i]), n.FormatMove(only)})
				f.found[k]++
			}
		}
		b.Play(m)
	}
	return found, ctx.Err()
}

// Only returns the move that alone holds on b, if there is exactly one.
func (f *HoldFinder) Only(ctx context.Context, b *gomoku.Board) (only game.Move, ok bool) {
	if f.solver == nil {
		f.solver = vcf.New(vcf.Options{})
	}
	board := pattern.FromBoard(b)
	if board.Count(b.ToMove(), pattern.Five)+board.Count(b.ToMove().Other(), pattern.Five) > 0 {
		return game.NoMove, false
	}
	left, complete := f.solver.Defences(ctx, board, f.Refute, nil)
	if !complete || len(left) != 1 {
		return game.NoMove, false
	}
	board.Play(left[0])
	r := f.solver.Solve(ctx, board, vcf.VCT, f.Trust)
	return left[0], r.Outcome != vcf.Win && ctx.Err() == nil
}
