package graph

import (
	"errors"
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// mostParts bounds the fields of a file, each of which costs a runtime's parser
// some memory however short it is. A network of a hundred layers has a few
// thousand.
const mostParts = 200_000

var errCut = errors.New("it is not a complete ONNX file")

// parser counts the parts of a file.
type parser struct{ parts int }

// field is one field of a message. Only the part of its wire type is set.
type field struct {
	number int // of the field
	kind   protowire.Type
	varint uint64 // also the bits of a fixed field
	bytes  []byte
}

// fields says which kind of value the fields of a message have that are read:
// another kind would be an unknown field to a runtime. Fields that are not
// there are passed over.
type fields map[int]protowire.Type

// The kinds of fields. A list is packed or one number a field.
const (
	number = protowire.VarintType
	text   = protowire.BytesType
	part   = protowire.BytesType
	list   = protowire.Type(-1)
)

// each calls take for the fields of a message that are in the table, in their
// order.
func (p *parser) each(message []byte, known fields, take func(f field) error) error {
	for len(message) > 0 {
		if p.parts++; p.parts > mostParts {
			return fmt.Errorf("it has more than %d parts", mostParts)
		}
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return errCut
		}
		message = message[n:]
		f := field{number: int(number), kind: kind}
		switch kind {
		case protowire.VarintType:
			f.varint, n = protowire.ConsumeVarint(message)
		case protowire.Fixed32Type:
			var bits uint32
			bits, n = protowire.ConsumeFixed32(message)
			f.varint = uint64(bits)
		case protowire.Fixed64Type:
			f.varint, n = protowire.ConsumeFixed64(message)
		case protowire.BytesType:
			f.bytes, n = protowire.ConsumeBytes(message)
		default:
			return errCut // groups, which ONNX has none of
		}
		if n < 0 {
			return errCut
		}
		message = message[n:]
		want, ok := known[f.number]
		if !ok {
			continue
		}
		if want != kind && want != list {
			return errCut
		}
		if err := take(f); err != nil {
			return err
		}
	}
	return nil
}

// numbers appends the values of a repeated field of whole numbers, packed or
// not, at most most of them.
func (f field) numbers(to []int64, most int) ([]int64, error) {
	if f.kind == protowire.VarintType {
		to = append(to, int64(f.varint))
	} else if f.kind == protowire.BytesType {
		for rest := f.bytes; len(rest) > 0 && len(to) <= most; {
			v, n := protowire.ConsumeVarint(rest)
			if n < 0 {
				return nil, errCut
			}
			to, rest = append(to, int64(v)), rest[n:]
		}
	} else {
		return nil, errCut
	}
	if len(to) > most {
		return nil, fmt.Errorf("a list has more than %d numbers", most)
	}
	return to, nil
}

// count returns how many values of width bytes, 0 for varints, a repeated field
// has, packed or not.
func (f field) count(width int) int64 {
	if f.kind != protowire.BytesType {
		return 1
	}
	if width > 0 {
		return int64(len(f.bytes) / width)
	}
	n := int64(0)
	for _, b := range f.bytes {
		if b < 0x80 {
			n++ // the last byte of a varint
		}
	}
	return n
}

// message returns the message in a field, which must be the first one of its
// number: a parser would merge two into one.
func (f field) message(seen *bool, what string) ([]byte, error) {
	if *seen {
		return nil, fmt.Errorf("it has %s twice", what)
	}
	*seen = true
	return f.bytes, nil
}
