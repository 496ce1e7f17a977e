package record

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// sgfLexer splits a collection into games and these into properties. It keeps one
// value in memory and needs no stack however deep trees nest.
type sgfLexer struct {
	in    *bufio.Reader
	line  int // of the next byte, from 1
	at    int64
	name  []byte
	value []byte
}

// Bounds on what one property and one game may take, in bytes.
const (
	maxSGFName  = 64
	maxSGFValue = 1 << 20
	maxSGFText  = 64 << 20
)

// Bounds on what a file may take in memory, where an empty value and a rectangle of marks are
// many times as large as in the file: maxSGFTimes the bytes of its games, and maxSGFMore.
const (
	maxSGFValues = 1 << 16 // of a node
	maxSGFTimes  = 24
	maxSGFMore   = 32 << 20

	// What is counted for each, in bytes.
	sgfNode  = 28
	sgfNote  = 120
	sgfKept  = 64 // a value of a note
	sgfPoint = 4  // of a mark
)

// sgfEvents takes what the lexer finds in a game. skip says that values up to the
// next bracket are not wanted.
type sgfEvents interface {
	open() error  // (
	close() error // )
	node() error  // ;
	property(line int, name string, raw []byte) error
	skip() bool
}

var errCutSGF = errors.New("the file ends inside a game: want a ) at its end")

func (x *sgfLexer) byte() (byte, error) {
	c, err := x.in.ReadByte()
	if err != nil {
		return c, err
	}
	if c == '\n' {
		x.line++
	}
	x.at++
	return c, nil
}

// seek goes to the ( of the next game and past it; io.EOF if there is none.
func (x *sgfLexer) seek() error {
	for {
		switch c, err := x.byte(); {
		case err != nil:
			return err
		case c == '(':
			return nil
		case c > ' ' && c < 0x7f:
			return fmt.Errorf("%q between games: want a (", c)
		}
	}
}

// tree reads a game up to its closing parenthesis.
func (x *sgfLexer) tree(take sgfEvents) error {
	depth, nodes := 1, 0
	x.name = x.name[:0]
	for fresh := true; depth > 0; {
		c, err := x.byte()
		switch {
		case errors.Is(err, io.EOF):
			return errCutSGF
		case err != nil:
			return err
		case c == '(':
			depth++
			err = take.open()
		case c == ')':
			depth--
			err = take.close()
		case c == ';':
			nodes++
			x.name, fresh = x.name[:0], true
			err = take.node()
		case c == '[':
			err = x.read(nodes, take)
			fresh = true
		case isLetter(c):
			if fresh {
				x.name, fresh = x.name[:0], false
			}
			if x.name = append(x.name, c); len(x.name) > maxSGFName {
				return fmt.Errorf("the property %q... has a name of more than %d letters", x.name[:8], maxSGFName)
			}
		case c > ' ':
			return fmt.Errorf("%q in a game: want a property, ; ( or )", c)
		}
		if err != nil {
			return err
		}
	}
	if nodes == 0 {
		return errors.New("a game without a node: want a ; after its (")
	}
	return nil
}

// read reads a value after its opening bracket.
func (x *sgfLexer) read(nodes int, take sgfEvents) error {
	if len(x.name) == 0 || nodes == 0 {
		return errors.New("a value without a property: want one such as B[hh], after a ;")
	}
	x.value = x.value[:0]
	keep, line := !take.skip(), x.line
	for length := 0; ; length++ {
		c, err := x.byte()
		if c == ']' && err == nil {
			break
		}
		if c == '\\' && err == nil {
			if keep {
				x.value = append(x.value, c)
			}
			c, err = x.byte()
		}
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("the file ends inside %s[: want a ]", x.name)
		}
		if err != nil {
			return err
		}
		if length == maxSGFValue {
			return fmt.Errorf("%s[ has more than %d bytes", x.name, maxSGFValue)
		}
		if keep {
			x.value = append(x.value, c)
		}
	}
	if !keep {
		return nil
	}
	return take.property(line, capitals(x.name), x.value)
}

func isLetter(c byte) bool { return 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' }

// capitals returns the capital letters of a name: version 3 lets "Black"
// stand for "B".
func capitals(name []byte) string {
	short := make([]byte, 0, 2)
	for _, c := range name {
		if c < 'a' {
			short = append(short, c)
		}
	}
	return string(short)
}
