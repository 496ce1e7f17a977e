package positions

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// sgfReader splits a collection into games and these into properties. It
// keeps one value in memory and needs no stack however deep trees nest.
type sgfReader struct {
	in    *bufio.Reader
	line  int // of the next byte, from 1
	name  []byte
	value []byte
}

// Bounds on what one property may take.
const (
	maxSGFName  = 64
	maxSGFValue = 1 << 20
)

var errCutSGF = errors.New("the file ends inside a game: want a ) at its end")

func (r *sgfReader) byte() (byte, error) {
	c, err := r.in.ReadByte()
	if c == '\n' {
		r.line++
	}
	return c, err
}

// seek goes to the ( of the next game and past it; io.EOF if there is none.
func (r *sgfReader) seek() error {
	for {
		switch c, err := r.byte(); {
		case err != nil:
			return err
		case c == '(':
			return nil
		case c > ' ' && c < 0x7f:
			return fmt.Errorf("%q between games: want a (", c)
		}
	}
}

// tree reads a game up to its closing parenthesis and calls take with each
// value of each property of the main line, which is all before the first
// variation ends; nodes are numbered from 1.
func (r *sgfReader) tree(take takeProperty) error {
	depth, main, nodes := 1, true, 0
	r.name = r.name[:0]
	for fresh := true; depth > 0; {
		c, err := r.byte()
		switch {
		case errors.Is(err, io.EOF):
			return errCutSGF
		case err != nil:
			return err
		case c == '(':
			depth++
		case c == ')':
			depth--
			main = false
		case c == ';':
			nodes++
			r.name, fresh = r.name[:0], true
		case c == '[':
			if err := r.read(nodes, main, take); err != nil {
				return err
			}
			fresh = true
		case isLetter(c):
			if fresh {
				r.name, fresh = r.name[:0], false
			}
			if r.name = append(r.name, c); len(r.name) > maxSGFName {
				return fmt.Errorf("the property %q... has a name of more than %d letters", r.name[:8], maxSGFName)
			}
		case c > ' ':
			return fmt.Errorf("%q in a game: want a property, ; ( or )", c)
		}
	}
	if nodes == 0 {
		return errors.New("a game without a node: want a ; after its (")
	}
	return nil
}

// takeProperty takes one value of a property of a node.
type takeProperty func(node int, name, value string) error

// read reads a value after its opening bracket.
func (r *sgfReader) read(nodes int, main bool, take takeProperty) error {
	if len(r.name) == 0 || nodes == 0 {
		return errors.New("a value without a property: want one such as B[hh], after a ;")
	}
	r.value = r.value[:0]
	for length := 0; ; length++ {
		c, err := r.byte()
		if c == ']' && err == nil {
			break
		}
		if c == '\\' {
			c, err = r.byte()
		}
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("the file ends inside %s[: want a ]", r.name)
		}
		if err != nil {
			return err
		}
		if length == maxSGFValue {
			return fmt.Errorf("%s[ has more than %d bytes", r.name, maxSGFValue)
		}
		if main {
			r.value = append(r.value, c)
		}
	}
	if !main {
		return nil
	}
	return take(nodes, capitals(r.name), string(r.value))
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
