package onitama

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
)

// twinCards is the printed table of the cards, read by twinVectors: a ± takes
// both signs.
const twinCards = `
Tiger 0,2 0,-1
Monkey ±1,±1
Dragon ±2,1 ±1,-1
Mantis ±1,1 0,-1
Frog -1,1 -2,0 1,-1
Goose -1,1 ±1,0 1,-1
Horse 0,1 -1,0 0,-1
Eel -1,1 1,0 -1,-1
Crab 0,1 ±2,0
Crane 0,1 ±1,-1
Elephant ±1,1 ±1,0
Boar 0,1 ±1,0
Rabbit 1,1 2,0 -1,-1
Rooster 1,1 ±1,0 -1,-1
Ox 0,1 1,0 0,-1
Cobra 1,1 -1,0 1,-1
Fox 1,1 1,0 1,-1
Dog -1,1 -1,0 -1,-1
Giraffe ±2,1 0,-1
Panda -1,-1 0,1 1,1
Bear -1,1 0,1 1,-1
Kirin ±1,2 0,-2
SeaSnake -1,-1 0,1 2,0
Viper -2,0 0,1 1,-1
Phoenix ±2,0 ±1,1
Mouse -1,-1 0,1 1,0
Rat -1,0 0,1 1,-1
Turtle ±2,0 ±1,-1
Tanuki -1,-1 0,1 2,1
Iguana -2,1 0,1 1,-1
Sable -2,0 -1,-1 1,1
Otter -1,1 1,-1 2,0`

// twinVectors returns the vectors of every card by its name in lower case.
func twinVectors() map[string][][2]int {
	all := map[string][][2]int{}
	for _, line := range strings.Split(strings.TrimSpace(twinCards), "\n") {
		words := strings.Fields(line)
		name := strings.ToLower(words[0])
		for _, word := range words[1:] {
			variants := []string{word}
			for strings.Contains(variants[0], "±") {
				v := variants[0]
				variants = append(variants[1:], strings.Replace(v, "±", "-", 1), strings.Replace(v, "±", "", 1))
			}
			for _, v := range variants {
				var d [2]int
				if _, err := fmt.Sscanf(v, "%d,%d", &d[0], &d[1]); err != nil {
					panic(err)
				}
				all[name] = append(all[name], d)
			}
		}
	}
	return all
}

func TestCardsMatchTheTable(t *testing.T) {
	table := twinVectors()
	if len(table) != Cards {
		t.Fatalf("%d cards in the table", len(table))
	}
	const blue = "Rabbit Monkey Goose Crab Crane Tiger Ox Eel Dog Giraffe Bear SeaSnake Phoenix Mouse Tanuki Sable"
	for c := range Card(Cards) {
		var got [][2]int
		for _, v := range c.Vectors() {
			got = append(got, [2]int{int(v.DX), int(v.DY)})
		}
		want := table[strings.ToLower(c.String())]
		order := func(a, b [2]int) int { return slices.Compare(a[:], b[:]) }
		slices.SortFunc(got, order)
		slices.SortFunc(want, order)
		if !slices.Equal(got, want) {
			t.Errorf("%v has the vectors %v, want %v", c, got, want)
		}
		if (c.Stamp() == Blue) != slices.Contains(strings.Fields(blue), c.String()) {
			t.Errorf("%v is stamped %v", c, c.Stamp())
		}
		if c > 0 && c != BaseCards && c.String() <= (c-1).String() {
			t.Errorf("%v and %v are out of order", c-1, c)
		}
		c.Vectors()[0] = Vector{}
		if c.Vectors()[0] == (Vector{}) {
			t.Errorf("the vectors of %v can be written", c)
		}
	}
}

// twin is Onitama as one would write it on paper, the oracle for Board.
type twin struct {
	vectors map[string][][2]int
	board   map[string]rune // square name to x X o O
	hands   [2][]string
	side    string
	mover   int
	winner  int // -1: none
	reason  game.Reason
}

func newTwin(s Setup) *twin {
	w := &twin{vectors: twinVectors(), board: map[string]rune{}, mover: int(s.ToMove), winner: -1}
	lower := func(c Card) string { return strings.ToLower(c.String()) }
	for side, letters := range [2]string{"xX", "oO"} {
		for sq := range Squares {
			if s.Students[side]>>sq&1 != 0 {
				w.board[twinSquare(sq%5, sq/5)] = rune(letters[0])
			}
		}
		w.board[twinSquare(s.Masters[side]%5, s.Masters[side]/5)] = rune(letters[1])
		hand := s.Deal.Hand(game.Side(side))
		w.hands[side] = []string{lower(hand[0]), lower(hand[1])}
	}
	w.side = lower(s.Deal.Side)
	return w
}

