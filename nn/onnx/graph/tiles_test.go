package graph

import (
	"slices"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// quantised returns a network whose first convolution has weights of 8 bits, with zero
// points, both as raw data or not.
func quantised(weights, zeros []byte, raw bool, more ...[]byte) []byte {
	data := func(values []byte) []byte {
		if raw {
			return field9(values)
		}
		var out []byte
		for _, v := range values {
			out = join(out, varint(5, int64(int8(v))))
		}
		return out
	}
	nodes := join(op("DequantizeLinear", in("w", "s", "z"), "w_float"), op("Conv", in("planes", "w_float"), "x"), heads("x"), join(more...))
	return network(nodes, tensor("w", int8Type, []int64{12, 12, 1, 1}, data(weights)), floats("s", 12), tensor("z", int8Type, []int64{12}, data(zeros)))
}

// Weights and their zero points are less by one, whatever field they are in, and all else
// is as it was; of other networks nothing is touched.
func TestForTiles(t *testing.T) {
	weights, zeros := make([]byte, 144), make([]byte, 12)
	for i := range weights {
		weights[i] = byte(i - 127)
	}
	for _, raw := range []bool{true, false} {
		file := quantised(weights, zeros, raw)
		kept := slices.Clone(file)
		tiled := ForTiles(file)
		if !slices.Equal(file, kept) {
			t.Fatal("the data were changed")
		}
		if _, err := Inspect(tiled); err != nil {
			t.Fatal(err)
		}
		before, after := parsed(t, file), parsed(t, tiled)
		for i := range before.initializers {
			a, b := &before.initializers[i], &after.initializers[i]
			want := a.values()
			if a.name == "w" || a.name == "z" {
				for j := range want {
					want[j]--
				}
			}
			if a.name != b.name || a.dataType != b.dataType || !equal(a.dims, b.dims) || !slices.Equal(b.values(), want) {
				t.Errorf("raw %v: %s is %v, want %v", raw, b.name, b.values(), want)
			}
		}
		if len(before.nodes) != len(after.nodes) || len(before.inputs) != len(after.inputs) {
			t.Error("other operators or inputs")
		}
	}
	least, other := slices.Clone(weights), slices.Clone(zeros)
	least[5], other[3] = 0x80, 1
	for what, file := range map[string][]byte{
		"the least number": quantised(least, zeros, true),
		"another zero":     quantised(weights, other, false),
		"weights twice":    quantised(weights, zeros, true, op("Identity", in("w"), "again")),
		"zeros twice":      quantised(weights, zeros, true, op("Identity", in("z"), "again")),
		"no weights":       network(heads("planes")),
		"no file":          []byte("hello"),
	} {
		if got := ForTiles(file); !slices.Equal(got, file) {
			t.Errorf("%s: changed", what)
		}
	}
}

func parsed(t *testing.T, data []byte) *model {
	m, err := parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// unsealed returns a file without its properties, the digest of its weights among them.
func unsealed(file []byte) []byte {
	var out []byte
	for len(file) > 0 {
		number, kind, n := protowire.ConsumeTag(file)
		size := n + protowire.ConsumeFieldValue(number, kind, file[n:])
		if number != 14 {
			out = append(out, file[:size]...)
		}
		file = file[size:]
	}
	return out
}
