package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/search"
)

// maxPonder bounds how long an engine ponders in one turn of a person, who may have left.
const maxPonder = 5 * time.Minute

// table is a game between a person and an engine, by lines.
type table struct {
	pos      game.Position
	human    game.Side
	opponent *opponent
	change   func(level string) (*opponent, error)
	level    string // to which the opponent was changed; "": it was not
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
	case a.Proof.Result == engine.Unknown:
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
	line, err := t.listen(ctx)
	if errors.Is(err, io.EOF) {
		fmt.Fprintln(t.out)
		return errQuit
	}
	if err != nil {
		return err
	}
	line = strings.TrimSpace(line)
	word, argument, _ := strings.Cut(strings.ToLower(line), " ")
	switch word {
	case "":
	case "quit", "exit":
		return errQuit
	case "help":
		fmt.Fprintf(t.out, "Type a move such as h8, or: undo, hint, level NAME (%s), board, quit.\n", strings.Join(search.LevelNames(), ", "))
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
	case "level":
		t.changeLevel(strings.TrimSpace(argument))
	default:
		t.humanMove(line)
	}
	return nil
}

// listen waits for a line, while the engine may ponder.
func (t *table) listen(ctx context.Context) (string, error) {
	if !t.opponent.ponders || len(t.played) == 0 {
		return t.in.next(ctx)
	}
	thinking, stop := context.WithTimeout(ctx, maxPonder)
	var pondering sync.WaitGroup
	pos := t.pos.Clone()
	pondering.Go(func() { t.opponent.engine.Ponder(thinking, pos) })
	defer pondering.Wait()
	defer stop()
	return t.in.next(ctx)
}

// changeLevel lets another level of the classical engine play on.
func (t *table) changeLevel(name string) {
	changed, err := t.change(name)
	if err != nil {
		fmt.Fprintln(t.out, err)
		return
	}
	t.opponent.close()
	t.opponent, t.level = changed, name
	fmt.Fprintf(t.out, "The engine plays at level %s now.\n", name)
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
