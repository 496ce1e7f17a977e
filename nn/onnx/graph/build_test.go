package graph

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// The functions of this file build ONNX files, field by field.

func join(parts ...[]byte) []byte { return slices.Concat(parts...) }

func bytes(number protowire.Number, data []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, number, protowire.BytesType), data)
}

func str(number protowire.Number, text string) []byte { return bytes(number, []byte(text)) }

func varint(number protowire.Number, n int64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, number, protowire.VarintType), uint64(n))
}

// field9 is the raw data of a tensor.
func field9(data []byte) []byte { return bytes(9, data) }

func in(names ...string) []string { return names }

// op returns an operator as a field of a graph; more are further fields of it.
func op(kind string, inputs []string, output string, more ...[]byte) []byte {
	var node []byte
	for _, name := range inputs {
		node = join(node, str(1, name))
	}
	return bytes(1, join(append([][]byte{node, str(2, output), str(4, kind)}, more...)...))
}

// ints returns an attribute of whole numbers as a field of an operator; the
// attributes that are one number are written so.
func ints(name string, values ...int64) []byte {
	body := str(1, name)
	if len(values) == 1 && (name == "axis" || name == "transB" || name == "keepdims") {
		return bytes(5, join(body, varint(3, values[0])))
	}
	for _, v := range values {
		body = join(body, varint(8, v))
	}
	return bytes(5, body)
}

// one64 returns an attribute that is one number.
func one64(name string, value int64) []byte { return bytes(5, join(str(1, name), varint(3, value))) }

// tensor returns a TensorProto.
func tensor(name string, dataType int64, dims []int64, more ...[]byte) []byte {
	var body []byte
	for _, d := range dims {
		body = join(body, varint(1, d))
	}
	return join(append([][]byte{body, varint(2, dataType), str(8, name)}, more...)...)
}

// floats returns a tensor of zeros.
func floats(name string, dims ...int64) []byte {
	n, err := elements(dims)
	if err != nil {
		panic(err) // a test's own mistake
	}
	return tensor(name, 1, dims, field9(make([]byte, 4*n)))
}

// numbers returns a list of whole numbers.
func numbers(name string, values ...int64) []byte {
	var packed []byte
	for _, v := range values {
		packed = protowire.AppendVarint(packed, uint64(v))
	}
	return tensor(name, int64Type, []int64{int64(len(values))}, bytes(7, packed))
}

// wide returns a list of n numbers, and the shapes of a row and a column.
func wide(n int64) [][]byte {
	return [][]byte{floats("wide", n), numbers("row", 1, -1), numbers("column", -1, 1)}
}

// constants returns the numbers that the tests' graphs refer to.
func constants() [][]byte {
	return [][]byte{tensor("zero", int64Type, nil, field9(make([]byte, 8))), numbers("axis", 0), numbers("minus", -1)}
}

// heads returns the operators that make policy and value of a value that is
// like the planes.
func heads(from string) []byte {
	return join(
		op("Conv", in(from, "policy_w"), "p"), op("Flatten", in("p"), "policy"),
		op("Gemm", in("globals", "value_w"), "value"))
}

// info returns the description of an input or output, of open dimensions where
// they are 0, as a field of a graph.
func info(number protowire.Number, name string, dims ...int64) []byte {
	var shape []byte
	for _, d := range dims {
		dim := str(2, "n")
		if d > 0 {
			dim = varint(1, d)
		}
		shape = join(shape, bytes(1, dim))
	}
	return bytes(number, join(str(1, name), bytes(2, bytes(1, join(varint(1, 1), bytes(2, shape))))))
}

// graphOf returns a GraphProto with the inputs and outputs of a network.
func graphOf(nodes []byte, tensors ...[]byte) []byte {
	g := join(nodes, info(11, "planes", 0, 12, 0, 0), info(11, "globals", 0, 13), info(12, "policy", 0, 0), info(12, "value", 0, 3))
	for _, t := range append([][]byte{floats("policy_w", 1, 12, 1, 1), floats("value_w", 13, 3)}, tensors...) {
		g = join(g, bytes(5, t))
	}
	return g
}

// network returns a file.
func network(nodes []byte, tensors ...[]byte) []byte {
	return join(varint(1, 8), bytes(8, join(str(1, ""), varint(2, 17))), bytes(7, graphOf(nodes, tensors...)))
}

func equal(a, b []int64) bool { return slices.Equal(a, b) }
