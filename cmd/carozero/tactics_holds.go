package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/tactics"
)

// newTacticsHolds returns the command "tactics holds".
func newTacticsHolds() *cobra.Command {
	finder := tactics.HoldFinder{}
	var file string
	cmd := &cobra.Command{
		Use:   "holds",
		Short: "Find positions in which exactly one move holds and print them",
		Long: `Find, in the games that lead to the problems of the suite, positions in which every
legal move but one is proven to lose, and print them a line each: rule, size,
position, move.`,
		Example: "  carozero tactics holds > holds.txt",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if finder.Refute < 1 || finder.Trust < 1 {
				return usagef("--nodes, --trust-nodes: want 1 or more")
			}
			problems, err := readTactics(file)
			if err != nil {
				return err
			}
			for _, p := range problems {
				found, err := finder.Game(cmd.Context(), p)
				if err != nil {
					return err
				}
				for _, h := range found {
					fmt.Fprintln(cmd.OutOrStdout(), h)
				}
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&finder.Refute, "nodes", 2_000, "most moves that the solver plays on each move of a position")
	cmd.Flags().IntVar(&finder.Trust, "trust-nodes", 50_000, "most moves that it plays to refute the move that is left")
	cmd.Flags().StringVar(&file, "suite", "", "file of problems (default: the suite that ships with the program)")
	return cmd
}
