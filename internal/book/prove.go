package book

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/games"
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
	Stamp Stamp

	// Progress gets the number of proven positions after each that was tried; nil for none.
	Progress func(proven int)
}

// Provers are what proves a position; both are for the side to move.
type Provers struct {
	// Fours looks for a win by fours within few moves. Such a position is left out.
	Fours func(ctx context.Context, pos *gomoku.Board) (plies int, ok bool)

	// Quiet looks for a win with quiet moves.
	Quiet func(ctx context.Context, pos *gomoku.Board, nodes int64) (QuietWin, error)
}

// QuietWin is a win that was found in a position.
type QuietWin struct {
	Certificate []byte // nil: none was found
	Plies       int
	Nodes       int64 // that the search took
}

// NewProvers returns the provers of a variant; fours bounds the moves that Fours plays.
func NewProvers(v games.Variant, fours int) Provers {
	return Provers{
		Fours: func(ctx context.Context, pos *gomoku.Board) (int, bool) {
			w, ok := v.Certify(ctx, pos, fours)
			return w.Plies, ok
		},
		Quiet: func(ctx context.Context, pos *gomoku.Board, nodes int64) (QuietWin, error) {
			q, err := v.Lines().QuietProver(games.ProofOptions{}).Solve(ctx, pos, nodes)
			w := QuietWin{Nodes: q.Nodes}
			if err != nil || q.Outcome != vcf.Win {
				return w, err
			}
			if err := CheckCertificate(ctx, pos, q.Certificate); err != nil {
				return w, fmt.Errorf("a win that was found does not hold: %w", err)
			}
			w.Certificate = q.Certificate
			_, w.Plies = proofOf(certified(q.Certificate))
			return w, nil
		},
	}
}

// Proved is what came of a run of Prove.
type Proved struct {
	Reached int  `json:"reached"` // positions to which near moves lead
	Tried   int  `json:"tried"`   // of these, by this run
	Fours   int  `json:"fours"`   // won by fours, found by this run
	Proven  int  `json:"proven"`  // won, and not by fours, found by this run or an earlier one
	Done    bool `json:"done"`    // no position is left to be tried
}

// Prove looks for wins of the side to move in positions of a book, the most promising
// first, until so many are proven or none is left. What was tried is kept in the book, so
// that a run that was killed goes on with the next. A win is written with its certificate;
// values of positions before it change with the next Build.
func Prove(ctx context.Context, b *Book, o ProveOptions, by Provers) (sum Proved, err error) {
	list, err := o.candidates(ctx, b, &sum)
	for _, c := range list {
		if o.Progress != nil {
			o.Progress(sum.Proven)
		}
		if sum.Proven >= o.Proofs {
			break
		}
		pos, err := VariantOf(o.Root).Board(c.key)
		if err == nil {
			err = o.prove(ctx, b, pos, by, &sum)
		}
		if err != nil {
			return sum, err
		}
	}
	sum.Done = err == nil && sum.Proven < o.Proofs
	return sum, err
}

// prove looks for a win in one position, and writes what came of it.
func (o *ProveOptions) prove(ctx context.Context, b *Book, pos *gomoku.Board, by Provers, sum *Proved) error {
	var found Value
	var win QuietWin
	plies, fours := by.Fours(ctx, pos.Copy())
	if fours {
		found = o.value(Fours, game.Won, plies, 0)
	} else {
		err := ctx.Err()
		if err == nil {
			win, err = by.Quiet(ctx, pos.Copy(), o.Nodes)
		}
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if found = o.value(Quiet, game.Won, win.Plies, win.Nodes); win.Certificate == nil {
			found = o.value(Quiet, game.Unproven, 0, max(o.Nodes, win.Nodes))
		}
	}
	err := b.Update(ctx, func(w *Writer) error {
		err := w.SetValue(pos, found)
		if err == nil && win.Certificate != nil {
			err = w.SetCertificate(pos, win.Certificate, o.Stamp)
		}
		return err
	})
	if err != nil {
		return err
	}
	sum.Tried++
	if fours {
		sum.Fours++
	}
	if win.Certificate != nil {
		sum.Proven++
	}
	return nil
}

// value returns the value of what was found.
func (o *ProveOptions) value(engine string, r game.Result, plies int, nodes int64) Value {
	return Value{
		Source: Source{Engine: engine, Build: o.Build}, Value: float64(r.Value()),
		Proof: r, Plies: plies, Nodes: nodes, Best: game.NoMove, Stamp: o.Stamp,
	}
}

// target is a position that may be won.
type target struct {
	key   string
	value float64
}

// candidates returns the positions that were not tried with so many nodes yet, the most
// promising first. It counts those that are proven.
func (o *ProveOptions) candidates(ctx context.Context, b *Book, sum *Proved) (list []target, err error) {
	v, root := VariantOf(o.Root), Key(o.Root)
	seen, next := map[string]bool{root: true}, []string{root}
	for ; len(next) > 0; next = next[1:] {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		pos, err := v.Board(next[0])
		if err != nil {
			return nil, err
		}
		at, there, err := b.Get(pos)
		if err != nil && !errors.Is(err, ErrVariant) {
			return nil, err
		}
		if !there {
			continue
		}
		sum.Reached++
		if value, ok := at.Judged(); ok {
			switch proven, tried := triedOf(&at, o.Nodes); {
			case proven:
				sum.Proven++
			case !tried && value >= o.Least:
				list = append(list, target{next[0], value})
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
	slices.SortFunc(list, func(x, y target) int {
		return cmp.Or(cmp.Compare(y.value, x.value), strings.Compare(x.key, y.key))
	})
	return list, nil
}

// triedOf reports whether a position is proven to be won with quiet moves, and whether it
// was tried before: nothing more is to be found out by so many nodes.
func triedOf(p *Position, nodes int64) (proven, tried bool) {
	r, _ := p.Proof()
	tried = r != game.Unproven
	for i := range p.Values {
		switch v := &p.Values[i]; v.Engine {
		case Quiet:
			proven = proven || v.Proof == game.Won
			tried = tried || v.Nodes >= nodes
		case Fours:
			tried = true
		}
	}
	return proven, tried
}

// near returns the keys of the positions after moves that are near the best, by what the
// engines say without proofs.
func near(pos *gomoku.Board, moves []Move, most float64) (keys []string) {
	least := math.Inf(1) // for the opponent
	for i := range moves {
		if value, ok := moves[i].After.Judged(); ok {
			least = min(least, value)
		}
	}
	for i := range moves {
		if value, ok := moves[i].After.Judged(); ok && value-least <= most {
			pos.Play(moves[i].Move)
			keys = append(keys, Key(pos))
			pos.Undo()
		}
	}
	return keys
}
