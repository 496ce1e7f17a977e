package arena

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/disk"
)

// Openings gives each pair of games the moves that it starts with.
type Openings interface {
	// Opening returns the moves of pair, from 0: a pure function of it, legal
	// from the match's start, after which the game is undecided. It is called
	// by one goroutine at a time, and may block until ctx ends.
	Opening(ctx context.Context, pair int) ([]game.Move, error)
}

// OpeningList is a list of openings that repeats. It must not be empty.
type OpeningList [][]game.Move

// Opening returns entry pair modulo the length.
func (l OpeningList) Opening(_ context.Context, pair int) ([]game.Move, error) {
	return l[pair%len(l)], nil
}

// Bounds on a file of openings: the longest line and the whole, in bytes, and
// the number of lines.
const (
	maxOpeningLine  = 16 << 10
	maxOpeningBytes = 32 << 20
	maxOpenings     = 500_000
)

// ReadOpenings reads one opening from each line, and checks it against the rules from start:
// moves in the game's notation, or, where the line begins with a digit or a minus sign and
// size is not 0, offsets from the centre as [ParseOffsets] reads them. Empty lines and lines
// that begin with # are skipped, but that "# for GAME RULE SIZE" must name setting. Errors
// name the line; a text that is too long is an error.
func ReadOpenings(
	r io.Reader, setting string, start game.Position, notation game.Notation, size int,
) (OpeningList, error) {
	var list OpeningList
	lines := disk.NewLines(disk.Limit(r, maxOpeningBytes), maxOpeningLine, maxOpenings)
	for line, ok := lines.Next(); ok; line, ok = lines.Next() {
		text := strings.TrimSpace(line)
		var name, rule string
		if n, _ := fmt.Sscanf(text, "# for %s %s %d", &name, &rule, new(int)); n == 3 && text != "# for "+setting {
			return nil, fmt.Errorf("openings, line %d: %.60q, the games are of %s", lines.Number(), text, setting)
		}
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		parse := notation.ParseMoves
		if size > 0 && strings.IndexAny(text, "-0123456789") == 0 {
			parse = func(text string) ([]game.Move, error) { return ParseOffsets(text, size) }
		}
		moves, err := parse(text)
		if err == nil {
			_, err = follow(start, moves)
		}
		if err != nil {
			return nil, fmt.Errorf("openings, line %d: %w", lines.Number(), err)
		}
		list = append(list, slices.Clip(moves))
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("openings, line %d: %w", lines.Number()+1, err)
	}
	if len(list) == 0 {
		return nil, errors.New("openings: there is none: want one a line")
	}
	return list, nil
}

// follow returns the undecided position that moves lead to from start.
func follow(start game.Position, moves []game.Move) (game.Position, error) {
	pos := start.Clone()
	for i, m := range moves {
		if !pos.Legal(m) {
			return nil, fmt.Errorf("move %d is illegal", i+1)
		}
		pos.Play(m)
		if pos.Outcome() != game.Undecided {
			return nil, fmt.Errorf("the game is over after move %d", i+1)
		}
	}
	return pos, nil
}

// ParseOffsets reads an opening in the form of the Gomocup's files, "x,y,
// x,y, ...": the columns to the right of and the rows below the cell
// (size/2, size/2) counted from the top left. Cells are numbered row by row
// from the bottom left, as in gomoku. No cell may stand twice.
func ParseOffsets(text string, size int) ([]game.Move, error) {
	numbers := strings.Split(strings.TrimSuffix(strings.TrimSpace(text), ","), ",")
	if len(numbers)%2 != 0 {
		return nil, fmt.Errorf("%d numbers: want pairs x,y of offsets from the centre", len(numbers))
	}
	var moves []game.Move
	for i := 0; i < len(numbers); i += 2 {
		dx, errX := strconv.Atoi(strings.TrimSpace(numbers[i]))
		dy, errY := strconv.Atoi(strings.TrimSpace(numbers[i+1]))
		if errX != nil || errY != nil {
			return nil, fmt.Errorf("move %d, %q: want offsets x,y from the centre", i/2+1, numbers[i]+","+numbers[i+1])
		}
		first := -(size / 2) // offset of the leftmost column and the top row
		if dx < first || dx >= first+size || dy < first || dy >= first+size {
			return nil, fmt.Errorf("move %d, %d,%d: is off the board of size %d", i/2+1, dx, dy, size)
		}
		m := game.Move((size-1-(dy-first))*size + dx - first)
		if slices.Contains(moves, m) {
			return nil, fmt.Errorf("move %d, %d,%d: the cell is taken", i/2+1, dx, dy)
		}
		moves = append(moves, m)
	}
	return moves, nil
}

