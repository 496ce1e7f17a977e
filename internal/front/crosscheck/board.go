package crosscheck

import (
	"fmt"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
)

// cell is the distance of two lines of a drawn board, margin that of the first
// line from its edge.
const (
	cell   = 20
	margin = 24
)

// grid is the empty board, drawn once for all.
type grid struct {
	Size, Width int
	Lines       []int   // coordinate of each line
	Stars       []point // dots that help the eye
	Columns     []label // along the lower edge
	Rows        []label // along the left edge
}

type point struct{ X, Y int }

type label struct {
	At   int
	Text string
}

// stone is a stone of the position or of a line.
type stone struct {
	point
	Cell  int
	White bool
	Last  bool
}

// scene is a position with the lines to step through.
type scene struct {
	Stones []stone
	Marks  []mark
	Lines  []line
}

// mark shows an engine's move.
type mark struct {
	point
	Class, Text string
}

// line is a sequence of moves from the scene's position, as the page's script
// reads it.
type line struct {
	Name  string `json:"name"`
	Moves []step `json:"moves"`
}

// step is a move: where, whose, its name, and the cells of the stones that it
// took off the board.
type step struct {
	X     int    `json:"x"`
	Y     int    `json:"y"`
	White bool   `json:"w"`
	Text  string `json:"t"`
	Taken []int  `json:"r,omitempty"`
}

func newGrid(size int) grid {
	g := grid{Size: size, Width: 2*margin + (size-1)*cell}
	for i := range size {
		at := margin + i*cell
		g.Lines = append(g.Lines, at)
		g.Columns = append(g.Columns, label{at, string(rune('a' + i))})
		g.Rows = append(g.Rows, label{at, fmt.Sprint(size - i)})
	}
	if size >= 9 {
		near := 3
		for _, x := range []int{near, size / 2, size - 1 - near} {
			for _, y := range []int{near, size / 2, size - 1 - near} {
				if size%2 == 1 || x != size/2 && y != size/2 {
					g.Stars = append(g.Stars, g.at(y*size+x))
				}
			}
		}
	}
	return g
}

// at returns where a cell is drawn: the first row is the lowest.
func (g grid) at(c int) point {
	return point{margin + c%g.Size*cell, margin + (g.Size-1-c/g.Size)*cell}
}

// newScene draws a row's position; nil for games that are not drawn.
func newScene(g grid, v games.Variant, r *Row) (*scene, error) {
	pos, err := v.Parse(r.Position)
	if err != nil {
		return nil, err
	}
	stones := v.Stones(pos)
	if stones == nil {
		return nil, nil
	}
	_, moves, err := v.ParseGame(r.Position)
	if err != nil {
		return nil, err
	}
	last := game.NoMove
	if len(moves) > 0 {
		last = moves[len(moves)-1]
	}
	s := &scene{}
	for c, at := range stones {
		if at != games.NoStone {
			s.Stones = append(s.Stones, stone{
				point: g.at(c), Cell: c, White: at == games.SecondStone, Last: game.Move(c) == last,
			})
		}
	}
	n := v.Notation()
	marks := []struct{ class, text, move string }{{"m", "M", r.MCTS.Move}, {"a", "A", r.AlphaBeta.Move}}
	for _, m := range marks {
		if moves, err := n.ParseMoves(m.move); err == nil && len(moves) == 1 {
			s.Marks = append(s.Marks, mark{g.at(int(moves[0])), m.class, m.text})
		}
	}
	for _, l := range linesOf(r) {
		if moves := steps(g, v, pos, l.moves); len(moves) > 0 {
			s.Lines = append(s.Lines, line{l.name, moves})
		}
	}
	return s, nil
}

// namedLine is a line of a row in text.
type namedLine struct {
	name  string
	moves []string
}

// linesOf returns the lines of a row that are worth stepping through, the
// proof first. Alpha-beta's answer to a move follows that move.
func linesOf(r *Row) []namedLine {
	var list []namedLine
	if r.Proof != nil {
		list = append(list, namedLine{"proof", r.Proof.Line})
	}
	if p := r.AlphaBetaProof; p != nil && !slices.Equal(p.Line, r.Proof.Line) {
		list = append(list, namedLine{"proof of alpha-beta's blunder", p.Line})
	}
	if r.Win != nil && (r.Proof == nil || !slices.Equal(r.Win.Line, r.Proof.Line)) {
		list = append(list, namedLine{"proven win", r.Win.Line})
	}
	list = append(list, namedLine{"MCTS", r.MCTS.PV}, namedLine{"alpha-beta", r.AlphaBeta.PV})
	if d := r.Deeper; d != nil {
		list = append(list, namedLine{"MCTS deeper", d.MCTS.PV})
		for _, m := range []*MoveView{d.OfMCTS, d.OfAlpha} {
			if m != nil && m.AlphaBeta != nil {
				list = append(list, namedLine{"alpha-beta on " + m.Move, append([]string{m.Move}, m.AlphaBeta.PV...)})
			}
		}
	}
	return list
}

// steps plays a line and notes what changes; it stops where a line ends
// against the rules. The position is the same afterwards.
func steps(g grid, v games.Variant, pos game.Position, line []string) []step {
	n := v.Notation()
	var list []step
	for _, text := range line {
		moves, err := n.ParseMoves(text)
		if err != nil || len(moves) != 1 || pos.Outcome() != game.Undecided || !pos.Legal(moves[0]) {
			break
		}
		at := g.at(int(moves[0]))
		s := step{X: at.X, Y: at.Y, White: pos.ToMove() == game.Second, Text: text}
		before := v.Stones(pos)
		pos.Play(moves[0])
		for c, after := range v.Stones(pos) {
			if after == games.NoStone && before[c] != games.NoStone {
				s.Taken = append(s.Taken, c)
			}
		}
		list = append(list, s)
	}
	for range list {
		pos.Undo()
	}
	return list
}
