// Package bitbase solves the endgames of Onitama: for five cards it says of every
// position of up to six men, masters included, whether the side to move wins, loses
// or draws, and in how many plies the game ends if the winner is as quick and the
// loser as slow as can be. A draw is a game without end: neither side can force a
// win. [Build] writes a table to a file, [Open] reads it, and [Table.Probe] asks it.
//
// # Positions
//
// A position is what the side to move sees: for the second player the board is
// turned by half a turn, as the cards are, so the side to move always plays up from
// c1. A [Class] says how many men the side to move and the other side have. A table
// of N men has all classes of 2 to N men with one to five men a side, and of each
// class all placements with all [Deals] of the five cards:
//
//	men  positions      file
//	2           16,590   17 kB
//	3          779,730  780 kB
//	4       17,568,810   18 MB
//	5      252,615,930  253 MB
//	6    2,603,087,130  2.6 GB
//
// [NeedsOf] says how much memory building takes: at most 0.4 GB for five men and 2.9
// GB for six. An open table takes next to none, since it reads single bytes.
//
// Placements are numbered without a gap. The masters come first: the 553 pairs of
// squares (own, opponent's) that differ, with no master on the other's temple, in
// ascending order. Then the students, first the own ones among the 23 squares that
// the masters leave, then the opponent's among the squares that those leave. The
// squares that are left are counted from 0, and the set s1 < s2 < ... of them has the
// rank C(s1,1) + C(s2,2) + ... of the combinatorial number system. With A and B sets
// of own and opponent's students the placement's number is
//
//	(masters*A + own rank)*B + opponent's rank
//
// A deal is numbered with the cards 0..4 in the order of their numbers, which within the
// base game is alphabetical: three times the rank of the mover's hand in 01 02 03 04 12 13 14 23 24
// 34, plus the rank of the side
// card among the three others.
//
// # File
//
// A file is a line of text,
//
//	carozero onitama bitbase version 1 cards Crab,Crane,Dragon,Monkey,Tiger men 4
//
// and for each class a line and its bytes, a byte for each position: deal by deal,
// placement by placement. 0 is a draw; any other byte is the distance in plies, odd
// for a win and even for a loss of the side to move. The line is
//
//	class 2 1 positions 381570 wins 331386 draws 0 losses 50184 longest 20 sha256 ...
//
// with the SHA-256, in hexadecimal digits, of the file's first line, of this line up to
// the sum and of the bytes. The classes come by their number of men. Of those with as
// many, the classes whose side to move has more men come first, the most first, each
// followed by the class with the sides exchanged, and the one with equal sides comes
// last: 1 1, 2 1, 1 2, 3 1, 1 3, 2 2, 4 1, 1 4, 3 2, 2 3 and so on.
//
// # Algorithm
//
// This is the retrograde analysis of K. Thompson, "Retrograde Analysis of Certain
// Endgames", ICCA Journal 9(3), 1986, with counters of moves. A move that takes
// nothing leads from a class to the one with the sides exchanged, and a capture to a
// class with a man less. So such a pair of classes is solved together, after all with
// fewer men:
//
//  1. Set up. Each position with a win in one ply gets it. Of the others the moves
//     that take nothing are counted, and captures are looked up in the classes below.
//     If one wins, its distance is noted; if all lose, the longest, and they are
//     counted as one more move; if the best draws, they are counted as one more move
//     for good.
//  2. For the distances d = 1, 2, ... : captures that were noted for d count now.
//     Then, from every position of the distance d, the moves that may have led there
//     are taken back. If d is even, the position is lost, and what leads there is won
//     in d+1. If d is odd, it is won, and what leads there has a move less; without
//     one it is lost in d+1.
//  3. What has no distance when no more comes is drawn.
//
// So each move is generated once forwards and once backwards, where sweeps over all
// positions without a value would generate it once a distance. A byte a position is
// its counter until it has a distance; a second byte has what is noted of captures;
// two bits say whether it has the distance d or d+1. A counter is 41 at most, which
// leaves 214 distances ([Longest]); a table that would need more is refused with
// [ErrTooLong].
//
// A side whose men cannot step passes and chooses a card to exchange. It takes five
// men of one side to be stuck with two real cards (all on the last row with Boar and
// Crab, for instance), so only tables of six men have such positions.
//
// # A second program
//
// check.py in this folder solves positions of up to four men from the printed rules by
// another method, all classes at once, and compares every byte of a file.
//
// # Threads
//
// The work is cut by class and deal. A deal and an exchanged card lead to one deal of
// the other class, so taking moves back into one deal writes there only, and reads
// bits that nobody writes meanwhile. The bytes of a file do not depend on the number
// of threads. A [Table] may be used by several goroutines.
package bitbase

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
	"github.com/carozero/carozero/internal/disk"
)

// Options say how a bitbase is built. The zero value works.
type Options struct {
	Threads int // 0: as many as Go uses

	// Progress, unless nil, is told how many of all positions are solved, on the goroutine of
	// Build.
	Progress func(done, total int64)
}

