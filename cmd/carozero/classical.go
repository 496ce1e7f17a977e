package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/support/option"
)

// classicalFlags are the settings of one classical search.
type classicalFlags struct {
	nodes               int64
	depth, table, lines int
	net                 string
	techniques          techniquesFlag
	endgames            games.Endgames // nil: none
}

// Defaults of a classical search.
const (
	defaultNodes    = 1_000_000
	defaultTableMiB = 64
)

// register adds the flags that every command with a classical search has.
func (f *classicalFlags) register(cmd *cobra.Command) {
	addInt(cmd, &f.nodes, option.Nodes.With(0, "alphabeta: moves that the search plays at most; 1000000 where nothing else bounds it"))
	addInt(cmd, &f.depth, option.Depth.With(0, "alphabeta: last iteration, in plies"))
	cmd.Flags().StringVar(&f.net, "net", "", "alphabeta: line network that judges positions: a shipped name, a path, or none for the fitted evaluation; by default the shipped one where it is stronger")
	addInt(cmd, &f.table, option.Table.With(defaultTableMiB, "alphabeta: size of the transposition table"))
	f.techniques.register(cmd)
}

// registerLines adds the flag of commands that show several moves.
func (f *classicalFlags) registerLines(cmd *cobra.Command) {
	addInt(cmd, &f.lines, option.Lines.With(1, "alphabeta: best moves to show, each with its line"))
}

// limits returns what bounds the search, time included.
func (f *classicalFlags) limits(limit time.Duration) engine.Limits {
	if f.nodes == 0 && f.depth == 0 && limit == 0 {
		f.nodes = defaultNodes
	}
	return engine.Limits{Nodes: f.nodes, Depth: f.depth, Lines: f.lines, Clock: engine.Clock{Turn: limit}}
}

// check refuses more threads than a classical search has, and what there is no
// memory for.
func (f *classicalFlags) check(threads int) error {
	if threads > players.MaxThreads {
		return usagef("--threads %d: want %s with --engine %s", threads, option.SearchThreads.Range(), engineAlphaBeta)
	}
	var m option.Memory
	m.Add(fmt.Sprintf("--table %d, --threads %d", f.table, max(threads, 1)), games.ClassicalBytes(max(threads, 1), f.table))
	return checkMemory(&m)
}

// options returns the search as the flags describe it.
func (f *classicalFlags) options(threads int, level search.Level) (search.ClassicalOptions, error) {
	o := search.ClassicalOptions{Search: alphabeta.Options{Threads: threads, TableMiB: f.table}, Level: level, Endgames: f.endgames}
	err := f.check(threads)
	if err == nil {
		err = f.techniques.set(&o.Search)
	}
	if err == nil {
		if o.Weights, o.Judge, err = networks.Judge(f.net); err != nil {
			err = fmt.Errorf("--net: %w", err)
		}
	}
	return o, err
}

// open sets up the search, so that no time of a move goes into that.
func (f *classicalFlags) open(v games.Variant, threads int, level search.Level) (*search.Classical, error) {
	o, err := f.options(threads, level)
	if err != nil {
		return nil, err
	}
	c, err := search.NewClassical(v, o)
	if err == nil {
		err = c.Prepare()
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// levelFlag chooses a strength of play.
type levelFlag struct{ name string }

func (f *levelFlag) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.name, "level", "", "alphabeta: strength, each a fixed number of nodes a move: "+strings.Join(search.LevelNames(), ", "))
	complete(cmd, "level", search.LevelNames()...)
}

// level returns the level, the zero Level without one. It excludes other
// budgets.
func (f *levelFlag) level(cmd *cobra.Command) (search.Level, error) {
	if f.name == "" {
		return search.Level{}, nil
	}
	for _, other := range []string{"nodes", "depth", "time"} {
		if cmd.Flags().Changed(other) {
			return search.Level{}, usagef("--level has a budget of its own: leave out --%s", other)
		}
	}
	level, err := search.ParseLevel(f.name)
	if err != nil {
		return level, usagef("--level: %w", err)
	}
	return level, nil
}

// techniquesFlag switches techniques of the classical search.
type techniquesFlag struct{ list string }

func (f *techniquesFlag) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.list, "techniques", "", "alphabeta: techniques to switch off or to set, as in rfp=off,lmr=80; 'carozero match --help' lists them")
}

// set puts what the flag says into the options of a search.
func (f *techniquesFlag) set(o *alphabeta.Options) error {
	if f.list == "" {
		return nil
	}
	seen := map[string]bool{}
	for _, item := range strings.Split(f.list, ",") {
		key, _, _ := strings.Cut(item, "=")
		if seen[key] {
			return usagef("--techniques %s: %s is there twice", shownValue(f.list), key)
		}
		seen[key] = true
	}
	if err := search.SetTechniques(o, f.list); err != nil {
		return usagef("--techniques: %w", err)
	}
	return nil
}
