package record

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/carozero/carozero/game"
)

// ErrNoForm is wrapped by the errors for trees that a format cannot hold at all.
var ErrNoForm = errors.New("there is no form")

// LostVariations is the kind of moves outside the main line.
const LostVariations = "moves of variations"

// Lost is a kind of things that a format could not hold, in the plural, and how many
// of them there were.
type Lost struct {
	What  string `json:"what"`
	Count int    `json:"count"`
}

// Loss is what was lost in writing. The zero value has lost nothing.
type Loss struct{ Kinds []Lost }

// String returns what was lost, "" if nothing was: "3 comments, 1 variations".
func (l *Loss) String() string {
	var parts []string
	for _, k := range l.Kinds {
		parts = append(parts, fmt.Sprintf("%d %s", k.Count, k.What))
	}
	return strings.Join(parts, ", ")
}

// Add adds what was lost elsewhere.
func (l *Loss) Add(other Loss) {
	for _, k := range other.Kinds {
		l.add(k.What, k.Count)
	}
}

// add counts things of one kind.
func (l *Loss) add(what string, n int) {
	if n == 0 {
		return
	}
	for i := range l.Kinds {
		if l.Kinds[i].What == what {
			l.Kinds[i].Count += n
			return
		}
	}
	l.Kinds = append(l.Kinds, Lost{what, n})
}

// count adds one if lost.
func (l *Loss) count(what string, lost bool) {
	if lost {
		l.add(what, 1)
	}
}

// lineOf says what a format of single lines holds of each node.
type lineOf struct{ times bool }

// line counts what a format loses that holds the moves on the way to leaf alone.
func (l *Loss) line(t *Tree, leaf int32, holds lineOf) {
	on := 0
	for _, id := range append([]int32{0}, t.Path(leaf)...) {
		if t.Nodes[id].Move != game.NoMove {
			on++
		}
		l.note(t.Note(id), holds)
	}
	off := -on
	for id := range t.Nodes {
		if t.Nodes[id].Move != game.NoMove {
			off++
		}
	}
	l.add(LostVariations, off)
}

// note counts what is said of a node and has no form.
func (l *Loss) note(n *Note, holds lineOf) {
	if n == nil {
		return
	}
	l.count("comments", n.Comment != "")
	l.add("labels", len(n.Labels))
	l.figures(n)
	l.count("thinking times", n.Time > 0 && !holds.times)
	l.count("hot spots", n.Hot > 0)
	l.count("start marks", n.Start)
}

// figures counts what only SGF holds of a node.
func (l *Loss) figures(n *Note) {
	l.add("marks", len(n.Marks))
	l.count("values", n.Valued)
	l.add("other properties", len(n.Other))
}

// InfoLoss is what is lost of a game as a whole where only some texts of Info are kept,
// which are named by their properties of SGF.
func (t *Tree) InfoLoss(holds ...string) (l Loss) {
	l.info(t, holds...)
	return l
}

// info counts what is said of a game as a whole, but for the texts that a format
// holds.
func (l *Loss) info(t *Tree, holds ...string) {
	for _, f := range t.texts() {
		l.count("texts about games", *f.text != "" && !slices.Contains(holds, f.property))
	}
}

// result counts what is lost of the result of a game where who won is kept alone.
func (l *Loss) result(t *Tree) {
	text := strings.TrimSpace(t.Result)
	_, why, _ := strings.Cut(text, "+")
	switch o, _ := t.Outcome(); o {
	case game.Undecided:
		l.count("results", text != "" && text != "?")
	case game.FirstWins, game.SecondWins:
		l.count("reasons of results", why != "")
	}
}
