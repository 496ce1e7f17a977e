package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/arena"
	"github.com/carozero/carozero/internal/record"
	"github.com/carozero/carozero/internal/record/gamefiles"
	"github.com/carozero/carozero/internal/support/limitio"
)

// isRecord reports whether the beginning of a file is that of recorded games in a
// format that is no plain text.
func isRecord(head []byte, path string) bool {
	switch record.Detect(head[:min(len(head), record.HeadBytes)], path) {
	case record.SGF, record.PSQ, record.Lib, record.Litama:
		return true
	}
	return false
}

// fileIsRecord is isRecord of a file; false of one that cannot be read.
func fileIsRecord(path string) bool {
	head, err := headOf(path)
	return err == nil && isRecord(head, path)
}

// headOf returns the bytes of a file that tell its format.
func headOf(path string) ([]byte, error) {
	file, err := limitio.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	head := make([]byte, record.HeadBytes)
	n, err := io.ReadFull(file, head)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return head[:n], err
}

// recordOptions are what a file of games of a variant leaves open where its main lines
// alone are read.
func recordOptions(v games.Variant) record.Options {
	o := gamefiles.ReadOptions(v)
	o.MainLine = true
	return o
}

// recordedBoard returns the variant and the position after the main line of the
// first game of a file.
func recordedBoard(cmd *cobra.Command, v games.Variant, path string, data []byte) (games.Variant, game.Position, error) {
	trees, _, err := record.Parse(data, path, recordOptions(v))
	if err != nil {
		return v, nil, usagef("--board %s: %w", path, err)
	}
	o := v.Options()
	switch t := trees[0]; {
	case cmd.Flags().Changed("size") && t.Size != v.Size:
		return v, nil, usagef("--board %s is of %dx%d, --size is %d: want the same, or no --size", path, t.Size, t.Size, v.Size)
	case v.Columns() == 0 && t.Size == 0:
	case v.Columns() == 0:
		return v, nil, usagef("--board %s: a record of a game on a board of cells is none of %s", path, v.Game)
	default:
		o.Size = t.Size
	}
	r, err := gamefiles.NewRecord(trees[0], path, o, cmd.Flags().Changed("rule"))
	if err != nil {
		return v, nil, usagef("--board: %w", err)
	}
	sayGuessed(cmd, &r, cmd.Flags().Changed("rule"))
	g, err := r.Line(r.Tree.MainLeaf(), -1)
	if err != nil {
		return v, nil, usagef("--board: %w", err)
	}
	pos, err := g.At(len(g.Moves))
	return r.Variant, pos, err
}

// sayGuessed prints a note if a record names a rule that is none, unless the command line
// gives the rule.
func sayGuessed(cmd *cobra.Command, r *gamefiles.Record, given bool) {
	if text := r.Guessed(); text != "" && !given {
		noteOf(cmd)(text)
	}
}

// recordedOpenings returns the lines of the games of a file as openings.
func recordedOpenings(path string, v games.Variant) (list arena.OpeningList, err error) {
	r, err := gamefiles.Open([]string{path}, gamefiles.Options{Variant: v, Fixed: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		g, err := r.Next()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		pos, err := g.At(len(g.Moves))
		if err != nil {
			return nil, err
		}
		if pos.Outcome() != game.Undecided {
			return nil, fmt.Errorf("%s: the game is over after move %d: want openings", g.Source, len(g.Moves))
		}
		if list = append(list, g.Moves); len(list) > mostRecorded {
			return nil, fmt.Errorf("%s: more than %d openings", path, mostRecorded)
		}
	}
}

// mostRecorded bounds the openings of a file.
const mostRecorded = 500_000
