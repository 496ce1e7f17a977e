package bitbase

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"sync"

	"golang.org/x/sync/errgroup"
)

// A byte of half.state is at most undecided while the position has no value: the
// number of moves that may still not lose. Above that it is a distance plus
// undecided. No position has more: 40 moves that take nothing, and one for all
// that do.
const (
	undecided = 41

	// Longest is the largest distance that can be built.
	Longest = 255 - undecided
)

// ErrTooLong is returned for five cards with a win or a loss farther away than a
// byte tells.
var ErrTooLong = errors.New("bitbase: the distance does not fit")

// lower is a solved class with fewer men.
type lower struct {
	numbering
	values []byte // by deal and number
}

// half is one class of a pair that turn into each other, while it is solved. Of
// every deal there are size positions, and words words of bits.
type half struct {
	numbering
	other *half  // the class after a move that takes nothing: itself, if both sides have as many men
	taken *lower // the class after a capture; nil if there is no student to take

	state []byte // see undecided
	later []byte // when captures count: see setUp; 0: never
	words int
	found []uint64 // positions whose distance is the current one
	next  []uint64 // positions whose distance is one more

	due    [Deals][256]uint32 // how many bytes of later have that value
	counts [Deals]int         // bits in found
	coming [Deals]int         // bits in next
}

// solver solves the classes of one set of cards, a pair at a time.
type solver struct {
	cards   *cards
	threads int
	longest int             // Longest, but in tests
	level   func(found int) // is told how many positions each distance has
}

// solve finds the values of all positions of the halves, which are one class or
// two that turn into each other. Afterwards state holds distances, 0 for a draw.
func (s *solver) solve(ctx context.Context, halves []*half) error {
	if err := s.each(ctx, halves, s.setUp); err != nil {
		return err
	}
	last := 0 // the last level at which captures count
	for _, h := range halves {
		for deal := range h.due {
			for level, n := range h.due[deal] {
				if n > 0 {
					last = max(last, level)
				}
			}
		}
	}
	if last > s.longest {
		return fmt.Errorf("%w: a position is decided in %d plies; at most %d fit", ErrTooLong, last, s.longest)
	}
	for d := 1; ; d++ {
		err := s.each(ctx, halves, func(ctx context.Context, h *half, deal int) error {
			return h.settle(ctx, deal, d)
		})
		if err != nil {
			return err
		}
		found := 0
		for _, h := range halves {
			for _, n := range h.counts {
				found += n
			}
		}
		s.level(found)
		switch {
		case found == 0 && d >= last:
			return s.each(ctx, halves, finish)
		case found > 0 && d >= s.longest:
			return fmt.Errorf("%w: positions are decided in %d plies, and others lead there; at most %d fit", ErrTooLong, d,
				s.longest)
		}
		err = s.each(ctx, halves, func(ctx context.Context, h *half, deal int) error {
			return s.retract(ctx, h, deal, d)
		})
		if err != nil {
			return err
		}
		for _, h := range halves {
			h.found, h.next = h.next, h.found
			h.counts, h.coming = h.coming, [Deals]int{}
			clear(h.next)
		}
	}
}

