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
