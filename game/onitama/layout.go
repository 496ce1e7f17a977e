package onitama

import (
	"fmt"
	"strings"

	"github.com/carozero/carozero/game"
)

// A game that begins with other men than the usual ones is told by its cards, its layout
// and who moves first, as in
//
//	Crane,Monkey/Crab,Tiger/Dragon 2O2/5/1o3/5/2X2 second
//
// The layout has the rows from the top, each of a diagram's letters and of numbers of
// empty squares.

// usualLayout is the layout that games begin with, the first player to move.
const usualLayout = "ooOoo/5/5/5/xxXxx"

// FormatGame returns the text of a game that began where b did, with the cards alone if
// the men stood as usual, and after a colon the moves. [ParseGame] reads it.
func FormatGame(b *Board, moves []game.Move) string {
	start := *b
	if len(b.past) > 0 {
		start.state = b.past[0]
	}
	text := b.start.String()
	if layout := start.layout(); layout != usualLayout || start.toMove != game.First {
		text += " " + layout + " " + start.toMove.String()
	}
	if len(moves) > 0 {
		text += ":" + Notation{}.FormatMoves(moves)
	}
	return text
}

// layout returns the men on the board.
func (b *Board) layout() string {
	var w strings.Builder
	for y := 4; y >= 0; y-- {
		empty := 0
		for x := range 6 {
			mark := byte('/')
			if x < 5 {
				mark = b.mark(5*y + x)
			}
			if mark == emptyMark {
				empty++
				continue
			}
			if empty > 0 {
				w.WriteByte('0' + byte(empty))
				empty = 0
			}
			w.WriteByte(mark)
		}
	}
	return strings.TrimSuffix(w.String(), "/")
}

// parseStart reads what FormatGame writes before a colon. The error wraps ErrCards,
// ErrNotation or ErrSetup.
func parseStart(text string) (*Board, error) {
	words := strings.Fields(text)
	at := len(words) // of the layout
	for i, word := range words {
		if strings.Count(word, "/") == 4 {
			at = i
			break
		}
	}
	deal, err := ParseDeal(strings.Join(words[:at], " "))
	if err != nil {
		return nil, err
	}
	if at == len(words) {
		return New(deal)
	}
	d := diagram{setup: Setup{Deal: deal}}
	for _, row := range strings.Split(words[at], "/") {
		if err := d.row(unfold.Replace(row)); err != nil {
			return nil, fmt.Errorf("layout %q: %w", words[at], err)
		}
	}
	switch rest := strings.ToLower(strings.Join(words[at+1:], " ")); rest {
	case game.First.String():
	case game.Second.String():
		d.setup.ToMove = game.Second
	case "":
		return nil, fmt.Errorf("%w: %q does not say who is to move; want first or second after it", ErrNotation, words[at])
	default:
		return nil, fmt.Errorf("%w: %q after the layout; want first or second, who is to move", ErrNotation, rest)
	}
	return d.board()
}

// unfold writes numbers of empty squares as squares.
var unfold = strings.NewReplacer("1", ".", "2", "..", "3", "...", "4", "....", "5", ".....")
