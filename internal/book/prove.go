package book

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
			q, err := v.QuietProver(games.ProofOptions{}).Solve(ctx, pos, nodes)
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
func Prove(ctx context.Context, b *Book, o ProveOptions, by Provers) (Proved, error) {
	p := &prover{ctx: ctx, book: b, opts: &o, by: by}
	err := p.run()
	return p.sum, err
}

// prover is a run of Prove.
type prover struct {
	ctx  context.Context
	book *Book
	opts *ProveOptions
	by   Provers
	sum  Proved
}

func (p *prover) run() error {
	list, err := p.candidates()
	if err != nil {
		return err
	}
	for _, c := range list {
		if p.enough() {
			return nil
		}
		pos, err := VariantOf(p.opts.Root).Board(c.key)
		if err != nil {
			return err
		}
		if err := p.prove(pos); err != nil {
			return err
		}
	}
	p.sum.Done = p.sum.Proven < p.opts.Proofs
	return nil
}

// enough tells how far the run is, and reports whether that is enough.
func (p *prover) enough() bool {
	if p.opts.Progress != nil {
		p.opts.Progress(p.sum.Proven)
	}
	return p.sum.Proven >= p.opts.Proofs
}

// prove looks for a win in one position, and writes what came of it.
func (p *prover) prove(pos *gomoku.Board) error {
	ctx, o := p.ctx, p.opts
	if plies, ok := p.by.Fours(ctx, pos.Copy()); ok {
		err := p.book.Update(ctx, func(w *Writer) error { return w.SetValue(pos, o.value(Fours, game.Won, plies, 0)) })
		if err == nil {
			p.sum.Tried++
			p.sum.Fours++
		}
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	win, err := p.by.Quiet(ctx, pos.Copy(), o.Nodes)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	err = p.book.Update(ctx, func(w *Writer) error {
		if win.Certificate != nil {
			if err := w.SetValue(pos, o.value(Quiet, game.Won, win.Plies, win.Nodes)); err != nil {
				return err
			}
			return w.SetCertificate(pos, win.Certificate, o.Stamp)
		}
		return w.SetValue(pos, o.value(Quiet, game.Unproven, 0, max(o.Nodes, win.Nodes)))
	})
	if err == nil {
		p.sum.Tried++
		if win.Certificate != nil {
			p.sum.Proven++
		}
	}
	return err
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
func (p *prover) candidates() (list []target, err error) {
	o := p.opts
	v := VariantOf(o.Root)
	root := Key(o.Root)
	seen, next := map[string]bool{root: true}, []string{root}
	for len(next) > 0 {
		if err := p.ctx.Err(); err != nil {
			return nil, err
		}
		key := next[0]
		next = next[1:]
		pos, err := v.Board(key)
		if err != nil {
			return nil, err
		}
		at, there, err := p.book.Get(pos)
		if err != nil && !errors.Is(err, ErrVariant) {
			return nil, err
		}
		if !there {
			continue
		}
		p.sum.Reached++
		if value, ok := at.Judged(); ok {
			switch proven, tried := triedOf(&at, o.Nodes); {
			case proven:
				p.sum.Proven++
			case !tried && value >= o.Least:
				list = append(list, target{key, value})
			}
		}
		moves, err := p.book.Moves(pos)
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
		keys = append(keys, Key(pos))
		pos.Undo()
	}
	return keys
}
