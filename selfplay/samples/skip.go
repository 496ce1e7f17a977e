package samples

import (
	"fmt"
	"io"

	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// skip reads a value of any kind and nesting without building it. It keeps only the
// number of values still to read.
func (d *decoder) skip() error {
	for left := int64(1); left > 0; left-- {
		more, err := d.skipOne()
		if err != nil {
			return err
		}
		left += more
	}
	return nil
}

// skipOne reads one code and the bytes that belong to it, and returns how many
// values follow as its elements.
func (d *decoder) skipOne() (elements int64, err error) {
	c, err := d.in.ReadByte()
	if err != nil {
		return 0, err
	}
	switch {
	case msgpcode.IsFixedNum(c), c == msgpcode.Nil, c == msgpcode.False, c == msgpcode.True:
		return 0, nil
	case msgpcode.IsFixedString(c):
		return 0, d.discard(int64(c & msgpcode.FixedStrMask))
	case msgpcode.IsFixedArray(c):
		return int64(c & msgpcode.FixedArrayMask), nil
	case msgpcode.IsFixedMap(c):
		return 2 * int64(c&msgpcode.FixedMapMask), nil
	}
	s, known := sizes[c]
	if !known {
		return 0, fmt.Errorf("msgpack has no code %#x", c)
	}
	n, err := d.length(s.length)
	switch {
	case err != nil:
		return 0, err
	case s.elements > 0:
		return n * s.elements, nil
	}
	return 0, d.discard(n + s.bytes)
}

// size says what follows a code: a length of length bytes, and then so many
// times elements values, or so many bytes and bytes more.
type size struct {
	length   int
	elements int64
	bytes    int64
}

var sizes = map[byte]size{
	msgpcode.Uint8: {bytes: 1}, msgpcode.Uint16: {bytes: 2}, msgpcode.Uint32: {bytes: 4}, msgpcode.Uint64: {bytes: 8},
	msgpcode.Int8: {bytes: 1}, msgpcode.Int16: {bytes: 2}, msgpcode.Int32: {bytes: 4}, msgpcode.Int64: {bytes: 8},
	msgpcode.Float: {bytes: 4}, msgpcode.Double: {bytes: 8},
	msgpcode.Str8: {length: 1}, msgpcode.Str16: {length: 2}, msgpcode.Str32: {length: 4},
	msgpcode.Bin8: {length: 1}, msgpcode.Bin16: {length: 2}, msgpcode.Bin32: {length: 4},
	msgpcode.Array16: {length: 2, elements: 1}, msgpcode.Array32: {length: 4, elements: 1},
	msgpcode.Map16: {length: 2, elements: 2}, msgpcode.Map32: {length: 4, elements: 2},
	// An extension has a byte for its type before its data.
	msgpcode.FixExt1: {bytes: 2}, msgpcode.FixExt2: {bytes: 3}, msgpcode.FixExt4: {bytes: 5},
	msgpcode.FixExt8: {bytes: 9}, msgpcode.FixExt16: {bytes: 17},
	msgpcode.Ext8: {length: 1, bytes: 1}, msgpcode.Ext16: {length: 2, bytes: 1}, msgpcode.Ext32: {length: 4, bytes: 1},
}

// length reads a big-endian number of n bytes, 0 for none.
func (d *decoder) length(n int) (length int64, err error) {
	for ; n > 0; n-- {
		b, err := d.in.ReadByte()
		if err != nil {
			return 0, err
		}
		length = length<<8 | int64(b)
	}
	return length, nil
}

// discard reads n bytes.
func (d *decoder) discard(n int64) error {
	_, err := io.CopyN(io.Discard, d.in, n)
	return err
}
