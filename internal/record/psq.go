package record

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/disk"
)

// A psq file is one game as Piskvork, the manager of Gomocup, saves it:
//
//	Piskvorky 20x20, 11:11, 0
//	11,10,2040
//	12,10,3051
//	...
//	first.zip
//	second.zip
//	0
//	1,Freestyle
//
// The header has the width and height of the board, the levels of both players,
// and who begins: 0 the first of them, 1 the second. A move is its column from the
// left and its row from the top, both from 1, and the milliseconds that it took.
// The names of the players follow where programs played; then a code, 0 for a game
// that ended, 15 for one that the player to move lost on time, others below 0; and
// in the archives of Gomocup the number of the winner, 0 for a draw, and the rule.
// All that follows the moves may be missing. A winner counts more than a code that says
// another.

// Bounds on a psq file.
const (
	maxPSQLine  = 4096
	maxPSQLines = 2 * MaxDepth
	timedOut    = 15
)

var (
	psqHeader = regexp.MustCompile(
		`^Piskvorky\s+(\d{1,3})\s*x\s*(\d{1,3})\s*,\s*(\d{1,6})\s*:\s*(\d{1,6})\s*,\s*([01])\s*$`)
	// psqFigures are three figures or more, as moves have.
	psqFigures = regexp.MustCompile(`^[\s\d,;.+-]*[,;][\s\d,;.+-]*[,;][\s\d,;.+-]*$`)
	psqMove    = regexp.MustCompile(`^\s*(\d{1,3})\s*,\s*(\d{1,3})\s*(?:,\s*-?\d{1,10}\s*)?$`)
	psqCode    = regexp.MustCompile(`^-?\d{1,9}$`)
	psqWinner  = regexp.MustCompile(`^(-1|0|1|2),(.*)$`)
)

// readPSQ reads a file.
func readPSQ(in io.Reader, asked charset) (*Tree, error) {
	lines := disk.NewLines(in, maxPSQLine, maxPSQLines)
	line, _ := lines.Next()
	t, second, err := psqHead(line)
	var rest []string // the lines after the moves
	for at := int32(0); err == nil; {
		line, ok := lines.Next()
		if !ok {
			break
		}
		switch move := psqMove.FindStringSubmatch(line); {
		case rest == nil && move != nil:
			at, err = t.playPSQ(at, move)
		case !psqFigures.MatchString(line):
			line = strings.TrimSpace(line)
			rest = append(rest, guess(asked, line).decode(line))
		case rest == nil:
			err = fmt.Errorf("%q: want a move: a column, a row and at most 10 digits of milliseconds, with commas "+
				"between them", Excerpt(line))
		default:
			err = fmt.Errorf("a move after %q: want none after a line that is no move", Excerpt(rest[0]))
		}
	}
	if at := max(1, lines.Number()); lines.Err() != nil {
		return nil, &Error{Line: lines.Number() + 1, Err: lines.Err()}
	} else if err != nil {
		return nil, &Error{Line: at, Err: err}
	}
	t.trailPSQ(rest, second)
	return t, nil
}

// psqHead returns an empty tree of the board of a header; second says that the second
// player begins.
func psqHead(line string) (t *Tree, second bool, err error) {
	head := psqHeader.FindStringSubmatch(line)
	if head == nil {
		return nil, false, fmt.Errorf("%q: want a header such as %q", Excerpt(line), "Piskvorky 20x20, 11:11, 0")
	}
	width, _ := strconv.Atoi(head[1])
	height, _ := strconv.Atoi(head[2])
	if width != height || !isSize(width) {
		return nil, false, fmt.Errorf("a board of %dx%d: want a square one of %s", width, height, sizes())
	}
	t = New(width)
	t.Sized, t.Line = true, 1
	return t, head[5] == "1", nil
}

// playPSQ adds a move.
func (t *Tree) playPSQ(at int32, move []string) (int32, error) {
	x, _ := strconv.Atoi(move[1])
	y, _ := strconv.Atoi(move[2])
	if x < 1 || x > t.Size || y < 1 || y > t.Size {
		return at, fmt.Errorf("move %s,%s is not on the board of %dx%d", move[1], move[2], t.Size, t.Size)
	}
	return t.Play(at, cellOf(t.Size, x-1, y-1))
}

// trailPSQ takes what follows the moves: names, a code, and a winner with the rule. Other lines
// are a comment.
func (t *Tree) trailPSQ(rest []string, second bool) {
	for len(rest) > 0 && rest[len(rest)-1] == "" {
		rest = rest[:len(rest)-1]
	}
	pop := func(form *regexp.Regexp) (found []string) {
		if last := len(rest) - 1; last >= 0 {
			if found = form.FindStringSubmatch(rest[last]); found != nil {
				rest = rest[:last]
			}
		}
		return found
	}
	winner, code := pop(psqWinner), pop(psqCode)
	if code != nil && code[0] == strconv.Itoa(timedOut) {
		t.Result = "BW"[t.ToMove(t.MainLeaf()).Other():][:1] + "+T"
	}
	if winner != nil {
		t.Rule = strings.TrimSpace(winner[2])
		told, _ := t.Outcome()
		if o, known := psqOutcome(winner[1], second); known && o != told {
			t.SetOutcome(o, game.NoReason)
		}
	}
	players := []*string{&t.Black, &t.White}
	if second {
		slices.Reverse(players)
	}
	for i, name := range rest[:min(2, len(rest))] {
		*players[i] = name
	}
	t.Comment = strings.Join(rest[min(2, len(rest)):], "\n")
}

// psqOutcome returns the result that the number of a winner stands for.
func psqOutcome(winner string, second bool) (o game.Outcome, known bool) {
	switch winner {
	case "0":
		return game.Draw, true
	case "1", "2":
		side := game.Side(winner[0] - '1')
		if second {
			side = side.Other()
		}
		return game.WinFor(side), true
	}
	return game.Undecided, false
}
