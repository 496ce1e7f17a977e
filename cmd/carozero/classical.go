package main

import (
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/internal/engine"
)

// classicalFlags are the settings of one classical search.
type classicalFlags struct {
	nodes               int64
	depth, table, lines int
}

// Defaults of a classical search.
const (
	defaultNodes    = 1_000_000
	defaultTableMiB = 64
)

// register adds the flags that every command with a classical search has.
func (f *classicalFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.Int64Var(&f.nodes, "nodes", 0, "alphabeta: moves that the search plays at most (default 1000000 where nothing else bounds it)")
	fs.IntVar(&f.depth, "depth", 0, "alphabeta: last iteration, in plies")
	fs.IntVar(&f.table, "table", defaultTableMiB, "alphabeta: size of the transposition table, in MiB")
}

// registerLines adds the flag of commands that show several moves.
func (f *classicalFlags) registerLines(cmd *cobra.Command) {
	cmd.Flags().IntVar(&f.lines, "lines", 1, "alphabeta: best moves to show, each with its line")
}

// limits returns what bounds the search, time included.
func (f *classicalFlags) limits(cmd *cobra.Command, limit time.Duration) (alphabeta.Limits, error) {
	given := cmd.Flags().Changed
	switch {
	case f.nodes < 0 || f.nodes == 0 && given("nodes"):
		return alphabeta.Limits{}, usagef("--nodes %d: want 1 or more", f.nodes)
	case f.depth < 0 || f.depth > alphabeta.MaxDepth || f.depth == 0 && given("depth"):
		return alphabeta.Limits{}, usagef("--depth %d: want 1 to %d", f.depth, alphabeta.MaxDepth)
	case f.lines < 1 && given("lines"):
		return alphabeta.Limits{}, usagef("--lines %d: want 1 or more", f.lines)
	}
	if f.nodes == 0 && f.depth == 0 && limit == 0 {
		f.nodes = defaultNodes
	}
	return alphabeta.Limits{Nodes: f.nodes, Depth: f.depth, Lines: f.lines, Time: limit}, nil
}

// check refuses impossible numbers of threads and sizes of the table.
func (f *classicalFlags) check(threads int) error {
	if threads < 0 || threads > engine.MaxThreads {
		return usagef("--threads %d: want 1 to %d", threads, engine.MaxThreads)
	}
	if f.table < 1 {
		return usagef("--table %d: want 1 MiB or more", f.table)
	}
	if err := alphabeta.CheckTable(f.table); err != nil {
		return usagef("--table %d: %w", f.table, err)
	}
	return nil
}

// open sets up the search.
func (f *classicalFlags) open(v engine.Variant, threads int, level engine.Level) (*engine.Classical, error) {
	if err := f.check(threads); err != nil {
		return nil, err
	}
	return engine.NewClassical(v, engine.ClassicalOptions{
		Search: alphabeta.Options{Threads: threads, TableMiB: f.table}, Level: level,
	})
}

// levelFlag chooses a strength of play.
type levelFlag struct{ name string }

func (f *levelFlag) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.name, "level", "", "alphabeta: strength, each a fixed number of nodes a move: "+strings.Join(engine.LevelNames(), ", "))
	complete(cmd, "level", engine.LevelNames()...)
}

// level returns the level, the zero Level without one. It excludes other
// budgets.
func (f *levelFlag) level(cmd *cobra.Command) (engine.Level, error) {
	if f.name == "" {
		return engine.Level{}, nil
	}
	for _, other := range []string{"nodes", "depth", "time"} {
		if cmd.Flags().Changed(other) {
			return engine.Level{}, usagef("--level has a budget of its own: leave out --%s", other)
		}
	}
	level, err := engine.ParseLevel(f.name)
	if err != nil {
		return level, usagef("--level: %w", err)
	}
	return level, nil
}
