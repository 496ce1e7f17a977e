package bookbuild

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/record/book"
)

// ProveOptions say which positions of a book are to be proven.
type ProveOptions struct {
	Root *gomoku.Board // where the book begins; never nil

	// Near is how much worse than the best move each move on the way to a position may
	// be, by what the engines say without proofs. Least is the value from which a
	// position may be won.
	Near, Least float64

	Nodes  int64 // of the search for a win with quiet moves
	Proofs int   // how many positions are to be proven, those of earlier runs included

	Build string // of the program
	Stamp book.Stamp
}

// Provers are what proves a position; both are for the side to move.
type Provers struct {
	// Fours looks for a win by fours within few moves. Such a position is left out.
	Fours func(ctx context.Context, pos *gomoku.Board) (plies int, ok bool)

	// Quiet looks for a win with quiet moves, and returns its certificate, nil for none.
	Quiet func(ctx context.Context, pos *gomoku.Board, nodes int64) (win Win, err error)

	// Progress gets the sum after each position; nil for none.
	Progress func(Proved)
}

// Win is a win that was found.
type Win struct {
	Certificate []byte // nil: none was found
	Plies       int
	Nodes       int64 // that the search took
}

// Proved is what came of a run of Prove.
type Proved struct {
	Reached int // positions to which near moves lead
	Tried   int // of these, by this run
	Fours   int // won by fours, found by this run
	Proven  int // won, and not by fours, found by this run or an earlier one
	Done    bool
}

// Prove looks for wins of the side to move in positions of a book, the most promising
// first, until so many are proven or none is left. What was tried is kept in the book, so
// that a run that was killed goes on with the next. A win is written with its certificate;
// values of positions before it change with the next Build.
func Prove(ctx context.Context, b *book.Book, o ProveOptions, by Provers) (sum Proved, err error) {
	list, err := candidates(ctx, b, &o, &sum)
	if err != nil {
		return sum, err
	}
	for _, c := range list {
		if by.Progress != nil {
			by.Progress(sum)
		}
		if sum.Proven >= o.Proofs {
			return sum, nil
		}
		pos, err := book.VariantOf(o.Root).Board(c.key)
		if err != nil {
			return sum, err
		}
		if err := prove(ctx, b, &o, by, pos, &sum); err != nil {
			return sum, err
		}
	}
	sum.Done = sum.Proven < o.Proofs
	return sum, nil
}

// prove looks for a win in one position and writes what came of it.
func prove(ctx context.Context, b *book.Book, o *ProveOptions, by Provers, pos *gomoku.Board, sum *Proved) error {
	if plies, ok := by.Fours(ctx, pos.Copy()); ok {
		err := b.Update(ctx, func(w *book.Writer) error { return w.SetValue(pos, o.won(book.Fours, plies, 0)) })
		if err == nil {
			sum.Tried++
			sum.Fours++
		}
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	win, err := by.Quiet(ctx, pos.Copy(), o.Nodes)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	v := o.won(book.Quiet, win.Plies, win.Nodes)
	if win.Certificate == nil {
		v.Proof, v.Plies, v.Value, v.Nodes = book.Unproven, 0, 0, max(o.Nodes, win.Nodes)
	}
	err = b.Update(ctx, func(w *book.Writer) error {
		if err := w.SetValue(pos, v); err != nil || win.Certificate == nil {
			return err
		}
		return w.SetCertificate(pos, win.Certificate, o.Stamp)
	})
	if err == nil {
		sum.Tried++
		if win.Certificate != nil {
			sum.Proven++
		}
	}
	return err
}

// won returns the value of a win.
func (o *ProveOptions) won(engine string, plies int, nodes int64) book.Value {
	return book.Value{Source: book.Source{Engine: engine, Build: o.Build}, Value: 1, Proof: book.Won, Plies: plies, Nodes: nodes, Best: game.NoMove, Stamp: o.Stamp}
}

// candidate is a position that may be won.
type candidate struct {
	key   string
	value float64
}

// candidates returns the positions that were not tried with so many nodes yet, the most
// promising first, and counts those that are proven.
func candidates(ctx context.Context, b *book.Book, o *ProveOptions, sum *Proved) (list []candidate, err error) {
	v := book.VariantOf(o.Root)
	root := book.Key(o.Root)
	seen, next := map[string]bool{root: true}, []string{root}
	for len(next) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		key := next[0]
		next = next[1:]
		pos, err := v.Board(key)
		if err != nil {
			return nil, err
		}
		p, there, err := b.Get(pos)
		if err != nil && !errors.Is(err, book.ErrVariant) {
			return nil, err
		}
		if !there {
			continue
		}
		sum.Reached++
		if value, ok := p.Judged(); ok {
			switch proven, tried := triedOf(&p, o.Nodes); {
			case proven:
				sum.Proven++
			case !tried && value >= o.Least:
				list = append(list, candidate{key, value})
			}
		}
		moves, err := b.Moves(pos)
		if err != nil {
			return nil, err
		}
		for _, after := range near(pos, moves, o.Near) {
			if !seen[after] {
				seen[after] = true
				next = append(next, after)
			}
		}
	}
	slices.SortFunc(list, func(x, y candidate) int {
		return cmp.Or(cmp.Compare(y.value, x.value), strings.Compare(x.key, y.key))
	})
	return list, nil
}

// triedOf reports whether a position is proven to be won with quiet moves, and whether it
// was tried before: nothing more is to be found out by so many nodes.
func triedOf(p *book.Position, nodes int64) (proven, tried bool) {
	r, _ := p.Proof()
	tried = r != book.Unproven
	for i := range p.Values {
		switch v := &p.Values[i]; v.Engine {
		case book.Quiet:
			proven = proven || v.Proof == book.Won
			tried = tried || v.Nodes >= nodes
		case book.Fours:
			tried = true
		}
	}
	return proven, tried
}

// near returns the keys of the positions after moves that are near the best, by what the
// engines say without proofs.
func near(pos *gomoku.Board, moves []book.Move, most float64) (keys []string) {
	best, any := -1.0, false
	for i := range moves {
		if value, ok := moves[i].After.Judged(); ok && (-value > best || !any) {
			best, any = -value, true
		}
	}
	for i := range moves {
		value, ok := moves[i].After.Judged()
		if !ok || best+value > most {
			continue
		}
		pos.Play(moves[i].Move)
		keys = append(keys, book.Key(pos))
		pos.Undo()
	}
	return keys
}
