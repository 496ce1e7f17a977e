package onitama

import (
	"fmt"
	"math/bits"
	"strings"
	"unicode"

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
			return nil, fmt.Errorf("%w: move %d, %q, ends after the card; want two squares or pass, as in %q", ErrNotation, n,
				words[i], "crane c1d2")
		}
		m, ok := parseStep(card, words[i+1])
		if !ok {
			return nil, fmt.Errorf("%w: move %d, %q; want two squares a1..e5 or pass after the card, as in %q", ErrNotation, n,
				words[i]+" "+words[i+1], "crane c1d2")
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

// ParseGame reads what FormatGame writes and returns the start of
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

// ParsePosition reads what FormatGame writes and plays it. The error
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

// Letters of a diagram, by side and kind.
const (
	emptyMark = '.'
	marks     = "xXoO" // 2*side + kind
)

// String draws the position: one line a row from the top with x for the first
// player's students and X for the master, o and O for the second player's, and
// below the cards and the side to move.
//
//	5 o o O o o
//	4 . . . . .
//	3 . . . . .
//	2 . . . . .
//	1 x x X x x
//	  a b c d e
//	first: Crane Monkey
//	second: Crab Tiger
//	side: Dragon
//	to move: first
func (b *Board) String() string {
	var w strings.Builder
	for y := 4; y >= 0; y-- {
		fmt.Fprintf(&w, "%d", y+1)
		for x := range 5 {
			fmt.Fprintf(&w, " %c", b.mark(5*y+x))
		}
		w.WriteByte('\n')
	}
	first, second := b.hands[game.First], b.hands[game.Second]
	fmt.Fprintf(&w, "  a b c d e\nfirst: %v %v\nsecond: %v %v\nside: %v\nto move: %v\n",
		first[0], first[1], second[0], second[1], b.side, b.toMove)
	return w.String()
}

// mark returns the letter of what stands on sq.
func (b *Board) mark(sq int) byte {
	for side := range b.pieces {
		if b.pieces[side]>>sq&1 == 0 {
			continue
		}
		if int(b.masters[side]) == sq {
			return marks[2*side+master]
		}
		return marks[2*side+student]
	}
	return emptyMark
}

// ParseDiagram reads what String draws of a game that goes on. Row numbers,
// the line of column letters, empty lines and spaces may be left out; the
// cards may not. Without a line "to move:", the first player is to move. The
// error wraps ErrNotation, ErrCards or ErrSetup.
func ParseDiagram(text string) (*Board, error) {
	var d diagram
	for i, line := range strings.Split(text, "\n") {
		if err := d.line(strings.TrimSpace(line)); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	if want := []string{"first", "second", "side"}; d.rows == 5 && d.seen != 1<<len(want)-1 {
		missing := want[bits.TrailingZeros8(^d.seen)]
		return nil, fmt.Errorf("%w: the line %q with its cards is missing", ErrNotation, missing+":")
	}
	return d.board()
}

// diagram is a drawing that has been read in part.
type diagram struct {
	setup   Setup
	rows    int
	masters [2]int
	seen    uint8 // bits: the lines first, second, side
}

// line reads one line without space around it.
func (d *diagram) line(line string) error {
	label, rest, ok := strings.Cut(line, ":")
	if !ok {
		return d.row(strings.Join(strings.Fields(line), ""))
	}
	deal := &d.setup.Deal
	switch strings.ToLower(strings.TrimSpace(label)) {
	case "first":
		return d.cards(0, rest, &deal.First[0], &deal.First[1])
	case "second":
		return d.cards(1, rest, &deal.Second[0], &deal.Second[1])
	case "side":
		return d.cards(2, rest, &deal.Side)
	case "to move":
		for _, side := range [2]game.Side{game.First, game.Second} {
			if strings.EqualFold(strings.TrimSpace(rest), side.String()) {
				d.setup.ToMove = side
				return nil
			}
		}
		return fmt.Errorf("%w: %q; want to move: first or second", ErrNotation, line)
	}
	return fmt.Errorf("%w: %q; want a line of first, second, side or to move before the colon", ErrNotation, line)
}

// cards reads names into slots and notes that the line was there.
func (d *diagram) cards(bit int, names string, slots ...*Card) error {
	words := strings.FieldsFunc(names, func(r rune) bool { return unicode.IsSpace(r) || r == ',' })
	if len(words) != len(slots) {
		return fmt.Errorf("%w: %d cards; want %d", ErrNotation, len(words), len(slots))
	}
	for i, word := range words {
		card, err := ParseCard(word)
		if err != nil {
			return err
		}
		*slots[i] = card
	}
	d.seen |= 1 << bit
	return nil
}

// row reads a row of squares without spaces.
func (d *diagram) row(row string) error {
	if row == "" || row == "abcde" {
		return nil
	}
	y := 4 - d.rows
	if y < 0 {
		return fmt.Errorf("%w: a sixth row", ErrNotation)
	}
	if len(row) == 6 && row[0] == '1'+byte(y) {
		row = row[1:]
	}
	if len(row) != 5 {
		return fmt.Errorf("%w: %q; want five of %c and %s for row %d", ErrNotation, row, emptyMark, marks, y+1)
	}
	for x := range 5 {
		if row[x] == emptyMark {
			continue
		}
		i := strings.IndexByte(marks, row[x])
		if i < 0 {
			return fmt.Errorf("%w: %q; want five of %c and %s for row %d", ErrNotation, row, emptyMark, marks, y+1)
		}
		side, sq := i/2, 5*y+x
		if i%2 == master {
			d.masters[side]++
			d.setup.Masters[side] = sq
		} else {
			d.setup.Students[side] |= 1 << sq
		}
	}
	d.rows++
	return nil
}

// board returns the position that was drawn.
func (d *diagram) board() (*Board, error) {
	if d.rows != 5 {
		return nil, fmt.Errorf("%w: %d rows; want 5", ErrNotation, d.rows)
	}
	for side, n := range d.masters {
		if n != 1 {
			return nil, fmt.Errorf("%w: the %v player has %d masters (%c); want 1", ErrSetup, game.Side(side), n,
				marks[2*side+master])
		}
	}
	return NewSetup(d.setup)
}
