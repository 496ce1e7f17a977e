package bitbase

import (
	"bytes"
	"errors"
	"flag"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
)

// three returns the table of three men, which the tests share, in memory.
func three(t *testing.T) *Table {
	t.Helper()
	threeOnce.Do(func() { threeFile = build(t, 3, Options{}) })
	return opened(t, threeFile)
}

var (
	threeOnce sync.Once
	threeFile []byte
)

// build returns the file of a table.
func build(t *testing.T, men int, o Options) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table")
	if err := Build(t.Context(), path, theCards, men, o); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func opened(t *testing.T, file []byte) *Table {
	t.Helper()
	table, err := read(t.Context(), bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func mustCards(t *testing.T) *cards {
	t.Helper()
	c, err := newCards(theCards)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// otherSide returns the same position with the sides exchanged.
func otherSide(t *testing.T, b *onitama.Board) *onitama.Board {
	t.Helper()
	turned := func(side game.Side) (students uint32, king int) {
		king = b.Master(side)
		return turnSet(b.Pieces(side) &^ (1 << king)), squares - 1 - king
	}
	d := b.Deal()
	s := onitama.Setup{
		Deal:   onitama.Deal{First: d.Second, Second: d.First, Side: d.Side},
		ToMove: b.ToMove().Other(),
	}
	s.Students[0], s.Masters[0] = turned(game.Second)
	s.Students[1], s.Masters[1] = turned(game.First)
	other, err := onitama.NewSetup(s)
	if err != nil {
		t.Fatal(err)
	}
	return other
}

// wanted returns what a position comes to, by what its moves lead to.
func wanted(t *testing.T, table *Table, b *onitama.Board) (game.Result, int) {
	t.Helper()
	win, loss, draws := 0, 0, 0
	for _, m := range b.Moves(nil) {
		b.Play(m)
		v, n, ok := table.Probe(b)
		b.Undo()
		switch {
		case !ok:
			t.Fatalf("no answer after a move of\n%v", b)
		case v == game.Drawn:
			draws++
		case v == game.Won:
			loss = max(loss, n+1)
		case win == 0 || n+1 < win:
			win = n + 1
		}
	}
	switch {
	case win > 0:
		return game.Won, win
	case draws > 0:
		return game.Drawn, 0
	}
	return game.Lost, loss
}

// Positions drawn from a table, and the same with the sides exchanged, agree with what their
// moves lead to, and best play comes to their end in time. make test-sweep takes four men.
func TestRandomPositions(t *testing.T) {
	table, want := three(t), []Summary{
		{Class{1, 1}, 11886, 0, 4704, 22},
		{Class{2, 1}, 331386, 0, 50184, 20},
		{Class{1, 2}, 209623, 0, 171947, 22},
	}
	if *sweep {
		table, want = opened(t, build(t, 4, Options{})), append(want,
			Summary{Class{3, 1}, 3789330, 0, 407940, 22},
			Summary{Class{1, 3}, 2031952, 0, 2165318, 23},
			Summary{Class{2, 2}, 6480788, 1189, 1912563, 56})
	}
	if got := table.Summaries(); !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 1000 {
		b := table.Random(rng)
		if i%2 == 1 {
			b = otherSide(t, b)
		}
		value, plies, ok := table.Probe(b)
		if v, n := wanted(t, table, b); !ok || v != value || n != plies {
			t.Fatalf("%v in %d, %v; its moves lead to a %v in %d of\n%v", value, plies, ok, v, n, b)
		}
		winner := b.ToMove()
		if value == game.Lost {
			winner = winner.Other()
		}
		for range plies {
			m, ok := table.Best(b)
			if !ok || !b.Legal(m) {
				t.Fatalf("best is %v, %v of\n%v", m, ok, b)
			}
			b.Play(m)
		}
		if value != game.Drawn && b.Outcome() != game.WinFor(winner) {
			t.Fatalf("after %d plies of best play: %v of\n%v", plies, b.Outcome(), b)
		}
	}
}

var sweep = flag.Bool("sweep", false, "solve four men too")

func TestProbeRefuses(t *testing.T) {
	table := opened(t, build(t, 2, Options{}))
	position := func(text string) *onitama.Board {
		b, err := onitama.ParseDiagram(text)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	const cards = "first: Monkey Crane\nsecond: Tiger Crab\nside: Dragon"
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"covered":     {"..O..\n.....\n.....\n.....\n..X..\n" + cards, nil},
		"other cards": {"..O..\n.....\n.....\n.....\n..X..\nfirst: Monkey Crane\nsecond: Tiger Crab\nside: Eel", ErrCards},
		"more men":    {"..O..\n.....\n.....\n.....\nx.X..\n" + cards, ErrMen},
	} {
		b := position(c.text)
		if err := table.Covers(b); !errors.Is(err, c.want) {
			t.Errorf("%s: %v; want %v", name, err, c.want)
		}
		_, _, ok := table.Probe(b)
		_, best := table.Best(b)
		if ok != (c.want == nil) || best != ok {
			t.Errorf("%s: %v, %v", name, ok, best)
		}
	}
	over := position("..O..\n..X..\n.....\n.....\n.....\n" + cards)
	over.Play(onitama.NewMove(onitama.Crane, 17, 22))
	if v, n, ok := table.Probe(over); v != game.Lost || n != 0 || !ok {
		t.Errorf("a game that is over is a %v in %d, %v", v, n, ok)
	}
	if m, ok := table.Best(over); ok {
		t.Errorf("a game that is over has the move %v", m)
	}
	table.in = strings.NewReader("")
	if _, _, ok := table.Probe(position("..O..\n.....\n.....\n.....\n..X..\n" + cards)); ok || table.Err() == nil {
		t.Errorf("a file that cannot be read gives an answer, %v", table.Err())
	}
}

func TestNumberingIsPerfect(t *testing.T) {
	for _, c := range classes(MaxMen) {
		n := newNumbering(c)
		step := uint32(1)
		if n.size > 1<<20 {
			step = 9973
		}
		for r := uint32(0); r < n.size; r += step {
			p := n.placement(r)
			if got := n.rank(&p); got != r {
				t.Fatalf("%v: %d has the placement %v of number %d", c, r, p, got)
			}
			if q := p.turned(); q.turned() != p {
				t.Fatalf("%v turned twice is %v", p, q.turned())
			}
			own, opp := bits.OnesCount32(p.men[0]), bits.OnesCount32(p.men[1])
			if own != c.Own || opp != c.Opp || p.men[0]&p.men[1] != 0 || (p.men[0]|p.men[1])>>squares != 0 ||
				p.men[0]>>p.masters[0]&1 == 0 || p.men[1]>>p.masters[1]&1 == 0 ||
				p.masters[0] == oppTemple || p.masters[1] == ownTemple {
				t.Fatalf("%v: %d has the placement %v", c, r, p)
			}
		}
		p := n.placement(n.size - 1)
		if got := n.rank(&p); got != n.size-1 {
			t.Fatalf("%v: the last placement has the number %d; want %d", c, got, n.size-1)
		}
	}
	for men, want := range map[int]int64{2: 16_590, 3: 779_730, 4: 17_568_810, 5: 252_615_930, 6: 2_603_087_130} {
		if got, err := NeedsOf(men); err != nil || got.Positions != want {
			t.Errorf("%d men have %d positions, %v; want %d", men, got.Positions, err, want)
		}
	}
	for _, men := range []int{1, 7} {
		if err := Build(t.Context(), filepath.Join(t.TempDir(), "t"), theCards, men, Options{}); !errors.Is(err, ErrMen) {
			t.Errorf("%d men are built: %v", men, err)
		}
	}
}

func TestDeals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		perm := rapid.Permutation([]onitama.Card{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}).Draw(t, "cards")
		c, err := newCards([5]onitama.Card(perm[:5]))
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range c.deals {
			if d.number() != i {
				t.Fatalf("deal %d is %v of number %d", i, d, d.number())
			}
			p := placement{men: [2]uint32{1 << ownTemple, 1 << oppTemple}, masters: [2]int{ownTemple, oppTemple}}
			b, err := c.board(&p, i)
			if err != nil {
				t.Fatal(err)
			}
			if n, ok := c.number(b); !ok || n != i {
				t.Fatalf("the board of deal %d has %d, %v", i, n, ok)
			}
			for _, m := range b.Moves(nil) {
				which := 0
				if onitama.MoveCard(m) != c.five[d.own[0]] {
					which = 1
				}
				b.Play(m)
				if n, ok := c.number(b); !ok || n != c.next[i][which] {
					t.Fatalf("after %v of deal %d comes %d, %v; want %d", m, i, n, ok, c.next[i][which])
				}
				b.Undo()
			}
		}
	})
	b, _ := onitama.ParsePosition("Monkey,Crane/Tiger,Crab/Dragon")
	c, _ := newCards(theCards)
	if n, ok := c.number(b); n != 3*5+1 || !ok || b.Temple(game.First) != ownTemple || b.Temple(game.Second) != oppTemple {
		t.Errorf("the default deal has the number %d, %v", n, ok)
	}
}

