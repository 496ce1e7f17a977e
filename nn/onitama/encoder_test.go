package onitama

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
	"pgregory.net/rapid"
)

// input is what Encode writes.
type input struct{ planes, globals []float32 }

// encode returns the input of pos; the memory that Encode is given is full of
// NaNs, which equal nothing.
func encode(pos game.Position, sym int) input {
	in := input{make([]float32, Planes*squares), make([]float32, Globals)}
	for _, v := range [][]float32{in.planes, in.globals} {
		for i := range v {
			v[i] = float32(math.NaN())
		}
	}
	New().Encode(pos, sym, in.planes, in.globals)
	return in
}

func (in input) equal(other input) bool {
	return slices.Equal(in.planes, other.planes) && slices.Equal(in.globals, other.globals)
}

// plane returns the squares of a plane as a set.
func (in input) plane(p int) (set uint32) {
	for sq, v := range in.planes[p*squares : (p+1)*squares] {
		if v == 1 {
			set |= 1 << sq
		}
	}
	return set
}

// drawBoard draws a position that random moves lead to.
func drawBoard(t *rapid.T) *onitama.Board {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	b, err := onitama.New(onitama.AllCards.Random(rng))
	if err != nil {
		t.Fatal(err)
	}
	for range rapid.IntRange(0, 40).Draw(t, "plies") {
		moves := b.Moves(nil)
		if len(moves) == 0 {
			break
		}
		b.Play(moves[rng.IntN(len(moves))])
	}
	return b
}

// setup returns the position of b under a map of squares and of cards, with the
// sides exchanged or not; false if the game is over.
func setup(t *rapid.T, b *onitama.Board, square func(int) int, card func(onitama.Card) onitama.Card,
	swap bool) (*onitama.Board, bool) {
	if b.Outcome() != game.Undecided {
		return nil, false
	}
	var s onitama.Setup
	hands := [2]*[2]onitama.Card{&s.Deal.First, &s.Deal.Second}
	for _, from := range [2]game.Side{game.First, game.Second} {
		to := from
		if swap {
			to = from.Other()
		}
		s.Masters[to] = square(b.Master(from))
		for rest := b.Pieces(from) &^ (1 << b.Master(from)); rest != 0; rest &= rest - 1 {
			s.Students[to] |= 1 << square(bits.TrailingZeros32(rest))
		}
		for i, c := range b.Hand(from) {
			hands[to][i] = card(c)
		}
	}
	s.Deal.Side = card(b.SideCard())
	s.ToMove = b.ToMove()
	if swap {
		s.ToMove = s.ToMove.Other()
	}
	out, err := onitama.NewSetup(s)
	if err != nil {
		t.Fatal(err)
	}
	return out, true
}

func same(c onitama.Card) onitama.Card { return c }

func mirrorSquare(sq int) int { return sq/side*side + side - 1 - sq%side }

func turnSquare(sq int) int { return squares - 1 - sq }

// mirrorCard finds the mirrored card by the vectors that are printed on it.
func mirrorCard(c onitama.Card) onitama.Card {
	key := func(c onitama.Card, sign int8) []onitama.Vector {
		v := c.Vectors()
		for i := range v {
			v[i].DX *= sign
		}
		slices.SortFunc(v, func(a, b onitama.Vector) int { return int(a.DX-b.DX)*10 + int(a.DY-b.DY) })
		return v
	}
	for other := range onitama.Card(onitama.Cards) {
		if slices.Equal(key(c, -1), key(other, 1)) {
			return other
		}
	}
	panic(c.String() + " has no mirror image")
}

func moveUnder(m game.Move, square func(int) int, card func(onitama.Card) onitama.Card) game.Move {
	c := card(onitama.MoveCard(m))
	if onitama.IsPass(m) {
		return onitama.NewPass(c)
	}
	from, to := onitama.MoveSquares(m)
	return onitama.NewMove(c, square(from), square(to))
}

