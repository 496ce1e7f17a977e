package bitbase

import (
	"bytes"
	"errors"
	"io/fs"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
)

// built returns a table that the test has built, and holds in memory.
func built(t *testing.T, five [5]onitama.Card, men int) *Table {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table")
	if err := Build(t.Context(), path, five, men, Options{}); err != nil {
		t.Fatal(err)
	}
	table, err := Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil || table.Close() != nil {
		t.Fatal(err)
	}
	table.in = bytes.NewReader(data)
	return table
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
func wanted(t *testing.T, table *Table, b *onitama.Board) (Value, int) {
	t.Helper()
	win, loss, draws := 0, 0, 0
	for _, m := range b.Moves(nil) {
		b.Play(m)
		v, n, ok := table.Probe(b)
		b.Undo()
		switch {
		case !ok:
			t.Fatalf("no answer after a move of\n%v", b)
		case v == Draw:
			draws++
		case v == Win:
			loss = max(loss, n+1)
		case win == 0 || n+1 < win:
			win = n + 1
		}
	}
	switch {
	case win > 0:
		return Win, win
	case draws > 0:
		return Draw, 0
	}
	return Loss, loss
}

// Positions of four men agree with what their moves lead to, and a thousand of the
// wins among them stand against every defence.
func TestFourMen(t *testing.T) {
	table := built(t, theCards, 4)
	rng := rand.New(rand.NewPCG(1, 2))
	replay := Replay{Table: table}
	wins := 0
	var seen [3]int
	for i := 0; wins < 1000; i++ {
		b := table.Random(rng)
		if i%2 == 1 {
			b = otherSide(t, b)
		}
		value, plies, ok := table.Probe(b)
		if v, n := wanted(t, table, b); !ok || v != value || n != plies {
			t.Fatalf("%v in %d, %v; its moves lead to a %v in %d of\n%v", value, plies, ok, v, n, b)
		}
		seen[value]++
		line := table.Line(b)
		if len(line) != plies {
			t.Fatalf("a line of %d moves; want %d", len(line), plies)
		}
		if value != Win {
			continue
		}
		wins++
		if err := replay.Win(b); err != nil {
			t.Fatal(err)
		}
		last := b.Clone().(*onitama.Board)
		for _, m := range line {
			last.Play(m)
		}
		if last.Outcome() != game.WinFor(b.ToMove()) {
			t.Fatalf("the line ends with %v of\n%v", last.Outcome(), b)
		}
	}
	t.Logf("%v; %d positions replayed", seen, replay.Positions)

	want := []Summary{
		{Class{3, 1}, 3789330, 0, 407940, 22},
		{Class{1, 3}, 2031952, 0, 2165318, 23},
		{Class{2, 2}, 6480788, 1189, 1912563, 56},
	}
	if got := table.Summaries()[3:]; !slices.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	draws(t, table)
}

// draws checks every drawn position of two men each: no move wins, and one draws.
func draws(t *testing.T, table *Table) {
	n := newNumbering(Class{2, 2})
	values := make([]byte, n.class.Size())
	if _, err := table.in.ReadAt(values, table.sections[n.class].at); err != nil {
		t.Fatal(err)
	}
	found := 0
	for i, v := range values {
		if v != 0 {
			continue
		}
		found++
		p := n.placement(uint32(i) % n.size)
		b, err := table.cards.board(&p, i/int(n.size))
		if err != nil {
			t.Fatal(err)
		}
		if v, _ := wanted(t, table, b); v != Draw {
			t.Fatalf("a %v; want a draw of\n%v", v, b)
		}
		if m, ok := table.Best(b); !ok || !b.Legal(m) {
			t.Fatalf("best is %v, %v of\n%v", m, ok, b)
		}
		if table.Line(b) != nil {
			t.Fatalf("a drawn position has a line:\n%v", b)
		}
	}
	if found != 1189 {
		t.Errorf("%d draws", found)
	}
}

// A replay tells a table that is wrong in one byte.
func TestReplayRefutes(t *testing.T) {
	table := built(t, theCards, 3)
	data := make([]byte, table.end())
	if _, err := table.in.ReadAt(data, 0); err != nil {
		t.Fatal(err)
	}
	b, err := onitama.ParseDiagram("..O..\n.....\n.....\n.....\nx.X..\nfirst: Monkey Crane\nsecond: Tiger Crab\nside: Dragon")
	if err != nil {
		t.Fatal(err)
	}
	if err := (&Replay{Table: table}).Win(b); err != nil {
		t.Fatal(err)
	}
	_, plies, _ := table.Probe(b)
	for _, m := range table.Line(b)[:plies/2*2] { // to a position of the winner near the end
		b.Play(m)
	}
	s, n := table.sections[Class{2, 1}], table.numbers[Class{2, 1}]
	deal, _ := table.cards.number(b)
	p := placement{
		men:     [2]uint32{b.Pieces(game.First), b.Pieces(game.Second)},
		masters: [2]int{b.Master(game.First), b.Master(game.Second)},
	}
	for b.Ply() > 0 {
		b.Undo()
	}
	at := s.at + int64(deal)*int64(n.size) + int64(n.rank(&p))
	for _, v := range []byte{data[at] + 2, data[at] + 1, 0} {
		wrong := slices.Clone(data)
		wrong[at] = v
		table.in = strings.NewReader(string(wrong))
		if err := (&Replay{Table: table}).Win(b); !errors.Is(err, ErrRefuted) {
			t.Errorf("with %d for %d: %v; want ErrRefuted", v, data[at], err)
		}
	}
}

func TestProbeRefuses(t *testing.T) {
	table := built(t, theCards, 2)
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
		if ok != (c.want == nil) || best != ok || (table.Line(b) != nil) != ok {
			t.Errorf("%s: %v, %v, line %v", name, ok, best, table.Line(b))
		}
		if err := (&Replay{Table: table}).Win(b); c.want != nil && !errors.Is(err, c.want) {
			t.Errorf("%s: replay: %v", name, err)
		}
	}
	over := position("..O..\n..X..\n.....\n.....\n.....\n" + cards)
	over.Play(onitama.NewMove(onitama.Crane, 17, 22))
	if v, n, ok := table.Probe(over); v != Loss || n != 0 || !ok {
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
	for _, men := range []int{-1, 0, 1, 7} {
		if _, err := NeedsOf(men); !errors.Is(err, ErrMen) {
			t.Errorf("%d men: %v", men, err)
		}
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

func TestParseCards(t *testing.T) {
	if five, err := ParseCards("tiger, Crab,CRANE,dragon,monkey"); err != nil || five[0] != onitama.Tiger {
		t.Errorf("%v, %v", five, err)
	}
	for _, text := range []string{"", "Crab", "Crab,Crane,Dragon,Monkey", "Crab,Crane,Dragon,Monkey,Monkey", "Crab,Crane,Dragon,Monkey,Cat"} {
		if _, err := ParseCards(text); !errors.Is(err, onitama.ErrCards) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// A distance that does not fit is an error and leaves no table.
func TestTooLong(t *testing.T) {
	for longest := range 22 { // two men have a loss in 22 plies
		path := filepath.Join(t.TempDir(), "table")
		err := Build(t.Context(), path, theCards, 2, Options{longest: max(longest, 1)})
		if !errors.Is(err, ErrTooLong) {
			t.Fatalf("longest %d: %v", longest, err)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("there is a table: %v", err)
		}
	}
}
