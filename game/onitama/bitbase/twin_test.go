package bitbase

import (
	"math/bits"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
)

// theCards are the cards of the default deal.
var theCards = [5]onitama.Card{onitama.Crab, onitama.Crane, onitama.Dragon, onitama.Monkey, onitama.Tiger}

// graph is a game as one would write it down: its positions by their keys, with the
// positions that the moves lead to. Node 0 stands for all games that are over: the
// side to move has lost.
type graph[K comparable] struct {
	at   map[K]int32
	next [][]int32
}

func newGraph[K comparable]() *graph[K] { return &graph[K]{at: map[K]int32{}, next: [][]int32{nil}} }

// node returns the number of the position with that key.
func (g *graph[K]) node(key K) int32 {
	i, ok := g.at[key]
	if !ok {
		i = int32(len(g.next))
		g.at[key] = i
		g.next = append(g.next, nil)
	}
	return i
}

// solve returns the distance of every node as a table has it, 0 for a draw. It looks
// at all positions without a value again and again: at the distance d those are lost
// all of whose moves lead to wins of the other side, and those are won one of whose
// moves leads to a loss.
func (g *graph[K]) solve() []int {
	const none = -1
	distance := make([]int, len(g.next))
	for i := 1; i < len(distance); i++ {
		distance[i] = none
	}
	for d, idle := 1, 0; idle < 2; d++ {
		var now []int
		for i := 1; i < len(distance); i++ {
			if distance[i] != none {
				continue
			}
			lost := func(j int32) bool { return distance[j] != none && distance[j]%2 == 0 }
			won := func(j int32) bool { return distance[j] != none && distance[j]%2 == 1 }
			if d%2 == 1 && slices.ContainsFunc(g.next[i], lost) ||
				d%2 == 0 && !slices.ContainsFunc(g.next[i], func(j int32) bool { return !won(j) }) {
				now = append(now, i)
			}
		}
		for _, i := range now {
			distance[i] = d
		}
		if idle++; len(now) > 0 {
			idle = 0
		}
	}
	for i, d := range distance {
		distance[i] = max(d, 0)
	}
	return distance
}

// everySetup calls f for every placement of up to men men with every deal of five
// cards, each side to move, that the rules take for a position.
func everySetup(five [5]onitama.Card, men int, f func(*onitama.Board)) {
	var deals []onitama.Deal
	for i := range five {
		for j := i + 1; j < 5; j++ {
			for k := range five {
				for l := k + 1; l < 5; l++ {
					d := onitama.Deal{First: [2]onitama.Card{five[i], five[j]}, Second: [2]onitama.Card{five[k], five[l]}}
					for _, d.Side = range five {
						if _, err := onitama.New(d); err == nil {
							deals = append(deals, d)
						}
					}
				}
			}
		}
	}
	set := func(s onitama.Setup) {
		for _, s.ToMove = range []game.Side{game.First, game.Second} {
			if b, err := onitama.NewSetup(s); err == nil {
				f(b)
			}
		}
	}
	for _, d := range deals {
		for first := range onitama.Squares {
			for second := range onitama.Squares {
				s := onitama.Setup{Masters: [2]int{first, second}, Deal: d}
				if _, err := onitama.NewSetup(s); err != nil {
					continue
				}
				set(s)
				for sq := range onitama.Squares {
					if men > 2 {
						s.Students = [2]uint32{1 << sq, 0}
						set(s)
						s.Students = [2]uint32{0, 1 << sq}
						set(s)
					}
				}
			}
		}
	}
}

// Every position of three men has the value and the distance that the plain rules
// come to.
func TestEveryPositionOfThreeMen(t *testing.T) {
	table := three(t)
	g := newGraph[[2]uint64]()
	positions := 0
	everySetup(theCards, 3, func(b *onitama.Board) {
		positions++
		var next []int32
		for _, m := range b.Moves(nil) {
			b.Play(m)
			if b.Outcome() == game.Undecided {
				next = append(next, g.node(b.Key()))
			} else {
				next = append(next, 0)
			}
			b.Undo()
		}
		g.next[g.node(b.Key())] = next
	})
	total, _ := NeedsOf(3)
	if want := 2 * int(total.Positions); positions != want || len(g.at) != want {
		t.Fatalf("%d positions, %d in the graph; want %d", positions, len(g.at), want)
	}
	distance := g.solve()
	everySetup(theCards, 3, func(b *onitama.Board) {
		want := distance[g.at[b.Key()]]
		if _, plies, ok := table.Probe(b); !ok || plies != want {
			t.Fatalf("distance %d, %v; want %d of\n%v", plies, ok, want, b)
		}
	})
}

