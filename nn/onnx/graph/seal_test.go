package graph

import (
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

// property returns a property as a field of a file.
func property(key, value string) []byte { return bytes(14, join(str(1, key), str(2, value))) }

// The files that trainer and exporter have sealed are whole, and every flipped bit of
// their initializers' numbers is found: raw ones, and those in fields of their types,
// floats and signed and unsigned bytes among them.
func TestFlippedWeightsAreFound(t *testing.T) {
	for _, name := range []string{"dynamo", "typed"} {
		data := read(t, "../testdata/"+name+".onnx")
		if sealed, err := Inspect(data); !sealed || err != nil {
			t.Fatalf("%s: sealed %v, %v", name, sealed, err)
		}
		m, err := parse(data)
		if err != nil {
			t.Fatal(err)
		}
		flipped := 0
		for _, w := range m.initializers {
			for i, at := range numberBytes(t, w.message) {
				*at ^= 1
				if _, err := Inspect(data); err == nil || strings.ContainsAny(err.Error(), "\n\x1b") {
					t.Errorf("%s: bit %d of %s: %v", name, i, w.name, err)
				}
				*at ^= 1
				flipped++
			}
		}
		if sealed, err := Inspect(data); flipped < 20 || !sealed || err != nil {
			t.Errorf("%s: after %d bits and back: %v", name, flipped, err)
		}
	}
}

// numberBytes returns some of the bytes of a tensor that hold its numbers, in place: of
// numbers of varying length the lowest ones, for of the others some mean nothing.
func numberBytes(t *testing.T, message []byte) (at []*byte) {
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		size := protowire.ConsumeFieldValue(number, kind, message[n:])
		if size < 0 {
			t.Fatal("no tensor")
		}
		if kind == protowire.BytesType && number != 8 {
			value, _ := protowire.ConsumeBytes(message[n:])
			at = append(at, &value[0])
			if number == 4 || number == 9 {
				at = append(at, &value[len(value)/2], &value[len(value)-1])
			}
		}
		message = message[n+size:]
	}
	return at
}

// The digest that the trainer computed is the one that is computed here, and a file
// without one is taken.
func TestSeal(t *testing.T) {
	text, err := os.ReadFile("../testdata/dynamo.txt")
	if err != nil {
		t.Fatal(err)
	}
	want, _, _ := strings.Cut(string(text), "\n")
	m, err := parse(read(t, "../testdata/dynamo.onnx"))
	if err != nil || m.weights() != want {
		t.Fatalf("%v, want the digest %s", err, want)
	}
	plain := network(heads("planes"))
	m, err = parse(plain)
	if err != nil {
		t.Fatal(err)
	}
	digest := m.weights()
	for name, c := range map[string]struct {
		data   []byte
		sealed bool
		want   string
	}{
		"none":    {plain, false, ""},
		"other":   {join(plain, property("carozero.run", digest)), false, ""},
		"its own": {join(plain, property(sealName, digest)), true, ""},
		"before":  {join(property(sealName, digest), plain), true, ""},
		"wrong":   {join(plain, property(sealName, strings.Repeat("0", 64))), true, "damaged"},
		"empty":   {join(plain, property(sealName, "")), true, "damaged"},
		"odd":     {join(plain, property(sealName, "\n\x1b"+strings.Repeat("x", 1000))), true, "damaged"},
		"twice":   {join(plain, property(sealName, digest), property(sealName, digest)), false, "twice"},
	} {
		sealed, err := Inspect(c.data)
		if sealed != c.sealed || (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || strings.ContainsAny(err.Error(), "\n\x1b") || len(err.Error()) > 500) {
			t.Errorf("%s: %v, %v; want %v, %q", name, sealed, err, c.sealed, c.want)
		}
	}
}
