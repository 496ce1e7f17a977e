package record

import (
	"io"
	"math"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/disk"
)

// maxLine is the longest line of a list, in bytes.
const maxLine = 64 << 10

// textList is a list of games, one a line: the moves, and before them, where games
// begin differently, the start and a colon. What follows a # is a comment; empty
// lines are passed over.
type textList struct {
	in       *disk.Lines
	size     int
	notation game.Notation
}

func newText(in io.Reader, o Options) *textList {
	s := &textList{in: disk.NewLines(in, maxLine, math.MaxInt), size: o.size(), notation: o.Notation}
	if s.notation == nil {
		s.notation = cells(s.size)
	}
	return s
}

func (s *textList) next() (*Tree, error) {
	for line, ok := s.in.Next(); ok; line, ok = s.in.Next() {
		moves, _, _ := strings.Cut(strings.TrimPrefix(line, "\ufeff"), "#")
		if moves = strings.TrimSpace(moves); moves == "" {
			continue
		}
		t := New(s.size)
		t.Line = s.in.Number()
		if err := t.parse(moves, s.notation); err != nil {
			return nil, &Error{Line: t.Line, Err: err}
		}
		return t, nil
	}
	if err := s.in.Err(); err != nil {
		return nil, &Error{Line: s.in.Number() + 1, Err: err}
	}
	return nil, io.EOF
}

// An Opener is a notation of games that begin at positions in which either side may be to
// move.
type Opener interface {
	// Opens returns who makes the first move from the text of a start.
	Opens(start string) game.Side
}

// parse reads a game in the notation of its moves.
func (t *Tree) parse(text string, n game.Notation) error {
	start, rest, dealt := strings.Cut(text, ":")
	if t.Size > 0 {
		start, rest = "", text
	} else if !dealt {
		start, rest = text, ""
	}
	moves, err := n.ParseMoves(rest)
	if err != nil {
		return err
	}
	t.Start = strings.TrimSpace(start)
	if o, ok := n.(Opener); ok {
		t.First = o.Opens(t.Start)
	}
	_, err = t.Extend(0, t.ToMove(0), moves, nil)
	return err
}

// FormatLine returns the text of the moves on the way to a node.
func (t *Tree) FormatLine(id int32, n game.Notation) string {
	if n == nil {
		n = cells(t.Size)
	}
	moves := n.FormatMoves(t.Moves(id))
	switch {
	case t.Start == "":
		return moves
	case moves == "":
		return t.Start
	}
	return t.Start + ":" + moves
}
