package book

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/record"
)

// Written is what an export came to.
type Written struct {
	Positions int64
	Left      int64 // positions to which no moves in the book lead
}

// WriteSGF writes what follows a position of the book as one tree of moves. Each position
// stands in it once, after the first way to it; the comment says its label and worth too.
func (b *Book) WriteSGF(ctx context.Context, root *gomoku.Board, program string, out io.Writer) (sum Written,
	err error) {
	v := VariantOf(root)
	t := record.New(root.Size())
	t.Sized, t.Rule, t.Program = true, v.Rules.Name, program
	for _, side := range []game.Side{game.First, game.Second} {
		t.Setup[side] = stones(root, side)
	}
	t.Tell(root.ToMove())
	pos, seen := root.Copy(), map[string]bool{}
	var walk func(at int32) error
	walk = func(at int32) error {
		p, there, err := b.Get(pos)
		if err != nil || !there && at > 0 {
			return err
		}
		sum.Positions++
		if text := describe(&p); text != "" {
			t.Remark(at).Comment = text
		}
		moves, err := b.Moves(pos)
		for _, m := range moves {
			if err = ctx.Err(); err != nil {
				return err
			}
			pos.Play(m.Move)
			if key := Key(pos); !seen[key] {
				seen[key] = true
				var id int32
				if id, err = t.Play(at, m.Move); err == nil {
					err = walk(id)
				}
			}
			pos.Undo()
			if err != nil {
				return err
			}
		}
		return err
	}
	if err := walk(0); err != nil {
		return sum, err
	}
	all, err := b.Variants()
	for _, i := range all {
		if i.Variant == v {
			sum.Left = max(0, i.Positions-sum.Positions)
		}
	}
	if err == nil {
		err = record.Write(out, []*record.Tree{t}, record.SGF, nil)
	}
	return sum, err
}

// describe returns what a book says of a position in a few words, the comment first.
func describe(p *Position) string {
	var parts []string
	if p.Comment != "" {
		parts = append(parts, p.Comment)
	}
	if p.Label != None {
		parts = append(parts, "label: "+p.Label.String())
	}
	if value, ok := p.Worth(); ok {
		parts = append(parts, fmt.Sprintf("value: %+.3f", value))
	}
	return strings.Join(parts, "; ")
}
