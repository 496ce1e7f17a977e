package pattern

import (
	"math/bits"
	"sync"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// maxArms is the number of contents of an arm of five cells: the sum of 3^k.
const maxArms = 364

// both packs the shapes of the two sides, First's in the low four bits.
type both uint8

// spread holds all shapes of both sides at the place of one direction in two quads.
type spread [1 << 8]uint32

var spreads = func() (all [directions]spread) {
	for d := range all {
		for v := range all[d] {
			all[d][v] = (uint32(v)&15 | uint32(v)>>4<<16) << (4 * d)
		}
	}
	return all
}()

// table maps keys to the shapes of both sides. It never changes once it
// is built. half is how far from a changed cell patterns change.
type table struct {
	half   int
	behind [armKeys]uint32 // by raw arm: a multiple of the number of arms
	ahead  [armKeys]uint32
	lines  [maxArms * maxArms]both
	class  [2]*combination

	// split holds, for each raw arm and content, the cells with that content
	// as bits, the lowest first.
	split [armKeys][4]uint8
}

// at returns the patterns of the empty cell with this key.
func (t *table) at(key uint64) both {
	return t.lines[t.behind[key&armMask]+t.ahead[key>>ahead&armMask]]
}

// classes returns the classes of two quads, at their place in a cell.
func (t *table) classes(quads uint32) State {
	return State(t.class[0][uint16(quads)])<<classesAt | State(t.class[1][quads>>16])<<(classesAt+8)
}

func newTable(rules [2]lineRule) *table {
	half := max(rules[game.First].half(), rules[game.Second].half())
	a := newArms(half)
	t := &table{half: half}
	for key, n := range a.index {
		for i := range reach {
			t.split[key][arm(key).at(i)] |= 1 << i
		}
		if n < 0 {
			continue
		}
		t.ahead[key] = uint32(n)
		t.behind[arm(key).reversed()] = uint32(int(n) * len(a.list))
	}
	swapped := make([]int, len(a.list))
	for i, content := range a.list {
		swapped[i] = int(a.index[content.swapped()])
	}
	first := generate(rules[game.First], a)
	second := first
	if rules[game.Second] != rules[game.First] {
		second = generate(rules[game.Second], a)
	}
	for i := range a.list {
		for j := range a.list {
			own := first[i*len(a.list)+j]
			opp := second[swapped[i]*len(a.list)+swapped[j]]
			t.lines[i*len(a.list)+j] = both(own) | both(opp)<<4
		}
	}
	for s := range t.class {
		t.class[s] = newCombination(rules[s].restricted)
	}
	return t
}

// tables remembers the tables built so far: they are pure functions of the line
// rules of the two sides, and few.
var tables memo

type memo struct {
	mu   sync.Mutex
	made map[[2]lineRule]*table
}

// tableFor returns the table of a rule set. It is safe for concurrent use; the
// first call for a rule set builds the table.
func (m *memo) tableFor(r *gomoku.Rules) *table {
	rules := [2]lineRule{newLineRule(r, game.First), newLineRule(r, game.Second)}
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.made[rules]
	if t == nil {
		if m.made == nil {
			m.made = map[[2]lineRule]*table{}
		}
		t = newTable(rules)
		m.made[rules] = t
	}
	return t
}

// distance says how many further own stones a line is away from a four and
// from an open four; far stands for every greater number. ways is the number of
// cells where one stone brings the open four nearer.
type distance struct{ four, open, ways uint8 }

const far = 4

// generator finds the shape of the stone on the centre for all contents
// of the two arms, in the view of one side: content 1 is its own stone.
type generator struct {
	rule lineRule
	arms *arms
	more [][reach]int16 // by arm and cell: the arm with an own stone there, -1 if not empty

	known []bool
	dist  []distance
}

// generate returns the shape by arm behind * number of arms + arm ahead.
func generate(rule lineRule, a *arms) []shape {
	n := len(a.list)
	g := &generator{
		rule: rule, arms: a,
		more:  make([][reach]int16, n),
		known: make([]bool, n*n),
		dist:  make([]distance, n*n),
	}
	for i, content := range a.list {
		for k := range reach {
			g.more[i][k] = -1
			if content.at(k) == vacant {
				g.more[i][k] = a.index[content.with(k, 1)]
			}
		}
	}
	made := make([]shape, n*n)
	for i := range n {
		for j := range n {
			made[i*n+j] = g.shape(i, j)
		}
	}
	return made
}

func (g *generator) shape(behind, ahead int) shape {
	s := g.segment(behind, ahead)
	switch {
	case g.rule.won(s):
		return fiveShape
	case g.rule.foul(s):
		return foulShape
	}
	return g.distance(behind, ahead).shape()
}

// segment returns the masks of two arms around an own stone.
func (g *generator) segment(behind, ahead int) segment {
	s := segment{own: 1 << centre}
	for i := range g.arms.half {
		for _, c := range [2]struct {
			content uint64
			bit     int
		}{{g.arms.list[behind].at(i), centre - 1 - i}, {g.arms.list[ahead].at(i), centre + 1 + i}} {
			switch c.content {
			case vacant:
				s.empty |= 1 << c.bit
			case 1:
				s.own |= 1 << c.bit
			case 2:
				s.opp |= 1 << c.bit
			default:
				s.edge |= 1 << c.bit
			}
		}
	}
	return s
}

// distance plays own stones on the line until there is a four, remembering
// what it found for every content.
func (g *generator) distance(behind, ahead int) distance {
	at := behind*len(g.arms.list) + ahead
	if g.known[at] {
		return g.dist[at]
	}
	d := g.measure(behind, ahead)
	g.known[at], g.dist[at] = true, d
	return d
}

func (g *generator) measure(behind, ahead int) distance {
	s := g.segment(behind, ahead)
	d := distance{four: far, open: far}
	if g.rule.foul(s) {
		return d
	}
	for k := range reach {
		if next := g.more[behind][k]; next >= 0 {
			d = d.closer(g.distance(int(next), ahead))
		}
		if next := g.more[ahead][k]; next >= 0 {
			d = d.closer(g.distance(behind, int(next)))
		}
	}
	if g.rule.completing(s) != 0 {
		d.four = 0
	}
	if g.rule.lasting(s) {
		d.open = 0
	}
	return d
}

// closer returns the smaller distances of d and of one stone more than next.
func (d distance) closer(next distance) distance {
	d.four = min(d.four, next.four+1)
	switch open := next.open + 1; {
	case open < d.open:
		d.open, d.ways = open, 1
	case open == d.open:
		d.ways++
	}
	return d
}

const maxCells = gomoku.MaxSize * gomoku.MaxSize

// maxCellsRound is maxCells rounded up to a power of two, so that an index can
// be masked.
const maxCellsRound = 64 * setWords

// setWords is the length of a Set: one bit for each cell of the largest board.
const setWords = (maxCells + 63) / 64

// Set is a set of cells: cell c is bit c%64 of word c/64. The zero value is
// empty.
type Set [setWords]uint64

// Has reports whether cell is in the set.
func (s *Set) Has(cell int) bool { return s[cell>>6]>>(cell&63)&1 != 0 }

// Add puts cell into the set.
func (s *Set) Add(cell int) { s[cell>>6] |= 1 << (cell & 63) }

// Remove takes cell out of the set.
func (s *Set) Remove(cell int) { s[cell>>6] &^= 1 << (cell & 63) }

// Len returns the number of cells.
func (s *Set) Len() (n int) {
	for _, w := range s {
		n += bits.OnesCount64(w)
	}
	return n
}

// Empty reports whether there is no cell in the set.
func (s *Set) Empty() bool { return *s == Set{} }

// Next returns the first cell of the set that is at least from, -1 if there is
// none. A loop over the set is
//
//	for c := s.Next(0); c >= 0; c = s.Next(c + 1) { ... }
func (s *Set) Next(from int) int {
	i := from >> 6
	if i >= setWords {
		return -1
	}
	if w := s[i] >> (from & 63); w != 0 {
		return from + bits.TrailingZeros64(w)
	}
	for i++; i < setWords; i++ {
		if s[i] != 0 {
			return i<<6 + bits.TrailingZeros64(s[i])
		}
	}
	return -1
}

// Append appends the cells in ascending order.
func (s *Set) Append(buf []game.Move) []game.Move {
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			buf = append(buf, game.Move(i<<6+bits.TrailingZeros64(w)))
		}
	}
	return buf
}

