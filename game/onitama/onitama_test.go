package onitama

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
)

// position parses text or fails the test.
func position(t testing.TB, text string) *Board {
	t.Helper()
	b, err := ParsePosition(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// drawn parses a diagram or fails the test.
func drawn(t testing.TB, text string) *Board {
	t.Helper()
	b, err := ParseDiagram(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Published counts of two deals.
func TestPerft(t *testing.T) {
	tests := []struct {
		deal string
		want []uint64
	}{
		{"Ox,Boar/Horse,Elephant/Crab", []uint64{1, 10, 130, 1989, 28509, 487752, 7746995}},
		{"Monkey,Crane/Tiger,Crab/Dragon", []uint64{1, 13, 130, 1420, 19384, 237670, 3246586}},
	}
	for _, tt := range tests {
		b := position(t, tt.deal)
		for depth, want := range tt.want {
			if got := game.CountLeaves(b, depth); got != want {
				t.Errorf("%s, depth %d: %d sequences, want %d", tt.deal, depth, got, want)
			}
		}
	}
}

// blocked is a first player who cannot move: the master on e3, the students
// around it, Tiger and Ox in hand.
const blocked = `
	....x
	....x
	....X
	O...x
	....x
	first: Tiger Ox
	second: Boar Crab
	side: Horse`

func TestPass(t *testing.T) {
	b := drawn(t, blocked)
	want := []game.Move{NewPass(Ox), NewPass(Tiger)}
	if got := b.Moves(nil); !slices.Equal(got, want) {
		t.Fatalf("moves %v, want the passes %v", got, want)
	}
	for _, m := range want {
		if !b.Legal(m) {
			t.Errorf("%s is not legal", Notation{}.FormatMove(m))
		}
	}
	if b.Legal(NewPass(Horse)) || b.Legal(NewPass(Boar)) {
		t.Error("a pass may exchange a card that is not in the hand")
	}
	before := b.Pieces(game.First)
	b.Play(NewPass(Tiger))
	switch {
	case b.Hand(game.First) != [2]Card{Horse, Ox} || b.SideCard() != Tiger:
		t.Errorf("after passing Tiger the hand is %v, the side card %v", b.Hand(game.First), b.SideCard())
	case b.ToMove() != game.Second || b.Ply() != 1 || b.Pieces(game.First) != before:
		t.Errorf("after passing:\n%v", b)
	case b.Legal(NewPass(Boar)):
		t.Error("the second player may pass though it can move")
	}
	b.Undo()
	if got := b.Moves(nil); !slices.Equal(got, want) {
		t.Errorf("after undoing a pass the moves are %v", got)
	}
}

func TestConformance(t *testing.T) {
	starts := map[string]string{
		"first deal":  "Ox,Boar/Horse,Elephant/Crab",
		"second deal": "Monkey,Crane/Tiger,Crab/Dragon",
		"other cards": "Eel,Cobra/Frog,Rabbit/Rooster",
		"mid-game":    "Mantis,Goose/Eel,Tiger/Frog:goose b1a2 tiger c5c3",
	}
	for name, start := range starts {
		t.Run(name, func(t *testing.T) {
			gametest.Conformance(t, func() game.Position { return position(t, start) })
		})
	}
	t.Run("passes", func(t *testing.T) {
		gametest.Conformance(t, func() game.Position { return drawn(t, blocked) })
	})
}

func TestEndings(t *testing.T) {
	tests := []struct {
		name, diagram string
		wins          []string // every winning move
		play          string
		reason        game.Reason
	}{
		{"stone on the temple counts as stone",
			"..O..\n..X..\n.....\n.....\n.....\nfirst: Boar Tiger\nsecond: Crab Ox\nside: Eel",
			[]string{"boar c4c5"}, "boar c4c5", game.Capture},
		{"stream",
			"O....\n.....\n..X..\n.....\n.....\nfirst: Boar Tiger\nsecond: Crab Ox\nside: Eel",
			[]string{"tiger c3c5"}, "tiger c3c5", game.Stream},
		{"stream with either card",
			".....\n.X...\n.....\n...O.\n.....\nfirst: Boar Tiger\nsecond: Monkey Rabbit\nside: Ox\nto move: second",
			[]string{"monkey d2c1", "rabbit d2c1"}, "monkey d2c1", game.Stream},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := drawn(t, tt.diagram)
			var wins []string
			for _, m := range b.Wins(nil) {
				wins = append(wins, Notation{}.FormatMove(m))
			}
			if !slices.Equal(wins, tt.wins) {
				t.Errorf("wins %q, want %q", wins, tt.wins)
			}
			if tt.play == "" {
				return
			}
			side := b.ToMove()
			moves, err := Notation{}.ParseMoves(tt.play)
			if err != nil || !b.Legal(moves[0]) {
				t.Fatalf("%s: %v, legal %v", tt.play, err, err == nil && b.Legal(moves[0]))
			}
			b.Play(moves[0])
			want := game.Undecided
			if tt.reason != game.NoReason {
				want = game.WinFor(side)
			}
			if b.Outcome() != want || b.Reason() != tt.reason {
				t.Errorf("%s: %v by %q, want %v by %q", tt.play, b.Outcome(), b.Reason(), want, tt.reason)
			}
		})
	}
}

// drawDeal draws five different cards.
func drawDeal(t *rapid.T) Deal {
	c := rapid.Permutation(allCards()).Draw(t, "cards")
	return Deal{First: [2]Card{c[0], c[1]}, Second: [2]Card{c[2], c[3]}, Side: c[4]}
}

func allCards() []Card {
	all := make([]Card, Cards)
	for i := range all {
		all[i] = Card(i)
	}
	return all
}

// drawSetup draws any set-up in which the game goes on.
func drawSetup(t *rapid.T) Setup {
	s := Setup{Deal: drawDeal(t), ToMove: game.Side(rapid.IntRange(0, 1).Draw(t, "to move"))}
	free := make([]int, Squares)
	for i := range free {
		free[i] = i
	}
	take := func(from []int) int {
		sq := rapid.SampledFrom(from).Draw(t, "square")
		free = slices.DeleteFunc(free, func(f int) bool { return f == sq })
		return sq
	}
	for side := range s.Masters {
		allowed := slices.DeleteFunc(slices.Clone(free), func(f int) bool { return f == temple(game.Side(side).Other()) })
		s.Masters[side] = take(allowed)
	}
	for side := range s.Students {
		for range rapid.IntRange(0, 4).Draw(t, "students") {
			s.Students[side] |= 1 << take(free)
		}
	}
	return s
}

// Hash and Key agree about which positions are equal, and a position set up
// from the diagram of another equals it.
func TestIdentity(t *testing.T) {
	byKey := map[[2]uint64]uint64{}
	byHash := map[uint64][2]uint64{}
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 0))
		deal := Deal{First: [2]Card{Monkey, Crane}, Second: [2]Card{Tiger, Crab}, Side: Dragon}
		if seed >= 30 {
			deal = BaseDeck.Random(rng)
		}
		b, err := New(deal)
		if err != nil {
			t.Fatal(err)
		}
		for b.Outcome() == game.Undecided && b.Ply() < 200 {
			if h, ok := byKey[b.Key()]; ok && h != b.Hash() {
				t.Fatalf("one key, two hashes:\n%v", b)
			}
			if k, ok := byHash[b.Hash()]; ok && k != b.Key() {
				t.Fatalf("one hash, two keys:\n%v", b)
			}
			byKey[b.Key()], byHash[b.Hash()] = b.Hash(), b.Key()
			twin := drawn(t, b.String())
			if twin.Hash() != b.Hash() || twin.Key() != b.Key() {
				t.Fatalf("the diagram reads as\n%vwant\n%v", twin, b)
			}
			moves := b.Moves(nil)
			m := moves[rng.IntN(len(moves))]
			enemy := b.Pieces(b.ToMove().Other())
			captures := b.Captures(m)
			b.Play(m)
			if captures != (b.Pieces(b.ToMove()) != enemy) {
				t.Fatalf("Captures(%s) = %v", Notation{}.FormatMove(m), captures)
			}
		}
	}
}
