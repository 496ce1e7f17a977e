package gomoku_test

import (
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

func school(t *testing.T, diagram string, toMove game.Side, captured [2]int) *gomoku.Board {
	t.Helper()
	b, err := gomoku.ParseDiagram(mustRules(t, "school42"), 0, diagram,
		gomoku.DiagramOptions{ToMove: new(toMove), Captured: captured})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const breakableFive = `
	. . . . . . . . .
	. . . . . . . . .
	. . . . . . . . .
	. . . O . . . . .
	. X X X X . . . .
	. . . X . . . . .
	. . . . . . . . .
	. . . . . . . . .
	. . . . . . . . .`

func TestBreakableFive(t *testing.T) {
	n := gomoku.Notation{Size: 9}
	move := func(text string) game.Move {
		moves, err := n.ParseMoves(text)
		if err != nil {
			t.Fatal(err)
		}
		return moves[0]
	}
	for _, test := range []struct {
		name, moves, wins string
		captured          [2]int
		want              game.Outcome
		reason            game.Reason
	}{
		{"breakable: play goes on", "f5", "", [2]int{}, game.Undecided, game.NoReason},
		{"broken", "f5d3", "", [2]int{}, game.Undecided, game.NoReason},
		{"not broken", "f5a1", "", [2]int{}, game.FirstWins, game.Line},
		{"broken by the tenth stone too", "f5d3", "", [2]int{0, 8}, game.SecondWins, game.Capture},
	} {
		b := school(t, breakableFive, game.First, test.captured)
		for i := 0; i < len(test.moves); i += 2 {
			b.Play(move(test.moves[i : i+2]))
		}
		if b.Outcome() != test.want || b.Reason() != test.reason {
			t.Errorf("%s: %v (%v)\n%v", test.name, b.Outcome(), b.Reason(), b)
		}
	}
	b := school(t, breakableFive, game.First, [2]int{})
	if got := b.Wins(nil); len(got) != 0 {
		t.Errorf("wins %v: the five is breakable", got)
	}
	if got := n.FormatMoves(b.AppendWinsFor(game.First, nil)); got != "a5f5" {
		t.Errorf("winning lines at %q, want a5f5", got)
	}
}

func TestDoubleFreeThree(t *testing.T) {
	for _, test := range []struct {
		name, diagram string
		allowed       bool
	}{
		{"two free-threes", `
			. . . . . . .
			. . . X . . .
			. . . X . . .
			. X X . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, false},
		{"one without room", `
			. . . O . . .
			. . . X . . .
			. . . X . . .
			. X X . . . .
			. . . . . . .
			. . . O . . .
			. . . . . . .`, true},
		{"broken ones", `
			. . . . . . .
			. . . X . . .
			. . . . . . .
			. . X . X . .
			. . . X . . .
			. . . . . . .
			. . . . . . .`, false},
		{"with a capture", `
			. . . . . . .
			. . . X . . X
			. . . X . O .
			. X X . O . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, true},
		{"with a capture", `
			X . . . . . .
			. O . X . . .
			. . O X . . .
			. X X . . . .
			. . . . . . .
			. . . . . . .
			. . . . . . .`, true},
	} {
		b := school(t, test.diagram, game.First, [2]int{})
		if got := b.Legal(24); got != test.allowed {
			t.Errorf("%s: legal %v, want %v", test.name, got, test.allowed)
		}
		if got := slices.Contains(b.Forbidden(nil), 24); got == test.allowed {
			t.Errorf("%s: forbidden %v", test.name, got)
		}
		if got := b.Bans(game.First, 24); (got == gomoku.FreeThrees) == test.allowed || (got == 0) != test.allowed {
			t.Errorf("%s: reasons %v", test.name, got)
		}
		if got := b.AllowedFor(game.Second, 24); !got {
			t.Errorf("%s: closed to second", test.name)
		}
	}
}
