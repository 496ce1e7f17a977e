package graph

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

// element returns the bytes of an element of a data type, 0 for types that
// networks have none of.
func element(dataType int64) int64 {
	switch dataType {
	case 2, 3, 9, 17, 18, 19, 20: // uint8, int8, bool, float8
		return 1
	case 4, 5, 10, 16: // 16 bits
		return 2
	case 1, 6, 12: // float32, int32, uint32
		return 4
	case 7, 11, 13: // int64, float64, uint64
		return 8
	}
	return 0
}

var errOutside = errors.New("the data of a tensor are not in the file: export with external_data=False, or save with the data inside")

// int64Type is the data type of shapes.
const int64Type = 7

// tensor reads a TensorProto and counts its bytes.
func (p *parser) tensor(m *model, message []byte) (name string, dataType int64, v *value, err error) {
	v = &value{}
	var typed int64
	var raw []byte
	hasRaw := false
	err = p.each(message, tensorFields, func(f field) (err error) {
		var n int64
		switch f.number {
		case 1:
			v.dims, err = f.numbers(v.dims, mostRank)
		case 2:
			dataType = int64(f.varint)
		case 4:
			n = f.count(4)
		case 5, 11:
			n = f.count(0)
		case 7:
			if n = f.count(0); typed+n <= mostValues {
				v.known, err = f.numbers(v.known, mostValues)
			}
		case 8:
			name = string(f.bytes)
		case 9:
			raw, hasRaw = f.bytes, true
		case 10:
			n = f.count(8)
		case 3, 6, 13:
			if err = errOutside; f.number == 6 {
				err = errors.New("a tensor holds text")
			}
		case 14:
			if f.varint != 0 {
				err = errOutside
			}
		}
		typed += n
		return err
	})
	if err != nil {
		return name, dataType, v, err
	}
	return name, dataType, v, v.fill(m, name, dataType, typed, raw, hasRaw)
}

// fill checks that a tensor has the data that its dimensions ask for.
func (v *value) fill(m *model, name string, dataType, typed int64, raw []byte, hasRaw bool) error {
	size := element(dataType)
	if size == 0 {
		return fmt.Errorf("the tensor %s has elements of type %d: want numbers", excerpt(name), dataType)
	}
	count, err := elements(v.dims)
	if err != nil {
		return fmt.Errorf("the tensor %s: %w", excerpt(name), err)
	}
	have := typed
	if hasRaw {
		have = int64(len(raw)) / size
	}
	if count != have || hasRaw && (typed > 0 || int64(len(raw))%size != 0) {
		return fmt.Errorf("the tensor %s has %d elements, and data for %d", excerpt(name), count, have)
	}
	if m.bytes += count * size; m.bytes > MostBytes {
		return errTooMuch
	}
	switch {
	case dataType != int64Type || count > mostValues || len(v.dims) > 1:
		v.known = nil
	case hasRaw:
		v.known = make([]int64, count)
		for i := range v.known {
			v.known[i] = int64(binary.LittleEndian.Uint64(raw[8*i:]))
		}
	case v.known == nil:
		v.known = []int64{}
	}
	return nil
}

// elements multiplies dimensions.
func elements(dims []int64) (int64, error) {
	n := int64(1)
	if slices.Contains(dims, 0) {
		n = 0
	}
	for _, d := range dims {
		if d < 0 || d > mostFixed {
			return 0, fmt.Errorf("a dimension of %d", d)
		}
		if n > 0 && d > math.MaxInt64/16/n {
			return 0, errTooMuch
		}
		n *= d
	}
	return n, nil
}

// excerpt shortens a foreign name, quoted.
func excerpt(name string) string {
	const most = 40
	if len(name) > most {
		return fmt.Sprintf("%q...", name[:most])
	}
	return fmt.Sprintf("%q", name)
}