// Or returns the union of two sets, And what they have in common, and Without
// what is in s and not in t.
func (s Set) Or(t *Set) Set {
	for i := range s {
		s[i] |= t[i]
	}
	return s
}

// And returns what s and t have in common.
func (s Set) And(t *Set) Set {
	for i := range s {
		s[i] &= t[i]
	}
	return s
}

// Without returns what is in s and not in t.
func (s Set) Without(t *Set) Set {
	for i := range s {
		s[i] &^= t[i]
	}
	return s
}

// lineRule says which runs win for one side, and whether renju restricts it.
type lineRule struct {
	exact      bool // only runs of exactly five
	oppBlocks  bool // the opponent's stones block the ends of a five
	edgeBlocks bool // so do edges; not without oppBlocks
	restricted bool // overlines and two fours are forbidden
}

func newLineRule(r *gomoku.Rules, s game.Side) lineRule {
	return lineRule{exact: r.Exact[s], oppBlocks: r.OpponentBlocks, edgeBlocks: r.EdgeBlocks, restricted: r.Renju[s]}
}

// half returns how many cells to either side of a cell decide its pattern.
func (r lineRule) half() int {
	if r.exact || r.oppBlocks {
		return reach
	}
	return reach - 1
}

// segment is a piece of a line around one cell, the centre, as masks. Bit
// centre+k is the cell k steps from it; what is in no mask is not known.
type segment struct{ own, opp, edge, empty uint32 }

