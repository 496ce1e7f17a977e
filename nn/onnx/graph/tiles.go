package graph

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

// ForTiles returns a model, which [Inspect] has accepted, with the 8-bit weights of its
// convolutions counted from -1 where they were counted from 0, each of them less by one:
// the same numbers, and the same results to the bit. It returns data itself, which it
// never changes, where there are none.
//
// ONNX Runtime has two ways to compute such a convolution on an x86 processor: a kernel of
// its own, which takes only weights counted from 0, and a product of matrices, which knows
// tile registers (AMX). With these the second is faster, without them slower.
func ForTiles(data []byte) []byte {
	m, err := parse(data)
	if err != nil {
		return data
	}
	moved := m.moved()
	if len(moved) == 0 {
		return data
	}
	return replaced(data, 7, func(graph []byte) []byte {
		return replaced(graph, 5, func(message []byte) []byte {
			if len(message) > 0 && moved[&message[0]] != nil {
				return moved[&message[0]].lessByOne()
			}
			return message
		})
	})
}

// moved returns the weights and zero points that are to be less by one, by where their
// messages begin. Nothing else may read them.
func (m *model) moved() map[*byte]*initializer {
	uses, named := map[string]int{}, map[string]*initializer{}
	for _, name := range m.outputs {
		uses[name]++
	}
	for i := range m.nodes {
		for _, name := range m.nodes[i].inputs {
			uses[name]++
		}
	}
	for i := range m.initializers {
		named[m.initializers[i].name] = &m.initializers[i]
	}
	moved := map[*byte]*initializer{}
	for i := range m.nodes {
		n, w, z := &m.nodes[i], 0, 2
		switch {
		case n.op == "QLinearConv" && len(n.inputs) >= 8:
			w, z = 3, 5
		case n.op != "DequantizeLinear" || len(n.inputs) != 3:
			continue
		}
		weights, zeros := named[n.inputs[w]], named[n.inputs[z]]
		if uses[n.inputs[w]] == 1 && uses[n.inputs[z]] == 1 && weights.isMovable() && zeros.isZero() {
			moved[&weights.message[0]], moved[&zeros.message[0]] = weights, zeros
		}
	}
	return moved
}

// int8Type is the data type of weights of 8 bits.
const int8Type = 3

// isMovable reports whether a tensor is the weights of a convolution, in 8 bits, none of
// which is the least number.
func (t *initializer) isMovable() bool {
	if t == nil || t.dataType != int8Type || len(t.dims) != 4 {
		return false
	}
	return !slices.Contains(t.values(), 0x80)
}

// isZero reports whether a tensor is zero points of 8 bits that are all 0.
func (t *initializer) isZero() bool {
	return t != nil && t.dataType == int8Type && !slices.ContainsFunc(t.values(), func(v byte) bool { return v != 0 })
}

// values returns the elements of a tensor of 8 bits.
func (t *initializer) values() []byte {
	var b strings.Builder
	t.data(&b)
	return []byte(b.String())
}

// lessByOne returns the tensor as a message, each of its elements less by one.
func (t *initializer) lessByOne() []byte {
	values := t.values()
	for i := range values {
		values[i]--
	}
	var out []byte
	for _, d := range t.dims {
		out = protowire.AppendVarint(protowire.AppendTag(out, 1, protowire.VarintType), uint64(d))
	}
	out = protowire.AppendVarint(protowire.AppendTag(out, 2, protowire.VarintType), uint64(t.dataType))
	out = protowire.AppendBytes(protowire.AppendTag(out, 8, protowire.BytesType), []byte(t.name))
	return protowire.AppendBytes(protowire.AppendTag(out, 9, protowire.BytesType), values)
}

// replaced returns a message with the messages of a field replaced.
func replaced(message []byte, number protowire.Number, by func([]byte) []byte) []byte {
	out := make([]byte, 0, len(message))
	for rest := message; len(rest) > 0; {
		found, kind, n := protowire.ConsumeTag(rest)
		size := n + protowire.ConsumeFieldValue(found, kind, rest[n:])
		if found == number {
			inner, _ := protowire.ConsumeBytes(rest[n:])
			out = protowire.AppendBytes(append(out, rest[:n]...), by(inner))
		} else {
			out = append(out, rest[:size]...)
		}
		rest = rest[size:]
	}
	return out
}
