package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/front/terminal"
)

// table is a game between a person and the engine.
type table struct {
	pos      game.Position
	human    game.Side
	engine   engine.Engine
	limits   engine.Limits // of its moves
	ponders  bool          // it thinks while the person does
	notation game.Notation
	drawing  func(pos game.Position) string
	size     int
	played   []game.Move
	in       *lines
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
	found, err := engine.Complete(ctx, t.engine, t.pos, t.limits)
	if err != nil {
		return err
	}
	t.play(found.Move)
	fmt.Fprintf(t.out, "Engine plays %s (%s)\n", t.notation.FormatMove(found.Move), terminal.Remark(found))
	if h := found.Halves; h != nil {
		fmt.Fprintln(t.out, h.Text(t.notation))
	}
	t.draw()
	return nil
}

func (t *table) humanTurn(ctx context.Context) error {
	fmt.Fprintf(t.out, "Your move (%v): ", t.human)
	line, err := t.listen(ctx)
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
		found, err := engine.Complete(ctx, t.engine, t.pos, t.limits)
		if err != nil {
			return err
		}
		fmt.Fprintf(t.out, "The engine would play %s.\n", t.notation.FormatMove(found.Move))
	default:
		t.humanMove(line)
	}
	return nil
}

// listen waits for a line, while the engine may ponder.
func (t *table) listen(ctx context.Context) (string, error) {
	if !t.ponders || len(t.played) == 0 {
		return t.in.next(ctx)
	}
	thinking, stop := context.WithTimeout(ctx, terminal.PonderTime)
	var pondering sync.WaitGroup
	pos := t.pos.Clone()
	pondering.Go(func() { t.engine.Ponder(thinking, pos) })
	defer pondering.Wait()
	defer stop()
	return t.in.next(ctx)
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

// draw shows the board, with row numbers and column letters where it does not draw them itself.
func (t *table) draw() {
	drawing := t.drawing(t.pos)
	rows := strings.Split(strings.TrimSuffix(drawing, "\n"), "\n")
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
