package gomoku

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/nn"
)

//go:generate go test -run ^TestGolden -update .

var update = flag.Bool("update", false, "write the golden file of planes again")

// goldenFile is shared with the trainer, which checks its own planes by it.
var goldenFile = filepath.FromSlash("../../train/tests/golden/planes.json")

const goldenDoc = "Input planes of gomoku positions. A position is its moves from the empty board; cell = " +
	"y*size + x, " +
	"x from column a, y from row 1. planes[p] is plane p [size, size] in row-major order, packed as numpy.packbits " +
	"does (most significant bit first, zero-padded to a byte), in hex; names are in plane_names. symmetries[s][p] is " +
	"plane p under symmetry s = 4*t + r: if t, transpose (x, y) -> (y, x); then r quarter turns (x, y) -> " +
	"(size-1-y, x). " +
	"globals are float32. Written by `go generate ./nn/gomoku`."

// golden is the content of the file.
type golden struct {
	Doc         string       `json:"doc"`
	Version     string       `json:"version"`
	PlaneNames  []string     `json:"plane_names"`
	GlobalNames []string     `json:"global_names"`
	Cases       []goldenCase `json:"cases"`
}

type goldenCase struct {
	Rule       string     `json:"rule"`
	Size       int        `json:"size"`
	Position   string     `json:"position"`
	ToMove     string     `json:"to_move"`
	Planes     []string   `json:"planes"`
	Globals    []float32  `json:"globals"`
	Symmetries [][]string `json:"symmetries"`
}

// TestGolden checks the file against the encoder, and that it is what -update
// would write.
func TestGolden(t *testing.T) {
	now := newGolden(t)
	fresh := marshalGolden(t, now)
	if *update {
		if err := os.MkdirAll(filepath.Dir(goldenFile), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(goldenFile, fresh, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	if g.Version != now.Version || !reflect.DeepEqual(g.PlaneNames, now.PlaneNames) ||
		!reflect.DeepEqual(g.GlobalNames, now.GlobalNames) {
		t.Errorf("%s has other planes: version %s, %q, %q", goldenFile, g.Version, g.PlaneNames, g.GlobalNames)
	}
	for i, want := range g.Cases {
		b, err := gomoku.ParsePosition(rulesOf(t, want.Rule), want.Size, want.Position)
		if err != nil {
			t.Fatal(err)
		}
		if got := newGoldenCase(b, newEncoderFor(t, b)); !reflect.DeepEqual(got, want) {
			t.Errorf("case %d, %s %s: the planes are not those of the file", i, want.Rule, want.Position)
		}
	}
	if !bytes.Equal(data, fresh) {
		t.Errorf("%s is stale: run go generate", goldenFile)
	}
}

// newGolden chooses positions of every rule set.
func newGolden(t *testing.T) golden {
	g := golden{Doc: goldenDoc, Version: Version, PlaneNames: PlaneNames(), GlobalNames: GlobalNames()}
	for i, name := range gomoku.Names() {
		rng := rand.New(rand.NewPCG(uint64(i), 2026))
		for _, size := range []int{9, 9, 9, 13, 15, 19} {
			b := busiest(t, rng, rulesOf(t, name), size)
			g.Cases = append(g.Cases, newGoldenCase(b, newEncoderFor(t, b)))
		}
	}
	return g
}

// busiest returns, of some random positions, that with the most planes in use,
// and of these that with the most cells in them.
func busiest(t *testing.T, rng *rand.Rand, r gomoku.Rules, size int) *gomoku.Board {
	var best *gomoku.Board
	most := -1
	for range 60 {
		b := playout(t, rng, r, size, size+rng.IntN(size*size/4))
		n := size * size
		planes, used, cells := encode(newEncoderFor(t, b), b, 0).planes, 0, 0
		for p := PlaneForbidden; p < Planes; p++ {
			set := 0
			for _, v := range planes[p*n : (p+1)*n] {
				set += int(v)
			}
			used += min(set, 1)
			cells += min(set, 6)
		}
		if score := 100*used + cells; score > most {
			best, most = b, score
		}
	}
	return best
}

func newGoldenCase(b *gomoku.Board, e nn.Encoder) goldenCase {
	c := goldenCase{
		Rule:     b.Rules().Name,
		Size:     b.Size(),
		Position: gomoku.Notation{Size: b.Size()}.FormatMoves(b.History()),
		ToMove:   b.ToMove().String(),
	}
	for sym := range e.Symmetries() {
		in := encode(e, b, sym)
		c.Symmetries = append(c.Symmetries, packPlanes(in.planes, b.Size()*b.Size()))
		c.Globals = in.globals
	}
	c.Planes = c.Symmetries[0]
	return c
}

// packPlanes packs planes of n cells as goldenDoc says.
func packPlanes(planes []float32, n int) []string {
	var packed []string
	for ; len(planes) > 0; planes = planes[n:] {
		bits := make([]byte, (n+7)/8)
		for c, v := range planes[:n] {
			if v == 1 {
				bits[c/8] |= 0x80 >> (c % 8)
			}
		}
		packed = append(packed, hex.EncodeToString(bits))
	}
	return packed
}

// marshalGolden writes a case a line.
func marshalGolden(t *testing.T, g golden) []byte {
	marshal := func(v any) []byte {
		data, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	cases := g.Cases
	g.Cases = []goldenCase{}
	var out bytes.Buffer
	out.Write(bytes.TrimSuffix(marshal(g), []byte("]}")))
	separator := "\n"
	for _, c := range cases {
		out.WriteString(separator)
		out.Write(marshal(c))
		separator = ",\n"
	}
	out.WriteString("\n]}\n")
	return out.Bytes()
}
