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
	data     []byte // the elements, the lowest byte of each first; may be memory of the file
}

// parse reads a file.
func parse(data []byte) (*file, error) {
	var p parser
	f := &file{properties: map[string]string{}}
	model := p.split(data)
	for _, entry := range model[14] {
		pair := p.split(entry)
		f.properties[string(pair.last(1))] = string(pair.last(2))
	}
	for _, message := range model[7] {
		graph := p.split(message)
		for _, message := range graph[1] {
			fields := p.split(message)
			n := node{op: string(fields.last(4))}
			for _, name := range fields[1] {
				n.inputs = append(n.inputs, string(name))
			}
			f.nodes = append(f.nodes, n)
		}
		for _, message := range graph[5] {
			f.tensors = append(f.tensors, p.tensor(message))
		}
		for _, message := range graph[12] {
			f.outputs = append(f.outputs, string(p.split(message).last(1)))
		}
	}
	return f, p.err
}

// fields are the values of a message by the numbers of its fields, in their order. A
// varint's is its encoding, so that a repeated field has the same bytes packed and unpacked.
type fields map[protowire.Number][][]byte

// last returns the last value of a field, which counts where there should be one.
func (f fields) last(number protowire.Number) []byte {
	if n := len(f[number]); n > 0 {
		return f[number][n-1]
	}
	return nil
}

// parser reads messages. It keeps the first error, and goes on with what could be read.
type parser struct{ err error }

// split returns the fields of a message.
func (p *parser) split(message []byte) fields {
	found := fields{}
	for len(message) > 0 {
		number, kind, head := protowire.ConsumeTag(message)
		size := -1
		if head >= 0 {
			size = protowire.ConsumeFieldValue(number, kind, message[head:])
		}
		if size < 0 {
			p.err = errCut
			break
		}
		value := message[head : head+size]
		if kind == protowire.BytesType {
			value, _ = protowire.ConsumeBytes(value)
		}
		found[number] = append(found[number], value)
		message = message[head+size:]
	}
	return found
}

// varints returns the numbers that values hold.
func (p *parser) varints(values ...[]byte) (list []uint64) {
	for packed := slices.Concat(values...); len(packed) > 0; {
		v, n := protowire.ConsumeVarint(packed)
		if n < 0 {
			p.err = errCut
			break
		}
		list, packed = append(list, v), packed[n:]
	}
	return list
}

// tensor reads a TensorProto.
func (p *parser) tensor(message []byte) initializer {
	f := p.split(message)
	t := initializer{name: string(f.last(8)), dims: p.varints(f[1]...), data: slices.Clip(f.last(9))}
	if kind := p.varints(f.last(2)); len(kind) > 0 {
		t.dataType = kind[0]
	}
	width := 8
	switch t.dataType {
	case 2, 3, 9, 17, 18, 19, 20: // uint8, int8, bool, float8
		width = 1
	case 4, 5, 10, 16: // uint16, int16, float16, bfloat16
		width = 2
	case 6, 12: // int32, uint32
		width = 4
	}
	if floats := slices.Concat(f[4], f[10]); len(floats) > 0 { // float, double
		t.data = slices.Concat(floats...)
	}
	for _, v := range p.varints(slices.Concat(f[5], f[7], f[11])...) { // whole numbers of up to 32 bits, int64, uint64
		var bits [8]byte
		binary.LittleEndian.PutUint64(bits[:], v)
		t.data = append(t.data, bits[:width]...)
	}
	return t
}

// int8Type is the data type of quantised weights.
const int8Type = 3

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
			if t := new(parser).tensor(message); moved[t.name] {
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
