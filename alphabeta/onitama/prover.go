package onitama

import (
	"context"

	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/onitama"
)

// Prover finds short forced wins by all moves of both sides, to growing depths. It belongs
// to one goroutine.
type Prover struct {
	ctx   context.Context
	board *rules.Board
	left  int // moves that may still be played
	moves []game.Move
	wins  []game.Move
}

// Mate is what a Prover knows of a position.
type Mate struct {
	Move     game.Move // that wins; without meaning where Plies is 0
	Plies    int       // to the end of the game at most, odd; 0: no win was found
	Searched int       // there is no win within so many plies, other than that one
	Nodes    int       // moves that were played
}

// Prove looks for the shortest win of the side to move on b, which is not over, and is the
// same afterwards. It plays at most so many moves, and stops within 1024 once ctx ends.
func (p *Prover) Prove(ctx context.Context, b *rules.Board, nodes int) (m Mate) {
	p.ctx, p.board, p.left = ctx, b, nodes
	p.moves = p.moves[:0]
	if p.wins = b.Wins(p.wins[:0]); len(p.wins) > 0 {
		return Mate{Move: p.wins[0], Plies: 1}
	}
	for plies := 1; p.left > 0; {
		m.Searched = plies
		plies += 2
		if move, ok := p.attack(plies); ok {
			m.Move, m.Plies = move, plies
			break
		}
	}
	m.Nodes = nodes - p.left
	p.board = nil
	return m
}

// attack looks for a move of the side to move, which cannot win at once, that wins within
// so many plies. It finds none once no moves are left to be played.
func (p *Prover) attack(plies int) (game.Move, bool) {
	from := len(p.moves)
	p.moves = p.board.Moves(p.moves)
	defer func() { p.moves = p.moves[:from] }()
	for i, end := from, len(p.moves); i < end; i++ {
		m := p.moves[i]
		if !p.play(m) {
			return game.NoMove, false
		}
		lost := p.defend(plies - 1)
		p.board.Undo()
		if lost {
			return m, true
		}
	}
	return game.NoMove, false
}

// defend reports whether the side to move loses within so many plies, 2 or more, whatever
// it does. It does not once no moves are left to be played.
func (p *Prover) defend(plies int) bool {
	if p.wins = p.board.Wins(p.wins[:0]); len(p.wins) > 0 {
		return false
	}
	from := len(p.moves)
	p.moves = p.board.Moves(p.moves)
	defer func() { p.moves = p.moves[:from] }()
	for i, end := from, len(p.moves); i < end; i++ {
		if !p.play(p.moves[i]) {
			return false
		}
		p.wins = p.board.Wins(p.wins[:0])
		lost := len(p.wins) > 0
		if !lost && plies > 2 {
			_, lost = p.attack(plies - 1)
		}
		p.board.Undo()
		if !lost {
			return false
		}
	}
	return true
}

// play plays a move that does not end the game, unless no more may be played.
func (p *Prover) play(m game.Move) bool {
	if p.left <= 0 || p.left&1023 == 0 && p.ctx.Err() != nil {
		p.left = 0
		return false
	}
	p.left--
	p.board.Play(m)
	return true
}
