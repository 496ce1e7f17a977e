package gamefiles

import (
	"bytes"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/record"
)

// onitama returns the variant of Onitama.
func onitama(t *testing.T) games.Variant {
	t.Helper()
	v, err := games.NewVariant(games.VariantOptions{Game: games.Onitama})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A game whose men were set by hand, in which the second player moves first, is a text
// that reads as it was written.
func TestSecondMovesFirst(t *testing.T) {
	v := onitama(t)
	const line = "Crane,Monkey/Crab,Tiger/Dragon 2O2/5/1o3/5/2X2 second:tiger b3b1 crane c1c2"
	trees, _, err := record.Parse([]byte("# endgames\n"+line+"\n"), "", ReadOptions(v))
	if err != nil || len(trees) != 1 {
		t.Fatal(err)
	}
	r, err := NewRecord(trees[0], "", v.Options(), false)
	if err == nil {
		err = r.Check()
	}
	if err != nil {
		t.Fatal(err)
	}
	start, moves, err := v.ParseGame(line)
	if err != nil {
		t.Fatal(err)
	}
	own := Begin(v, start)
	if _, err := own.Tree.Extend(0, own.Tree.ToMove(0), moves, nil); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*Record{&r, &own} {
		var out bytes.Buffer
		if _, err := r.Write(&out, record.Text, ""); err != nil || strings.TrimSpace(out.String()) != line {
			t.Errorf("%q, %v", out.String(), err)
		}
		if err := r.Check(); err != nil {
			t.Error(err)
		}
		if r.Tree.ToMove(0) != game.Second || r.Tree.Nodes[1].Side != game.Second {
			t.Error("the first player begins")
		}
	}
}

// What games of cards begin with is known from other text.
func TestDealt(t *testing.T) {
	for text, want := range map[string]bool{
		"Monkey,Crane/Tiger,Crab/Dragon": true, "\ufeff\n monkey,crane/tiger,crab/dragon:crane c1c2": true,
		"h8i9": false, "(;GM[4])": false, "": false, "Monkey,Crane": false, "# Monkey,Crane/Tiger,Crab/Dragon": false,
	} {
		if Dealt([]byte(text)) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