func TestThreadsChangeNothing(t *testing.T) {
	three(t)
	for _, threads := range []int{1, 7} {
		if !bytes.Equal(threeFile, build(t, 3, Options{Threads: threads})) {
			t.Errorf("the bytes of %d threads differ", threads)
		}
	}
}

// A distance that does not fit is an error.
func TestTooLong(t *testing.T) {
	for longest := 1; longest < 22; longest++ { // two men have a loss in 22 plies
		s := &solver{cards: mustCards(t), threads: 2, longest: longest}
		if err := s.solveAll(t.Context(), 2, nil, func(*half) error { return nil }); !errors.Is(err, ErrTooLong) {
			t.Fatalf("longest %d: %v", longest, err)
		}
	}
}

// Every byte counts, and so does the length.
func TestReadRefusesDamage(t *testing.T) {
	whole := build(t, 2, Options{})
	refused := func(data []byte) bool {
		_, err := read(t.Context(), bytes.NewReader(data))
		ours := errors.Is(err, ErrFormat) || errors.Is(err, ErrDamaged) || errors.Is(err, ErrMen)
		return ours && !strings.Contains(err.Error(), "\n")
	}
	for i := range whole {
		if i > 300 && i%16 > 0 {
			continue
		}
		whole[i] ^= 1 << (i % 8)
		if !refused(whole) {
			t.Fatalf("byte %d with the bit %d turned is read", i, i%8)
		}
		whole[i] ^= 1 << (i % 8)
		if !refused(whole[:i]) {
			t.Fatalf("cut after %d bytes it is read", i)
		}
	}
	if !refused(append(whole, 'x')) {
		t.Error("it is read with a byte more")
	}
}
