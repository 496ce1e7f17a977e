//go:build cgo

package onnx

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".onnx"))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func parsed(t testing.TB, data []byte) *file {
	t.Helper()
	f, err := parse(data)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// sealed is what Load does to look at a file.
func sealed(data []byte) (bool, error) {
	f, err := parse(data)
	if err != nil {
		return false, err
	}
	return f.sealed()
}

// property returns a property as a field of a file.
func property(key, value string) []byte {
	entry := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), key)
	entry = protowire.AppendString(protowire.AppendTag(entry, 2, protowire.BytesType), value)
	return protowire.AppendBytes(protowire.AppendTag(nil, 14, protowire.BytesType), entry)
}

// The digest that the trainer computed is the one that is computed here.
func TestSeal(t *testing.T) {
	text, err := os.ReadFile("testdata/dynamo.txt")
	if err != nil {
		t.Fatal(err)
	}
	want, _, _ := strings.Cut(string(text), "\n")
	if got := parsed(t, read(t, "dynamo")).weights(); got != want {
		t.Fatalf("digest %s, want %s", got, want)
	}
	plain := read(t, "good")
	digest := parsed(t, plain).weights()
	for name, c := range map[string]struct {
		data   []byte
		sealed bool
		want   string
	}{
		"none":    {plain, false, ""},
		"other":   {slices.Concat(plain, property("carozero.run", digest)), false, ""},
		"its own": {slices.Concat(plain, property(sealName, digest)), true, ""},
		"before":  {slices.Concat(property(sealName, digest), plain), true, ""},
		"wrong":   {slices.Concat(plain, property(sealName, strings.Repeat("0", 64))), true, "damaged"},
		"empty":   {slices.Concat(plain, property(sealName, "")), true, "damaged"},
		"odd":     {slices.Concat(plain, property(sealName, "\n\x1b"+strings.Repeat("x", 1000))), true, "damaged"},
		"text":    {[]byte("this is a text\n"), false, "complete"},
	} {
		got, err := sealed(c.data)
		if got != c.sealed || (err == nil) != (c.want == "") || err != nil &&
			(!strings.Contains(err.Error(), c.want) || strings.ContainsAny(err.Error(), "\n\x1b") || len(err.Error()) > 500) {
			t.Errorf("%s: %v, %v; want %v, %q", name, got, err, c.sealed, c.want)
		}
	}
}

// Every flipped bit of a sealed file's weights is found, whichever field has them: raw
// data, floats, and signed and unsigned bytes.
func TestFlippedWeightsAreFound(t *testing.T) {
	for _, name := range []string{"dynamo", "typed"} {
		data := read(t, name)
		flipped := 0
		var p parser
		for _, tensor := range p.split(p.split(data).last(7))[5] {
			for number, values := range p.split(tensor) {
				value := values[0]
				if len(value) == 0 || number < 4 || number == 8 {
					continue
				}
				at := []int{0}
				if number == 4 || number == 9 { // the high bits of a varint may mean nothing
					at = []int{0, len(value) / 2, len(value) - 1}
				}
				for _, i := range at {
					value[i] ^= 1
					if _, err := sealed(data); err == nil {
						t.Errorf("%s: byte %d of field %d: not found", name, i, number)
					}
					value[i] ^= 1
					flipped++
				}
			}
		}
		if is, err := sealed(data); flipped < 20 || !is || err != nil {
			t.Errorf("%s: after %d bits and back: %v, %v", name, flipped, is, err)
		}
	}
}

// A network for tile registers gives the same bits as the file itself.
func TestTilesChangeNoBit(t *testing.T) {
	before := tiles
	t.Cleanup(func() { tiles = before })
	if moved := parsed(t, read(t, "int8")).moved(); len(moved) < 2 {
		t.Fatalf("moved are %v", moved)
	}
	for _, name := range []string{"int8", "good"} {
		var rows [2][]float32
		var ids [2]uint64
		for i, on := range []bool{false, true} {
			tiles = func() bool { return on }
			s := load(t, name)
			b := fill(16)
			if err := s.Forward(t.Context(), b); err != nil {
				t.Fatal(err)
			}
			for row := range 16 {
				rows[i] = append(append(rows[i], b.Policy(row)...), b.Value(row)...)
			}
			ids[i] = s.ID()
		}
		if !slices.Equal(rows[0], rows[1]) || ids[0] != ids[1] {
			t.Errorf("%s: other results, or another identity", name)
		}
	}
}
