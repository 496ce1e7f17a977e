package main

import (
	"errors"
	"math/rand/v2"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/front/truth"
	"github.com/carozero/carozero/internal/support/option"
)

// compareCommand holds the flags of the command "bitbase compare".
type compareCommand struct {
	players   []string
	positions int
	plies     int
	seed      uint64
	cacheMiB  int
	net       netFlags
	output    outputFlags
}

// comparedPlayers are the players without --player.
var comparedPlayers = []string{
	"alphabeta:nodes=1000", "alphabeta:nodes=10000", "alphabeta:nodes=100000",
	"mcts:playouts=100", "mcts:playouts=400", "mcts:playouts=1600",
}

// newBitbaseCompare returns the command "bitbase compare".
func newBitbaseCompare() *cobra.Command {
	var c compareCommand
	cmd := &cobra.Command{
		Use:   "compare FILE",
		Short: "Count how often players are wrong in solved endgames",
		Long: `Draw positions of a file of solved endgames at random and let players think about
each of them, every time from nothing. Told of each player: won positions in which its
move does not win, drawn ones in which its move loses, decided ones of which its value
has not the sign, and positions of which it claims another result than the file has.

Players are described as in "match", without clocks. One with playouts=1 is the bare
network: its likeliest move and its value.`,
		Example: `  carozero bitbase compare five.bitbase --positions 1000
  carozero bitbase compare five.bitbase --min-plies 15
  carozero bitbase compare five.bitbase --player mcts:playouts=1,model=PATH --player alphabeta:depth=6`,
		Args: oneArg("a file of solved endgames"),
		RunE: c.run,
	}
	cmd.Flags().StringArrayVar(&c.players, "player", nil, "a player, as in mcts:playouts=400 or alphabeta:nodes=100000; may be repeated (default: both with three budgets)")
	addNum(cmd, &c.positions, option.Count.Named("positions").With(1000, "positions to draw"))
	addNum(cmd, &c.plies, option.GamePlies.Named("min-plies").With(0, "only positions that are decided in no fewer plies, and draws").ZeroMeans(""))
	addNum(cmd, &c.seed, option.RandomSeed)
	addNum(cmd, &c.cacheMiB, option.Cache)
	c.net.registerRuntime(cmd)
	c.output.register(cmd)
	return cmd
}

func (c *compareCommand) run(cmd *cobra.Command, args []string) (err error) {
	if len(c.players) == 0 {
		c.players = comparedPlayers
	}
	v, err := games.NewVariant(games.VariantOptions{Game: games.Onitama})
	if err != nil {
		return err
	}
	specs, err := c.specs(v)
	if err != nil {
		return err
	}
	solved, err := games.OpenEndgames(cmd.Context(), args[0])
	if err != nil {
		return interrupted(err, "nothing was compared")
	}
	defer func() { err = errors.Join(err, solved.Close()) }()
	sample, err := truth.Draw(cmd.Context(), solved, c.positions, c.plies, rand.New(rand.NewPCG(c.seed, 0)))
	if errors.Is(err, truth.ErrFew) {
		return usagef("--min-plies: %w", err)
	} else if err != nil {
		return interrupted(err, "nothing was compared")
	}
	r := &report.Compared{
		File: args[0], Seed: c.seed, MinPlies: c.plies, Positions: sample.Len(),
		Wins: sample.Wins, Draws: sample.Draws, Losses: sample.Losses, Choices: sample.Choices,
	}
	all := players.NewPlayers(c.net.loader(), v, c.seed, c.cacheMiB<<20)
	defer func() { err = errors.Join(err, all.Close()) }()
	bar := newProgress(len(specs)*sample.Len(), "positions")
	defer bar.Close()
	for _, spec := range specs {
		entrant, err := all.Entrant(spec)
		if err != nil {
			return err
		}
		p, err := entrant.New(cmd.Context())
		if err != nil {
			return err
		}
		wrong, err := truth.Examine(cmd.Context(), solved, sample, p, bar.step)
		if err = errors.Join(err, p.Close()); err != nil {
			return interrupted(err, "%d of %d players were compared, and nothing is kept; run it again", len(r.Players), len(specs))
		}
		r.Players = append(r.Players, report.ComparedPlayer{
			Player: spec.String(), LetGo: wrong.LetGo, Lost: wrong.Lost, WrongSign: wrong.WrongSign,
			FalseClaims: wrong.FalseClaims, Seconds: wrong.Elapsed.Seconds(),
		})
	}
	_ = bar.Close()
	return c.output.print(cmd, r)
}

// specs reads the players' descriptions.
func (c *compareCommand) specs(v games.Variant) ([]players.PlayerSpec, error) {
	var specs []players.PlayerSpec
	for _, text := range c.players {
		written, err := players.ParseSpec(text)
		if err != nil {
			return nil, usagef("--player: %w", err)
		}
		switch {
		case written.Kind == players.Exec:
			return nil, usagef("--player %q: want mcts or alphabeta", text)
		case written.Control.Limited():
			return nil, usagef("--player %q: a clock would make the figures depend on the machine; give playouts, nodes or depth", text)
		}
		spec, err := players.ParsePlayer(written)
		if err != nil {
			return nil, asUsage(err)
		}
		specs = append(specs, spec)
	}
	return specs, asUsage(players.CheckPlayers(v, specs, 1, c.cacheMiB, flagOf))
}
