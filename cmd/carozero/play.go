package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/gomocup"
	"github.com/carozero/carozero/internal/option"
)

// playCommand is the command "play".
type playCommand struct {
	positionSearch
	side string
	book bookFlag
}

// newPlay returns the command "play".
func newPlay() *cobra.Command {
	var p playCommand
	return plain(&cobra.Command{
		Use:   "play",
		Short: "Play against the engine in the terminal",
		Long: `Play against the engine in the terminal, by lines: type a move such as h8, or one
of: undo (takes your last move and the engine's reply back), hint, board, help, quit.
A board for the mouse is 'carozero serve'.

A game begins in the centre of the board.

With --level the classical engine plays: beginner makes most moves at random
near the stones, easy sees fives and fours and little else and does not always
take its best move, medium, hard and max look further ahead. A level thinks about
the same number of nodes on every machine, and with the same --seed answers the
same moves alike.`,
		Example: `  carozero play
  carozero play --level medium
  carozero play --game onitama --engine alphabeta --time 2s`,
	}, p.run, p.position.register, p.endgames.register, p.book.register, p.register, p.registerLevel)
}

func (p *playCommand) register(cmd *cobra.Command) {
	p.engineFlags.register(cmd, "what plays", engineMCTS, 800, rootSolver)
	addWord(cmd, &p.side, "side", "first", "the side that you play: first or second", sideWords...)
	addNum(cmd, &p.limit,
		option.Time.With(0,
			"time of each of the engine's moves; without --playouts, --nodes and --depth it alone bounds them; "+
				"not reproducible"))
}

func (p *playCommand) run(cmd *cobra.Command, _ []string) (err error) {
	if p.position.board == "-" {
		return usagef("--board -: standard input is where your moves come from; give a file")
	}
	v, pos, err := p.read(cmd)
	if err != nil {
		return err
	}
	defer func() { err = p.endgames.close(err) }()
	if err := p.book.open(); err != nil {
		return err
	}
	defer p.book.close()
	if p.book.book != nil {
		if err := covers(p.book.book, v); err != nil {
			return about("--book "+p.book.file, err)
		}
	}
	rival, err := p.opponent(cmd, v)
	if err != nil {
		return err
	}
	t := &table{
		v: v, pos: pos, human: sideOf(p.side), opponent: rival, notation: v.Notation(),
		in: bufio.NewReader(cmd.InOrStdin()), out: cmd.OutOrStdout(),
	}
	defer rival.close()
	err = t.run(cmd.Context())
	return interrupted(err, "the moves that were played: %s", cmp.Or(v.Notation().FormatMoves(t.played), "none"))
}

// opponent is the engine that plays.
type opponent struct {
	engine engine.Engine
	limits engine.Limits // of its moves
	close  func()
}

// opponent sets up the engine that plays: from the book first, and on an empty board the
// centre. Without a level engine and budget are those of the flags.
func (p *playCommand) opponent(cmd *cobra.Command, v games.Variant) (*opponent, error) {
	o := &opponent{close: func() {}}
	var e engine.Engine
	if p.name == engineAlphaBeta {
		c, err := p.openClassical(v)
		if err != nil {
			return nil, err
		}
		e = c
		if p.level == "" {
			o.limits = p.within(p.limit)
		}
	} else {
		o.limits = engine.Limits{Nodes: int64(p.playouts), Clock: engine.Clock{Turn: p.limit}}
		if p.limit > 0 && !cmd.Flags().Changed("playouts") {
			o.limits.Nodes = 0
		}
		n, tree, err := p.openTree(v, int(o.limits.Nodes))
		if err != nil {
			return nil, err
		}
		e, o.close = tree, func() { _ = errors.Join(tree.Close(), n.Close()) }
		if err := tree.Prepare(); err != nil {
			o.close()
			return nil, err
		}
	}
	o.engine, o.limits.Seed = p.book.before(engine.NewCentre(e, v), v), p.seed
	return o, nil
}

// table is a game between a person and an engine, by lines.
type table struct {
	v        games.Variant
	pos      game.Position
	human    game.Side
	opponent *opponent
	notation game.Notation
	played   []game.Move
	in       *bufio.Reader
	out      io.Writer
}

