package gametest

import (
	"fmt"
	"testing"

	"github.com/carozero/carozero/game"
)

func TestConformanceOfMNK(t *testing.T) {
	for _, shape := range [][3]int{{3, 3, 3}, {4, 3, 3}, {5, 4, 4}, {8, 8, 5}, {2, 1, 2}, {1, 5, 1}} {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			Conformance(t, func() game.Position { return NewMNK(shape[0], shape[1], shape[2]) })
		})
	}
}

// A set-up position with a history before its start conforms as well.
func TestConformanceFromTheMiddle(t *testing.T) {
	Conformance(t, func() game.Position {
		p := NewMNK(4, 4, 4)
		for _, m := range []game.Move{5, 6, 9} {
			p.Play(m)
		}
		return p
	})
}

// faulty is a tic-tac-toe with one fault, chosen by name.
type faulty struct {
	*MNK
	fault string
	log   *[]game.Move // shared between clones when it is the fault
}

func (f *faulty) Hash() uint64 {
	switch f.fault {
	case "hash confuses two cells":
		return f.MNK.hash ^ (f.shape.zobrist[0][4]^f.shape.zobrist[0][5])&-(f.stones[0]>>4&1)
	case "hash stands still":
		return 7
	case "hash depends on the order":
		return f.MNK.hash + uint64(f.history[0])&-uint64(min(f.ply, 1))
	}
	return f.MNK.Hash()
}

func (f *faulty) Ply() int {
	if f.fault == "ply stands still" {
		return 0
	}
	return f.MNK.Ply()
}

func (f *faulty) ToMove() game.Side {
	if f.fault == "turn stands still" {
		return game.First
	}
	return f.MNK.ToMove()
}

func (f *faulty) Reason() game.Reason {
	if f.fault == "no reason" {
		return game.NoReason
	}
	return f.MNK.Reason()
}

func (f *faulty) MaxMoves() int {
	if f.fault == "too many moves" {
		return 8
	}
	return f.MNK.MaxMoves()
}

func (f *faulty) Moves(buf []game.Move) []game.Move {
	switch f.fault {
	case "moves of a game that is over":
		if f.outcome != game.Undecided {
			return append(buf, 0)
		}
	case "moves out of order":
		if buf = f.MNK.Moves(buf); len(buf) > 1 {
			buf[0], buf[1] = buf[1], buf[0]
		}
		return buf
	case "moves drop the buffer":
		buf = buf[:0]
	case "moves forget the last":
		if buf = f.MNK.Moves(buf); f.ply == 3 {
			buf = buf[:len(buf)-1]
		}
		return buf
	}
	return f.MNK.Moves(buf)
}

func (f *faulty) Wins(buf []game.Move) []game.Move {
	switch f.fault {
	case "wins miss":
		return buf
	case "wins claim":
		return f.MNK.Moves(buf)
	}
	return f.MNK.Wins(buf)
}

func (f *faulty) Legal(m game.Move) bool {
	switch f.fault {
	case "legal wraps":
		m &= 0xFF
	case "legal anywhere":
		return f.outcome == game.Undecided && m < 9
	}
	return f.MNK.Legal(m)
}

func (f *faulty) Play(m game.Move) {
	if f.fault == "play allocates" {
		*f.log = append([]game.Move{m}, *f.log...)
	}
	f.MNK.Play(m)
}

func (f *faulty) Undo() {
	if f.fault == "undo forgets a stone" && f.ply == 6 {
		f.MNK.Undo()
		f.stones[1] |= 1 << f.history[5]
		return
	}
	f.MNK.Undo()
}

func (f *faulty) Clone() game.Position {
	switch f.fault {
	case "clone is shared":
		return f
	case "clone is new":
		return &faulty{MNK: NewMNK(3, 3, 3), fault: f.fault, log: new([]game.Move)}
	case "clone has no history":
		c := *f.MNK
		c.history = [maxCells]uint8{}
		return &faulty{MNK: &c, fault: f.fault, log: new([]game.Move)}
	}
	return &faulty{MNK: f.MNK.Clone().(*MNK), fault: f.fault, log: new([]game.Move)}
}

// recorder stops the suite at its first complaint.
type recorder struct{ complaint string }

func (*recorder) Helper() {}

func (r *recorder) Fatalf(format string, args ...any) {
	r.complaint = fmt.Sprintf(format, args...)
	panic(r)
}

// complaint runs the suite on a tic-tac-toe with the fault and returns what
// it says.
func complaint(fault string) (text string) {
	r := &recorder{}
	defer func() {
		if p := recover(); p != nil && p != any(r) {
			text = fmt.Sprint("panic: ", p)
		}
	}()
	defer func() { text = r.complaint }()
	conformance(r, func() game.Position {
		return &faulty{MNK: NewMNK(3, 3, 3), fault: fault, log: new([]game.Move)}
	})
	return ""
}