// Balance judges an undecided position: the expected score in -1..1 of the
// side to move. It must be a pure function of the position.
type Balance func(ctx context.Context, pos game.Position) (float64, error)

// RandomOpenings makes up openings of random legal moves. One in which either
// side can win at once, or cannot keep the other from doing so, is rejected.
// Of the rest it takes the first one whose Balance is within Tolerance of 0,
// or after Tries attempts the one nearest to 0.
type RandomOpenings struct {
	Start game.Position
	Plies int    // the length of an opening
	Seed  uint64 // together with the pair's number it determines the opening

	Balance   Balance // nil: the first opening is taken
	Tolerance float64
	Tries     int

	// Candidates appends to buf the moves to draw from, a subset of the legal
	// moves that is not empty; nil draws from all of them.
	Candidates func(pos game.Position, buf []game.Move) []game.Move

	// Starts is that of Options: where the openings of a pair begin; nil: at Start.
	Starts func(pair int) (game.Position, error)
}

// Opening returns the opening of pair.
func (o *RandomOpenings) Opening(ctx context.Context, pair int) ([]game.Move, error) {
	choice := game.Balanced{Tolerance: o.Tolerance, Tries: o.Tries}
	rng := rand.New(rand.NewPCG(o.Seed, uint64(pair)))
	start := o.Start
	if o.Starts != nil {
		var err error
		if start, err = o.Starts(pair); err != nil {
			return nil, err
		}
	}
	var drawer game.Drawer
	if o.Candidates != nil {
		drawer.Candidates = func(pos game.Position, _, buf []game.Move) []game.Move { return o.Candidates(pos, buf) }
	}
	for _, more := choice.Next(); more; _, more = choice.Next() {
		pos := start.Clone()
		moves, open := drawer.Draw(pos, o.Plies, nil, rng)
		if !open || oneSided(pos) {
			continue
		}
		if o.Balance == nil {
			return moves, nil
		}
		value, err := o.Balance(ctx, pos)
		if err != nil {
			return nil, fmt.Errorf("opening of pair %d: %w", pair+1, err)
		}
		choice.Judge(moves, value)
	}
	moves, found := choice.Opening()
	if !found {
		return nil, fmt.Errorf("opening of pair %d: none of %d random openings of %d moves leaves the game open; use "+
			"fewer moves", pair+1, choice.Tries, o.Plies)
	}
	return moves, nil
}

// oneSided reports whether the side to move can win at once, or cannot prevent
// the opponent from winning with its next move.
func oneSided(pos game.Position) bool {
	buf := make([]game.Move, 0, pos.MaxMoves())
	if len(pos.Wins(buf)) > 0 {
		return true
	}
	for _, m := range pos.Moves(buf) {
		if !losesAtOnce(pos, m) {
			return false
		}
	}
	return true
}

// losesAtOnce reports whether the move m loses on the spot or leaves the
// opponent a move that wins. It leaves pos as it was.
func losesAtOnce(pos game.Position, m game.Move) bool {
	opponent := pos.ToMove().Other()
	pos.Play(m)
	defer pos.Undo()
	switch pos.Outcome() {
	case game.Undecided:
		return pos.ToMove() == opponent && len(pos.Wins(nil)) > 0
	case game.WinFor(opponent):
		return true
	}
	return false
}
