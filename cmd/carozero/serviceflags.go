package main

import (
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/front/analysis"
	"github.com/carozero/carozero/internal/support/option"
)

// serviceFlags choose what a service of analyses does where a query leaves it
// open, and what it may take.
type serviceFlags struct {
	variant  variantFlags
	net      netFlags
	opts     analysis.Options
	engine   string
	unwarned bool

	techniques techniquesFlag
	endgames   endgamesFlag
	book       bookFlag
}

// serviceDefaults are defaults in which commands differ: MiB of a tree, of a
// table and of the cache, and positions that may wait.
type serviceDefaults struct{ memory, table, cache, queue int64 }

func (f *serviceFlags) register(cmd *cobra.Command, d serviceDefaults) {
	f.variant.register(cmd)
	fs, o := cmd.Flags(), &f.opts
	f.net.registerModel(cmd)
	addWord(cmd, &f.engine, "engine", engineMCTS, "what analyses: mcts, alphabeta, both (the two as one engine, with one budget) or each (the two, each by itself)", engineMCTS, engineAlphaBeta, engineBoth, string(analysis.Each))
	addInt(cmd, &o.MaxVisits, option.Visits.Named("max-visits").With(800, "mcts: visits of a position; both: playouts"))
	addInt(cmd, &o.MaxNodes, option.Nodes.Named("max-nodes").With(200_000, "alphabeta: moves that the search of a position plays at most"))
	addInt(cmd, &o.PVLength, option.Count.Named("pv-length").With(15, "moves of a line that are shown beside the first"))
	o.Tree, o.Classical = search.DefaultTreeSettings(int(d.memory)), players.DefaultClassicalSettings(int(d.table))
	addSettings(cmd, players.FixedTreeSettings, &o.Tree, "mcts")
	addSettings(cmd, option.Only(players.ClassicalSettingsList, "table"), &o.Classical, "alphabeta")
	f.techniques.register(cmd)
	f.endgames.register(cmd)
	f.book.register(cmd)
	addInt(cmd, &o.Workers, option.Workers.Named("analysis-threads").With(int64(runtime.NumCPU()), "positions at once; changes no final answer"))
	addInt(cmd, &o.CacheMiB, option.Cache.With(d.cache, "memory of the cache of network results; changes no answer"))
	addInt(cmd, &o.Limits.Tasks, option.Count.Named("max-queue").With(d.queue, "positions that may wait"))
	addSeed(cmd, &o.Seed, option.RandomSeed)
	fs.BoolVar(&f.unwarned, "no-warnings", false, "no warnings about unknown fields and settings")
}

// know opens the solved endgames that searches may ask, and the book; whoever asks
// queries names no files. forget closes them.
func (f *serviceFlags) know(cmd *cobra.Command) error {
	if err := f.book.open(); err != nil {
		return err
	}
	f.opts.Book, f.opts.BookStats = f.book.book, &f.book.stats
	solved, err := f.endgames.openForAny(cmd)
	if err == nil && solved != nil {
		f.opts.Tree.Endgames = solved
		f.opts.Classical.SetEndgames(solved)
	}
	return err
}

// forget closes what know has opened, and returns err with what went wrong then.
func (f *serviceFlags) forget(cmd *cobra.Command, err error) error {
	f.book.close(cmd)
	return f.endgames.close(err)
}

// settle makes the flags options, and refuses more memory than there is.
func (f *serviceFlags) settle() error {
	v, err := f.variant.variant()
	if err != nil {
		return err
	}
	if v.Cards != "" {
		return usagef("--cards: who asks names the deal of a position")
	}
	name := analysis.EngineName(f.engine)
	o := &f.opts
	o.Game, o.Rules, o.Size, o.OpenRule = v.Game, v.Rule(), v.Size, v.OpenRule
	o.Engine = name
	o.Unwarned = o.Unwarned || f.unwarned
	if err := f.techniques.set(o.Classical.Search()); err != nil {
		return err
	}
	o.Version, o.Commit = version, commit
	var m option.Memory
	if name != analysis.AlphaBeta {
		m.Add(fmt.Sprintf("--analysis-threads %d, --memory %d", o.Workers, o.Tree.MemoryMiB()), o.Tree.Bytes(v, 0), o.Workers)
	}
	if name != analysis.MCTS {
		m.Add(fmt.Sprintf("--analysis-threads %d, --table %d", o.Workers, o.Classical.TableMiB()), games.ClassicalBytes(1, o.Classical.TableMiB()), o.Workers)
	}
	addCache(&m, o.CacheMiB)
	return checkMemory(&m)
}