// Needs is what a build takes.
type Needs struct {
	Positions int64 // and bytes of the file, without its lines
	Memory    int64 // bytes of the tables while the largest classes are solved
}

// NeedsOf returns what tables of up to men men take. The error wraps ErrMen.
func NeedsOf(men int) (Needs, error) {
	if err := checkMen(men); err != nil {
		return Needs{}, err
	}
	var n Needs
	sizes := make([]int64, men+1) // of the classes, by men
	for _, pair := range pairs(men) {
		size := pair.size()
		n.Positions += size
		sizes[pair.men()] += size
		// Two bytes and two bits a position, and the classes to which captures lead.
		n.Memory = max(n.Memory, 2*size+size/4+sizes[pair.men()-1])
	}
	return n, nil
}

// pair is a class and the one that it turns into, which is itself if both sides
// have as many men.
type pair []Class

// pairs lists the pairs in the order in which they are solved.
func pairs(men int) []pair {
	var list []pair
	for _, c := range classes(men) {
		switch {
		case c.Own > c.Opp:
			list = append(list, pair{c, c.turned()})
		case c.Own == c.Opp:
			list = append(list, pair{c})
		}
	}
	return list
}

// size returns the number of positions.
func (p pair) size() int64 {
	var n int64
	for _, c := range p {
		n += c.Size()
	}
	return n
}

func (p pair) men() int { return p[0].Own + p[0].Opp }

// captured returns the class after a move that takes a student.
func (c Class) captured() Class { return Class{c.Opp - 1, c.Own} }

// Build writes the bitbase of five cards and up to men men to path, and replaces what was
// there when it is complete. The error wraps [onitama.ErrCards], ErrMen or ErrTooLong, or is
// ctx's or the system's.
func Build(ctx context.Context, path string, five [5]onitama.Card, men int, o Options) error {
	if err := checkMen(men); err != nil {
		return err
	}
	c, err := newCards(five)
	if err != nil {
		return err
	}
	s := &solver{cards: c, threads: o.Threads, longest: Longest}
	if s.threads == 0 {
		s.threads = runtime.GOMAXPROCS(0)
	}
	return disk.Write(path, func(file io.Writer) error {
		h := header{c, men}
		out := bufio.NewWriterSize(file, 1<<20)
		out.WriteString(h.line())
		err := s.solveAll(ctx, men, o.Progress, func(of *half) error {
			class := section{Summary: summarise(of)}
			sum := class.hash(h)
			sum.Write(of.state)
			sum.Sum(class.sum[:0])
			out.WriteString(class.line())
			_, err := out.Write(of.state)
			return err
		})
		if err != nil {
			return err
		}
		return out.Flush()
	})
}

// solveAll solves the classes of up to men men and hands them to take in the order of a file.
// What take gets is valid until it returns.
func (s *solver) solveAll(ctx context.Context, men int, progress func(done, total int64),
	take func(*half) error) error {
	list := pairs(men)
	var done, total, largest int64
	for _, pair := range list {
		total += pair.size()
		largest = max(largest, pair.size())
	}
	s.level = func(found int) {
		if done += int64(found); progress != nil {
			progress(done, total)
		}
	}
	work := newArena(largest)
	solved := map[Class][]byte{} // with as many men as the present pair, or one less
	before := int64(0)
	for _, pair := range list {
		for c := range solved {
			if c.Own+c.Opp < pair.men()-1 {
				delete(solved, c)
			}
		}
		halves := newHalves(pair, work, solved)
		if err := s.solve(ctx, halves); err != nil {
			return fmt.Errorf("class %d %d: %w", pair[0].Own, pair[0].Opp, err)
		}
		for _, h := range halves {
			if pair.men() < men {
				solved[h.class] = bytes.Clone(h.state)
			}
			if err := take(h); err != nil {
				return err
			}
		}
		before += pair.size()
		done = before // the draws too
		s.level(0)
	}
	return nil
}

// arena is the memory in which pairs are solved, one after the other.
type arena struct {
	state, later []byte
	found, next  []uint64
}

func newArena(positions int64) *arena {
	words := positions/64 + 2*Deals // a word of each deal may be full in part
	return &arena{
		state: make([]byte, positions), later: make([]byte, positions),
		found: make([]uint64, words), next: make([]uint64, words),
	}
}

// newHalves returns the classes of a pair ready to be solved, over the solved classes below
// them.
func newHalves(of pair, work *arena, solved map[Class][]byte) []*half {
	var list []*half
	at, bits := 0, 0
	for _, c := range of {
		h := &half{numbering: newNumbering(c)}
		size := int(c.Size())
		h.words = (int(h.size) + 63) / 64
		h.state, h.later = work.state[at:][:size], work.later[at:][:size]
		h.found, h.next = work.found[bits:][:Deals*h.words], work.next[bits:][:Deals*h.words]
		clear(h.found)
		clear(h.next)
		at, bits = at+size, bits+Deals*h.words
		if c.Opp > 1 {
			below := c.captured()
			h.taken = &lower{newNumbering(below), solved[below]}
		}
		list = append(list, h)
	}
	list[0].other, list[len(list)-1].other = list[len(list)-1], list[0]
	return list
}