// each calls work for every half and deal on the solver's threads, and returns the
// first error when all have returned. A call may write what belongs to its half
// and deal, and read what no call writes.
func (s *solver) each(ctx context.Context, halves []*half, work func(context.Context, *half, int) error) error {
	group, working := errgroup.WithContext(ctx)
	group.SetLimit(s.threads)
	for _, h := range halves {
		for deal := range Deals {
			group.Go(func() error { return work(working, h, deal) })
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return ctx.Err()
}

// pause is how many positions are looked at between two looks at the context.
const pause = 1 << 16

// setUp finds the wins in one ply and, for the others, counts the moves that take
// nothing and looks up those that do.
//
// A capture that wins does so at a known distance, and the shortest one counts from
// that level on: it is later's value, an odd number. If all captures lose, the
// longest one counts: as long as it may not lose it is one more of the moves
// counted, and later says, with an even number, at which level it is counted off.
// A capture that draws is counted and never counted off.
func (s *solver) setUp(ctx context.Context, h *half, number int) error {
	base := number * int(h.size)
	state, later := h.state[base:][:h.size], h.later[base:][:h.size]
	found := h.found[number*h.words:][:h.words]
	due := &h.due[number]
	*due = [256]uint32{}
	h.counts[number] = 0
	for r := range h.size {
		if r%pause == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		p := h.placement(r)
		if s.winsNow(&p, number) {
			state[r], later[r] = undecided+1, 0
			found[r/64] |= 1 << (r % 64)
			h.counts[number]++
			continue
		}
		moves, level := s.count(h, &p, number)
		state[r], later[r] = moves, level
		due[level]++
	}
	due[0] = 0
	return nil
}

// winsNow reports whether the side to move takes the other master or enters the
// other temple.
func (s *solver) winsNow(p *placement, number int) bool {
	own, king, prey := p.men[0], p.masters[0], p.masters[1]
	for _, card := range s.cards.deals[number].own {
		if s.cards.comes[card][prey]&own != 0 || s.cards.steps[card][king]&^own>>oppTemple&1 != 0 {
			return true
		}
	}
	return false
}

// count returns how many moves of p may not lose, all captures together being one,
// and the level at which captures count; see setUp. The side to move has no win in
// one ply.
func (s *solver) count(h *half, p *placement, number int) (moves, level byte) {
	const never = 255
	quiet, captures, draws := 0, 0, 0
	loss, win := byte(never), byte(0) // of the opponent: the quickest loss, the slowest win
	own, opp := p.men[0], p.men[1]
	for i, card := range s.cards.deals[number].own {
		for rest := own; rest != 0; rest &= rest - 1 {
			from := bits.TrailingZeros32(rest)
			to := s.cards.steps[card][from] &^ own
			quiet += bits.OnesCount32(to &^ opp)
			for hits := to & opp; hits != 0; hits &= hits - 1 {
				captures++
				after := p.stepped(from, bits.TrailingZeros32(hits)).turned()
				next := s.cards.next[number][i]
				switch v := h.taken.values[next*int(h.taken.size)+int(h.taken.rank(&after))]; {
				case v == 0:
					draws++
				case v%2 == 0:
					loss = min(loss, v)
				default:
					win = max(win, v)
				}
			}
		}
	}
	switch {
	case quiet+captures == 0:
		return 2, 0 // the passes
	case captures == 0:
		return byte(quiet), 0
	case loss != never:
		return byte(quiet + 1), loss + 1
	case draws > 0:
		return byte(quiet + 1), 0
	}
	return byte(quiet + 1), win + 1
}

// stepped returns the placement after a man has stepped between two squares and
// taken what stood there, still seen by the side that moved.
func (p *placement) stepped(from, to int) *placement {
	after := *p
	after.men[0] ^= 1<<from | 1<<to
	after.men[1] &^= 1 << to
	if after.masters[0] == from {
		after.masters[0] = to
	}
	return &after
}

// settle lets the captures count that do so at the distance d.
func (h *half) settle(ctx context.Context, number, d int) error {
	if h.due[number][d] == 0 {
		return nil
	}
	base := number * int(h.size)
	state, later := h.state[base:][:h.size], h.later[base:][:h.size]
	found := h.found[number*h.words:][:h.words]
	for r, level := range later {
		if r%pause == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if level != byte(d) || state[r] > undecided {
			continue
		}
		if state[r]--; d%2 == 1 || state[r] == 0 {
			state[r] = undecided + byte(d)
			found[r/64] |= 1 << (r % 64)
			h.counts[number]++
		}
	}
	return nil
}

// retract takes back the moves with the deal of that number that lead to positions
// of the distance d and take nothing. If those positions are lost, the side that
// moved wins; if they are won, it has a move less, and loses with the last one.
func (s *solver) retract(ctx context.Context, h *half, number, d int) error {
	state := h.state[number*int(h.size):][:h.size]
	next := h.next[number*h.words:][:h.words]
	hand := s.cards.deals[number].own
	coming := 0
	reach := func(p *placement) {
		r := h.rank(p)
		if state[r] > undecided {
			return
		}
		if state[r]--; d%2 == 0 || state[r] == 0 {
			state[r] = undecided + byte(d) + 1
			next[r/64] |= 1 << (r % 64)
			coming++
		}
	}
	for i, after := range s.cards.next[number] {
		if h.other.counts[after] == 0 {
			continue
		}
		comes := &s.cards.comes[hand[i]]
		for w, word := range h.other.found[after*h.words:][:h.words] {
			if w%(pause/64) == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			for ; word != 0; word &= word - 1 {
				now := h.other.placement(uint32(w*64 + bits.TrailingZeros64(word)))
				p := now.turned()
				empty := uint32(1<<squares-1) &^ (p.men[0] | p.men[1])
				men, king := p.men[0], p.masters[0]
				for rest := men; rest != 0; rest &= rest - 1 {
					to := bits.TrailingZeros32(rest)
					from := comes[to] & empty
					if to == king {
						from &^= 1 << oppTemple
					}
					for ; from != 0; from &= from - 1 {
						sq := bits.TrailingZeros32(from)
						p.men[0] = men ^ (1<<to | 1<<sq)
						if to == king {
							p.masters[0] = sq
						}
						reach(&p)
					}
					p.masters[0] = king
				}
				if p.men[0] = men; s.stuck(men, hand) {
					reach(&p)
				}
			}
		}
	}
	h.coming[number] = coming
	return nil
}

// stuck reports whether the men cannot step with the cards of hand.
func (s *solver) stuck(men uint32, hand [2]uint8) bool {
	first, second := &s.cards.steps[hand[0]], &s.cards.steps[hand[1]]
	for rest := men; rest != 0; rest &= rest - 1 {
		sq := bits.TrailingZeros32(rest)
		if (first[sq]|second[sq])&^men != 0 {
			return false
		}
	}
	return true
}

// finish leaves distances in state.
func finish(_ context.Context, h *half, number int) error {
	state := h.state[number*int(h.size):][:h.size]
	for i, v := range state {
		state[i] = max(v, undecided) - undecided
	}
	return nil
}

const (
	squares = 25

	// MaxMen is the largest number of men that a table can have, masters included.
	MaxMen = 6

	// maxSide is the most men that one side can have.
	maxSide = 5

	// masterPairs is the number of ways in which two masters stand on different
	// squares, neither on the other's temple.
	masterPairs = 24*24 - 23

	// free is the number of squares that two masters leave.
	free = squares - 2
)

// The temples, as the mover sees them.
const (
	ownTemple = 2
	oppTemple = 22
)

// Class says how many men each side has, its master included; the side to move
// comes first.
type Class struct{ Own, Opp int }

// turned returns the class after a move that takes nothing.
func (c Class) turned() Class { return Class{c.Opp, c.Own} }

// Size returns the number of positions of the class: of its placements with each
// of the deals.
func (c Class) Size() int64 { return int64(Deals) * int64(newNumbering(c).size) }

// classes lists the classes of up to men men in the order in which they are
// solved: by men, then by the difference between the sides, the side with more
// men first. A class and the one it turns into are neighbours.
func classes(men int) []Class {
	var list []Class
	for n := 2; n <= men; n++ {
		for own := min(n-1, maxSide); 2*own >= n; own-- {
			c := Class{own, n - own}
			list = append(list, c)
			if c.Own != c.Opp {
				list = append(list, c.turned())
			}
		}
	}
	return list
}

// placement is where the men stand, seen by the side to move: its men come first,
// and the board is turned by half a turn for the second player.
type placement struct {
	men     [2]uint32 // masters included
	masters [2]int
}

// turned returns what the other side sees.
func (p *placement) turned() placement {
	return placement{
		men:     [2]uint32{turnSet(p.men[1]), turnSet(p.men[0])},
		masters: [2]int{squares - 1 - p.masters[1], squares - 1 - p.masters[0]},
	}
}

// turnSet turns a set of squares by half a turn.
func turnSet(set uint32) uint32 { return bits.Reverse32(set) >> (32 - squares) }

// numbering numbers the placements of a class from 0 to size-1 without a gap. The
// masters count most, then the own students, then the opponent's:
//
//	number = (pair*own + rank(own students))*opp + rank(opponent's students)
//
// where own and opp say how many ranks there are; see the package's documentation.
type numbering struct {
	t        *ranks
	class    Class
	own, opp uint32 // ranks of the students of each side
	size     uint32
}

func newNumbering(c Class) numbering {
	n := numbering{t: sharedRanks(), class: c}
	n.own = n.t.choose[c.Own-1][free]
	n.opp = n.t.choose[c.Opp-1][free-(c.Own-1)]
	n.size = masterPairs * n.own * n.opp
	return n
}

// rank returns the number of p, which is of the numbering's class.
func (n *numbering) rank(p *placement) uint32 {
	masters := uint32(1)<<p.masters[0] | uint32(1)<<p.masters[1]
	own := p.men[0] &^ masters
	r := uint32(n.t.pairs[p.masters[0]][p.masters[1]])
	r = r*n.own + n.t.rank(own, masters)
	return r*n.opp + n.t.rank(p.men[1]&^masters, masters|own)
}

// placement returns the placement with the number r.
func (n *numbering) placement(r uint32) placement {
	opp := r % n.opp
	r /= n.opp
	own := r % n.own
	pair := n.t.masters[r/n.own]
	masters := uint32(1)<<pair[0] | uint32(1)<<pair[1]
	students := spread(n.t.sets[n.class.Own-1][own], masters)
	return placement{
		men: [2]uint32{
			students | 1<<pair[0],
			spread(n.t.sets[n.class.Opp-1][opp], masters|students) | 1<<pair[1],
		},
		masters: [2]int{int(pair[0]), int(pair[1])},
	}
}

// spread moves a set from the squares counted outside taken to the board's.
func spread(set, taken uint32) uint32 {
	for ; taken != 0; taken &= taken - 1 {
		below := taken&-taken - 1
		set = set&below | set&^below<<1
	}
	return set
}

// ranks has both directions of the numbering. It is shared and never written once
// built.
type ranks struct {
	choose  [maxSide][squares + 1]uint32 // choose[k][n] is C(n, k)
	masters [masterPairs][2]uint8        // the squares of both masters, by their number
	pairs   [squares][squares]uint16     // the number of two masters, by their squares
	sets    [maxSide][]uint32            // sets of squares out of 23, by size and rank
}

// sharedRanks builds the tables when they are first needed.
var sharedRanks = sync.OnceValue(newRanks)

func newRanks() *ranks {
	t := new(ranks)
	for n := range t.choose[0] {
		t.choose[0][n] = 1
		for k := 1; k < maxSide && n > 0; k++ {
			t.choose[k][n] = t.choose[k][n-1] + t.choose[k-1][n-1]
		}
	}
	n := 0
	for own := range squares {
		for opp := range squares {
			if own == opp || own == oppTemple || opp == ownTemple {
				continue
			}
			t.masters[n] = [2]uint8{uint8(own), uint8(opp)}
			t.pairs[own][opp] = uint16(n)
			n++
		}
	}
	t.sets[0] = []uint32{0}
	for k := 1; k < maxSide; k++ {
		// The next larger number with as many bits is the set of the next rank.
		for set := uint32(1)<<k - 1; set < 1<<free; {
			t.sets[k] = append(t.sets[k], set)
			low := set & -set
			carried := set + low
			set = carried | (set^carried)>>2/low
		}
	}
	return t
}

// rank returns the rank of a set of squares in the combinatorial number system,
// counting only squares outside taken: C(s1,1) + C(s2,2) + ... for the squares
// s1 < s2 < ...
func (t *ranks) rank(set, taken uint32) uint32 {
	r := uint32(0)
	for k := 1; set != 0; k++ {
		below := set&-set - 1
		set &= set - 1
		r += t.choose[k][bits.OnesCount32(below&^taken)]
	}
	return r
}
