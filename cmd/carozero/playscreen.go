package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/front/terminal"
)

// screenFlags say how a game is shown.
type screenFlags struct{ plain, ascii, noMouse, noOpinions bool }

func (f *screenFlags) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.BoolVar(&f.plain, "plain", false, "lines instead of a board on the whole screen, as where input or output is no terminal")
	fs.BoolVar(&f.ascii, "ascii", false, "screen: no letters beyond ASCII, as where the locale has none")
	fs.BoolVar(&f.noMouse, "no-mouse", false, "screen: leave the mouse to the terminal")
	fs.BoolVar(&f.noOpinions, "no-opinions", false, "screen: begin without the engines' opinion of your position")
}

// terminal returns the terminal for the full-screen view; false if there is
// none.
func (f *screenFlags) terminal(cmd *cobra.Command) (in, out *os.File, ok bool) {
	in, isFile := cmd.InOrStdin().(*os.File)
	written, isOurs := cmd.OutOrStdout().(*results)
	if f.plain || !isFile || !isOurs || terminal.ParseEnvironment(os.Environ()).Plain {
		return nil, nil, false
	}
	out, isFile = written.file.(*os.File)
	return in, out, isFile && term.IsTerminal(int(in.Fd())) && term.IsTerminal(int(out.Fd()))
}

// Budgets of the engines whose opinion is shown, so that they stop in the end if no move is
// made.
const (
	observerPlayouts = 20_000
	observerNodes    = 20_000_000
)

// onScreen plays on a terminal's screen, which is as before when it returns.
func (p *playCommand) onScreen(cmd *cobra.Command, in, out *os.File, o terminal.Options) error {
	if p.position.board == "" {
		start, moves, err := o.Variant.ParseGame(p.position.position)
		if err != nil {
			return err
		}
		o.Start, o.Moves = start, moves
	}
	o.In, o.Out, o.Messages, o.Environ = in, out, cmd.ErrOrStderr(), os.Environ()
	o.ASCII = p.screen.ascii || terminal.ParseEnvironment(o.Environ).ASCII
	o.NoMouse, o.Quiet = p.screen.noMouse, p.screen.noOpinions
	o.NoPonder = p.noPonder
	o.Endgames = p.classical.endgames
	o.Open, o.Observe = p.open, p.observe
	o.Folder, o.Program = ".", "carozero:"+version
	screen := terminal.New(o)
	p.net.messages = func() io.Writer { return noticeBoard{screen} }
	r, err := screen.Run(cmd.Context())
	p.net.messages = cmd.ErrOrStderr
	if r.Text != "" {
		fmt.Fprintln(cmd.OutOrStdout(), r.Text)
	}
	where := p.goOn(cmd, &o, &r)
	if err == nil && r.Outcome == game.Undecided && len(r.Moves) > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "carozero: %s\n", where)
	}
	return interrupted(err, "%s", where)
}

// observe sets up an engine whose opinion is shown, on one thread. It knows no solved
// endgames: what they say stands beside what it thinks itself.
func (p *playCommand) observe(v games.Variant, kind players.PlayerKind) (*terminal.Player, error) {
	if kind == players.AlphaBeta {
		classical := p.classical
		classical.endgames = nil
		e, err := classical.open(v, 1, search.Level{})
		if err != nil {
			return nil, err
		}
		return &terminal.Player{Engine: e, Limits: engine.Limits{Nodes: observerNodes}, Close: func() {}}, nil
	}
	o := p.search.tree()
	o.Reuse, o.Eval.Threads, o.Endgames = true, 1, nil
	return p.openTree(v, observerPlayouts, o, engine.Limits{Visits: observerPlayouts})
}

// goOn returns the command that resumes the game, for after the screen has closed.
func (p *playCommand) goOn(cmd *cobra.Command, o *terminal.Options, r *terminal.Result) string {
	same := r.Variant == o.Variant && r.Start.Hash() == o.Start.Hash()
	if p.position.board != "" && same && len(r.Moves) > 0 {
		return fmt.Sprintf("since --board %s was played: %s", p.position.board, r.Variant.Notation().FormatMoves(r.Moves))
	}
	set := map[string]string{}
	if len(r.Moves) > 0 {
		set["position"] = r.Variant.FormatGame(r.Start, r.Moves)
	} else {
		forget(cmd, "position")
	}
	if !same {
		forget(cmd, "board", "to-move", "captured", "rule", "size", "open-rule")
		names := r.Variant.Options()
		set["game"] = names.Game
		if r.Variant.Of().HasSizes() {
			set["rule"], set["size"] = names.Rule, strconv.Itoa(names.Size)
			if names.OpenRule {
				set["open-rule"] = "true"
			}
		}
	}
	if r.Human != o.Human && r.Human != terminal.Both {
		set["side"] = r.Human.String()
	}
	if r.Strength != o.Strength {
		forget(cmd, "level", "playouts", "nodes", "depth", "time")
		if r.Strength.Engine != o.Strength.Engine {
			forget(cmd, append(append([]string{"engine"}, mctsFlags...), alphaBetaFlags...)...)
		}
		for name, value := range strengthFlags(r.Strength) {
			set[name] = value
		}
	}
	return "go on with: " + again(cmd, nil, set)
}

// strengthFlags returns the flags that ask for a strength.
func strengthFlags(s terminal.Strength) map[string]string {
	if s.Level != "" {
		return map[string]string{"level": s.Level}
	}
	set := map[string]string{"engine": string(s.Engine)}
	if s.Nodes > 0 && s.Engine == players.MCTS {
		set["playouts"] = strconv.FormatInt(s.Nodes, 10)
	} else if s.Nodes > 0 {
		set["nodes"] = strconv.FormatInt(s.Nodes, 10)
	}
	if s.Depth > 0 {
		set["depth"] = strconv.Itoa(s.Depth)
	}
	if s.Time > 0 {
		set["time"] = s.Time.String()
	}
	return set
}

// forget marks flags as not given.
func forget(cmd *cobra.Command, names ...string) {
	for _, name := range names {
		if f := cmd.Flags().Lookup(name); f != nil {
			f.Changed = false
		}
	}
}

// noticeBoard shows what is written to it on a screen.
type noticeBoard struct{ screen *terminal.Screen }

// Write implements io.Writer.
func (n noticeBoard) Write(p []byte) (int, error) {
	n.screen.Notice(strings.TrimPrefix(strings.TrimSpace(string(p)), "carozero: "))
	return len(p), nil
}