// The second player sees what the first would with colours exchanged and the
// board turned, and symmetry 1 is the position in a mirror.
func TestViews(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBoard(t)
		e := New()
		turned, open := setup(t, b, turnSquare, same, true)
		if !open {
			return
		}
		mirrored, _ := setup(t, b, mirrorSquare, mirrorCard, false)
		for sym := range e.Symmetries() {
			if !encode(b, sym).equal(encode(turned, sym)) {
				t.Fatalf("symmetry %d: the turned position looks different", sym)
			}
		}
		if !encode(b, 1).equal(encode(mirrored, 0)) {
			t.Fatal("symmetry 1 is not the mirrored position")
		}
		for _, m := range b.Moves(nil) {
			if got, want := e.Action(b, m, 0), e.Action(turned, moveUnder(m, turnSquare, same), 0); got != want {
				t.Fatalf("action %d, turned %d", got, want)
			}
			if got, want := e.Action(b, m, 1), e.Action(mirrored, moveUnder(m, mirrorSquare, mirrorCard), 0); got != want {
				t.Fatalf("action %d under symmetry 1, mirrored %d", got, want)
			}
		}
	})
}

// What the planes and globals show of the first player's view is the position,
// by their definition.
func TestEncodeByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBoard(t)
		if b.ToMove() == game.Second {
			turned, open := setup(t, b, turnSquare, same, true)
			if !open {
				return
			}
			b = turned
		}
		in := encode(b, 0)
		vectors := func(c onitama.Card, sign int) (set uint32) {
			for _, v := range c.Vectors() {
				set |= 1 << (5*(2+sign*int(v.DY)) + 2 + sign*int(v.DX))
			}
			return set
		}
		hand := func(side game.Side) [2]onitama.Card {
			cards := b.Hand(side)
			if vectors(cards[0], 1) > vectors(cards[1], 1) {
				cards[0], cards[1] = cards[1], cards[0]
			}
			return cards
		}
		own, opp := hand(game.First), hand(game.Second)
		master := func(s game.Side) uint32 { return 1 << b.Master(s) & (1<<squares - 1) }
		want := [Planes]uint32{
			1<<squares - 1,
			b.Pieces(game.First) &^ master(game.First), master(game.First),
			b.Pieces(game.Second) &^ master(game.Second), master(game.Second),
			1 << 2, 1 << 22,
			vectors(own[0], 1), vectors(own[1], 1), vectors(opp[0], -1), vectors(opp[1], -1), vectors(b.SideCard(), 1),
		}
		for p, set := range want {
			if in.plane(p) != set {
				t.Fatalf("%s is %025b, want %025b", PlaneNames()[p], in.plane(p), set)
			}
		}
		for i, side := range [Globals]game.Side{game.First, game.Second} {
			if want := float32(bits.OnesCount32(b.Pieces(side))) / 5; in.globals[i] != want {
				t.Fatalf("%s is %v, want %v", GlobalNames()[i], in.globals[i], want)
			}
		}
	})
}

// An action says which card steps from where to where: moves have actions of
// their own, and the move can be read off the action and the planes.
func TestActionsNameTheirMoves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBoard(t)
		e := New()
		for sym := range e.Symmetries() {
			in := encode(b, sym)
			seen := map[int]bool{}
			for _, m := range b.Moves(nil) {
				a := e.Action(b, m, sym)
				if a < 0 || a >= e.Shape().Actions || seen[a] {
					t.Fatalf("action %d of move %d is out of range or another move's", a, m)
				}
				seen[a] = true
				from, step, slot := a%squares, a/squares%steps, a/squares/steps
				pieces := in.plane(PlaneOwnStudents) | in.plane(PlaneOwnMaster)
				if pieces>>from&1 == 0 {
					t.Fatalf("action %d starts where no own piece stands", a)
				}
				pass := step == steps/2
				if pass != onitama.IsPass(m) || !pass && in.plane(PlaneOwnFirst+slot)>>step&1 == 0 {
					t.Fatalf("action %d: card %d has no such step", a, slot)
				}
			}
		}
	})
}

// Keys tell positions apart exactly as their inputs and sides do.
func TestKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawBoard(t), drawBoard(t)
		e := New()
		if (a.Key() == b.Key()) != (e.Key(a) == e.Key(b)) {
			t.Fatal("equal keys of different positions, or the other way round")
		}
		if c := a.Clone(); e.Key(c) != e.Key(a) || !encode(c, 0).equal(encode(a, 0)) {
			t.Fatal("a clone has another key")
		}
	})
}

func TestNothingIsAllocated(t *testing.T) {
	b, err := onitama.ParsePosition("Monkey,Crane/Tiger,Crab/Dragon:crane c1c2")
	if err != nil {
		t.Fatal(err)
	}
	e := New()
	planes, globals := make([]float32, Planes*squares), make([]float32, Globals)
	m := b.Moves(nil)[0]
	if n := testing.AllocsPerRun(100, func() {
		e.Encode(b, 1, planes, globals)
		e.Action(b, m, 1)
		e.Key(b)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
