package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/mcts"
)

// newPlay returns the command "play".
func newPlay() *cobra.Command {
	var (
		variant  variantFlags
		net      netFlags
		search   searchFlags
		position positionFlags
		side     string
	)
	cmd := &cobra.Command{
		Use:   "play",
		Short: "Play against the engine in the terminal",
		Long: `Play against the engine in the terminal. Type a move such as h8, or one of:
undo (takes your last move and the engine's reply back), hint, board, help,
quit.`,
		Example: `  carozero play
  carozero play --rule renju --side second --playouts 2000`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := search.check(); err != nil {
				return err
			}
			human, err := parseSide(side)
			if err != nil {
				return err
			}
			v, err := variant.variant()
			if err != nil {
				return err
			}
			if position.board == "-" {
				return usagef("--board -: standard input is where your moves come from; give a file")
			}
			pos, err := position.read(v, nil)
			if err != nil {
				return err
			}
			n, err := net.open(v)
			if err != nil {
				return err
			}
			defer n.Close()
			eval, err := n.Evaluator(engine.EvalOptions{Seed: search.seed, Capacity: engine.MaxInFlight})
			if err != nil {
				return err
			}
			t := &table{
				pos: pos, human: human, playouts: search.playouts, notation: v.Notation(), size: v.Size,
				searcher: mcts.New(search.options(), eval, v.Prover(search.solver)), form: search.form,
				in: newLines(cmd.Context(), cmd.InOrStdin()), out: cmd.OutOrStdout(),
			}
			return t.run(cmd.Context())
		},
	}
	variant.register(cmd)
	net.register(cmd)
	search.register(cmd, 800)
	position.register(cmd)
	cmd.Flags().StringVar(&side, "side", "first", "the side that you play: first or second")
	complete(cmd, "side", "first", "second")
	return cmd
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

// table is a game between a person and the engine.
type table struct {
	pos      game.Position
	human    game.Side
	playouts int
	notation game.Notation
	size     int
	searcher *mcts.Searcher
	form     func(game.Position) game.Position
	played   []game.Move
	in       *lines
	out      io.Writer
}

// errQuit ends the game at the person's wish.
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
	r, err := t.search(ctx)
	if err != nil {
		return err
	}
	t.play(r.Move)
	proof := ""
	if r.Proven != mcts.Unknown {
		proof = fmt.Sprintf(", a proven %v in %d plies", r.Proven, r.ProofPlies)
	}
	fmt.Fprintf(t.out, "Engine plays %s (its win rate %.0f%%%s)\n", t.notation.FormatMove(r.Move), 50*(r.Value+1), proof)
	t.draw()
	return nil
}

func (t *table) search(ctx context.Context) (*mcts.Result, error) {
	if err := t.searcher.SetPosition(t.form(t.pos)); err != nil {
		return nil, err
	}
	if err := t.searcher.Search(ctx, mcts.Limits{Playouts: t.playouts}); err != nil {
		return nil, err
	}
	var r mcts.Result
	t.searcher.Result(&r)
	return &r, nil
}

func (t *table) humanTurn(ctx context.Context) error {
	fmt.Fprintf(t.out, "Your move (%v): ", t.human)
	line, err := t.in.next(ctx)
	if errors.Is(err, io.EOF) {
		fmt.Fprintln(t.out)
		return errQuit
	}
	if err != nil {
		return err
	}
	switch line = strings.TrimSpace(line); strings.ToLower(line) {
	case "":
	case "quit", "exit":
		return errQuit
	case "help":
		fmt.Fprintln(t.out, "Type a move such as h8, or: undo, hint, board, quit.")
	case "board":
		t.draw()
	case "undo":
		t.undo()
	case "hint":
		r, err := t.search(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(t.out, "The engine would play %s.\n", t.notation.FormatMove(r.Move))
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
		fmt.Fprintf(t.out, "%v\n", err)
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

// draw shows the board, with row numbers and column letters in gomoku.
func (t *table) draw() {
	drawing, ok := t.pos.(fmt.Stringer)
	if !ok {
		return
	}
	rows := strings.Split(strings.TrimSuffix(drawing.String(), "\n"), "\n")
	if len(rows) != t.size {
		fmt.Fprintln(t.out, drawing)
		return
	}
	for i, row := range rows {
		fmt.Fprintf(t.out, "%2d %s\n", t.size-i, row)
	}
	fmt.Fprint(t.out, "  ")
	for x := range t.size {
		fmt.Fprintf(t.out, " %c", 'a'+x)
	}
	fmt.Fprintln(t.out)
}

// lines reads lines without keeping an interrupt waiting.
type lines struct {
	lines chan string
	errs  chan error
}

func newLines(ctx context.Context, r io.Reader) *lines {
	l := &lines{lines: make(chan string), errs: make(chan error, 1)}
	go func() {
		scanner := bufio.NewScanner(r)
		for scanner.Scan() {
			select {
			case l.lines <- scanner.Text():
			case <-ctx.Done():
				return
			}
		}
		if err := scanner.Err(); err != nil {
			l.errs <- err
			return
		}
		l.errs <- io.EOF
	}()
	return l
}

func (l *lines) next(ctx context.Context) (string, error) {
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case err := <-l.errs:
		return "", err
	case line := <-l.lines:
		return line, nil
	}
}
