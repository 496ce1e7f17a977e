package onnx

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// The numbers of fields and of data types in this file are those of onnx.proto
// (github.com/onnx/onnx).

var errCut = errors.New("it is not a complete ONNX file")

// sealName is the property with the digest of a file's weights.
const sealName = "carozero.weights"

// file is what is read of a ModelProto.
type file struct {
	nodes   []node
	outputs []string      // of the graph
	tensors []initializer // the initializers: weights and other constants

	properties map[string]string
}

// node is a NodeProto.
type node struct {
	op     string
	inputs []string
}

// initializer is a TensorProto.
type initializer struct {
	name     string
	dataType uint64
	dims     []uint64
	data     []byte // the elements, the lowest byte of each first
}

// int8Type is the data type of quantised weights.
const int8Type = 3

// elementBytes returns the bytes of an element whose numbers are stored as varints.
func elementBytes(dataType uint64) int {
	switch dataType {
	case 2, 3, 9, 17, 18, 19, 20: // uint8, int8, bool, float8
		return 1
	case 4, 5, 10, 16: // uint16, int16, float16, bfloat16
		return 2
	case 6, 12: // int32, uint32
		return 4
	}
	return 8
}

// fields calls take with the fields of a message, in their order. The value of a varint is
// its encoding, so that a repeated field has the same bytes packed and unpacked.
func fields(message []byte, take func(number protowire.Number, value []byte) error) error {
	for len(message) > 0 {
		number, kind, head := protowire.ConsumeTag(message)
		if head < 0 {
			return errCut
		}
		size := protowire.ConsumeFieldValue(number, kind, message[head:])
		if size < 0 {
			return errCut
		}
		value := message[head : head+size]
		if kind == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(value)
		}
		if err := take(number, value); err != nil {
			return err
		}
		message = message[head+size:]
	}
	return nil
}

// varints calls take with numbers that follow each other.
func varints(list []byte, take func(v uint64)) error {
	for len(list) > 0 {
		v, n := protowire.ConsumeVarint(list)
		if n < 0 {
			return errCut
		}
		take(v)
		list = list[n:]
	}
	return nil
}

// parse reads a file.
func parse(data []byte) (*file, error) {
	f := &file{properties: map[string]string{}}
	return f, fields(data, func(number protowire.Number, value []byte) error {
		switch number {
		case 7:
			return fields(value, f.addGraph)
		case 14:
			return f.addProperty(value)
		}
		return nil
	})
}

// addGraph adds a field of a GraphProto.
func (f *file) addGraph(number protowire.Number, value []byte) error {
	switch number {
	case 1:
		f.nodes = append(f.nodes, node{})
		return fields(value, f.nodes[len(f.nodes)-1].add)
	case 5:
		t, err := parseInitializer(value)
		f.tensors = append(f.tensors, t)
		return err
	case 12:
		return fields(value, func(number protowire.Number, value []byte) error {
			if number == 1 {
				f.outputs = append(f.outputs, string(value))
			}
			return nil
		})
	}
	return nil
}

// addProperty reads a StringStringEntryProto.
func (f *file) addProperty(message []byte) error {
	var entry [3]string // the key and its value, by the numbers of their fields
	err := fields(message, func(number protowire.Number, value []byte) error {
		if number == 1 || number == 2 {
			entry[number] = string(value)
		}
		return nil
	})
	f.properties[entry[1]] = entry[2]
	return err
}

// add adds a field of a NodeProto.
func (n *node) add(number protowire.Number, value []byte) error {
	switch number {
	case 1:
		n.inputs = append(n.inputs, string(value))
	case 4:
		n.op = string(value)
	}
	return nil
}

// parseInitializer reads a TensorProto. The tensor may share the memory of the message.
func parseInitializer(message []byte) (t initializer, err error) {
	var numbers []byte // varints
	err = fields(message, func(number protowire.Number, value []byte) error {
		switch number {
		case 1:
			return varints(value, func(v uint64) { t.dims = append(t.dims, v) })
		case 2:
			return varints(value, func(v uint64) { t.dataType = v })
		case 4, 10: // float, double
			t.data = append(t.data, value...)
		case 5, 7, 11: // whole numbers of up to 32 bits, int64, uint64
			numbers = append(numbers, value...)
		case 8:
			t.name = string(value)
		case 9:
			t.data = slices.Clip(value)
		}
		return nil
	})
	if err != nil {
		return t, err
	}
	return t, varints(numbers, func(v uint64) {
		var bits [8]byte
		binary.LittleEndian.PutUint64(bits[:], v)
		t.data = append(t.data, bits[:elementBytes(t.dataType)]...)
	})
}

// sealed reports whether the file states a digest of its weights, and returns an error if
// the digest does not match.
func (f *file) sealed() (bool, error) {
	want, stated := f.properties[sealName]
	if !stated {
		return false, nil
	}
	if found := f.weights(); found != want {
		return true, fmt.Errorf("the SHA-256 of its weights is %s, but its property %s says %.64q: the file is damaged",
			found, sealName, want)
	}
	return true, nil
}

