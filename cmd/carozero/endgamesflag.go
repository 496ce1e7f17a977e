package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
)

// endgamesFlag names a file of solved endgames for the searches of a command.
type endgamesFlag struct {
	file string
	open games.Endgames // nil before a file is opened, and without one
}

func (f *endgamesFlag) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "bitbase", "", "file of solved endgames of Onitama, from 'carozero bitbase', that the search knows")
}

// openFor opens the file for a search that begins at pos, whose cards the endgames must
// have. It returns nil without the flag.
func (f *endgamesFlag) openFor(cmd *cobra.Command, v games.Variant, pos game.Position) (games.Endgames, error) {
	if f.file == "" {
		return nil, nil
	}
	solved, err := v.OpenEndgames(cmd.Context(), f.file)
	if errors.Is(err, games.ErrNoEndgames) {
		return nil, usagef("--bitbase: %w", err)
	} else if err != nil {
		return nil, interrupted(fmt.Errorf("--bitbase: %w", err), "nothing was searched")
	}
	if err := solved.Suits(pos); err != nil {
		return nil, errors.Join(usagef("--bitbase: %w", err), solved.Close())
	}
	f.open = solved
	return solved, nil
}

// openForAny opens the file for positions that are not known yet: the endgames are asked
// where they suit. It returns nil without the flag.
func (f *endgamesFlag) openForAny(cmd *cobra.Command) (games.Endgames, error) {
	if f.file == "" {
		return nil, nil
	}
	solved, err := games.OpenEndgames(cmd.Context(), f.file)
	if err != nil {
		return nil, interrupted(fmt.Errorf("--bitbase: %w", err), "nothing was searched")
	}
	f.open = solved
	return solved, nil
}

// close closes the file and adds to err what went wrong in reading it.
func (f *endgamesFlag) close(err error) error {
	if f.open == nil {
		return err
	}
	return errors.Join(err, f.open.Close())
}
