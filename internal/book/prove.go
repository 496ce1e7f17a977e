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
	"github.com/carozero/carozero/game/gomoku/certificate"
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
	Follow int   // how many of the winner's moves are followed after each win that is found

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

	// Answers returns the winner's first move of a win, and all answers to it after which the
	// winner has no win at once, each with its own win. It is asked where wins are followed.
	Answers func(ctx context.Context, certificate []byte) (after *gomoku.Board, answers []QuietWin, err error)
}

// QuietWin is a win that was found in a position.
type QuietWin struct {
	Position    *gomoku.Board
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
			q, err := v.QuietProver(games.QuietOptions{}).Solve(ctx, pos, nodes)
			w := QuietWin{Position: pos, Nodes: q.Nodes}
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
		Answers: answersTo,
	}
}

// answersTo plays a win on by its certificate.
func answersTo(ctx context.Context, data []byte) (after *gomoku.Board, answers []QuietWin, err error) {
	c, err := certificate.Decode(data)
	if err != nil {
		return nil, nil, err
	}
	strategy, err := c.Strategy(ctx)
	if err != nil {
		return nil, nil, err
	}
	b, err := c.Board()
	if err != nil {
		return nil, nil, err
	}
	m, ok := strategy(b)
	if !ok {
		return nil, nil, errors.New("the certificate begins with a win at once")
	}
	b.Play(m)
	after = b.Copy()
	for _, reply := range after.Moves(nil) {
		b.Play(reply)
		if b.Outcome() == game.Undecided && len(b.Wins(nil)) == 0 {
			part, err := certificate.New(ctx, b, c.Winner, len(c.Moves), strategy)
			if err != nil {
				return nil, nil, err
			}
			answers = append(answers, QuietWin{Position: b.Copy(), Certificate: part.Encode(), Plies: part.Plies})
		}
		b.Undo()
	}
	return after, answers, nil
}

// Proved is what came of a run of Prove.
type Proved struct {
	Reached int // positions to which near moves lead
	Tried   int // of these, by this run
	Fours   int // won by fours, found by this run
	Proven  int // won, and not by fours, found by this run or an earlier one
	Follows int // of these, in which a win that was found goes on
	Done    bool
}

// Prove looks for wins of the side to move in positions of a book, the most promising
// first, until so many are proven or none is left. What was tried is kept in the book, so
// that a run that was killed goes on with the next. A win is written with its certificate;
// values of positions before it change with the next Build.
//
// A win that is followed is played on with its certificate: the positions that answers to
// the winner's move lead to, unless they are won by fours, are kept with certificates of
// their own. All answers lose, so that each is near the best.
func Prove(ctx context.Context, b *Book, o ProveOptions, by Provers) (Proved, error) {
	p := &prover{ctx: ctx, book: b, opts: &o, by: by, proven: map[string]bool{}}
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

	proven map[string]bool // the keys of those that are counted
}

func (p *prover) run() error {
	list, won, err := p.candidates()
	if err != nil {
		return err
	}
	for _, key := range won {
		if err := p.follow(key); err != nil {
			return err
		}
	}
	for _, c := range list {
		if p.enough() {
			return nil
		}
		if p.proven[c.key] {
			continue // a win that was followed has led to it
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

// prove looks for a win in one position, writes what came of it, and follows it.
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
			return o.keep(w, win)
		}
		return w.SetValue(pos, o.value(Quiet, game.Unproven, 0, max(o.Nodes, win.Nodes)))
	})
	if err != nil {
		return err
	}
	p.sum.Tried++
	if win.Certificate == nil {
		return nil
	}
	p.count(Key(pos))
	return p.follow(Key(pos))
}

// count counts a proven position, and reports whether it is new.
func (p *prover) count(key string) bool {
	if p.proven[key] {
		return false
	}
	p.proven[key] = true
	p.sum.Proven++
	return true
}

// keep writes a win.
func (o *ProveOptions) keep(w *Writer, win QuietWin) error {
	if err := w.SetValue(win.Position, o.value(Quiet, game.Won, win.Plies, win.Nodes)); err != nil {
		return err
	}
	return w.SetCertificate(win.Position, win.Certificate, o.Stamp)
}

