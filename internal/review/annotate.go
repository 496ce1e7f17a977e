package review

import (
	"math"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/record"
)

// Annotate writes the report into a record that has the game's moves below the node at:
// the values of the positions; comments on what was no good move, after those that are
// there; what was better as a variation; and both accuracies in front of the game. The same
// report written twice changes nothing.
func (r *Report) Annotate(t *record.Tree, at int32, language string) error {
	w := wordsOf(language)
	t.Comment = joined(t.Comment, w.sum(game.First, &r.Sides[game.First]), w.sum(game.Second, &r.Sides[game.Second]))
	n := r.Game.Variant.Notation()
	for i := range r.Moves {
		m := &r.Moves[i]
		next, err := child(t, at, r.Game.Moves[i], m.Side)
		if err != nil {
			return err
		}
		if v := r.values[m.Number]; !math.IsNaN(v) {
			note := t.Remark(next)
			note.Value, note.Valued = math.Round(1000*(2*v-1))/1000, true
		}
		if text := w.remark(m); text != "" {
			note := t.Remark(next)
			note.Comment = joined(note.Comment, text)
		}
		if m.Class >= Inaccuracy {
			if err := vary(t, at, m.Side, m.Line, n); err != nil {
				return err
			}
		}
		at = next
	}
	return nil
}

// vary adds a line of moves below a node, where those are not there already.
func vary(t *record.Tree, at int32, side game.Side, line []string, n game.Notation) error {
	for _, text := range line {
		moves, err := n.ParseMoves(text)
		if err != nil {
			return err
		}
		if at, err = child(t, at, moves[0], side); err != nil {
			return err
		}
		side = side.Other()
	}
	return nil
}

// child returns the node of a move below a node, which is added unless it is there. What is
// said between moves has nodes of its own, which are passed.
func child(t *record.Tree, at int32, m game.Move, side game.Side) (int32, error) {
	for id := t.Nodes[at].Child; id != 0; id = t.Nodes[id].Next {
		switch t.Nodes[id].Move {
		case m:
			return id, nil
		case game.NoMove:
			return child(t, id, m, side)
		}
	}
	return t.Add(at, m, side)
}

// joined returns a comment with more texts behind it, a paragraph each; those that are
// empty, and those that it has from an earlier review, are left out.
func joined(comment string, texts ...string) string {
	for _, text := range texts {
		switch {
		case text == "" || strings.Contains("\n"+comment+"\n", "\n"+text+"\n"):
		case comment == "":
			comment = text
		default:
			comment += "\n" + text
		}
	}
	return comment
}
