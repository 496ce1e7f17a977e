package record

import (
	"bufio"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/carozero/carozero/game"
)

// dealtMove is a move of Onitama in this program's words.
var dealtMove = regexp.MustCompile(`^([a-z]+) ([a-e][1-5])([a-e][1-5])$`)

// writeLitama writes the main line of a game of Onitama as a state of Litama, in a line.
func writeLitama(w *bufio.Writer, t *Tree, loss *Loss, n game.Notation) error {
	dealt, ok := n.(Dealt)
	if !ok || t.Size > 0 {
		return fmt.Errorf("%w in litama: it is for games of Onitama", ErrNoForm)
	}
	if t.Start == "" {
		return fmt.Errorf("%w in litama: the record does not say of what cards", ErrNoForm)
	}
	deal, colour, err := dealt.Deal(t.Start)
	if err != nil {
		return fmt.Errorf("%w in litama: %w", ErrNoForm, err)
	}
	first := slices.Index(litamaColours[:], colour)
	hands := strings.FieldsFunc(deal, func(r rune) bool { return r == ',' || r == '/' })
	if first < 0 || len(hands) != 5 {
		return fmt.Errorf("%w in litama: cards %q, %s begins", ErrNoForm, Excerpt(deal), colour)
	}
	cards := &litamaCards{Side: hands[4]}
	cards.Blue, cards.Red = hands[:2], hands[2:4]
	if first == 1 {
		cards.Blue, cards.Red = cards.Red, cards.Blue
	}
	b, err := newLitamaBoard(cards, first)
	if err != nil {
		return fmt.Errorf("%w in litama: %w", ErrNoForm, err)
	}
	s := litamaState{Type: litamaType, StartingCards: b.cards(), Moves: []string{}}
	leaf := t.MainLeaf()
	for i, m := range t.Moves(leaf) {
		word := dealtMove.FindStringSubmatch(n.FormatMove(m))
		if word == nil {
			return fmt.Errorf("%w in litama: move %d, %s", ErrNoForm, i+1, n.FormatMove(m))
		}
		from, to := turned(word[2], first), turned(word[3], first)
		if err := b.play(word[1], from, to); err != nil {
			return fmt.Errorf("%w in litama: move %d, %s: %w", ErrNoForm, i+1, n.FormatMove(m), err)
		}
		s.Moves = append(s.Moves, word[1]+":"+from+to)
	}
	names := [2]string{t.Black, t.White}
	s.Usernames = litamaNames{Blue: names[first], Red: names[1-first]}
	s.CurrentTurn, s.Cards, s.Board = litamaColours[b.toMove], b.cards(), b.String()
	s.GameState, s.Winner = litamaGoesOn, litamaNobody
	if b.winner < 0 {
		loss.result(t)
		switch result, _ := t.Outcome(); result {
		case game.FirstWins:
			b.winner = first
		case game.SecondWins:
			b.winner = 1 - first
		case game.Draw:
			loss.add("draws", 1)
			s.GameState = litamaEnded
		}
	}
	if b.winner >= 0 {
		s.GameState, s.Winner = litamaEnded, litamaColours[b.winner]
	}
	loss.line(t, leaf, lineOf{})
	loss.info(t, "PB", "PW", "RE")
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	return out.Encode(s)
}