// errQuit is returned when the person quits.
var errQuit = errors.New("quit")

func (t *table) run(ctx context.Context) error {
	t.draw()
	for t.pos.Outcome() == game.Undecided {
		turn := t.engineTurn
		if t.pos.ToMove() == t.human {
			turn = t.humanTurn
		}
		if err := turn(ctx); errors.Is(err, errQuit) {
			return nil
		} else if err != nil {
			return err
		}
	}
	switch t.pos.Outcome() {
	case game.Draw:
		fmt.Fprintf(t.out, "A draw (%s).\n", t.pos.Reason())
	case game.WinFor(t.human):
		fmt.Fprintf(t.out, "You win (%s).\n", t.pos.Reason())
	default:
		fmt.Fprintf(t.out, "The engine wins (%s).\n", t.pos.Reason())
	}
	return nil
}

func (t *table) engineTurn(ctx context.Context) error {
	found, err := t.think(ctx)
	if err != nil {
		return err
	}
	t.play(found.Move)
	fmt.Fprintf(t.out, "Engine plays %s\n", t.remark(found))
	t.draw()
	return nil
}

func (t *table) think(ctx context.Context) (*engine.Answer, error) {
	return engine.Complete(ctx, t.opponent.engine, t.pos, t.opponent.limits)
}

// remark tells the move of an answer, what the engine thinks of it, what that took, and the
// moves that it expects.
func (t *table) remark(a *engine.Answer) string {
	text := fmt.Sprintf("%s (its win rate %.0f%%", t.notation.FormatMove(a.Move), 50*(a.Value+1))
	if a.Book != "" {
		text += ", from the book"
	}
	switch {
	case a.Proof.Result == game.Unproven:
	case a.Proof.Claimed:
		text += fmt.Sprintf(", claims %v", a.Proof)
	case a.Proof.Plies == 0:
		text += fmt.Sprintf(", a proven %v", a.Proof.Result) // by a game without an end
	default:
		text += fmt.Sprintf(", a proven %v in %d plies", a.Proof.Result, a.Proof.Plies)
	}
	if a.Stats.Visits > 0 {
		text += fmt.Sprintf("; %d playouts", a.Stats.Nodes)
	} else if a.Stats.Nodes > 0 {
		text += fmt.Sprintf("; %d nodes, depth %d", a.Stats.Nodes, a.Stats.Depth)
	}
	if len(a.Line) > 1 {
		text += "; expects " + t.notation.FormatMoves(a.Line[1:min(len(a.Line), 6)])
	}
	return text + ")"
}

