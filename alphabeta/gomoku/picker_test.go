package gomoku

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// listed returns all moves of a position's stages.
func listed(heuristics *alphabeta.Heuristics) (all []alphabeta.ScoredMove) {
	for n, more := 0, true; more; n++ {
		var list []alphabeta.ScoredMove
		list, more = heuristics.Picker.Stage(n, nil)
		all = append(all, list...)
	}
	return all
}

// Every listed move is legal, listed once, and as Describe says; there is
// always one.
func TestListedMovesAreLegal(t *testing.T) {
	eachRule(t, func(rt *rapid.T, b *pattern.Board, _ *rand.Rand) {
		if len(b.Wins(nil)) > 0 {
			return
		}
		heuristics := bind(t, b)
		var moves []game.Move
		for _, e := range listed(&heuristics) {
			if e != heuristics.Picker.Describe(e.Move) || int(e.Slot) >= heuristics.Slots || !b.Legal(e.Move) {
				rt.Fatalf("%+v is described as %+v, legal %v\n%v", e, heuristics.Picker.Describe(e.Move), b.Legal(e.Move), b.Board())
			}
			moves = append(moves, e.Move)
		}
		slices.Sort(moves)
		if n := len(moves); n == 0 || len(slices.Compact(moves)) != n {
			rt.Fatalf("%d moves, %d different ones\n%v", n, len(slices.Compact(moves)), b.Board())
		}
		for _, m := range b.Moves(nil) {
			heuristics.Picker.Describe(m)
		}
	})
}

// winsSoon reports whether the side to move wins at once, or by a stone after
// which every reply lets it win at once.
func winsSoon(b *pattern.Board) bool {
	if len(b.Wins(nil)) > 0 {
		return true
	}
	for _, m := range b.Moves(nil) {
		b.Play(m)
		won := b.Outcome() == game.Undecided && lostInOne(b)
		b.Undo()
		if won {
			return true
		}
	}
	return false
}

// lostInOne reports whether every move of the side to move, which cannot win at
// once, lets the other win at once.
func lostInOne(b *pattern.Board) bool {
	if len(b.Wins(nil)) > 0 {
		return false
	}
	for _, m := range b.Moves(nil) {
		b.Play(m)
		saved := b.Outcome() != game.Undecided && b.Outcome() != game.WinFor(b.ToMove()) || b.Outcome() == game.Undecided && len(b.Wins(nil)) == 0
		b.Undo()
		if saved {
			return false
		}
	}
	return true
}

// Every legal move that is left out where the opponent threatens a five or an
// open four loses by force at once: to a five, or to a stone after which no
// reply prevents one.
func TestLeftOutMovesLose(t *testing.T) {
	eachRule(t, func(rt *rapid.T, b *pattern.Board, _ *rand.Rand) {
		if len(b.Wins(nil)) > 0 || b.MaxMoves() > 100 {
			return
		}
		heuristics := bind(t, b)
		_, u := heuristics.Picker.(*picker).defences()
		if u == free || u == fourThree {
			return
		}
		moves := listed(&heuristics)
		for _, m := range b.Moves(nil) {
			if slices.ContainsFunc(moves, func(e alphabeta.ScoredMove) bool { return e.Move == m }) {
				continue
			}
			b.Play(m)
			lost := b.Outcome() == game.WinFor(b.ToMove()) || b.Outcome() == game.Undecided && winsSoon(b)
			b.Undo()
			if !lost {
				rt.Fatalf("%d is left out and does not lose at once, threat %d\n%v", m, u, b.Board())
			}
		}
	})
}
