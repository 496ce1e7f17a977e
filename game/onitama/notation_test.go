package onitama

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
)

var _ game.Notation = Notation{}

func TestMoveEncoding(t *testing.T) {
	seen := map[game.Move]bool{}
	for card := range Card(Cards) {
		if m := NewPass(card); !IsPass(m) || MoveCard(m) != card || m >= MoveCount || seen[m] {
			t.Errorf("the pass of %v is %d", card, m)
		}
		seen[NewPass(card)] = true
		for from := range Squares {
			for to := range Squares {
				m := NewMove(card, from, to)
				f, o := MoveSquares(m)
				if IsPass(m) || MoveCard(m) != card || f != from || o != to || seen[m] {
					t.Fatalf("%v %d-%d is %d", card, from, to, m)
				}
				seen[m] = true
			}
		}
	}
	if len(seen) != MoveCount {
		t.Errorf("%d moves, MoveCount is %d", len(seen), MoveCount)
	}
}

func TestNotation(t *testing.T) {
	moves := []game.Move{NewMove(Crane, 2, 8), NewPass(Tiger), NewMove(Boar, 24, 0)}
	const text = "crane c1d2 tiger pass boar e5a1"
	if got := (Notation{}).FormatMoves(moves); got != text {
		t.Errorf("written %q", got)
	}
	for _, in := range []string{text, strings.ToUpper(text), "  crane\tc1d2\n\ntiger pass  boar e5a1 "} {
		if got, err := (Notation{}).ParseMoves(in); err != nil || !slices.Equal(got, moves) {
			t.Errorf("%q reads as %v, %v", in, got, err)
		}
	}
	if got := (Notation{}).FormatMove(game.NoMove); got != "?" {
		t.Errorf("NoMove is written %q", got)
	}
	if got, err := (Notation{}).ParseMoves(" "); err != nil || got != nil {
		t.Errorf("nothing reads as %v, %v", got, err)
	}
}

func TestPositionText(t *testing.T) {
	tests := []struct{ in, out string }{
		{"Monkey,Crane/Tiger,Crab/Dragon", ""},
		{"Monkey,Crane/Tiger,Crab/Dragon:", "Monkey,Crane/Tiger,Crab/Dragon"},
		{"Monkey,Crane/Tiger,Crab/Dragon:crane c1c2 tiger a5a3", ""},
		{" monkey, crane / TIGER,Crab / dragon : Crane C1C2 ", "Monkey,Crane/Tiger,Crab/Dragon:crane c1c2"},
		{"Ox,Boar/Horse,Elephant/Crab:ox e1e2 horse c5c4 boar e2d2", ""},
	}
	for _, tt := range tests {
		b, err := ParsePosition(tt.in)
		if err != nil {
			t.Errorf("%q: %v", tt.in, err)
			continue
		}
		want := tt.out
		if want == "" {
			want = tt.in
		}
		if got := FormatGame(b, b.History()); got != want {
			t.Errorf("%q reads as %q, want %q", tt.in, got, want)
		}
	}
}

func TestPositionErrors(t *testing.T) {
	const deal = "Monkey,Crane/Tiger,Crab/Dragon"
	tests := []struct {
		in   string
		is   error
		says string
	}{
		{"", ErrCards, "as in Monkey,Crane/Tiger,Crab/Dragon"},
		{"Monkey,Crane/Tiger,Crab", ErrCards, "side card"},
		{"Monkey,Crane/Tiger,Crab/Goat", ErrCards, `"Goat"; want one of Boar`},
		{"Monkey,Crane/Tiger,Crab/Crane", ErrCards, "Crane is there twice"},
		{deal + ":ox c1c2", ErrIllegal, `move 1, "ox c1c2"; want one of: crane a1a2`},
		{deal + ":crane c1c2 tiger pass", ErrIllegal, `move 2, "tiger pass"`},
		{deal + ":crane", ErrNotation, "ends after the card"},
		{deal + ":crane c1c2 goat c5c4", ErrCards, "move 2"},
		{deal + ":crane c1f2", ErrNotation, "move 1"},
	}
	for _, tt := range tests {
		if _, err := ParsePosition(tt.in); !errors.Is(err, tt.is) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%q: error %v, want %v with %q", tt.in, err, tt.is, tt.says)
		}
	}
}

// Decks deal their own cards, each deal as good as another, and read what they write.
func TestDecks(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Deck
		n    int
	}{
		{"base", BaseDeck, 16}, {"Senseis-Path", SenseisPath, 16}, {"ALL", AllCards, 32},
		{"fox, Boar,kirin,seasnake,tiger", 1<<Fox | 1<<Boar | 1<<Kirin | 1<<SeaSnake | 1<<Tiger, 5},
		{"Boar,Tiger,Fox,Kirin,SeaSnake,Viper", 1<<Fox | 1<<Boar | 1<<Kirin | 1<<SeaSnake | 1<<Tiger | 1<<Viper, 6},
	} {
		d, err := ParseDeck(tt.text)
		if err != nil || d != tt.want || len(d.Cards()) != tt.n {
			t.Errorf("%q is %v, %v", tt.text, d, err)
			continue
		}
		if again, err := ParseDeck(d.String()); err != nil || again != d {
			t.Errorf("%v reads as %v, %v", d, again, err)
		}
		rng := rand.New(rand.NewPCG(3, 4))
		var dealt Deck
		for range 400 {
			deal := d.Random(rng)
			if err := deal.check(); err != nil {
				t.Fatal(err)
			}
			for _, c := range deal.all() {
				dealt |= 1 << c
			}
		}
		if dealt != d {
			t.Errorf("%v was dealt from %v", dealt, d)
		}
	}
	for text, want := range map[string]string{
		"": "no card", "base,Fox": "no card", "Fox,Boar,Kirin,Tiger": "has 4", "Fox,Boar,Kirin,Tiger,fox": "there twice",
		"Fox,Boar,Kirin,Tiger,Goat": `no card "Goat"`,
	} {
		if d, err := ParseDeck(text); !errors.Is(err, ErrCards) || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, %v", text, d, err)
		}
	}
}

func TestMovesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		moves := rapid.SliceOf(rapid.Uint16Max(MoveCount-1)).Draw(t, "moves")
		want := make([]game.Move, len(moves))
		for i, m := range moves {
			want[i] = game.Move(m)
		}
		text := Notation{}.FormatMoves(want)
		got, err := Notation{}.ParseMoves(text)
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q reads as %v, %v", text, got, err)
		}
	})
}

func FuzzParsePosition(f *testing.F) {
	f.Add("Monkey,Crane/Tiger,Crab/Dragon:crane c1c2 tiger a5a3")
	f.Add("ox,boar/horse,elephant/crab")
	f.Add("Monkey,Crane/Tiger,Crab/Dragon:crane pass")
	f.Add("a,b/c,d/e:f g")
	f.Fuzz(func(t *testing.T, text string) {
		b, err := ParsePosition(text)
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("an error of more than a line: %v", err)
			}
			return
		}
		again := FormatGame(b, b.History())
		c, err := ParsePosition(again)
		if err != nil || c.Key() != b.Key() || c.Hash() != b.Hash() || c.Ply() != b.Ply() {
			t.Fatalf("%q is written %q, which reads differently: %v", text, again, err)
		}
	})
}
