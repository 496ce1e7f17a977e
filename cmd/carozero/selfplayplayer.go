package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/carozero/carozero/internal/engine/generate"
	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/support/option"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/selfplay"
)

// Flags of selfplay that only one kind of player has.
var (
	treeOnly = append([]string{
		"playouts", "cheap-playouts", "full-share", "cheap-weight", "drop-tree",
		"cache", "at-once", "model", "threads", "onnxruntime", "provider",
		"forced-playouts", "gumbel", "gumbel-scale", "surprise-weight", "fork-share", "follow",
	}, option.Keys(search.GameSettings)...)
	bothForeign = slices.DeleteFunc(slices.Clone(treeOnly), func(name string) bool {
		return slices.Contains([]string{"cache", "model", "threads", "onnxruntime", "provider"}, name)
	})
	teacherOnly = []string{"lines", "target-temperature", "max-loss"}
)

// treeKeys are the keys of an mcts player's description that are flags here.
var treeKeys = append([]string{"playouts", "model"}, option.Keys(search.GameSettings)...)

// readPlayer reads --player: a teacher, or the tree search, whose keys stand for
// flags.
func (f *selfplayFlags) readPlayer(cmd *cobra.Command) error {
	spec, err := players.ParseSpec(f.player)
	if err != nil {
		return usagef("--player: %w", err)
	}
	foreign, other := teacherOnly, "alphabeta"
	switch spec.Kind {
	case players.MCTS:
		if err := setFlags(cmd.Flags(), spec.Args); err != nil {
			return usagef("--player %s: %w", f.player, err)
		}
	case players.AlphaBeta:
		t, err := generate.ParseTeaching(spec)
		if err != nil {
			return usagef("--player: %w", err)
		}
		f.teaching = &t
		foreign, other = treeOnly, "mcts"
	case players.Both:
		t, err := generate.ParseBothTeaching(spec)
		if err != nil {
			return usagef("--player: %w", err)
		}
		f.teaching = &t
		foreign, other = bothForeign, "mcts"
	default:
		return usagef("--player %q: want mcts, alphabeta or both: other programs give neither visits nor scores", f.player)
	}
	for _, name := range foreign {
		if cmd.Flags().Changed(name) {
			return usagef("--%s goes with --player %s, not with %s", name, other, spec.Kind)
		}
	}
	return nil
}

// setFlags sets the flags that an mcts player's keys stand for.
func setFlags(flags *pflag.FlagSet, args players.Args) error {
	for _, a := range args {
		name := string(flags.GetNormalizeFunc()(flags, a.Key))
		if !slices.Contains(treeKeys, name) {
			return usagef("unknown argument %q: want one of %s", a.Key, strings.Join(treeKeys, " "))
		}
		if flags.Changed(name) {
			return usagef("%s is given by --%s too", a.Key, name)
		}
		if err := flags.Set(name, a.Value); err != nil {
			return err
		}
	}
	return nil
}

// teacherTemperature returns the schedule by which a teacher's moves are drawn: the
// teacher's own, where no flag says otherwise.
func (f *selfplayFlags) teacherTemperature(cmd *cobra.Command) mcts.Schedule {
	t := selfplay.TeacherOptions{}.WithDefaults().Temperature
	flags := cmd.Flags()
	if flags.Changed("temperature") {
		t.Start = f.opts.Temperature.Start
	}
	if flags.Changed("temperature-end") {
		t.End = f.opts.Temperature.End
	}
	if flags.Changed("temperature-half-life") {
		t.HalfLife = f.opts.Temperature.HalfLife
	}
	return t
}
