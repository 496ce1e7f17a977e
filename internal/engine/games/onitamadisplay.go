package games

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
)

// onitamaDisplay implements Variant.Display.
func onitamaDisplay(v Variant, pos game.Position) Display {
	board := pos.(*onitama.Board)
	d := Display{
		Size: v.Size, Pieces: make([]Piece, onitama.Squares),
		Temples: []int{board.Temple(game.First), board.Temple(game.Second)},
	}
	for side, stone := range map[game.Side]Stone{game.First: FirstStone, game.Second: SecondStone} {
		for sq := range d.Pieces {
			if board.Pieces(side)>>sq&1 != 0 {
				d.Pieces[sq] = Piece{Stone: stone, Master: board.Master(side) == sq}
			}
		}
	}
	if last := board.Last(); last != game.NoMove && !onitama.IsPass(last) {
		from, to := onitama.MoveSquares(last)
		d.Last = []int{to, from}
	}
	for _, side := range []game.Side{game.First, game.Second} {
		hand := board.Hand(side)
		d.Hands = append(d.Hands, []Card{shownCard(hand[0]), shownCard(hand[1])})
	}
	d.Hands = append(d.Hands, []Card{shownCard(board.SideCard())})
	return d
}

// onitamaCards implements Game.Cards.
func onitamaCards() []Card {
	var all []Card
	for _, c := range onitama.AllCards.Cards() {
		all = append(all, shownCard(c))
	}
	return all
}

// shownCard returns what is printed on a card.
func shownCard(c onitama.Card) Card {
	shown := Card{Name: c.String()}
	for _, s := range c.Vectors() {
		shown.Steps = append(shown.Steps, [2]int{int(s.DX), int(s.DY)})
	}
	return shown
}

// onitamaStep implements Variant.Step.
func onitamaStep(m game.Move) Step {
	s := Step{From: -1, To: -1, Card: onitama.MoveCard(m).String()}
	if !onitama.IsPass(m) {
		s.From, s.To = onitama.MoveSquares(m)
	}
	return s
}

// onitamaPlayed implements Variant.Played.
func onitamaPlayed(pos game.Position) ([]game.Move, bool) {
	return pos.(*onitama.Board).History(), true
}
