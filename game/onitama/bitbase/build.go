// Package bitbase solves the endgames of Onitama: for five cards it says of every
// position of up to six men, masters included, whether the side to move wins, loses
// or draws, and in how many plies the game ends if the winner is as quick and the
// loser as slow as can be. A draw is a game without end: neither side can force a
// win. [Build] writes a table to a file, [Open] reads it, [Table.Probe] asks it, and
// [Replay] plays its wins through the rules against every defence.
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
// [NeedsOf] says how much memory building takes: at most 0.4 GB for five men and 2.8
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
// base game is alphabetical: three times the rank of the mover's hand in 01 02 03 04 12 13 14 23 24 34, plus the rank of the side
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
// of threads. A [Table] may be used by several goroutines, a [Replay] by one.
//
// # Errors
//
// Reading refuses what is no bitbase, of another version, cut off or changed in any
// byte, and says in one line where and what would be right. Building goes on from the
// finished classes of an earlier call; see [Build].
package bitbase

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
	"github.com/carozero/carozero/internal/disk"
)

// Options say how a bitbase is built. The zero value works.
type Options struct {
	Threads  int            // 0: as many as Go uses
	Progress func(Progress) // called from the goroutine of Build; nil: nothing is told

	longest int // less than Longest, for tests; 0: Longest
}

// Progress says how far a build has come.
type Progress struct {
	Class           // what is solved; with its turned one, if that is another
	Distance  int   // of the positions found last; 0: the class is done
	Positions int64 // found so far, of both classes
	All       int64 // positions of both
	Done      int64 // positions of the classes before
	Total     int64 // of all classes
}

// Needs is what a build takes.
type Needs struct {
	Positions int64
	Disk      int64 // bytes of the file, without its lines
	Memory    int64 // bytes of the tables while the largest classes are solved
}

