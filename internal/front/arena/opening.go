package arena

import (
	"context"
	"errors"
	"fmt"
	"io"
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

// ReadOpenings reads one opening from each line, by parse, and checks it
// against the rules from start. Empty lines and lines that begin with # are
// skipped. Errors name the line; a text that is too long is an error.
func ReadOpenings(r io.Reader, start game.Position, parse func(string) ([]game.Move, error)) (OpeningList, error) {
	var list OpeningList
	lines := disk.NewLines(disk.Limit(r, maxOpeningBytes), maxOpeningLine, maxOpenings)
	for line, ok := lines.Next(); ok; line, ok = lines.Next() {
		text := strings.TrimSpace(line)
		if text == "" || strings.HasPrefix(text, "#") {
			continue
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

// OpeningParser returns the parser of a line of an openings file: moves in
// the game's notation, or, where the line begins with a digit or a minus sign
// and size is not 0, offsets from the centre as [ParseOffsets] reads them.
func OpeningParser(notation game.Notation, size int) func(string) ([]game.Move, error) {
	return func(text string) ([]game.Move, error) {
		if size > 0 && strings.IndexAny(text, "-0123456789") == 0 {
			return ParseOffsets(text, size)
		}
		return notation.ParseMoves(text)
	}
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
	moves := make([]game.Move, 0, len(numbers)/2)
	taken := make(map[game.Move]bool, len(numbers)/2)
	for i := 0; i < len(numbers); i += 2 {
		dx, errX := strconv.Atoi(strings.TrimSpace(numbers[i]))
		dy, errY := strconv.Atoi(strings.TrimSpace(numbers[i+1]))
		x, down := size/2+dx, size/2+dy
		switch {
		case errX != nil || errY != nil:
			return nil, fmt.Errorf("move %d, %q: want offsets x,y from the centre", i/2+1, numbers[i]+","+numbers[i+1])
		case dx < -size || dx > size || dy < -size || dy > size || x < 0 || x >= size || down < 0 || down >= size:
			return nil, fmt.Errorf("move %d, %d,%d: is off the board of size %d", i/2+1, dx, dy, size)
		}
		m := game.Move((size-1-down)*size + x)
		if taken[m] {
			return nil, fmt.Errorf("move %d, %d,%d: the cell is taken", i/2+1, dx, dy)
		}
		taken[m] = true
		moves = append(moves, m)
	}
	return moves, nil
}
