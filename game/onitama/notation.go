package onitama

import (
	"fmt"
	"strings"

	"github.com/carozero/carozero/game"
)

// Notation writes a move as the card's name in lower case and the two squares,
// "crane c1d2", a pass as "crane pass", and a sequence as its moves separated
// by spaces. Reading it takes any case and any white space. It implements
// [game.Notation].
type Notation struct{}

// FormatMove returns the text of m, "?" if m is not less than MoveCount.
func (Notation) FormatMove(m game.Move) string {
	if m >= MoveCount {
		return "?"
	}
	name := strings.ToLower(MoveCard(m).String())
	if IsPass(m) {
		return name + " pass"
	}
	from, to := MoveSquares(m)
	return name + " " + squareName(from) + squareName(to)
}

// FormatMoves returns the texts of moves, separated by single spaces.
func (n Notation) FormatMoves(moves []game.Move) string {
	var b strings.Builder
	for i, m := range moves {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(n.FormatMove(m))
	}
	return b.String()
}

// ParseMoves reads what FormatMoves writes. The error wraps ErrNotation or, of
// an unknown card, ErrCards.
func (Notation) ParseMoves(text string) ([]game.Move, error) {
	words := strings.Fields(text)
	var moves []game.Move
	for i := 0; i < len(words); i += 2 {
		n := i/2 + 1
		card, err := ParseCard(words[i])
		if err != nil {
			return nil, fmt.Errorf("move %d: %w", n, err)
		}
		if i+1 == len(words) {
			return nil, fmt.Errorf("%w: move %d, %q, ends after the card; want two squares or pass, as in %q", ErrNotation, n, words[i], "crane c1d2")
		}
		m, ok := parseStep(card, words[i+1])
		if !ok {
			return nil, fmt.Errorf("%w: move %d, %q; want two squares a1..e5 or pass after the card, as in %q", ErrNotation, n, words[i]+" "+words[i+1], "crane c1d2")
		}
		moves = append(moves, m)
	}
	return moves, nil
}

// parseStep reads "c1d2" or "pass".
func parseStep(card Card, word string) (game.Move, bool) {
	if strings.EqualFold(word, "pass") {
		return NewPass(card), true
	}
	if len(word) != 4 {
		return game.NoMove, false
	}
	from, ok1 := parseSquare(word[:2])
	to, ok2 := parseSquare(word[2:])
	return NewMove(card, from, to), ok1 && ok2
}

// squareName returns "a1" to "e5".
func squareName(sq int) string { return string([]byte{'a' + byte(sq%5), '1' + byte(sq/5)}) }

// parseSquare reads two bytes.
func parseSquare(name string) (int, bool) {
	x, y := int(name[0]|0x20)-'a', int(name[1])-'1'
	return 5*y + x, x >= 0 && x < 5 && y >= 0 && y < 5
}

// FormatPosition returns the deal and, after a colon, the moves played from
// it: "Monkey,Crane/Tiger,Crab/Dragon:crane c1d2".
func FormatPosition(d Deal, moves []game.Move) string {
	if len(moves) == 0 {
		return d.String()
	}
	return d.String() + ":" + Notation{}.FormatMoves(moves)
}

// ParseGame reads what FormatGame and FormatPosition write and returns the start of
// the game and its moves, of which it checks the form only. The error wraps ErrCards,
// ErrNotation or ErrSetup.
func ParseGame(text string) (*Board, []game.Move, error) {
	start, line, _ := strings.Cut(text, ":")
	b, err := parseStart(start)
	if err != nil {
		return nil, nil, err
	}
	moves, err := Notation{}.ParseMoves(line)
	if err != nil {
		return nil, nil, err
	}
	return b, moves, nil
}

// ParsePosition reads what FormatGame and FormatPosition write and plays it. The error
// wraps ErrCards, ErrNotation, ErrSetup, ErrIllegal or ErrOver.
func ParsePosition(text string) (*Board, error) {
	b, moves, err := ParseGame(text)
	if err != nil {
		return nil, err
	}
	for i, m := range moves {
		name := Notation{}.FormatMove(m)
		if b.Outcome() != game.Undecided {
			return nil, fmt.Errorf("%w: move %d, %q, comes after the %v player has won", ErrOver, i+1, name, b.Outcome())
		}
		if !b.Legal(m) {
			return nil, fmt.Errorf("%w: move %d, %q; want one of: %s", ErrIllegal, i+1, name, b.choices())
		}
		b.Play(m)
	}
	return b, nil
}

// choices lists the legal moves for a person.
func (b *Board) choices() string {
	var names []string
	for _, m := range b.Moves(nil) {
		names = append(names, Notation{}.FormatMove(m))
	}
	return strings.Join(names, ", ")
}

// Deal returns the deal that text names as Deal.String writes it, and the name of the
// colour that moves first at the table, the stamp of the side card. The error wraps
// ErrCards, or ErrSetup of a start with other men than the usual ones.
func (Notation) Deal(text string) (deal, first string, err error) {
	d, err := ParseDeal(text)
	if err != nil {
		if _, wrong := parseStart(text); wrong == nil {
			err = fmt.Errorf("%w: the game does not begin with the usual men", ErrSetup)
		}
		return "", "", err
	}
	return d.String(), d.FirstColour().String(), nil
}

// Opens returns who makes the first move from the start of a game as FormatGame writes
// it, the first player if it cannot be read.
func (Notation) Opens(start string) game.Side {
	if b, err := parseStart(start); err == nil {
		return b.toMove
	}
	return game.First
}