func twinSquare(x, y int) string {
	if x < 0 || x > 4 || y < 0 || y > 4 {
		return ""
	}
	return string(rune('a'+x)) + string(rune('1'+y))
}

// owns reports whether the mover has a piece on the square.
func (w *twin) owns(square string) bool {
	return strings.ContainsRune([]string{"xX", "oO"}[w.mover], w.board[square]) && w.board[square] != 0
}

// moves lists the legal moves as text, in no order.
func (w *twin) moves() []string {
	var moves []string
	if w.winner >= 0 {
		return nil
	}
	forward := 1 - 2*w.mover
	for _, card := range w.hands[w.mover] {
		for x := range 5 {
			for y := range 5 {
				for _, v := range w.vectors[card] {
					from, to := twinSquare(x, y), twinSquare(x+forward*v[0], y+forward*v[1])
					if w.owns(from) && to != "" && !w.owns(to) {
						moves = append(moves, card+" "+from+to)
					}
				}
			}
		}
	}
	if moves == nil {
		for _, card := range w.hands[w.mover] {
			moves = append(moves, card+" pass")
		}
	}
	return moves
}

func (w *twin) play(move string) {
	card, step, _ := strings.Cut(move, " ")
	if step != "pass" {
		from, to := step[:2], step[2:]
		piece, taken := w.board[from], w.board[to]
		delete(w.board, from)
		w.board[to] = piece
		if piece == 'X' && to == "c5" || piece == 'O' && to == "c1" {
			w.winner, w.reason = w.mover, game.Stream
		}
		if taken == 'X' || taken == 'O' {
			w.winner, w.reason = w.mover, game.Capture
		}
	}
	i := slices.Index(w.hands[w.mover], card)
	w.hands[w.mover][i], w.side = w.side, card
	w.mover = 1 - w.mover
}

// wins lists the moves that win, by playing each on a copy.
func (w *twin) wins() []string {
	var wins []string
	for _, m := range w.moves() {
		c := *w
		c.board = map[string]rune{}
		for sq, p := range w.board {
			c.board[sq] = p
		}
		for side := range c.hands {
			c.hands[side] = slices.Clone(w.hands[side])
		}
		c.play(m)
		if c.winner == w.mover {
			wins = append(wins, m)
		}
	}
	return wins
}

// check compares b with the twin.
func (w *twin) check(t *rapid.T, b *Board) {
	for _, list := range []struct {
		name string
		got  []game.Move
		want []string
	}{{"moves", b.Moves(nil), w.moves()}, {"wins", b.Wins(nil), w.wins()}} {
		var got []string
		for _, m := range list.got {
			got = append(got, Notation{}.FormatMove(m))
		}
		slices.Sort(got)
		slices.Sort(list.want)
		if !slices.Equal(got, list.want) {
			t.Fatalf("%s %q, want %q on\n%v", list.name, got, list.want, b)
		}
	}
	for y := range 5 {
		for x := range 5 {
			want := w.board[twinSquare(x, y)]
			if want == 0 {
				want = '.'
			}
			if got := rune(b.mark(5*y + x)); got != want {
				t.Fatalf("%c on %s, want %c", got, twinSquare(x, y), want)
			}
		}
	}
	outcome := game.Undecided
	if w.winner >= 0 {
		outcome = game.WinFor(game.Side(w.winner))
	}
	if b.Outcome() != outcome || b.Reason() != w.reason || int(b.ToMove()) != w.mover {
		t.Fatalf("%v by %q, %v to move; want %v by %q, %d to move on\n%v",
			b.Outcome(), b.Reason(), b.ToMove(), outcome, w.reason, w.mover, b)
	}
}

func TestBoardAgainstTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSetup(t)
		b, err := NewSetup(s)
		if err != nil {
			t.Fatal(err)
		}
		w := newTwin(s)
		w.check(t, b)
		for range rapid.IntRange(0, 30).Draw(t, "plies") {
			moves := b.Moves(nil)
			if len(moves) == 0 {
				break
			}
			m := rapid.SampledFrom(moves).Draw(t, "move")
			b.Play(m)
			w.play(Notation{}.FormatMove(m))
			w.check(t, b)
		}
	})
}