// NeedsOf returns what tables of up to men men take. The error wraps ErrMen.
func NeedsOf(men int) (Needs, error) {
	if err := checkMen(men); err != nil {
		return Needs{}, err
	}
	var n Needs
	for _, pair := range pairs(men) {
		n.Positions += pair.size()
		n.Memory = max(n.Memory, pair.memory())
	}
	n.Disk = n.Positions
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

// memory returns the bytes that solving the pair takes: two bytes and two bits a
// position, and the classes to which captures lead.
func (p pair) memory() int64 {
	n := p.size()*2 + p.size()/4
	for _, c := range p {
		if c.Opp > 1 {
			n += c.captured().Size()
		}
	}
	return n
}

// captured returns the class after a move that takes a student.
func (c Class) captured() Class { return Class{c.Opp - 1, c.Own} }

// PartName returns the name under which a bitbase is built before it is complete.
func PartName(path string) string { return path + ".part" }

// Build writes the bitbase of five cards and up to men men to path, and replaces
// what was there when it is complete. Until then it keeps the finished classes in
// [PartName], from which a later call with the same cards and men goes on; the bytes
// come out the same. A part of other cards, or of no bitbase, stays and is an error.
// Two builds of one path at the same time are a mistake of the caller.
//
// The error wraps [onitama.ErrCards], ErrMen, ErrCards, ErrFormat, ErrVersion or
// ErrTooLong, or is ctx's or the system's.
func Build(ctx context.Context, path string, five [5]onitama.Card, men int, o Options) error {
	if err := checkMen(men); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	c, err := newCards(five)
	if err != nil {
		return err
	}
	part, err := openPart(ctx, PartName(path), header{c, men})
	if err != nil {
		return err
	}
	err = part.build(ctx, o)
	if err == nil {
		err = part.file.Sync()
	}
	if err = errors.Join(err, part.file.Close()); err != nil {
		return err
	}
	if err := os.Rename(PartName(path), path); err != nil {
		return err
	}
	return disk.SyncFolder(filepath.Dir(path))
}

// part is a bitbase that is built.
type part struct {
	*Table
	file *os.File
}

// openPart opens the part of that name and leaves the complete classes in it, or
// makes a new one.
func openPart(ctx context.Context, name string, h header) (*part, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	p, err := resumePart(ctx, file, h)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return p, nil
}

func resumePart(ctx context.Context, file *os.File, h header) (*part, error) {
	t, err := readParts(ctx, file)
	switch {
	case t == nil && errors.Is(err, ErrCut): // killed before the first line was whole
		t = newTable(h, file)
		if _, err := file.WriteAt([]byte(h.line()), 0); err != nil {
			return nil, err
		}
	case t == nil:
		return nil, err
	case t.header.line() != h.line():
		return nil, fmt.Errorf("%w: it is being built for the cards %s and %d men; want %s and %d, or delete it",
			ErrCards, t.cards.names(), t.men, h.cards.names(), h.men)
	case err != nil && !errors.Is(err, ErrCut) && !errors.Is(err, ErrDamaged):
		return nil, err
	}
	return &part{t, file}, file.Truncate(t.end())
}

// build solves and writes the pairs that are missing.
func (p *part) build(ctx context.Context, o Options) error {
	todo := pairs(p.men)
	done, total := int64(0), int64(0)
	for _, pair := range todo {
		total += pair.size()
	}
	for len(todo) > 0 && p.sections[todo[0][len(todo[0])-1]] != nil {
		done += todo[0].size()
		todo = todo[1:]
	}
	// A pair of which the second class is missing is solved and written again.
	for len(todo) > 0 && len(p.list) > 0 && p.list[len(p.list)-1] == todo[0][0] {
		p.list = p.list[:len(p.list)-1]
		delete(p.sections, todo[0][0])
	}
	if err := p.file.Truncate(p.end()); err != nil {
		return err
	}
	var largest int64
	for _, pair := range todo {
		largest = max(largest, pair.size())
	}
	work := newArena(largest)
	for _, pair := range todo {
		halves, err := p.halves(pair, work)
		if err != nil {
			return err
		}
		s := &solver{cards: p.cards, threads: o.Threads, longest: o.longest}
		if s.threads == 0 {
			s.threads = runtime.GOMAXPROCS(0)
		}
		if s.longest == 0 {
			s.longest = Longest
		}
		now := Progress{Class: pair[0], All: pair.size(), Done: done, Total: total}
		s.level = func(distance, found int) {
			now.Distance = distance
			now.Positions += int64(found)
			if o.Progress != nil {
				o.Progress(now)
			}
		}
		if err := s.solve(ctx, halves); err != nil {
			return fmt.Errorf("class %d %d: %w", pair[0].Own, pair[0].Opp, err)
		}
		for _, h := range halves {
			if err := p.write(h); err != nil {
				return err
			}
		}
		done += pair.size()
		if now.Distance, now.Done = 0, done; o.Progress != nil {
			o.Progress(now)
		}
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

// halves returns the classes of a pair ready to be solved, with the classes below
// them read from the file.
func (p *part) halves(of pair, work *arena) ([]*half, error) {
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
			h.taken = &lower{newNumbering(below), make([]byte, below.Size())}
			if _, err := p.file.ReadAt(h.taken.values, p.sections[below].at); err != nil {
				return nil, err
			}
		}
		list = append(list, h)
	}
	list[0].other, list[len(list)-1].other = list[len(list)-1], list[0]
	return list, nil
}

// write appends a solved class to the file, as a whole on the disk before it
// returns.
func (p *part) write(h *half) error {
	s := section{Summary: summarise(h)}
	sum := s.hash(p.header)
	sum.Write(h.state)
	sum.Sum(s.sum[:0])
	at := p.end()
	line := s.line()
	s.at = at + int64(len(line))
	out := bufio.NewWriterSize(io.NewOffsetWriter(p.file, at), 1<<20)
	out.WriteString(line)
	out.Write(h.state)
	if err := errors.Join(out.Flush(), p.file.Sync()); err != nil {
		return err
	}
	p.add(s)
	return nil
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

// Begins reports whether the beginning of a file is that of a bitbase of some
// version.
func Begins(head []byte) bool { return bytes.HasPrefix(head, []byte(magic+" ")) }

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
