package certificate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/damaged.txt")

// edit replaces cut bytes at a place of a file.
type edit struct {
	at, cut int
	put     []byte
}

// damage is what was done to a certificate: edits from the last place to the first, and
// whether the digest was computed anew.
type damage struct {
	name   string
	edits  []edit
	digest bool
}

func (d *damage) apply(data []byte) []byte {
	data = slices.Clone(data)
	for _, e := range d.edits {
		data = slices.Replace(data, e.at, e.at+e.cut, e.put...)
	}
	if d.digest {
		end := max(0, len(data)-sha256.Size)
		sum := sha256.Sum256(data[:end])
		data = append(data[:end], sum[:]...)
	}
	return data
}

// String is the line of testdata/damaged.txt, without the verdict.
func (d *damage) String() string {
	text := fmt.Sprintf("%s %t", d.name, d.digest)
	for _, e := range d.edits {
		text += fmt.Sprintf(" %d:%d:%s", e.at, e.cut, hex.EncodeToString(e.put))
	}
	return text
}

// newDamage damages a certificate: bytes anywhere, one of the header, or moves, of which some
// are changed, lost, doubled or swapped, the number of nodes with them.
func newDamage(rng *rand.Rand, name string, data []byte, digest bool) *damage {
	d := &damage{name: name, digest: digest}
	head := bytes.Index(data, []byte("\n\n")) + 2
	moves := len(data) - sha256.Size - head
	width := 1
	if c, err := Decode(data); err == nil {
		width = c.width()
	}
	switch kind := rng.IntN(8); {
	case kind == 0 || moves == 0:
		d.bytes(rng, len(data))
	case kind < 3:
		at := rng.IntN(head - 1)
		d.edits = append(d.edits, edit{at, 1, []byte{data[rng.IntN(head-1)]}})
	case kind < 6:
		for range 1 + rng.IntN(2) {
			at := head + rng.IntN(moves)
			put := data[head+rng.IntN(moves)]
			if rng.IntN(2) == 0 {
				put = data[at] + byte(rng.IntN(31)) - 15
			}
			d.edits = append(d.edits, edit{at, 1, []byte{put}})
		}
	default:
		d.lengthen(rng, data, head, moves/width, width)
	}
	return d
}

func (d *damage) bytes(rng *rand.Rand, n int) {
	put := make([]byte, rng.IntN(4))
	for i := range put {
		put[i] = byte(rng.Uint32())
	}
	at := rng.IntN(n + 1)
	cut := min(rng.IntN(4), n-at)
	if rng.IntN(8) == 0 {
		cut = n - at
	}
	d.edits = append(d.edits, edit{at, cut, put})
}

// lengthen takes a move out or puts one in, and mostly corrects the number of nodes.
func (d *damage) lengthen(rng *rand.Rand, data []byte, head, nodes, width int) {
	at := head + width*rng.IntN(nodes)
	e := edit{at, width, nil}
	after := nodes - 1
	if rng.IntN(2) == 0 {
		from := head + width*rng.IntN(nodes)
		e, after = edit{at, 0, slices.Clone(data[from : from+width])}, nodes+1
	}
	d.edits = append(d.edits, e)
	if rng.IntN(4) > 0 {
		number := fmt.Sprint(nodes)
		d.edits = append(d.edits, edit{head - 2 - len(number), len(number), []byte(fmt.Sprint(after))})
	}
}

// Damaged certificates are refused, or prove what they say as the twin finds: 5,000 with
// a wrong digest, and 5,000 whose digest was computed anew. The twin looks at every
// damaged one that the checker takes, and at every sixteenth that it refuses by the walk.
// What check.py must say of some of them stands in testdata/damaged.txt.
func TestDamaged(t *testing.T) {
	const ways = 10_000
	rng := rand.New(rand.NewPCG(32, 1))
	names, data := golden(t)
	hold, form, walk := 0, 0, 0
	var list strings.Builder
	for i := 0; i < ways; {
		name := names[rng.IntN(len(names))]
		d := newDamage(rng, name, data[name], i%2 == 0)
		bad := d.apply(data[name])
		if bytes.Equal(bad, data[name]) {
			continue // a move was replaced by itself, say
		}
		i++
		c, err := verdict(bad)
		switch {
		case err == nil && !d.digest:
			t.Fatalf("%v: accepted with a wrong digest", d)
		case err == nil:
			if hold++; !twinHolds(c) {
				t.Fatalf("%v: accepted, and the twin refuses it", d)
			}
			if string(c.Encode()) != string(bad) {
				t.Fatalf("%v: accepted in a second form", d)
			}
		case errors.Is(err, ErrFormat):
			form++
		case errors.Is(err, ErrRefuted):
			if walk++; walk%16 == 0 && twinHolds(c) {
				t.Fatalf("%v: refused (%v), and the twin accepts it", d, err)
			}
		default:
			t.Fatalf("%v: %v", d, err)
		}
		if i%20 < 2 {
			fmt.Fprintf(&list, "%t %v\n", err == nil, d)
		}
	}
	t.Logf("%d ways: %d refused by their form, %d by the walk; %d still hold", ways, form, walk, hold)
	if form < 4000 || walk < 1000 || hold < 20 {
		t.Error("too few of a kind")
	}
	path := filepath.Join("testdata", "damaged.txt")
	if *update {
		if err := os.WriteFile(path, []byte(list.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(path); err != nil || string(want) != list.String() {
		t.Errorf("testdata/damaged.txt is not what the checker says today: renew it with -update (%v)", err)
	}
}

func FuzzDecode(f *testing.F) {
	_, data := golden(f)
	for _, whole := range data {
		f.Add(whole)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, digest := range []bool{false, true} {
			d := damage{digest: digest}
			bytes := d.apply(data)
			c, err := Decode(bytes)
			if err != nil {
				if !errors.Is(err, ErrFormat) {
					t.Error(err)
				}
				continue
			}
			if string(c.Encode()) != string(bytes) {
				t.Error("accepted in a second form")
			}
			if err := c.Check(t.Context()); err != nil && !errors.Is(err, ErrRefuted) {
				t.Error(err)
			}
		}
	})
}
