package onitama

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
)

// A game that begins anywhere is read again as it was written, and so is a position in
// the middle of it.
func TestLayoutRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start, err := NewSetup(drawSetup(t))
		if err != nil {
			t.Fatal(err)
		}
		b := start.Clone().(*Board)
		for range rapid.IntRange(0, 12).Draw(t, "plies") {
			if b.Outcome() != game.Undecided {
				break
			}
			legal := b.Moves(nil)
			b.Play(legal[rapid.IntRange(0, len(legal)-1).Draw(t, "move")])
		}
		text := FormatGame(b, b.History())
		again, err := ParsePosition(text)
		if err != nil || again.Key() != b.Key() || again.Ply() != b.Ply() {
			t.Fatalf("%s: %v\n%v", text, err, b)
		}
		begun, moves, err := ParseGame(strings.ToLower(text[:strings.IndexByte(text, ' ')]) + text[strings.IndexByte(text,
			' '):])
		if err != nil || begun.Key() != start.Key() || len(moves) != b.Ply() ||
			FormatGame(begun, moves) != FormatGame(b, moves) {
			t.Fatalf("%s begins at\n%v%v", text, begun, err)
		}
		if twin, err := ParseDiagram(start.String()); err != nil || FormatGame(twin, nil) != FormatGame(sorted(start), nil) {
			t.Fatalf("%v\n%s", err, FormatGame(twin, nil))
		}
		if (Notation{}).Opens(FormatGame(start, nil)) != start.ToMove() {
			t.Fatalf("%s: the other side opens", text)
		}
	})
}

// sorted returns b with its hands in the order in which a diagram has them.
func sorted(b *Board) *Board {
	c := *b
	c.start = c.Deal()
	return &c
}

func TestFormatGame(t *testing.T) {
	const usual = "Monkey,Crane/Tiger,Crab/Dragon"
	b := position(t, usual)
	if got := FormatGame(b, nil); got != usual {
		t.Errorf("the usual start is %q", got)
	}
	moves := b.Moves(nil)[:1]
	b.Play(moves[0])
	if got := FormatGame(b, moves); got != usual+":"+(Notation{}).FormatMoves(moves) {
		t.Errorf("a game is %q", got)
	}
	for text, same := range map[string]string{
		usual + " ooOoo/5/5/5/xxXxx first":                              usual,
		" monkey, Crane/tiger,crab / dragon ooOoo/1.3/.5/xxXxx":         "",
		usual + "\t2O2/5/1o3/5/2X2  SECOND : tiger b3b5 ":               usual + " 2O2/5/1o3/5/2X2 second:tiger b3b5",
		"Monkey, Crane / Tiger,Crab / Dragon 2O2/5/.o.../5/2X2 second ": usual + " 2O2/5/1o3/5/2X2 second",
	} {
		start, moves, err := ParseGame(text)
		if same == "" {
			if !errors.Is(err, ErrCards) && !errors.Is(err, ErrNotation) {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		if err != nil || FormatGame(start, moves) != same {
			t.Errorf("%s: %v", text, err)
		}
	}
}
