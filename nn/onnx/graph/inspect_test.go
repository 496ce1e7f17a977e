package graph

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// The networks that ship, and those of the runtime's tests.
func TestNetworksAreAccepted(t *testing.T) {
	found := 0
	for _, pattern := range []string{"../../../models/*.onnx", "../testdata/*.onnx"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			found++
			if _, err := Inspect(read(t, file)); err != nil {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d networks found", found)
	}
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// What the trainer's other activation, pooling and newer exporters add.
func TestMoreNetworksAreAccepted(t *testing.T) {
	for name, nodes := range map[string][]byte{
		"swish":             join(op("Sigmoid", in("planes"), "s"), op("Mul", in("planes", "s"), "m"), heads("m")),
		"maximum":           join(op("GlobalMaxPool", in("planes"), "g"), op("Add", in("planes", "g"), "m"), heads("m")),
		"reduced":           join(op("ReduceMean", in("planes"), "g", ints("axes", 2, 3)), op("Mul", in("planes", "g"), "m"), heads("m")),
		"unsorted":          join(heads("m"), op("Mul", in("planes", "s"), "m"), op("Sigmoid", in("planes"), "s")),
		"reshaped by shape": join(op("Shape", in("planes"), "n"), op("Gather", in("n", "zero"), "n0"), op("Unsqueeze", in("n0", "axis"), "n1"), op("Concat", in("n1", "minus"), "to", ints("axis", 0)), op("Reshape", in("planes", "to"), "flat"), op("Relu", in("planes"), "m"), heads("m")),
		"reshaped by h*w": join(op("Shape", in("planes"), "n1", one64("start", 0), one64("end", 1)),
			op("Shape", in("planes"), "h1", one64("start", -2), one64("end", -1)), op("Squeeze", in("h1"), "h"),
			op("Shape", in("planes"), "w1", one64("start", 3)), op("Squeeze", in("w1"), "w"),
			op("Mul", in("h", "w"), "hw"), op("Reshape", in("hw", "minus"), "hw1"), op("Concat", in("n1", "minus", "hw1"), "to", ints("axis", 0)),
			op("Reshape", in("planes", "to"), "flat", one64("allowzero", 1)), op("Relu", in("planes"), "m"), heads("m")),
		"no small boards":  join(op("AveragePool", in("planes"), "m", ints("kernel_shape", 9, 9)), heads("m")),
		"sliced, split":    join(op("Split", in("planes"), "a", ints("axis", 1)), op("Slice", in("planes", "axis", "minus"), "b"), op("Relu", in("planes"), "m"), heads("m")),
		"average over 3x3": join(op("AveragePool", in("planes"), "m", ints("kernel_shape", 3, 3), ints("pads", 1, 1, 1, 1)), heads("m")),
	} {
		if _, err := Inspect(network(nodes, constants()...)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// attacks are graphs of a few hundred bytes that would take all memory when they
// are loaded or run, or that hide something from whoever looks.
func attacks() map[string][]byte {
	doubled := []byte{}
	last := "planes"
	for i := range 40 {
		next := "d" + string(rune('A'+i))
		doubled = join(doubled, op("Concat", in(last, last), next, ints("axis", 1)))
		last = next
	}
	huge := numbers("huge", 4_000_000_000)
	square := join(op("Flatten", in("planes"), "a"), op("Transpose", in("a"), "b"), op("MatMul", in("a", "b"), "s0"))
	for i := range 20 {
		square = join(square, op("Relu", in("s"+strconv.Itoa(i)), "s"+strconv.Itoa(i+1)))
	}
	return map[string][]byte{
		"constant of shape": network(join(op("ConstantOfShape", in("huge"), "x"), heads("planes")), huge),
		"expand":            network(join(op("Expand", in("planes", "huge"), "x"), heads("planes")), huge),
		"tile":              network(join(op("Tile", in("planes", "huge"), "x"), heads("planes")), huge),
		"range":             network(join(op("Range", in("zero", "huge", "axis"), "x"), heads("planes")), huge),
		"resize":            network(join(op("Resize", in("planes"), "x"), heads("planes"))),
		"doubling":          network(join(doubled, heads("planes"))),
		"stretching":        network(join(op("Reshape", in("wide", "row"), "a"), op("Reshape", in("wide", "column"), "b"), op("Add", in("a", "b"), "x"), heads("planes")), wide(30_000)...),
		"outer product":     network(join(op("Reshape", in("wide", "row"), "a"), op("Reshape", in("wide", "column"), "b"), op("MatMul", in("b", "a"), "x"), heads("planes")), wide(30_000)...),
		// On the largest board the rows have 7,000 numbers, on the smallest 30,800.
		"smaller board": network(join(op("Shape", in("planes"), "h1", one64("start", 2), one64("end", 3)), op("Concat", in("h1", "minus"), "to", ints("axis", 0)),
			op("Reshape", in("wide", "to"), "x"), op("ReduceSum", in("x", "axis"), "a"), op("Transpose", in("a"), "b"), op("Add", in("a", "b"), "y"), heads("planes")),
			append(wide(154_000), constants()...)...),
		"chosen by positions": network(join(op("Shape", in("planes"), "n1", one64("start", 0), one64("end", 1)), op("Sub", in("n1", "n1"), "zeros"), op("Add", in("zeros", "n1"), "n2"), op("Sub", in("n2", "n1"), "at"),
			op("Add", in("at", "n1"), "up"), op("Gather", in("list", "up"), "k"), op("Concat", in("k", "minus"), "to", ints("axis", 0)), op("Reshape", in("wide", "to"), "x"), heads("planes")),
			append(append(wide(30_000), constants()...), numbers("list", make([]int64, 64)...))...),
		"cut by positions": network(join(op("Shape", in("planes"), "n1", one64("start", 0), one64("end", 1)), op("Slice", in("wide", "n1", "most", "axis"), "x"), heads("planes")),
			append(append(wide(30_000), constants()...), numbers("most", 1<<40))...),
		"padding":            network(join(op("Conv", in("planes", "kernel"), "x", ints("pads", 60000, 60000, 60000, 60000)), heads("planes")), floats("kernel", 1, 12, 1, 1)),
		"pooling":            network(join(op("MaxPool", in("planes"), "x", ints("kernel_shape", 1, 1), ints("pads", 60000, 60000, 60000, 60000)), heads("planes"))),
		"workspace":          network(join(op("Conv", in("planes", "kernel"), "x", ints("pads", 350, 350, 350, 350)), heads("planes")), floats("kernel", 1, 12, 22, 22)),
		"gathering":          network(join(op("Reshape", in("wide", "row"), "a"), op("Gather", in("a", "many"), "x"), heads("planes")), floats("wide", 20_000), tensor("many", int64Type, []int64{20_000}, field9(make([]byte, 8*20_000))), numbers("row", 1, -1)),
		"batch times batch":  network(join(square, heads("planes"))),
		"dims without data":  network(heads("planes"), tensor("x", 1, []int64{1 << 30, 4})),
		"overflowing dims":   network(heads("planes"), tensor("x", 1, []int64{1 << 31, 1 << 31, 1 << 31})),
		"negative dims":      network(heads("planes"), tensor("x", 1, []int64{-1, -4}, field9(make([]byte, 16)))),
		"data elsewhere":     network(heads("planes"), tensor("x", 1, []int64{2}, varint(14, 1), field9(make([]byte, 8)))),
		"data named":         network(heads("planes"), tensor("x", 1, []int64{2}, bytes(13, []byte("a")), field9(make([]byte, 8)))),
		"text":               network(heads("planes"), tensor("x", 8, []int64{1}, bytes(6, []byte("a")))),
		"loop":               network(join(op("Loop", in("huge"), "x", bytes(5, join(str(1, "body"), bytes(6, nil)))), heads("planes")), huge),
		"graph in operator":  network(join(op("Relu", in("planes"), "x", bytes(5, join(str(1, "body"), bytes(6, nil)))), heads("planes"))),
		"other domain":       network(join(op("Relu", in("planes"), "x", str(7, "com.example")), heads("planes"))),
		"two tensors in one": network(join(op("Constant", nil, "x", bytes(5, join(str(1, "value"), bytes(5, tensor("", 1, []int64{1}, field9(make([]byte, 4)))), bytes(5, tensor("", 1, []int64{1 << 30}))))), heads("planes"))),
		"two graphs":         join(bytes(7, graphOf(heads("planes"))), bytes(7, graphOf(nil))),
		"functions":          join(bytes(7, graphOf(heads("planes"))), bytes(25, nil)),
		"training":           join(bytes(7, graphOf(heads("planes"))), bytes(20, nil)),
		"sparse":             bytes(7, join(graphOf(heads("planes")), bytes(15, nil))),
		"many parts":         bytes(7, join(graphOf(heads("planes")), []byte(strings.Repeat("\x0a\x00", 300_000)))),
		"open shape":         network(join(op("Reshape", in("planes", "globals"), "x"), heads("planes"))),
		"cycle":              network(join(op("Relu", in("a"), "b"), op("Relu", in("b"), "a"), heads("planes"))),
		"same value twice":   network(join(op("Relu", in("planes"), "a"), op("Relu", in("planes"), "a"), heads("planes"))),
		"missing input":      network(join(op("Relu", in("nothing"), "a"), heads("planes"))),
		"kind of a field":    network(join(op("Relu", in("planes"), "x", varint(4, 9)), heads("planes"))),
		"sequence":           join(bytes(7, join(graphOf(heads("planes")), bytes(11, join(str(1, "s"), bytes(2, bytes(4, nil))))))),
		"group":              {0x0b, 0x0c},
		"wide input":         bytes(7, join(heads("planes"), info(11, "planes", 0, 1<<31-1, 1<<20, 0), info(11, "globals", 0, 13), info(12, "policy"), info(12, "value"))),
		"nothing":            {},
		"no graph":           varint(1, 8),
	}
}

func TestAttacksAreRefused(t *testing.T) {
	for name, data := range attacks() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Inspect(data)
		runtime.ReadMemStats(&after)
		if err == nil || strings.Contains(err.Error(), "\n") || len(err.Error()) > 200 {
			t.Errorf("%s: error %v, want one line", name, err)
		}
		if taken := after.TotalAlloc - before.TotalAlloc; taken > 64<<20 {
			t.Errorf("%s: looking at %d bytes takes %d", name, len(data), taken)
		}
	}
	for name, want := range map[string]error{"doubling": errTooMuch, "stretching": errTooMuch, "outer product": errTooMuch, "padding": errTooMuch, "pooling": errTooMuch, "workspace": errTooMuch, "smaller board": errTooMuch, "chosen by positions": errOpen, "cut by positions": errOpen, "gathering": errTooMuch, "batch times batch": errTooMuch, "wide input": errTooMuch} {
		if _, err := Inspect(attacks()[name]); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}

// The same graphs without what makes them attacks are accepted, so that it is
// that which is refused.
func TestTheHarnessMakesNetworks(t *testing.T) {
	if _, err := Inspect(network(heads("planes"))); err != nil {
		t.Error(err)
	}
	if _, err := Inspect(network(join(op("Reshape", in("wide", "row"), "a"), op("Reshape", in("wide", "column"), "b"), op("Add", in("a", "b"), "x"), heads("planes")), wide(30)...)); err != nil {
		t.Error(err)
	}
	if _, err := Inspect(network(join(op("Conv", in("planes", "kernel"), "x", ints("pads", 1, 1, 1, 1)), heads("planes")), floats("kernel", 1, 12, 3, 3))); err != nil {
		t.Error(err)
	}
}

// Shapes are what the operators' definition says, on the largest board.
func TestShapes(t *testing.T) {
	for name, c := range map[string]struct {
		node  []byte
		more  [][]byte
		shape []int64
	}{
		"conv":       {op("Conv", in("planes", "kernel"), "x", ints("pads", 1, 1, 1, 1)), [][]byte{floats("kernel", 4, 12, 3, 3)}, []int64{1, 4, 22, 22}},
		"strided":    {op("Conv", in("planes", "kernel"), "x", ints("strides", 2, 2)), [][]byte{floats("kernel", 4, 12, 3, 3)}, []int64{1, 4, 10, 10}},
		"dilated":    {op("Conv", in("planes", "kernel"), "x", ints("dilations", 2, 2)), [][]byte{floats("kernel", 4, 12, 3, 3)}, []int64{1, 4, 18, 18}},
		"gemm":       {op("Gemm", in("globals", "kernel"), "x", ints("transB", 1)), [][]byte{floats("kernel", 5, 13)}, []int64{1, 5}},
		"flatten":    {op("Flatten", in("planes"), "x"), nil, []int64{1, 12 * 484}},
		"reshape":    {op("Reshape", in("planes", "kernel"), "x"), [][]byte{numbers("kernel", 0, -1, 22)}, []int64{1, 264, 22}},
		"transpose":  {op("Transpose", in("planes"), "x", ints("perm", 0, 2, 3, 1)), nil, []int64{1, 22, 22, 12}},
		"unsqueeze":  {op("Unsqueeze", in("globals", "kernel"), "x"), [][]byte{numbers("kernel", 2, 3)}, []int64{1, 13, 1, 1}},
		"squeeze":    {op("Squeeze", in("globals"), "x"), nil, []int64{13}},
		"concat":     {op("Concat", in("planes", "planes"), "x", ints("axis", -3)), nil, []int64{1, 24, 22, 22}},
		"broadcast":  {op("Add", in("planes", "kernel"), "x"), [][]byte{floats("kernel", 12, 1, 1)}, []int64{1, 12, 22, 22}},
		"reduce":     {op("ReduceSum", in("planes", "kernel"), "x"), [][]byte{numbers("kernel", 2, 3)}, []int64{1, 12, 1, 1}},
		"reduce all": {op("ReduceMax", in("planes"), "x", ints("keepdims", 0)), nil, nil},
		"gather":     {op("Gather", in("planes", "kernel"), "x", ints("axis", 1)), [][]byte{numbers("kernel", 2, 3, 4)}, []int64{1, 3, 22, 22}},
		"split":      {op("Split", in("planes"), "x", ints("axis", 1), ints("split", 5, 7)), nil, []int64{1, 5, 22, 22}},
		"global":     {op("GlobalMaxPool", in("planes"), "x"), nil, []int64{1, 12, 1, 1}},
		"pool":       {op("MaxPool", in("planes"), "x", ints("kernel_shape", 3, 3), ints("strides", 2, 2)), nil, []int64{1, 12, 10, 10}},
	} {
		m, err := parse(network(join(c.node, heads("planes")), c.more...))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		r, err := m.infer(largestBoard, 1, nil)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := r.values["x"]; got == nil || !equal(got.dims, c.shape) {
			t.Errorf("%s: %+v, want %v", name, got, c.shape)
		}
	}
}

// FuzzInspect feeds any file: it is judged without a panic, and in one line.
func FuzzInspect(f *testing.F) {
	f.Add(read(f, "../testdata/good.onnx"))
	f.Add(read(f, "../testdata/int8.onnx"))
	for _, data := range attacks() {
		if len(data) < 4096 { // the fuzzer is slow to shorten long ones
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		_, err := Inspect(data)
		if err != nil && strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Fatalf("error %q", err)
		}
		if err == nil {
			if _, err := Inspect(unsealed(ForTiles(data))); err != nil {
				t.Fatalf("for tiles: %v", err)
			}
		}
	})
}
