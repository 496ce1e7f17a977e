// Package gomocup is both sides of the Gomocup protocol, lines of text on standard
// input and output, and of the Yixin extension that boards speak: a [Server] has an
// [engine.Engine] answer a client, and a [Player] is a foreign engine.
package gomocup

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
)

// The protocol's x,y counts from zero, x from the left and y from the top; a cell's
// index counts rows from the bottom. Yixin boards write row,col instead. All rules are
// the same on the transposed board, so the engine takes the first number for x and plays
// such a game mirrored along the diagonal. A switch of conventions could only go wrong:
// nothing in the dialogue says which one a client uses.

// Cell returns the cell of column x from the left and row y from the top, both
// counted from zero.
func Cell(size, x, y int) (game.Move, error) {
	if x < 0 || y < 0 || x >= size || y >= size {
		return game.NoMove, fmt.Errorf("%d,%d is off the board; coordinates are 0,0 to %d,%d", x, y, size-1, size-1)
	}
	return game.Move((size-1-y)*size + x), nil
}

// FormatCell returns a cell as "x,y".
func FormatCell(size int, m game.Move) string {
	return fmt.Sprintf("%d,%d", int(m)%size, size-1-int(m)/size)
}

// formatCells returns cells with spaces between them.
func formatCells(size int, moves []game.Move) string {
	texts := make([]string, len(moves))
	for i, m := range moves {
		texts[i] = FormatCell(size, m)
	}
	return strings.Join(texts, " ")
}

// ParseCell reads "x,y".
func ParseCell(size int, text string) (game.Move, error) {
	n, err := numbers(text, "x,y")
	if err != nil {
		return game.NoMove, err
	}
	return Cell(size, n[0], n[1])
}

// numbers reads whole numbers that commas separate, as many as form names.
func numbers(text, form string) ([]int, error) {
	fields := strings.Split(text, ",")
	list := make([]int, len(fields))
	for i, f := range fields {
		n, err := strconv.Atoi(strings.TrimSpace(f))
		if err != nil || len(fields) != strings.Count(form, ",")+1 {
			return nil, fmt.Errorf("%q: want %s", excerpt(text), form)
		}
		list[i] = n
	}
	return list, nil
}

// ruleNumbers are the rule sets and the numbers by which "INFO rule" names them: a sum of
// 1 for five exactly, 2 for continuous games, 4 for renju and 8 for caro.
var ruleNumbers = []struct {
	name   string
	number int
}{{"freestyle", 0}, {"standard", 1}, {"renju", 4}, {"caro", 9}, {"caro-overline", 8}}

// continuous is the bit of games that go on after a win; to boards of the Yixin family
// this number alone is renju.
const continuous = 2

// RuleMask returns the number by which the protocol names a rule set, and false
// if it has none.
func RuleMask(name string) (int, bool) {
	for _, r := range ruleNumbers {
		if r.name == name {
			return r.number, true
		}
	}
	return 0, false
}

// ruleName returns the rule set of a number.
func ruleName(number int, yixin bool) (string, error) {
	for _, r := range ruleNumbers {
		if r.number == number {
			return r.name, nil
		}
	}
	if number == continuous && yixin {
		return "renju", nil
	}
	return "", fmt.Errorf("rule %d is not supported; use rule 0 (freestyle), 1 (standard), 4 (renju), "+
		"8 (caro with overlines) or 9 (caro)", number)
}

// command is one line of input.
type command struct {
	verb string // first word, in capitals
	args string // the rest, without spaces around it
}

// parseCommand splits a line; any text is some command.
func parseCommand(line string) command {
	verb, args := cutWord(line)
	return command{verb: strings.ToUpper(verb), args: args}
}

// yixin reports whether only a board of the Yixin family sends the command.
func (c command) yixin() bool { return strings.HasPrefix(c.verb, "YX") }

// cutWord returns the first word of a text and the rest, without spaces around it.
func cutWord(text string) (word, rest string) {
	text = strings.TrimSpace(text)
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		return text[:i], strings.TrimSpace(text[i:])
	}
	return text, ""
}

// excerpt returns a client's text for a message: short, and printable ASCII only.
func excerpt(text string) string {
	const most = 40
	printable := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
	if len(printable) > most {
		return printable[:most] + "..."
	}
	return printable
}

// noLimit is the protocol's number for a game without a limit on time, in milliseconds.
const noLimit = math.MaxInt32