func (t *table) humanTurn(ctx context.Context) error {
	fmt.Fprintf(t.out, "Your move (%v): ", t.human)
	line, err := await(ctx, func() (string, error) { return t.in.ReadString('\n') })
	if line == "" && errors.Is(err, io.EOF) {
		fmt.Fprintln(t.out)
		return errQuit
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	line = strings.TrimSpace(line)
	switch strings.ToLower(line) {
	case "":
	case "quit", "exit":
		return errQuit
	case "help":
		fmt.Fprint(t.out, "Type a move such as h8, or: undo, hint, board, quit.\n")
	case "board":
		t.draw()
	case "undo":
		t.undo()
	case "hint":
		found, err := t.think(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(t.out, "The engine would play %s\n", t.remark(found))
	default:
		t.humanMove(line)
	}
	return nil
}

// humanMove plays a move that a person typed, or says what is wrong with it.
func (t *table) humanMove(line string) {
	moves, err := t.notation.ParseMoves(line)
	switch {
	case err != nil:
		fmt.Fprintln(t.out, err)
	case len(moves) != 1:
		fmt.Fprintln(t.out, "One move at a time, please.")
	case !t.pos.Legal(moves[0]):
		fmt.Fprintf(t.out, "%s is not a legal move here.\n", t.notation.FormatMove(moves[0]))
	default:
		t.play(moves[0])
		t.draw()
	}
}

func (t *table) play(m game.Move) {
	t.pos.Play(m)
	t.played = append(t.played, m)
}

// undo takes moves back until the person is to move again.
func (t *table) undo() {
	if len(t.played) < 2 {
		fmt.Fprintln(t.out, "There is no move of yours to take back.")
		return
	}
	for range 2 {
		t.pos.Undo()
		t.played = t.played[:len(t.played)-1]
	}
	t.draw()
}

// draw shows the board, with row numbers and column letters where it does not draw them itself.
func (t *table) draw() {
	drawing, size := t.v.Drawing(t.pos), t.v.Size
	rows := strings.Split(strings.TrimSuffix(drawing, "\n"), "\n")
	if len(rows) != size {
		fmt.Fprintln(t.out, drawing)
		return
	}
	for i, row := range rows {
		fmt.Fprintf(t.out, "%2d %s\n", size-i, row)
	}
	fmt.Fprint(t.out, "  ")
	for x := range size {
		fmt.Fprintf(t.out, " %c", 'a'+x)
	}
	fmt.Fprintln(t.out)
}

// gomocupCommand holds the flags of the command "gomocup".
type gomocupCommand struct {
	engineFlags
	book bookFlag
}

// newGomocup returns the command "gomocup".
func newGomocup() *cobra.Command {
	var g gomocupCommand
	return plain(&cobra.Command{
		Use:   "gomocup",
		Short: "Speak the Gomocup protocol on standard input and output",
		Long: `Speak the Gomocup (Piskvork) protocol and its Yixin extension on standard input
and output, for managers and boards. The client chooses the size (START, 5 to
22), the rule (INFO rule 0 freestyle, 1 standard, 4 renju, 8 caro-overline,
9 caro), the clocks, threads and memory, with INFO max_node an exact number of
playouts (mcts) or nodes (alphabeta) a move, and with INFO pondering 1 that the
engine thinks during the opponent's turn; moves then depend on the opponent's
time and are not reproducible.`,
		Example: `  carozero gomocup --threads 2 --table 256
  carozero gomocup --engine mcts --playouts 2000
  printf 'START 15\nBEGIN\n' | carozero gomocup`,
	}, g.run, g.register, g.registerLevel, g.book.register)
}

func (g *gomocupCommand) register(cmd *cobra.Command) {
	// alpha-beta is the stronger in equal time; the solver is cheap, since clocks may be short
	g.engineFlags.register(cmd, "what finds the moves", engineAlphaBeta, gomocup.DefaultNodes, games.DefaultSolvers().Root)
}

func (g *gomocupCommand) run(cmd *cobra.Command, _ []string) (err error) {
	if err := g.book.open(); err != nil {
		return err
	}
	defer g.book.close()
	o := gomocup.Options{Version: version, Nodes: g.playouts}
	var open gomocup.Open
	if g.name == engineAlphaBeta {
		options, err := g.classical()
		if err != nil {
			return err
		}
		limits := g.within(0)
		o = gomocup.ClassicalBudget()
		o.Version, o.Depth, o.Seed = version, limits.Depth, g.seed
		if limits.Nodes > 0 {
			o.Nodes = int(limits.Nodes)
		}
		open = gomocup.OpenClassical(options)
	} else {
		if int64(g.tree.MemoryMiB()) > option.TreeMemory.Default { // the default is never refused
			if err := g.checkTree(g.tree.Search.Memory); err != nil {
				return err
			}
		}
		loader := g.loader()
		trees, done := gomocup.OpenTree(loader, g.model, g.treeOptions())
		defer func() { err = errors.Join(err, done()) }()
		o.Threads, open = loader.Threads(), trees
	}
	return gomocup.Serve(cmd.Context(), g.withBook(open), o, cmd.InOrStdin(), cmd.OutOrStdout())
}

// withBook returns what opens an engine that plays from the book first, in games of rules
// and a size that the book has.
func (g *gomocupCommand) withBook(open gomocup.Open) gomocup.Open {
	return func(s gomocup.Settings) (engine.Engine, error) {
		e, err := open(s)
		if err != nil {
			return nil, err
		}
		v, err := games.NewVariant(games.VariantOptions{Rule: s.Rule, Size: s.Size})
		if err != nil {
			return nil, err
		}
		return g.book.before(e, v), nil
	}
}
