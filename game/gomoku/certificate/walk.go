package certificate

import (
	"context"
	"errors"
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// Strategy plays for the winner, who is to move on b and cannot win at once. It must
// leave b as it is. ok is false if it knows no winning move.
type Strategy func(b *gomoku.Board) (m game.Move, ok bool)

// Check takes the walk of a certificate and returns nil if it proves what it says.
// Otherwise the error wraps ErrRefuted and names the line that shows it, or is that
// of ctx. It keeps every node's position, some 200 bytes for each.
func (c *Certificate) Check(ctx context.Context) error {
	_, err := c.check(ctx)
	return err
}

// Line is Check, and returns the line of the longest defence.
func (c *Certificate) Line(ctx context.Context) ([]game.Move, error) {
	w, err := c.check(ctx)
	if err != nil {
		return nil, err
	}
	return w.longest(), nil
}

// check is Check, and returns the walk, back at the start.
func (c *Certificate) check(ctx context.Context) (*walk, error) {
	b, err := c.Board()
	if err != nil {
		return nil, err
	}
	r := &reader{words: c.Moves, pairing: c.pairing(), win: c.Win()}
	var w *walk
	plies := 0
	for _, side := range c.sides() {
		w = newWalk(ctx, b, side, r.next)
		w.holds = !c.Win()
		if plies, err = w.take(); err != nil {
			return nil, err
		}
	}
	switch {
	case len(r.words) > 0:
		return nil, fmt.Errorf("%w: %d moves are left over", ErrRefuted, len(r.words))
	case c.Win() && plies != c.Plies:
		return nil, fmt.Errorf("%w: the longest line has %d plies, not %d", ErrRefuted, plies, c.Plies)
	}
	return w, nil
}

// sides are those that the walk is taken for.
func (c *Certificate) sides() (list []game.Side) {
	if c.Win() {
		return []game.Side{c.Winner}
	}
	for side := game.First; side <= game.Second; side++ {
		if c.Holds[side] {
			list = append(list, side)
		}
	}
	return list
}

// step is what the winner, or the side that holds, does in a node: a move, after which
// pairs of cells, unless nil, say how it does not lose.
type step struct {
	move  game.Move
	pairs []game.Move // two and two
}

// reader hands out the steps of a certificate.
type reader struct {
	words   []game.Move // that are left
	pairing game.Move
	win     bool
}

func (r *reader) next(*gomoku.Board) (s step, err error) {
	if s.move, err = r.word(); err != nil || r.win || s.move != r.pairing {
		return s, err
	}
	if s.move, err = r.word(); err != nil {
		return s, err
	}
	n, err := r.word()
	s.pairs = []game.Move{}
	for i := 0; i < 2*int(n) && err == nil; i++ {
		var cell game.Move
		cell, err = r.word()
		s.pairs = append(s.pairs, cell)
	}
	return s, err
}

func (r *reader) word() (m game.Move, err error) {
	if len(r.words) == 0 {
		return game.NoMove, errors.New("the moves of the certificate have ended")
	}
	m, r.words = r.words[0], r.words[1:]
	return m, nil
}

// New writes the certificate that the winner wins from the undecided position b, with
// at most nodes moves of the strategy. b is the same afterwards. Where the strategy
// does not win, the error wraps ErrRefuted and names the line; beyond the limit it is
// ErrNodes.
func New(ctx context.Context, b *gomoku.Board, winner game.Side, nodes int, play Strategy) (*Certificate, error) {
	c := &Certificate{Rules: b.Rules(), Size: b.Size(), Start: b.Setup(0), Winner: winner}
	at, err := c.Board()
	if err != nil {
		return nil, err
	}
	w := newWalk(ctx, at, winner, nil)
	w.next = func(b *gomoku.Board) (step, error) {
		if len(c.Moves) >= min(nodes, MaxNodes) {
			return step{}, ErrNodes
		}
		m, ok := w.same(w.last)
		if !ok {
			if m, ok = play(b); !ok {
				return step{}, errors.New("no winning move was found")
			}
		}
		w.last = m
		c.Moves = append(c.Moves, m)
		return step{move: m}, nil
	}
	c.Plies, err = w.take()
	if err != nil {
		return nil, err
	}
	return c, nil
}

// node is a position in which a move was taken, and the plies from there to the end.
type node struct {
	move  game.Move
	plies uint16
}

// walk is one walk through the positions of a proof.
type walk struct {
	ctx           context.Context
	board         *gomoku.Board
	winner, loser game.Side
	holds         bool                                // the winner is a side that need not win
	next          func(b *gomoku.Board) (step, error) // of the winner
	last          game.Move                           // of New: the move before
	seen          map[string]node                     // by position
	line          []game.Move                         // from the start
	replies       []game.Move                         // lists of all levels, the innermost last
	wins          []game.Move                         // scratch of a level
	key           []byte                              // scratch
}

func newWalk(ctx context.Context, b *gomoku.Board, winner game.Side, next func(*gomoku.Board) (step, error)) *walk {
	return &walk{ctx: ctx, board: b, winner: winner, loser: winner.Other(), next: next, last: game.NoMove,
		seen: map[string]node{}}
}

// take walks from the start and returns the plies of the longest line.
func (w *walk) take() (plies int, err error) {
	if w.board.ToMove() == w.winner {
		return w.attack()
	}
	return w.defend()
}

// attack walks from a position with the winner to move and returns the plies to the
// end.
func (w *walk) attack() (plies int, err error) {
	b := w.board
	if w.wins = b.Wins(w.wins[:0]); len(w.wins) > 0 {
		return 1, nil
	}
	w.pack()
	if n, ok := w.seen[string(w.key)]; ok {
		return int(n.plies), nil
	}
	key := string(w.key)
	if len(w.seen)&1023 == 0 && w.ctx.Err() != nil {
		return 0, w.ctx.Err()
	}
	s, err := w.next(b)
	m := s.move
	switch {
	case errors.Is(err, ErrNodes):
		return 0, err
	case err != nil:
		return 0, w.refuted(err.Error())
	case !b.Legal(m):
		return 0, w.refuted("the move " + w.text(m) + " is not legal")
	}
	w.play(m)
	switch {
	case b.Outcome() == game.Draw && w.holds && s.pairs == nil:
	case b.Outcome() != game.Undecided:
		return 0, w.refuted("the game ends: " + b.Outcome().String())
	case s.pairs != nil:
		err = w.paired(s.pairs)
	default:
		plies, err = w.defend()
	}
	if err != nil {
		return 0, err
	}
	w.undo()
	w.seen[key] = node{m, uint16(plies + 1)}
	return plies + 1, nil
}

// defend walks from a position with the loser to move, through all replies that
// replies.go does not leave out, and returns the plies to the end. A reply that was
// left out, or after which the winner moves on, makes two plies or more.
func (w *walk) defend() (plies int, err error) {
	from := len(w.replies)
	if err := w.list(); err != nil {
		return 0, err
	}
	plies = 2
	for i, end := from, len(w.replies); i < end; i++ {
		w.play(w.replies[i])
		switch o := w.board.Outcome(); {
		case o == game.WinFor(w.winner), o == game.Draw && w.holds:
		case o == game.Undecided:
			n, err := w.attack()
			if err != nil {
				return 0, err
			}
			plies = max(plies, n+1)
		default:
			return 0, w.refuted("the game ends: " + w.board.Outcome().String())
		}
		w.undo()
	}
	w.replies = w.replies[:from]
	return plies, nil
}

// longest returns the line of the longest defence after a walk that found the proof
// true, on a board that is at the start.
func (w *walk) longest() (line []game.Move) {
	b := w.board
	for b.Outcome() == game.Undecided {
		m := game.NoMove
		if b.ToMove() == w.winner {
			if w.wins = b.Wins(w.wins[:0]); len(w.wins) > 0 {
				m = w.wins[0]
			} else {
				w.pack()
				m = w.seen[string(w.key)].move
			}
		} else {
			most := -1
			for _, r := range b.Moves(nil) {
				b.Play(r)
				if n := w.left(); n > most {
					m, most = r, n
				}
				b.Undo()
			}
		}
		line = append(line, m)
		b.Play(m)
	}
	for range line {
		b.Undo()
	}
	return line
}

// left returns the plies to the end after a reply of the loser.
func (w *walk) left() int {
	if w.board.Outcome() != game.Undecided {
		return 0
	}
	w.pack()
	return max(1, int(w.seen[string(w.key)].plies))
}

// pack writes the position into w.key: the rows of either side, three bytes each, and
// the captured stones.
func (w *walk) pack() {
	b, key := w.board, w.key[:0]
	for side := game.First; side <= game.Second; side++ {
		for y := range b.Size() {
			row := b.Row(side, y)
			key = append(key, byte(row), byte(row>>8), byte(row>>16))
		}
		key = append(key, byte(b.Captured(side)))
	}
	w.key = key
}

func (w *walk) play(m game.Move) {
	w.line = append(w.line, m)
	w.board.Play(m)
}

func (w *walk) undo() {
	w.line = w.line[:len(w.line)-1]
	w.board.Undo()
}

// Refuted returns the error, which wraps ErrRefuted, of a proof that fails at the end of a line
// on a board.
func Refuted(b *gomoku.Board, line []game.Move, why string) error {
	n := gomoku.Notation{Size: b.Size()}
	return fmt.Errorf("%w after %q: %s", ErrRefuted, n.FormatMoves(line), why)
}

func (w *walk) refuted(why string) error { return Refuted(w.board, w.line, why) }

func (w *walk) text(m game.Move) string {
	return gomoku.Notation{Size: w.board.Size()}.FormatMove(m)
}
