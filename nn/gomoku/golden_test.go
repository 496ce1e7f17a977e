package gomoku

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/nn"
)

//go:generate go test -run ^TestGolden -update .

var update = flag.Bool("update", false, "write the golden file of planes again")

// goldenFile is shared with the trainer, which checks its own planes by it.
var goldenFile = filepath.FromSlash("../../train/tests/golden/planes.json")

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

// TestGolden checks the planes of the file's positions, and that the file is what -update
// would write.
func TestGolden(t *testing.T) {
	data := must(os.ReadFile(goldenFile))
	var g golden
	if err := json.Unmarshal(data, &g); err != nil {
		t.Fatal(err)
	}
	g.Version, g.PlaneNames, g.GlobalNames = Version, PlaneNames(), GlobalNames()
	for i, c := range g.Cases {
		b := must(gomoku.ParsePosition(must(gomoku.Lookup(c.Rule)), c.Size, c.Position))
		g.Cases[i] = newGoldenCase(b, encoderFor(b))
	}
	fresh := marshalGolden(g)
	if *update {
		data = fresh
		if err := os.WriteFile(goldenFile, fresh, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(data, fresh) {
		t.Errorf("%s has other planes, names or globals than are encoded", goldenFile)
	}
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
func marshalGolden(g golden) []byte {
	cases := g.Cases
	g.Cases = []goldenCase{}
	out := bytes.TrimSuffix(must(json.Marshal(g)), []byte("]}"))
	for i, c := range cases {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, '\n'), must(json.Marshal(c))...)
	}
	return append(out, "\n]}\n"...)
}