// sheet is a position of made-up cards, seen by the side to move: of each square
// what stands there, and who has which card.
type sheet struct {
	board [squares]byte // 0, or a letter: m, s own master and student, M, S the opponent's
	hands [2][2]uint8   // ascending
	side  uint8
}

// sheetMoves returns the positions after every move as the other side sees them,
// and whether one wins.
func sheetMoves(p sheet, vectors [5][][2]int) (after []sheet, wins bool) {
	exchange := func(board [squares]byte, i int) {
		q := sheet{hands: [2][2]uint8{p.hands[1], {p.hands[0][1-i], p.side}}, side: p.hands[0][i]}
		slices.Sort(q.hands[1][:])
		for sq, man := range board {
			if man != 0 {
				q.board[squares-1-sq] = man ^ 'a' ^ 'A'
			}
		}
		after = append(after, q)
	}
	for i, card := range p.hands[0] {
		for from, man := range p.board {
			if man != 'm' && man != 's' {
				continue
			}
			for _, v := range vectors[card] {
				x, y := from%5+v[0], from/5+v[1]
				if x < 0 || x > 4 || y < 0 || y > 4 || p.board[5*y+x] == 'm' || p.board[5*y+x] == 's' {
					continue
				}
				board := p.board
				wins = wins || board[5*y+x] == 'M' || man == 'm' && 5*y+x == oppTemple
				board[from], board[5*y+x] = 0, man
				exchange(board, i)
			}
		}
	}
	if after == nil {
		exchange(p.board, 0)
		exchange(p.board, 1)
	}
	return after, wins
}

// Men that cannot step make their side pass, which takes five of them with real
// cards. Of made-up cards that only lead forward and to the right, few do.
func TestPasses(t *testing.T) {
	vectors := [5][][2]int{{{0, 1}, {1, 1}}, {{1, 0}, {0, 2}}, {{1, 1}, {2, 1}, {1, -1}}, {{0, 1}, {2, 0}},
		{{1, 2}, {1, 0}}}
	c, err := newCards(theCards)
	if err != nil {
		t.Fatal(err)
	}
	for card, list := range vectors {
		for sq := range squares {
			c.steps[card][sq], c.comes[card][sq] = 0, 0
			for _, v := range list {
				if x, y := sq%5+v[0], sq/5+v[1]; x >= 0 && x < 5 && y >= 0 && y < 5 {
					c.steps[card][sq] |= 1 << (5*y + x)
				}
				if x, y := sq%5-v[0], sq/5-v[1]; x >= 0 && x < 5 && y >= 0 && y < 5 {
					c.comes[card][sq] |= 1 << (5*y + x)
				}
			}
		}
	}
	const men = 3
	type class struct {
		numbering
		state []byte
	}
	var classes []class
	s := &solver{cards: c, threads: 1, longest: Longest}
	if err := s.solveAll(t.Context(), men, nil, func(h *half) error {
		classes = append(classes, class{h.numbering, slices.Clone(h.state)})
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	g := newGraph[sheet]()
	passes := 0
	each := func(f func(value byte, q sheet)) {
		for i := range classes {
			n := &classes[i]
			for deal, d := range c.deals {
				for r := range n.size {
					at := n.placement(r)
					q := sheet{hands: [2][2]uint8{d.own, d.opp}, side: d.side}
					for side, letters := range [2]string{"sm", "SM"} {
						for set := at.men[side]; set != 0; set &= set - 1 {
							q.board[bits.TrailingZeros32(set)] = letters[0]
						}
						q.board[at.masters[side]] = letters[1]
					}
					f(n.state[deal*int(n.size)+int(r)], q)
				}
			}
		}
	}
	each(func(_ byte, q sheet) {
		after, wins := sheetMoves(q, vectors)
		node := g.node(q)
		if wins {
			g.next[node] = []int32{0}
			return
		}
		if len(after) == 2 && after[0].board == after[1].board {
			passes++
		}
		for _, a := range after {
			next := g.node(a)
			g.next[node] = append(g.next[node], next)
		}
	})
	if total, _ := NeedsOf(men); len(g.at) != int(total.Positions) || passes == 0 {
		t.Fatalf("%d positions, %d with a pass; want %d, and some", len(g.at), passes, total.Positions)
	}
	distance := g.solve()
	each(func(value byte, q sheet) {
		if want := distance[g.at[q]]; int(value) != want {
			t.Fatalf("distance %d; want %d of %q", value, want, q.board)
		}
	})
	t.Logf("%d positions with a pass", passes)
}
