package gomocup

import (
	"fmt"
	"strings"

	"github.com/carozero/carozero/game/gomoku"
)

// block is a list of stones that a client is sending.
type block struct {
	command command // that opened it
	rows    [][]int // numbers of the lines so far
	fault   error   // the first thing wrong with it
}

// mostRows is as many lines as a block can have.
const mostRows = gomoku.MaxSize * gomoku.MaxSize

// add takes a line of the block.
func (b *block) add(text string) {
	form := "x,y,field"
	if b.command.verb == "SWAP2BOARD" || b.command.soosorv() {
		form = "x,y"
	}
	row, err := numbers(text, form)
	switch {
	case b.fault != nil:
	case err != nil:
		b.fault = fmt.Errorf("%s line %d: %w", b.command.verb, len(b.rows)+1, err)
	case len(b.rows) == mostRows:
		b.fault = fmt.Errorf("%s: more stones than a board can hold", b.command.verb)
	default:
		b.rows = append(b.rows, row)
	}
}

// openBlock begins a block. Some clients send all of it on one line.
func (s *session) openBlock(c command, l line) (*job, error) {
	s.block = &block{command: c}
	if c.soosorv() {
		return nil, nil // a number may follow, but no stones
	}
	for _, text := range strings.Fields(c.args) {
		if strings.EqualFold(text, "DONE") {
			b := s.block
			s.block = nil
			return s.finishBlock(b, l)
		}
		s.block.add(text)
	}
	return nil, nil
}

// continueBlock takes a line while a block is open. It returns lost if the line
// is a command that cannot stand there: the block is given up, and the command
// is still to be carried out. That is a mistake, but none to tell a client that
// starts afresh and waits for OK.
func (s *session) continueBlock(c command, l line) (j *job, lost bool) {
	switch {
	case c.verb == "DONE":
		b := s.block
		s.block = nil
		j, err := s.finishBlock(b, l)
		if err != nil {
			s.out.errorf("%v", err)
		}
		return j, false
	case c.known():
		if !c.begins() {
			s.out.errorf("%s without DONE; it was given up at %s", s.block.command.verb, c.verb)
		}
		s.block = nil
		return nil, true
	}
	s.block.add(l.text)
	return nil, false
}

func (s *session) finishBlock(b *block, l line) (*job, error) {
	if b.fault != nil {
		return nil, b.fault
	}
	rules, err := s.ready()
	if err != nil {
		return nil, err
	}
	switch {
	case b.command.verb == "SWAP2BOARD":
		return s.swap2(rules, b.rows, l)
	case b.command.soosorv():
		return s.soosorvStep(b.command, rules, b.rows, l)
	}
	next := record{size: s.record.size}
	for i, row := range b.rows {
		if next, err = next.withRow(row); err != nil {
			return nil, fmt.Errorf("%s line %d: %w", b.command.verb, i+1, err)
		}
	}
	next.settle()
	if b.command.verb == "YXBOARD" {
		s.record = next
		return nil, nil
	}
	return s.think(rules, next, l, 1)
}

// Fields of a line of BOARD.
const (
	fieldOwn      = 1
	fieldOpponent = 2
	fieldMark     = 3 // of a winning line or a forbidden point; no stone
)

// withRow returns the record with the stone of a line of BOARD.
func (r record) withRow(row []int) (record, error) {
	cell, err := Cell(r.size, row[0], row[1])
	if err != nil {
		return r, err
	}
	switch row[2] {
	case fieldOwn, fieldOpponent:
		return r.with(cell, row[2] == fieldOwn)
	case fieldMark:
		return r, nil
	}
	return r, fmt.Errorf("field %d: want 1 (own), 2 (opponent) or 3 (a mark)", row[2])
}
