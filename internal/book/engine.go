package book

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
)

// nearBest is how much worse than the best a move may be that is played.
const nearBest = 0.05

// Before returns an engine that plays from the book first: where the book has a good move, it is
// the answer at once, and otherwise e thinks. The book must stay open for as long as the engine
// is used, and be of the rules and the size of the positions that it will get.
//
// The choice is by value and variety. Of the moves that the book knows a value of, one that is
// near the best is drawn by the seed of the limits and the number of the move: the same seed
// draws the same moves. In a position that is not in the book itself, of which the book
// may know bad moves alone, moves worth less than a draw do not count. A move to a forced
// position is always played. The book never plays one to an excluded position, and it does
// not choose where all its moves lose.
func (b *Book) Before(e engine.Engine) engine.Engine { return &player{Engine: e, book: b} }

// player is an engine with a book.
type player struct {
	engine.Engine

	book   *Book
	played bool // the last answer came from the book
}

// Think implements [engine.Engine]. A restriction on moves leaves the book out, and so does
// the wish for several lines.
func (e *player) Think(ctx context.Context, pos game.Position, l engine.Limits) (*engine.Answer, error) {
	start := time.Now()
	e.played = false
	if board, ok := pos.(*gomoku.Board); ok && l.Restrict == nil && l.Lines <= 1 {
		a, err := e.ask(board, l.Seed)
		if err != nil {
			return nil, fmt.Errorf("book %s: %w", e.book.Path(), err)
		}
		if a != nil {
			e.played = true
			a.Stats.Elapsed = time.Since(start)
			return a, nil
		}
	}
	return e.Engine.Think(ctx, pos, l)
}

// Ponder implements [engine.Engine]. After a move from the book there is nothing that the
// engine has thought about.
func (e *player) Ponder(ctx context.Context, pos game.Position) {
	if !e.played {
		e.Engine.Ponder(ctx, pos)
	}
}

// Forget implements [engine.Engine].
func (e *player) Forget() {
	e.played = false
	e.Engine.Forget()
}

// ask returns the book's answer, nil if it has none.
func (e *player) ask(pos *gomoku.Board, seed uint64) (*engine.Answer, error) {
	_, there, err := e.book.Get(pos)
	if err != nil {
		return nil, err
	}
	moves, err := e.book.Moves(pos.Copy())
	if err != nil {
		return nil, err
	}
	choice, ok := choose(moves, there, rand.New(rand.NewPCG(seed, uint64(pos.Ply()))))
	if !ok {
		return nil, nil
	}
	value := float32(choice.value)
	return &engine.Answer{
		Move: choice.move, Value: value, RootValue: value, Line: []game.Move{choice.move},
		Moves: []engine.Opinion{{Move: choice.move, Value: value, Line: []game.Move{choice.move}}},
		Book:  e.book.Path(),
	}, nil
}

// candidate is a move that may be played.
type candidate struct {
	move  game.Move
	value float64 // for the side that plays it
}

// choose draws a move of a position that is there in the book, or is not.
func choose(moves []Move, there bool, rng *rand.Rand) (candidate, bool) {
	var list []candidate
	best := -1.0
	for i := range moves {
		m := &moves[i]
		worth, known := m.After.Worth()
		c := candidate{m.Move, 0 - worth}
		switch {
		case m.After.Label == Forced:
			return c, true
		case m.After.Label == Excluded || !known || !there && c.value < 0:
			continue
		}
		list = append(list, c)
		best = max(best, c.value)
	}
	if best <= -1 {
		return candidate{}, false
	}
	near := slices.DeleteFunc(list, func(c candidate) bool { return best-c.value > nearBest })
	return near[rng.IntN(len(near))], true
}
