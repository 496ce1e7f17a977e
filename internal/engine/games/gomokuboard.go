package games

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// gomokuStones implements Variant.Stones.
func gomokuStones(pos game.Position) []Stone {
	board := plain(pos)
	stones := make([]Stone, board.Size()*board.Size())
	for c := range stones {
		switch board.At(c) {
		case gomoku.FirstStone:
			stones[c] = FirstStone
		case gomoku.SecondStone:
			stones[c] = SecondStone
		}
	}
	return stones
}

// gomokuForbidden implements Variant.Forbidden.
func gomokuForbidden(pos game.Position) []Forbidden {
	board := plain(pos)
	var list []Forbidden
	for _, m := range board.Forbidden(nil) {
		list = append(list, Forbidden{m, board.Bans(board.ToMove(), int(m)).Names()})
	}
	return list
}

// searchable implements Variant.Searchable.
func searchable(pos game.Position) game.Position {
	if board, ok := pos.(*gomoku.Board); ok {
		return pattern.FromBoard(board)
	}
	return pos.Clone()
}

// patterns returns pos in the form that solvers search, itself if it has that
// form; nil if it is no position of gomoku.
func patterns(pos game.Position) *pattern.Board {
	switch pos := pos.(type) {
	case *pattern.Board:
		return pos
	case *gomoku.Board:
		return pattern.FromBoard(pos)
	}
	return nil
}

// plain returns pos as the rules alone have it, itself if it has that form; nil
// if it is no position of gomoku.
func plain(pos game.Position) *gomoku.Board {
	switch pos := pos.(type) {
	case *gomoku.Board:
		return pos
	case *pattern.Board:
		return pos.Board().Copy()
	}
	return nil
}

// gomokuThreats implements Variant.Threats.
func gomokuThreats(pos game.Position) (of [2]Threats) {
	board := patterns(pos)
	for _, side := range []game.Side{game.First, game.Second} {
		t := board.Threats(side)
		of[side] = Threats{Fives: t.Five.Append(nil), Fours: t.Four.Append(nil), OpenFours: t.OpenFour.Append(nil)}
	}
	return of
}

// gomokuSymmetries implements Variant.Symmetries. The legal moves are compared
// too: the opening rule reads more than the stones.
func gomokuSymmetries(pos game.Position) (maps []func(game.Move) game.Move) {
	board := plain(pos)
	size := board.Size()
	for sym := 1; sym < 8; sym++ {
		same := true
		for c := 0; c < size*size && same; c++ {
			to := gomoku.Transform(size, sym, c)
			same = board.At(c) == board.At(to) && board.Legal(game.Move(c)) == board.Legal(game.Move(to))
		}
		if same {
			maps = append(maps, func(m game.Move) game.Move { return game.Move(gomoku.Transform(size, sym, int(m))) })
		}
	}
	return maps
}