// weights returns the SHA-256 of the initializers, in hexadecimal; models/README.md
// says of which bytes.
func (f *file) weights() string {
	sorted := slices.SortedFunc(slices.Values(f.tensors),
		func(a, b initializer) int { return cmp.Compare(a.name, b.name) })
	sum := sha256.New()
	for i := range sorted {
		t := &sorted[i]
		head := binary.LittleEndian.AppendUint64(nil, uint64(len(t.name)))
		head = append(head, t.name...)
		head = binary.LittleEndian.AppendUint64(head, t.dataType)
		head = binary.LittleEndian.AppendUint64(head, uint64(len(t.dims)))
		for _, d := range t.dims {
			head = binary.LittleEndian.AppendUint64(head, d)
		}
		sum.Write(head)
		sum.Write(t.data)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// forTiles returns a model whose convolutions have 8-bit weights with a zero point of -1
// in place of 0, each weight less by one: the same numbers, and the same results to the
// bit. It returns data itself, which it never changes, where there are none. f is data,
// parsed.
//
// ONNX Runtime has two ways to compute such a convolution on an x86 processor: a kernel of
// its own, which takes only a zero point of 0, and a product of matrices, which uses
// tile registers (AMX). With these the second is faster, without them slower.
func forTiles(data []byte, f *file) []byte {
	moved := f.moved()
	if len(moved) == 0 {
		return data
	}
	return replaced(data, 7, func(graph []byte) []byte {
		return replaced(graph, 5, func(message []byte) []byte {
			if t, err := parseInitializer(message); err == nil && moved[t.name] {
				return t.lessByOne()
			}
			return message
		})
	})
}

// isInt8 reports whether the network computes in 8 bits.
func (f *file) isInt8() bool {
	return slices.ContainsFunc(f.nodes, func(n node) bool { return n.op == "QuantizeLinear" || n.op == "QLinearConv" })
}

// moved returns the names of the weights and zero points that are to be less by one.
// Nothing else may read them.
func (f *file) moved() map[string]bool {
	uses, named, moved := map[string]int{}, map[string]*initializer{}, map[string]bool{}
	for _, name := range f.outputs {
		uses[name]++
	}
	for i := range f.nodes {
		for _, name := range f.nodes[i].inputs {
			uses[name]++
		}
	}
	for i := range f.tensors {
		named[f.tensors[i].name] = &f.tensors[i]
	}
	for i := range f.nodes {
		n := &f.nodes[i]
		var weights, zeros string
		switch {
		case n.op == "QLinearConv" && len(n.inputs) >= 8:
			weights, zeros = n.inputs[3], n.inputs[5]
		case n.op == "DequantizeLinear" && len(n.inputs) == 3:
			weights, zeros = n.inputs[0], n.inputs[2]
		default:
			continue
		}
		if uses[weights] == 1 && uses[zeros] == 1 && named[weights].isMovable() && named[zeros].isZero() {
			moved[weights], moved[zeros] = true, true
		}
	}
	return moved
}

// isMovable reports whether a tensor is the weights of a convolution, in 8 bits, none of
// which is -128.
func (t *initializer) isMovable() bool {
	return t != nil && t.dataType == int8Type && len(t.dims) == 4 && !slices.Contains(t.data, 0x80)
}

// isZero reports whether a tensor is zero points of 8 bits that are all 0.
func (t *initializer) isZero() bool {
	return t != nil && t.dataType == int8Type && !slices.ContainsFunc(t.data, func(v byte) bool { return v != 0 })
}

// lessByOne returns the tensor as a message, each of its elements less by one.
func (t *initializer) lessByOne() []byte {
	values := slices.Clone(t.data)
	for i := range values {
		values[i]--
	}
	var out []byte
	for _, d := range t.dims {
		out = protowire.AppendVarint(protowire.AppendTag(out, 1, protowire.VarintType), d)
	}
	out = protowire.AppendVarint(protowire.AppendTag(out, 2, protowire.VarintType), t.dataType)
	out = protowire.AppendString(protowire.AppendTag(out, 8, protowire.BytesType), t.name)
	return protowire.AppendBytes(protowire.AppendTag(out, 9, protowire.BytesType), values)
}

// replaced returns a complete message with the messages of one field replaced.
func replaced(message []byte, number protowire.Number, by func([]byte) []byte) []byte {
	out := make([]byte, 0, len(message))
	for rest := message; len(rest) > 0; {
		found, kind, head := protowire.ConsumeTag(rest)
		size := head + protowire.ConsumeFieldValue(found, kind, rest[head:])
		if found == number {
			inner, _ := protowire.ConsumeBytes(rest[head:])
			out = protowire.AppendBytes(append(out, rest[:head]...), by(inner))
		} else {
			out = append(out, rest[:size]...)
		}
		rest = rest[size:]
	}
	return out
}
