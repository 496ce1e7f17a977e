package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/bookplay"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/front/terminal"
	"github.com/carozero/carozero/internal/support/option"
)

// playCommand holds the flags of the command "play".
type playCommand struct {
	net       netFlags
	search    searchFlags
	classical classicalFlags
	position  positionFlags
	engine    engineFlag
	level     levelFlag
	side      string
	limit     time.Duration
	noPonder  bool
	screen    screenFlags
	endgames  endgamesFlag
	book      bookFlag

	loader *networks.Loader // nil: no network was opened yet
}

// newPlay returns the command "play".
func newPlay() *cobra.Command {
	var p playCommand
	cmd := &cobra.Command{
		Use:   "play",
		Short: "Play against the engine in the terminal",
		Long: `Play against the engine in the terminal. On a terminal it is a board on the
whole screen: cursor keys and Enter, or a click, or a typed move such as h8; ?
shows all keys. Beside the board is what both engines think of your position,
which changes nothing about the opponent's moves.

With --plain, or where input or output is no terminal, it is lines instead. Type
a move such as h8, or one of: undo (takes your last move and the engine's reply
back), hint, board, help, quit.

Where only --time bounds its moves, the engine thinks while you do, at most five
minutes a turn. A game begins in the centre of the board.

With --level the classical engine plays: beginner makes most moves at random
near the stones, easy sees fives and fours and little else and does not always
take its best move, medium, hard and max look further ahead. A level thinks about the same number of nodes on every machine, and
with the same --seed answers the same moves alike, on the screen as in lines.`,
		Example: `  carozero play
  carozero play --level medium
  carozero play --rule renju --side second --playouts 2000
  carozero play --game onitama --engine alphabeta --time 2s --no-opinions`,
		Args: noArgs,
		RunE: p.run,
	}
	p.net.register(cmd)
	p.search.register(cmd, 800, rootSolver)
	p.classical.register(cmd)
	p.position.register(cmd)
	p.engine.register(cmd, "what plays", engineMCTS)
	p.level.register(cmd)
	addWord(cmd, &p.side, "side", "first", "the side that you play: first or second", sideWords...)
	addDuration(cmd, &p.limit, option.Time.With(0, "time of each of the engine's moves; without --playouts, --nodes and --depth it alone bounds them; not reproducible"))
	cmd.Flags().BoolVar(&p.noPonder, "no-ponder", false, "the engine does not think while you do, as it does where only --time bounds its moves")
	p.endgames.register(cmd)
	p.screen.register(cmd)
	p.book.register(cmd)
	return cmd
}

func (p *playCommand) run(cmd *cobra.Command, _ []string) (err error) {
	if err := p.engine.check(cmd); err != nil {
		return err
	}
	if p.position.board == "-" {
		return usagef("--board -: standard input is where your moves come from; give a file")
	}
	v, pos, err := p.position.open(cmd)
	if err != nil {
		return err
	}
	strength, err := p.strength(cmd)
	if err != nil {
		return err
	}
	solved, err := p.endgames.openFor(cmd, v, pos)
	if err != nil {
		return err
	}
	defer func() { err = p.endgames.close(err) }()
	p.classical.endgames, p.search.settings.Endgames = solved, solved
	if err := p.book.open(); err != nil {
		return err
	}
	defer p.book.close(cmd)
	if err := p.book.covers(v); err != nil {
		return err
	}
	opponent, err := p.open(v, strength)
	if err != nil {
		return err
	}
	if in, out, ok := p.screen.terminal(cmd); ok {
		return p.onScreen(cmd, in, out, terminal.Options{
			Variant: v, Start: pos, Human: terminal.Sides(sideOf(p.side)), Strength: strength, Opponent: opponent,
		})
	}
	defer opponent.Close()
	t := &table{
		pos: pos, human: sideOf(p.side), engine: opponent.Engine, limits: opponent.Limits, notation: v.Notation(), drawing: v.Drawing, size: v.Size,
		ponders: !p.noPonder && strength.Ponders(),
		in:      newLines(cmd.Context(), cmd.InOrStdin()), out: cmd.OutOrStdout(),
	}
	if err = t.run(cmd.Context()); p.position.board != "" && len(t.played) > 0 {
		return interrupted(err, "since --board %s was played: %s", p.position.board, v.Notation().FormatMoves(t.played))
	}
	set := map[string]string{}
	if len(t.played) > 0 {
		set["position"] = p.position.after(v, t.played)
	}
	return interrupted(err, "go on with: %s", again(cmd, nil, set))
}