const centre = 8

func (s segment) put(bit int) segment {
	s.own |= 1 << bit
	s.empty &^= 1 << bit
	return s
}

func (s segment) block(bit int) segment {
	s.opp |= 1 << bit
	s.empty &^= 1 << bit
	return s
}

// run returns the first bits below and above the run of own stones through bit,
// which holds one, that are not part of it.
func (s segment) run(bit int) (lo, hi int) {
	lo = 31 - bits.LeadingZeros32(^s.own&(1<<bit-1))
	hi = bits.TrailingZeros32(^s.own &^ (1<<bit - 1))
	return lo, hi
}

// wins reports whether the run between lo and hi wins.
func (r lineRule) wins(s segment, lo, hi int) bool {
	switch length := hi - lo - 1; {
	case length < 5:
		return false
	case length > 5:
		return !r.exact
	}
	return !(r.blocks(s, lo) && r.blocks(s, hi))
}

func (r lineRule) blocks(s segment, bit int) bool {
	return r.oppBlocks && s.opp>>bit&1 != 0 || r.edgeBlocks && s.edge>>bit&1 != 0
}

// won reports whether the run through the centre wins.
func (r lineRule) won(s segment) bool {
	lo, hi := s.run(centre)
	return r.wins(s, lo, hi)
}

// completing returns the empty cells where one more stone makes a winning run
// that the centre is part of.
func (r lineRule) completing(s segment) (cells uint32) {
	for e := s.empty; e != 0; e &= e - 1 {
		bit := bits.TrailingZeros32(e)
		after := s.put(bit)
		lo, hi := after.run(bit)
		if lo < centre && centre < hi && r.wins(after, lo, hi) {
			cells |= 1 << bit
		}
	}
	return cells
}

// secondEnd returns the bit where one stone of the opponent blocks the second end
// of the winning run between lo and hi, -1 if there is none.
func (r lineRule) secondEnd(s segment, lo, hi int) int {
	switch {
	case hi-lo-1 != 5:
	case r.blocks(s, lo) && s.empty>>hi&1 != 0:
		return hi
	case r.blocks(s, hi) && s.empty>>lo&1 != 0:
		return lo
	}
	return -1
}

// lasting reports whether some completing cell is left after any one stone of
// the opponent.
func (r lineRule) lasting(s segment) bool {
	if cells := r.completing(s); cells&(cells-1) == 0 {
		return false // none, or the one that a reply on it takes away
	}
	for e := s.empty; e != 0; e &= e - 1 {
		if r.completing(s.block(bits.TrailingZeros32(e))) == 0 {
			return false
		}
	}
	return true
}

// foul reports whether the stone on the centre is forbidden by this line alone:
// the centre is part of a run longer than five or of two fours. Completing cells
// at both ends of a run shorter than four are two fours.
func (r lineRule) foul(s segment) bool {
	if !r.restricted {
		return false
	}
	lo, hi := s.run(centre)
	return hi-lo-1 > 5 || hi-lo-1 < 4 && bits.OnesCount32(r.completing(s)) > 1
}

// Directions is the number of directions of lines: rows, columns, diagonals and
// antidiagonals, in this order.
const Directions = directions

// States returns the states of all cells. They belong to b and change with it.
func (b *Board) States() *[maxCellsRound]State { return &b.cells }

// CodeOf returns the code of the four shapes of a quad, see [Board.Code].
func CodeOf(quad uint16) uint16 { return codes()[quad] }