// value returns the value of what was found.
func (o *ProveOptions) value(engine string, r game.Result, plies int, nodes int64) Value {
	return Value{
		Source: Source{Engine: engine, Build: o.Build}, Value: float64(r.Value()),
		Proof: r, Plies: plies, Nodes: nodes, Best: game.NoMove, Stamp: o.Stamp,
	}
}

// follow plays a win on for as many of the winner's moves as the options say.
func (p *prover) follow(key string) error {
	won := []string{key}
	for range p.opts.Follow {
		var next []string
		for _, key := range won {
			if p.enough() {
				return nil
			}
			after, err := p.answers(key)
			if err != nil {
				return err
			}
			next = append(next, after...)
		}
		won = next
	}
	return nil
}

// answers returns the proven positions that follow a win after one more move of the winner.
// Those that the book lacks it gets now, together with what the winner's move leads to.
func (p *prover) answers(key string) (won []string, err error) {
	v := VariantOf(p.opts.Root)
	pos, err := v.Board(key)
	if err != nil {
		return nil, err
	}
	moves, err := p.book.Moves(pos)
	if err != nil {
		return nil, err
	}
	count := func(after string) {
		won = append(won, after)
		if p.count(after) {
			p.sum.Follows++
		}
	}
	for i := range moves {
		if !followed(&moves[i].After) {
			continue
		}
		pos.Play(moves[i].Move)
		replies, err := p.book.Moves(pos)
		if err != nil {
			return nil, err
		}
		for j := range replies {
			if proven, _ := triedOf(&replies[j].After, 0); proven {
				pos.Play(replies[j].Move)
				count(Key(pos))
				pos.Undo()
			}
		}
		return won, nil
	}
	data, err := p.book.Certificate(pos)
	if err != nil || data == nil {
		return nil, err
	}
	after, list, err := p.by.Answers(p.ctx, data)
	if err != nil {
		return nil, err
	}
	plies := 2
	var kept []QuietWin
	for _, a := range list {
		plies = max(plies, a.Plies+1)
		if _, ok := p.by.Fours(p.ctx, a.Position.Copy()); !ok {
			kept = append(kept, a)
		}
	}
	if err := p.ctx.Err(); err != nil {
		return nil, err
	}
	err = p.book.Update(p.ctx, func(w *Writer) error {
		for _, a := range kept {
			if err := p.opts.keep(w, a); err != nil {
				return err
			}
		}
		return w.SetValue(after, p.opts.value(Quiet, game.Lost, plies, 0))
	})
	if err != nil {
		return nil, err
	}
	for _, a := range kept {
		count(Key(a.Position))
	}
	return won, nil
}

// followed reports whether a position was written as that after the winner's move.
func followed(p *Position) bool {
	return slices.ContainsFunc(p.Values, func(v Value) bool { return v.Engine == Quiet && v.Proof == game.Lost })
}

// target is a position that may be won.
type target struct {
	key   string
	value float64
}

// candidates returns the positions that were not tried with so many nodes yet, the most
// promising first, and the keys of those that are proven, which it counts.
func (p *prover) candidates() (list []target, won []string, err error) {
	o := p.opts
	v := VariantOf(o.Root)
	root := Key(o.Root)
	seen, next := map[string]bool{root: true}, []string{root}
	for len(next) > 0 {
		if err := p.ctx.Err(); err != nil {
			return nil, nil, err
		}
		key := next[0]
		next = next[1:]
		pos, err := v.Board(key)
		if err != nil {
			return nil, nil, err
		}
		at, there, err := p.book.Get(pos)
		if err != nil && !errors.Is(err, ErrVariant) {
			return nil, nil, err
		}
		if !there {
			continue
		}
		p.sum.Reached++
		if value, ok := at.Judged(); ok {
			switch proven, tried := triedOf(&at, o.Nodes); {
			case proven:
				p.count(key)
				won = append(won, key)
			case !tried && value >= o.Least:
				list = append(list, target{key, value})
			}
		}
		moves, err := p.book.Moves(pos)
		if err != nil {
			return nil, nil, err
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
	return list, won, nil
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