// after returns the --position in which moves have been played.
func (f *positionFlags) after(v games.Variant, moves []game.Move) string {
	start, before, err := v.ParseGame(f.position)
	if err != nil {
		return f.position // which was read before
	}
	return v.FormatGame(start, append(before, moves...))
}

// strength returns the opponent that the flags ask for.
func (p *playCommand) strength(cmd *cobra.Command) (terminal.Strength, error) {
	if p.engine.name != engineAlphaBeta {
		s := terminal.Strength{Engine: players.PlayerKind(p.engine.name), Nodes: int64(p.search.playouts), Time: p.limit}
		if p.limit > 0 && !cmd.Flags().Changed("playouts") {
			s.Nodes = 0
		}
		return s, nil
	}
	s := terminal.Strength{Engine: players.AlphaBeta, Level: p.level.name}
	if _, err := p.level.level(cmd); err != nil || s.Level != "" {
		return s, err
	}
	limits := p.classical.limits(p.limit)
	s.Nodes, s.Depth, s.Time = limits.Nodes, limits.Depth, p.limit
	return s, nil
}

// open sets up the engine that plays: from the book first, and on an empty board the centre.
func (p *playCommand) open(v games.Variant, s terminal.Strength) (*terminal.Player, error) {
	player, err := p.openEngine(v, s)
	if err == nil {
		player.Engine = p.book.before(bookplay.NewCentre(player.Engine, v), v)
	}
	return player, err
}

func (p *playCommand) openEngine(v games.Variant, s terminal.Strength) (*terminal.Player, error) {
	limits := engine.Limits{Nodes: s.Nodes, Depth: s.Depth, Clock: engine.Clock{Turn: s.Time}}
	if s.Engine == players.AlphaBeta {
		var level search.Level
		if s.Level != "" {
			var err error
			if level, err = search.ParseLevel(s.Level); err != nil {
				return nil, err
			}
		}
		limits.Seed = p.search.seed
		classical := p.classical
		if s.Level != "" {
			classical.endgames = nil // or it would be stronger than its name says
		}
		e, err := classical.open(v, p.net.threads, level)
		if err != nil {
			return nil, err
		}
		return &terminal.Player{Engine: e, Limits: limits, Close: func() {}}, nil
	}
	limits.Seed = p.search.seed
	o := p.search.tree()
	o.Reuse = s.Ponders() // or there would be nothing to ponder for
	player, err := p.openTree(v, int(s.Nodes), o, limits)
	if err != nil || s.Engine != players.Both {
		return player, err
	}
	c, err := p.classical.open(v, 1, search.Level{})
	if err != nil {
		player.Close()
		return nil, err
	}
	player.Engine = p.engine.join(player.Engine.(*search.Tree), c, p.net.threads)
	return player, nil
}

// openTree sets up a tree search with the network of the flags.
func (p *playCommand) openTree(v games.Variant, playouts int, o search.TreeOptions, limits engine.Limits) (*terminal.Player, error) {
	flags := p.search
	flags.playouts = playouts
	if err := flags.check(v); err != nil {
		return nil, err
	}
	if p.loader == nil {
		p.loader = p.net.loader()
	}
	n, err := p.loader.Open(v, p.net.model)
	if err != nil {
		return nil, err
	}
	e, err := search.NewTree(n, o)
	if err == nil {
		err = e.Prepare()
	}
	if err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return &terminal.Player{Engine: e, Limits: limits, Close: func() { _ = errors.Join(e.Close(), n.Close()) }}, nil
}
