package book

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/record"
)

// Written is what an export came to.
type Written struct {
	Positions int64 // or lines
	Left      int64 // positions that the form, or the way to them, left out
}

// walker goes through a book from a position, each position once.
type walker struct {
	ctx  context.Context
	book *Book
	pos  *gomoku.Board
	line []game.Move
	seen map[string]bool

	// visit gets a position and the moves of the book there; it may drop some.
	visit func(p *Position, moves []Move) ([]Move, error)
	// enter and leave stand around all that follows a move; nil for nothing.
	enter func(m game.Move) error
	leave func()
}

// run goes through what follows the walker's position.
func (w *walker) run() error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	p, there, err := w.book.Get(w.pos)
	if err != nil {
		return err
	}
	if !there && len(w.line) > 0 {
		return nil
	}
	moves, err := w.book.Moves(w.pos)
	if err == nil {
		moves, err = w.visit(&p, moves)
	}
	for _, m := range moves {
		if err != nil {
			return err
		}
		w.pos.Play(m.Move)
		w.line = append(w.line, m.Move)
		if key := Key(w.pos); !w.seen[key] {
			w.seen[key] = true
			if w.enter != nil {
				err = w.enter(m.Move)
			}
			if err == nil {
				err = w.run()
			}
			if w.leave != nil {
				w.leave()
			}
		}
		w.line = w.line[:len(w.line)-1]
		w.pos.Undo()
	}
	return err
}

// WriteTree writes what follows a position of the book as one tree of moves, as SGF or as
// a library of RenLib. Each position stands in it once, after the first way to it; the
// comment says its label, results and worth too. Positions that no moves in the book lead
// to are counted as left out.
func (b *Book) WriteTree(ctx context.Context, root *gomoku.Board, f record.Format, program string,
	out io.Writer) (sum Written, err error) {
	v := VariantOf(root)
	t := record.New(root.Size())
	t.Sized, t.Rule, t.Program = true, v.Rules.Name, program
	at := []int32{0}
	for _, side := range []game.Side{game.First, game.Second} {
		t.Setup[side] = StonesOf(root, side)
	}
	t.Tell(root.ToMove())
	w := walker{ctx: ctx, book: b, pos: root.Copy(), seen: map[string]bool{}}
	w.visit = func(p *Position, moves []Move) ([]Move, error) {
		sum.Positions++
		if text := describe(p); text != "" {
			t.Remark(at[len(at)-1]).Comment = text
		}
		slices.SortStableFunc(moves, func(x, y Move) int { return int(y.After.Results.Games() - x.After.Results.Games()) })
		return moves, nil
	}
	w.enter = func(m game.Move) error {
		id, err := t.Play(at[len(at)-1], m)
		at = append(at, id)
		return err
	}
	w.leave = func() { at = at[:len(at)-1] }
	if err := w.run(); err != nil {
		return sum, err
	}
	all, err := b.Variants()
	for _, i := range all {
		if i.Variant == v {
			sum.Left = max(0, i.Positions-sum.Positions)
		}
	}
	if err == nil {
		_, err = record.Write(out, []*record.Tree{t}, f, nil)
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
	if r := p.Results; r.Games() > 0 {
		parts = append(parts, fmt.Sprintf("games: +%d =%d -%d", r.Wins, r.Draws, r.Losses))
	}
	if value, ok := p.Worth(); ok {
		parts = append(parts, fmt.Sprintf("value: %+.3f", value))
	}
	return strings.Join(parts, "; ")
}

// Balance says which openings are balanced: those after which the side to move has
// scored within Low..High over MinGames games or more.
type Balance struct {
	Count     int // most openings
	MinGames  int64
	Low, High float64 // shares of the points, 0..1
	MinPlies  int     // of the opening

	// Part, 1..Parts, of so many sets that share no position, whatever the book and the
	// orientation: a position belongs to one by its digest. Parts of 0 or 1: all.
	Part, Parts int

	// Seed draws the openings; 0 takes those of the most games.
	Seed uint64
}

// digest returns a number that a position, by its key, has under a seed.
func digest(key string, seed uint64) uint64 {
	sum := sha256.Sum256(append(binary.BigEndian.AppendUint64([]byte("opening"), seed), key...))
	return binary.BigEndian.Uint64(sum[:])
}

// WriteBalanced writes the balanced openings of a variant, each as its moves from the
// empty board on a line of its own, those of the most games first, or as the seed draws
// them: what a match reads as its openings.
func (b *Book) WriteBalanced(ctx context.Context, v Variant, o Balance, out io.Writer) (sum Written, err error) {
	start, err := gomoku.New(v.Rules, v.Size)
	if err != nil {
		return sum, err
	}
	type opening struct {
		moves string
		games int64
		order uint64
	}
	var list []opening
	parts := uint64(max(o.Parts, 1))
	w := walker{ctx: ctx, book: b, pos: start, seen: map[string]bool{}}
	w.visit = func(p *Position, moves []Move) ([]Move, error) {
		games := p.Results.Games()
		if score := p.Results.Score(); games >= o.MinGames && games > 0 && score >= o.Low && score <= o.High &&
			len(w.line) >= max(1, o.MinPlies) {
			if key := Key(w.pos); digest(key, 0)%parts == uint64(max(o.Part, 1)-1) {
				list = append(list, opening{gomoku.Notation{Size: v.Size}.FormatMoves(w.line), games, digest(key, o.Seed)})
			}
		}
		return moves, nil
	}
	if err := w.run(); err != nil {
		return sum, err
	}
	if len(list) == 0 {
		return sum, fmt.Errorf("no opening with %d games or more has scored %g%% to %g%%", o.MinGames, 100*o.Low, 100*o.High)
	}
	slices.SortStableFunc(list, func(x, y opening) int {
		if o.Seed != 0 {
			return cmp.Compare(x.order, y.order)
		}
		return cmp.Compare(y.games, x.games)
	})
	for _, x := range list[:min(o.Count, len(list))] {
		sum.Positions++
		if _, err := fmt.Fprintln(out, x.moves); err != nil {
			return sum, err
		}
	}
	return sum, nil
}
