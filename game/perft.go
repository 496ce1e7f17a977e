package game

import (
	"context"
	"time"
)

// Bounds of the depth of a perft. MaxPerft is out of reach in any game; it keeps buffers small and
// totals within 64 bits.
const (
	MinPerft = 1
	MaxPerft = 16
)

// PerftBranch is a move and the leaves behind it.
type PerftBranch struct {
	Move   Move
	Leaves uint64
}

// PerftResult is what a perft found.
type PerftResult struct {
	Leaves   uint64        // move sequences of exactly the depth that was asked for
	Nodes    uint64        // moves played to count them
	Branches []PerftBranch // by the first move, in ascending order
	Elapsed  time.Duration
}

// PerftOptions are the options of Perft. The zero value works.
type PerftOptions struct {
	Branch func(PerftBranch) // is called after each first move; nil: not called
	Clock  func() time.Time  // for Elapsed; nil: Elapsed stays 0
}

// Perft counts the leaves of a game's tree, the usual test of move generation: the counts of
// two programs agree only if all their moves do. It counts the move sequences of exactly depth moves from pos, MinPerft
// to MaxPerft, by their first move. Positions in which the game is over are not
// expanded: sequences that end earlier count nothing. The last ply is counted from
// the list of moves, which is empty exactly when the game is over, and not
// played. If ctx ends, the branches counted until then come with its error.
// pos is as before when Perft returns.
func Perft(ctx context.Context, pos Position, depth int, o PerftOptions) (PerftResult, error) {
	began := o.now()
	c := counter{ctx: ctx, pos: pos}
	err := c.divide(depth, &o)
	c.result.Nodes, c.result.Elapsed = c.nodes, o.now().Sub(began)
	return c.result, err
}

// CountLeaves returns the number of move sequences of exactly depth moves from pos;
// depth 0 counts 1. See Perft.
func CountLeaves(pos Position, depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	c := counter{ctx: context.Background(), pos: pos}
	n, _ := c.count(depth, make([]Move, 0, depth*pos.MaxMoves()))
	return n
}

func (o *PerftOptions) now() time.Time {
	if o.Clock == nil {
		return time.Time{}
	}
	return o.Clock()
}

// counter is one count.
type counter struct {
	ctx    context.Context
	pos    Position
	nodes  uint64
	result PerftResult
}

func (c *counter) divide(depth int, o *PerftOptions) error {
	moves := c.pos.Moves(make([]Move, 0, depth*c.pos.MaxMoves()))
	for _, m := range moves {
		b := PerftBranch{Move: m, Leaves: 1}
		if depth > 1 {
			c.play(m)
			n, err := c.count(depth-1, moves[len(moves):])
			c.pos.Undo()
			if err != nil {
				return err
			}
			b.Leaves = n
		}
		c.result.Leaves += b.Leaves
		c.result.Branches = append(c.result.Branches, b)
		if o.Branch != nil {
			o.Branch(b)
		}
	}
	return nil
}

// count returns the leaves below the position, appending moves to the empty
// slice buf.
func (c *counter) count(depth int, buf []Move) (n uint64, err error) {
	moves := c.pos.Moves(buf)
	if depth == 1 {
		return uint64(len(moves)), nil
	}
	for _, m := range moves {
		c.play(m)
		below, err := c.count(depth-1, moves[len(moves):])
		c.pos.Undo()
		if err != nil {
			return n, err
		}
		n += below
		if c.nodes%contextInterval == 0 && c.ctx.Err() != nil {
			return n, c.ctx.Err()
		}
	}
	return n, nil
}

// contextInterval is about how many moves are played between two checks of the
// context.
const contextInterval = 1 << 10

func (c *counter) play(m Move) {
	c.pos.Play(m)
	c.nodes++
}
