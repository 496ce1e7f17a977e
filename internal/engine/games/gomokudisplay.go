package games

import (
	"strings"

	"github.com/carozero/carozero/game"
)

// gomokuDisplay implements Variant.Display.
func gomokuDisplay(v Variant, pos game.Position) Display {
	board := plain(pos)
	d := Display{Size: v.Size, Pieces: make([]Piece, v.Size*v.Size)}
	for c, stone := range gomokuStones(board) {
		d.Pieces[c].Stone = stone
	}
	if last := board.Last(); int(last) < len(d.Pieces) {
		d.Last = []int{int(last)}
	}
	if board.Rules().Captures {
		d.Captured = &[2]int{board.Captured(game.First), board.Captured(game.Second)}
	}
	if board.Reason() == game.Line {
		winner := game.First
		if board.Outcome() == game.SecondWins {
			winner = game.Second
		}
		for _, m := range board.AppendWinningRuns(winner, nil) {
			d.Win = append(d.Win, int(m))
		}
	}
	return d
}

// gomokuPlayed implements Variant.Played.
func gomokuPlayed(pos game.Position) ([]game.Move, bool) {
	board := plain(pos)
	history := board.History()
	return history, len(history) == board.Ply()
}

// gomokuTitles are how rule sets are called, where that is more than their name.
var gomokuTitles = map[string]string{
	"caro-overline": "Caro, overlines win", "caro-edge": "Caro, the edge blocks",
	"caro-edge-overline": "Caro, the edge blocks, overlines win", "school42": "42 School gomoku",
}

// gomokuAbout implements Variant.About: it reads the parameters of the rules alone.
func gomokuAbout(v Variant) About {
	r := gomokuRules(v)
	a := About{Title: gomokuTitles[v.rule], Captures: r.Captures, Forbidden: r.Renju}
	if a.Title == "" {
		a.Title = strings.ToUpper(v.rule[:1]) + v.rule[1:]
	}
	if r.DoubleThree {
		a.Forbidden = [2]bool{true, true}
	}
	var text []string
	switch {
	case r.Exact[game.First] && r.Exact[game.Second]:
		text = append(text, "Exactly five in a row win.")
	case r.Exact[game.First]:
		text = append(text, "Five in a row win, for Black exactly five.")
	default:
		text = append(text, "Five or more in a row win.")
	}
	if r.OpponentBlocks {
		ends := "an opponent's stone at both ends"
		if r.EdgeBlocks {
			ends = "an opponent's stone or the edge at both ends"
		}
		text = append(text, "Exactly five with "+ends+" do not.")
	}
	if r.Renju[game.First] {
		text = append(text, "Black may not make an overline, a double-four or a double-three.")
	}
	if r.DoubleThree {
		text = append(text, "Nobody may make two free threes at once, except by a capture.")
	}
	if r.Captures {
		text = append(text, "A pair between two stones is taken; ten stones win, and so does a five that no capture breaks.")
	}
	a.Text = strings.Join(text, " ")
	return a
}
