package tactics

import (
	_ "embed"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/disk"
)

// Problem is a position with its proven answer. Its text is one line of
// fields, separated by spaces:
//
//	rule size kind result plies position [line]
//
// as in
//
//	caro 15 vcf win 7 h8i9... j10k11...
type Problem struct {
	Rule     string
	Size     int
	Kind     vcf.Kind
	Outcome  vcf.Outcome // Win or None
	Plies    int         // length of a win of its kind, in Suite of the shortest; 0 without one
	Position string      // moves from the empty board
	Line     string      // that win against the longest defence
}

//go:embed suite.txt
var suite string

//go:embed long.txt
var long string

//go:embed holds.txt
var holds string

// Suite returns the problems that ship with the program.
func Suite() ([]Problem, error) { return Read(strings.NewReader(suite)) }

// Long returns the problems with long wins that ship with the program.
func Long() ([]Problem, error) { return Read(strings.NewReader(long)) }

// Read reads problems, a line each; empty lines and lines that begin with #
// are left out. Its error names the line at fault.
func Read(r io.Reader) ([]Problem, error) { return readLines(r, parse) }

// Bounds on a file of problems: a line in bytes, and the number of lines.
const (
	maxLine  = 16 << 10
	maxLines = 200_000
)

// readLines parses what r holds, a line each.
func readLines[T any](r io.Reader, parse func(text string) (T, error)) ([]T, error) {
	var list []T
	lines := disk.NewLines(r, maxLine, maxLines)
	for line, ok := lines.Next(); ok; line, ok = lines.Next() {
		text := strings.TrimSpace(line)
		if text == "" || text[0] == '#' {
			continue
		}
		item, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", lines.Number(), err)
		}
		list = append(list, item)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", lines.Number()+1, err)
	}
	return list, nil
}

func parse(text string) (p Problem, err error) {
	f := strings.Fields(text)
	if len(f) != 6 && len(f) != 7 {
		return p, fmt.Errorf("%d fields, want: rule size kind result plies position [line]", len(f))
	}
	p.Rule, p.Position = f[0], f[5]
	if p.Size, err = strconv.Atoi(f[1]); err != nil {
		return p, fmt.Errorf("size %q: want a number", f[1])
	}
	switch f[2] {
	case vcf.VCF.String():
	case vcf.VCT.String():
		p.Kind = vcf.VCT
	default:
		return p, fmt.Errorf("kind %q: want vcf or vct", f[2])
	}
	if p.Plies, err = strconv.Atoi(f[4]); err != nil || p.Plies < 0 {
		return p, fmt.Errorf("plies %q: want a number", f[4])
	}
	switch {
	case f[3] == vcf.Win.String() && len(f) == 7 && p.Plies > 0:
		p.Outcome, p.Line = vcf.Win, f[6]
	case f[3] == vcf.None.String() && len(f) == 6 && p.Plies == 0:
		p.Outcome = vcf.None
	default:
		return p, fmt.Errorf("result %q: want win with plies and a line, or none with 0", f[3])
	}
	b, err := p.Board()
	if err == nil && p.Outcome == vcf.Win {
		err = p.checkLine(b)
	}
	return p, err
}

// checkLine reports a line that is not a win of the side to move on b.
func (p Problem) checkLine(b *gomoku.Board) error {
	winner := b.ToMove()
	moves, err := gomoku.Notation{Size: p.Size}.ParseMoves(p.Line)
	if err != nil {
		return err
	}
	if len(moves) > p.Plies {
		return fmt.Errorf("the line has %d moves for %d plies", len(moves), p.Plies)
	}
	for i, m := range moves {
		if !b.Legal(m) {
			return fmt.Errorf("move %d of the line is not legal", i+1)
		}
		b.Play(m)
	}
	if b.Outcome() != game.WinFor(winner) {
		return fmt.Errorf("the line does not win")
	}
	return nil
}

// String returns the problem's line of text.
func (p Problem) String() string {
	return strings.TrimSpace(fmt.Sprintf("%s %d %v %v %d %s %s", p.Rule, p.Size, p.Kind, p.Outcome, p.Plies, p.Position,
		p.Line))
}

// Board returns the position, which is undecided.
func (p Problem) Board() (*gomoku.Board, error) {
	rules, err := gomoku.Lookup(p.Rule)
	if err != nil {
		return nil, err
	}
	b, err := gomoku.ParsePosition(rules, p.Size, p.Position)
	if err == nil && b.Outcome() != game.Undecided {
		err = fmt.Errorf("%s is over", p.Position)
	}
	return b, err
}

// Hold is a position in which exactly one move holds: every other legal move
// is proven to lose to continuous fours, and that one is not known to lose.
type Hold struct {
	Rule     string
	Size     int
	Position string // moves from the empty board
	Move     game.Move
}

// Holds returns the positions of this kind that ship with the program.
func Holds() ([]Hold, error) { return readLines(strings.NewReader(holds), parseHold) }

// parseHold reads "rule size position move".
func parseHold(text string) (h Hold, err error) {
	var move string
	if _, err = fmt.Sscan(text, &h.Rule, &h.Size, &h.Position, &move); err != nil {
		return h, err
	}
	moves, err := gomoku.Notation{Size: h.Size}.ParseMoves(move)
	if err == nil {
		h.Move = moves[0]
	}
	return h, err
}

// Board returns the position, which is undecided.
func (h Hold) Board() (*gomoku.Board, error) {
	return Problem{Rule: h.Rule, Size: h.Size, Position: h.Position}.Board()
}