// summarise counts the values of a solved class.
func summarise(h *half) Summary {
	var counts [256]int64
	for _, v := range h.state {
		counts[v]++
	}
	s := Summary{Class: h.class, Draws: counts[0]}
	for v := 1; v < len(counts); v++ {
		if counts[v] > 0 {
			s.Longest = v
		}
		if v%2 == 1 {
			s.Wins += counts[v]
		} else {
			s.Losses += counts[v]
		}
	}
	return s
}

// Deals is the number of ways to deal five cards: two to the side to move, two to
// the other side, one aside.
const Deals = 30

// deal says who has which card, as numbers 0..4 of the five cards in ascending
// order.
type deal struct {
	own, opp [2]uint8 // the hands, ascending
	side     uint8
}

// number returns the number of the deal, 0..29: three times the rank of the
// mover's hand in 01 02 03 04 12 13 14 23 24 34, plus the rank of the side card
// among the other three cards.
func (d deal) number() int {
	hand := 0
	for low := uint8(0); low < d.own[0]; low++ {
		hand += 4 - int(low)
	}
	hand += int(d.own[1]-d.own[0]) - 1
	side := int(d.side)
	for _, c := range d.own {
		if c < d.side {
			side--
		}
	}
	return 3*hand + side
}

// after returns the deal that the other side sees after the mover has exchanged
// the card own[i].
func (d deal) after(i int) deal {
	kept, got := d.own[1-i], d.side
	return deal{own: d.opp, opp: [2]uint8{min(kept, got), max(kept, got)}, side: d.own[i]}
}

// cards holds what follows from the five cards. It is never written once made.
type cards struct {
	five  [5]onitama.Card
	deals [Deals]deal
	next  [Deals][2]int      // the deal after the mover has exchanged own[0] or own[1]
	steps [5][squares]uint32 // by card and square: where the mover's men step to
	comes [5][squares]uint32 // by card and square: where they step there from
}

// newCards returns the tables of five cards, in any order. The error wraps
// [onitama.ErrCards].
func newCards(five [5]onitama.Card) (*cards, error) {
	slices.Sort(five[:])
	board, err := onitama.New(onitama.Deal{
		First: [2]onitama.Card{five[0], five[1]}, Second: [2]onitama.Card{five[2], five[3]}, Side: five[4],
	})
	if err != nil {
		return nil, err
	}
	c := &cards{five: five}
	for own0 := range uint8(5) {
		for own1 := own0 + 1; own1 < 5; own1++ {
			var rest []uint8
			for card := range uint8(5) {
				if card != own0 && card != own1 {
					rest = append(rest, card)
				}
			}
			for i, side := range rest {
				opp := slices.Delete(slices.Clone(rest), i, i+1)
				d := deal{own: [2]uint8{own0, own1}, opp: [2]uint8(opp), side: side}
				c.deals[d.number()] = d
			}
		}
	}
	for i, d := range c.deals {
		c.next[i] = [2]int{d.after(0).number(), d.after(1).number()}
	}
	for i, card := range five {
		for sq := range squares {
			c.steps[i][sq] = board.Targets(game.First, card, sq)
			c.comes[i][sq] = board.Targets(game.Second, card, sq)
		}
	}
	return c, nil
}

// number returns the number of the deal of b, seen by the side to move, and
// whether its cards are these five.
func (c *cards) number(b *onitama.Board) (int, bool) {
	var d deal
	ok := true
	index := func(card onitama.Card) uint8 {
		i, found := slices.BinarySearch(c.five[:], card)
		ok = ok && found
		return uint8(i)
	}
	own, opp := b.Hand(b.ToMove()), b.Hand(b.ToMove().Other())
	d.own = [2]uint8{index(own[0]), index(own[1])}
	d.opp = [2]uint8{index(opp[0]), index(opp[1])}
	d.side = index(b.SideCard())
	if !ok {
		return 0, false
	}
	return d.number(), true
}

// names returns the cards as "Crab,Crane,Dragon,Monkey,Tiger".
func (c *cards) names() string {
	return fmt.Sprintf("%v,%v,%v,%v,%v", c.five[0], c.five[1], c.five[2], c.five[3], c.five[4])
}

// board returns the position of p with the deal of that number, the first player
// to move.
func (c *cards) board(p *placement, number int) (*onitama.Board, error) {
	d := c.deals[number]
	return onitama.NewSetup(onitama.Setup{
		Students: [2]uint32{p.men[0] &^ (1 << p.masters[0]), p.men[1] &^ (1 << p.masters[1])},
		Masters:  p.masters,
		Deal: onitama.Deal{
			First:  [2]onitama.Card{c.five[d.own[0]], c.five[d.own[1]]},
			Second: [2]onitama.Card{c.five[d.opp[0]], c.five[d.opp[1]]},
			Side:   c.five[d.side],
		},
		ToMove: game.First,
	})
}
