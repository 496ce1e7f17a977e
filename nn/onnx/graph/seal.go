package graph

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// sealName is the property with the digest of a file's initializers.
const sealName = "carozero.weights"

// initializer is a constant of the graph as the file has it.
type initializer struct {
	name     string
	dataType int64
	dims     []int64
	message  []byte // its TensorProto
}

// sealed reports whether the file states a digest of its initializers, and returns an
// error if it does not match.
func (m *model) sealed() (bool, error) {
	if m.seal == nil {
		return false, nil
	}
	if found := m.weights(); found != *m.seal {
		return true, fmt.Errorf("the SHA-256 of its weights is %s, but its property %s says %.64q: the file is damaged", found, sealName, *m.seal)
	}
	return true, nil
}

// weights returns the SHA-256 over the initializers, in hexadecimal; models/README.md
// says over which bytes.
func (m *model) weights() string {
	slices.SortFunc(m.initializers, func(a, b initializer) int { return cmp.Compare(a.name, b.name) })
	sum := sha256.New()
	for i := range m.initializers {
		m.initializers[i].sum(sum)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// sum writes name, type, dimensions and elements.
func (t *initializer) sum(to hash.Hash) {
	head := binary.LittleEndian.AppendUint64(nil, uint64(len(t.name)))
	head = append(head, t.name...)
	head = binary.LittleEndian.AppendUint64(head, uint64(t.dataType))
	head = binary.LittleEndian.AppendUint64(head, uint64(len(t.dims)))
	for _, d := range t.dims {
		head = binary.LittleEndian.AppendUint64(head, uint64(d))
	}
	to.Write(head)
	t.data(to)
}

// data writes the elements, the lowest byte of each first.
func (t *initializer) data(to io.Writer) {
	var raw []byte
	p := &parser{}
	_ = p.each(t.message, tensorFields, func(f field) error { // it was read without an error before
		switch f.number {
		case 4:
			f.elements(to, 4)
		case 10:
			f.elements(to, 8)
		case 5, 7, 11:
			f.elements(to, int(element(t.dataType)))
		case 9:
			raw = f.bytes
		}
		return nil
	})
	to.Write(raw)
}

// elements writes the values of a repeated field, packed or not, in width bytes each,
// the lowest first.
func (f field) elements(to io.Writer, width int) {
	var value [8]byte
	put := func(bits uint64) {
		binary.LittleEndian.PutUint64(value[:], bits)
		to.Write(value[:width])
	}
	switch {
	case f.kind != protowire.BytesType:
		put(f.varint)
	case f.number == 4 || f.number == 10: // which are fixed
		to.Write(f.bytes)
	default:
		for rest := f.bytes; len(rest) > 0; {
			v, n := protowire.ConsumeVarint(rest)
			if n < 0 {
				return
			}
			put(v)
			rest = rest[n:]
		}
	}
}

// property reads a StringStringEntryProto.
func (p *parser) property(m *model, message []byte) error {
	var key, value string
	err := p.each(message, propertyFields, func(f field) error {
		if f.number == 1 {
			key = string(f.bytes)
		} else {
			value = string(f.bytes)
		}
		return nil
	})
	if err == nil && key == sealName {
		if m.seal != nil {
			return fmt.Errorf("it has the property %s twice", sealName)
		}
		m.seal = &value
	}
	return err
}
