package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/think"
)

// playCommand holds the flags of the command "play".
type playCommand struct {
	variant   variantFlags
	net       netFlags
	search    searchFlags
	classical classicalFlags
	position  positionFlags
	engine    engineFlag
	level     levelFlag
	side      string
}

// newPlay returns the command "play".
func newPlay() *cobra.Command {
	var p playCommand
	cmd := &cobra.Command{
		Use:   "play",
		Short: "Play against the engine in the terminal",
		Long: `Play against the engine in the terminal. Type a move such as h8, or one of:
undo (takes your last move and the engine's reply back), hint, board, help,
quit.

With --level the classical engine plays: easy sees fives and fours and little
else and does not always take its best move, medium, hard and max look further
ahead. A level thinks about the same number of nodes on every machine, and
with the same --seed answers the same moves alike.`,
		Example: `  carozero play
  carozero play --level medium
  carozero play --rule renju --side second --playouts 2000`,
		Args: noArgs,
		RunE: p.run,
	}
	p.variant.register(cmd)
	p.net.register(cmd)
	p.search.register(cmd, 800, rootSolver)
	p.classical.register(cmd)
	p.position.register(cmd)
	p.engine.register(cmd, "what plays")
	p.level.register(cmd)
	cmd.Flags().StringVar(&p.side, "side", "first", "the side that you play: first or second")
	complete(cmd, "side", "first", "second")
	return cmd
}

func (p *playCommand) run(cmd *cobra.Command, _ []string) error {
	if err := p.engine.check(cmd); err != nil {
		return err
	}
	human, err := parseSide(p.side)
	if err != nil {
		return err
	}
	if p.position.board == "-" {
		return usagef("--board -: standard input is where your moves come from; give a file")
	}
	v, pos, err := openPosition(cmd, &p.variant, &p.position)
	if err != nil {
		return err
	}
	opponent, limits, closer, err := p.opponent(cmd, v)
	if err != nil {
		return err
	}
	defer closer()
	t := &table{
		pos: pos, human: human, engine: opponent, limits: limits, notation: v.Notation(), size: v.Size,
		in: newLines(cmd.Context(), cmd.InOrStdin()), out: cmd.OutOrStdout(),
	}
	if err = t.run(cmd.Context()); p.position.board != "" {
		return interrupted(err, "since --board %s was played: %s", p.position.board, v.Notation().FormatMoves(t.played))
	}
	set := map[string]string{}
	if len(t.played) > 0 {
		set["position"] = p.position.after(v, t.played)
	}
	return interrupted(err, "go on with: %s", again(cmd, nil, set))
}

// after returns the --position in which moves have been played.
func (f *positionFlags) after(v engine.Variant, moves []game.Move) string {
	start, before, err := v.ParseGame(f.position)
	if err != nil {
		return f.position // which was read before
	}
	return v.FormatGame(start, append(before, moves...))
}

// opponent sets up the engine that plays and what bounds each of its moves, and
// returns what frees it.
func (p *playCommand) opponent(cmd *cobra.Command, v engine.Variant) (think.Engine, think.Limits, func(), error) {
	limits := think.Limits{Nodes: int64(p.search.playouts)}
	if p.engine.name == engineAlphaBeta {
		limits = p.classical.limits(0)
		limits.Seed = p.search.seed
		level, err := p.level.level(cmd)
		if err != nil {
			return nil, limits, nil, err
		}
		e, err := p.classical.open(v, p.net.threads, level)
		return e, limits, func() {}, err
	}
	if err := p.search.check(v); err != nil {
		return nil, limits, nil, err
	}
	n, err := p.net.open(v)
	if err != nil {
		return nil, limits, nil, err
	}
	e, err := engine.NewTree(n, p.search.tree())
	if err != nil {
		n.Close()
	}
	return e, limits, func() { _ = errors.Join(e.Close(), n.Close()) }, err
}

func parseSide(text string) (game.Side, error) {
	switch text {
	case game.First.String():
		return game.First, nil
	case game.Second.String():
		return game.Second, nil
	}
	return game.First, usagef("--side %q: want first or second", text)
}
