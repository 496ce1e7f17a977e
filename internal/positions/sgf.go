package positions

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
)

// sgf hands out the games of a collection in the format SGF, version 3 or 4
// (red-bean.com/sgf): the main line of each, variations passed over.
type sgf struct {
	path string
	in   sgfReader
	*agreement
}

func newSGF(path string, in *bufio.Reader, a *agreement) *sgf {
	return &sgf{path: path, in: sgfReader{in: in, line: 1}, agreement: a}
}

func (s *sgf) next() (Game, error) {
	if err := s.in.seek(); errors.Is(err, io.EOF) {
		return Game{}, io.EOF
	} else if err != nil {
		return Game{}, s.wrap(err)
	}
	line := s.in.line
	var record sgfGame
	if err := s.in.tree(record.property); err != nil {
		return Game{}, s.wrap(err)
	}
	g, err := record.game(fmt.Sprintf("%s:%d", s.path, line), s.agreement)
	if err != nil {
		return Game{}, err
	}
	if err = g.replay(); err != nil {
		return Game{}, fmt.Errorf("%s: %w", g.Source, err)
	}
	return g, nil
}

func (s *sgf) wrap(err error) error {
	return fmt.Errorf("%s:%d: %w", s.path, s.in.line, err)
}

// sgfGame collects what matters of one game.
type sgfGame struct {
	kind, size, rules, result string
	setup                     [2][]string // by side, points
	moves                     []sgfMove
	values                    map[int]string // by node
}

type sgfMove struct {
	side  game.Side
	point string
	node  int // 0: set up
}

// maxSGFMoves is more than any board has cells.
const maxSGFMoves = 1024

// maxSGFShort is more than a point, a number or a name needs, in bytes. It
// bounds what a game keeps of its text.
const maxSGFShort = 256

// property takes one value of a property of the main line.
func (g *sgfGame) property(node int, name, value string) error {
	switch name {
	case "GM", "SZ", "RU", "RE", "B", "W", "V", "AB", "AW":
		if len(value) > maxSGFShort {
			return fmt.Errorf("%s[%s] has %d bytes, want at most %d", name, excerpt(value), len(value), maxSGFShort)
		}
	}
	switch name {
	case "GM":
		g.kind = value
	case "SZ":
		g.size = value
	case "RU":
		g.rules = value
	case "RE":
		g.result = value
	case "B":
		g.moves = append(g.moves, sgfMove{game.First, value, node})
	case "W":
		g.moves = append(g.moves, sgfMove{game.Second, value, node})
	case "V":
		if g.values == nil {
			g.values = map[int]string{}
		}
		g.values[node] = value
	case "AB", "AW":
		if len(g.moves) > 0 {
			return fmt.Errorf("%s after the first move: want set-up stones before it only", name)
		}
		side := game.First
		if name == "AW" {
			side = game.Second
		}
		g.setup[side] = append(g.setup[side], value)
	case "AE":
		return errors.New("AE takes stones off the board: want games of moves")
	}
	if len(g.moves)+len(g.setup[0])+len(g.setup[1]) > maxSGFMoves || len(g.values) > maxSGFMoves {
		return fmt.Errorf("more than %d moves", maxSGFMoves)
	}
	return nil
}

// game builds the game. Its moves are not yet replayed.
func (g *sgfGame) game(source string, a *agreement) (Game, error) {
	if kind := strings.TrimSpace(g.kind); kind != "" && kind != "4" {
		return Game{}, fmt.Errorf("%s: GM[%s] is another game: want GM[4], gomoku and renju", source, excerpt(kind))
	}
	size, err := sgfSize(g.size)
	if err != nil {
		return Game{}, fmt.Errorf("%s: %w", source, err)
	}
	v, err := a.settle(source, claim{rule: g.rules, size: size})
	if err != nil {
		return Game{}, err
	}
	out := Game{Variant: v, Source: source}
	out.Outcome, out.Reason = sgfResult(g.result)
	list, err := g.line()
	if err != nil {
		return Game{}, fmt.Errorf("%s: %w", source, err)
	}
	for i, m := range list {
		cell, err := sgfPoint(m.point, v.Size)
		if err != nil {
			return Game{}, fmt.Errorf("%s: move %d: %w", source, i+1, err)
		}
		out.Moves = append(out.Moves, cell)
	}
	if out.Values, err = g.judged(list); err != nil {
		return Game{}, fmt.Errorf("%s: %w", source, err)
	}
	out.Opening = len(g.setup[0]) + len(g.setup[1])
	out.Single = len(g.moves) == 0
	return out, nil
}

// judged returns what the record thinks each move of the list is worth to black;
// nil if it says nothing of any.
func (g *sgfGame) judged(list []sgfMove) ([]float64, error) {
	if len(g.values) == 0 {
		return nil, nil
	}
	values := make([]float64, len(list))
	for i, m := range list {
		text, known := g.values[m.node]
		if !known || m.node == 0 {
			values[i] = math.NaN()
			continue
		}
		v, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
			return nil, fmt.Errorf("move %d: V[%s]: want a number", i+1, excerpt(text))
		}
		values[i] = v
	}
	return values, nil
}

// line returns the moves, after the set-up stones as if these had been played
// in turn, and checks that the sides take turns.
func (g *sgfGame) line() ([]sgfMove, error) {
	var list []sgfMove
	black, white := g.setup[game.First], g.setup[game.Second]
	if d := len(black) - len(white); d != 0 && d != 1 {
		return nil, fmt.Errorf("%d black and %d white stones are set up: want as many of both, or one more of black", len(black), len(white))
	}
	for i, p := range black {
		list = append(list, sgfMove{game.First, p, 0})
		if i < len(white) {
			list = append(list, sgfMove{game.Second, white[i], 0})
		}
	}
	list = append(list, g.moves...)
	for i, m := range list {
		if m.side != game.Side(i%2) {
			return nil, fmt.Errorf("move %d is %s's: want the sides to take turns, black first", i+1, [2]string{"black", "white"}[m.side])
		}
	}
	return list, nil
}
