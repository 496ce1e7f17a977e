package onitama

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
)

//go:generate go test -run ^TestGolden$ -update .

var update = flag.Bool("update", false, "write the golden file of planes again")

// goldenFile is shared with the trainer, which checks its own view by it.
var goldenFile = filepath.FromSlash("../../train/tests/golden/onitama.json")

const goldenDoc = "Input planes of Onitama positions under both symmetries. Planes are packed most " +
	"significant bit first, " +
	"in hexadecimal; actions are those of the legal moves, in one order " +
	"under both symmetries. Written by go generate in nn/onitama."

// golden is the content of the file.
type golden struct {
	Doc         string       `json:"doc"`
	Version     string       `json:"version"`
	PlaneNames  []string     `json:"plane_names"`
	GlobalNames []string     `json:"global_names"`
	Cases       []goldenCase `json:"cases"`
}

type goldenCase struct {
	Position   string       `json:"position"`
	Symmetries []goldenView `json:"symmetries"`
}

type goldenView struct {
	Planes  []string  `json:"planes"`
	Globals []float32 `json:"globals"`
	Actions []int     `json:"actions"`
}

// TestGolden checks that the file is what -update would write.
func TestGolden(t *testing.T) {
	fresh := marshalGolden(t)
	if *update {
		if err := os.WriteFile(goldenFile, fresh, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(data, fresh) {
		t.Errorf("%s is stale: run go generate", goldenFile)
	}
}

// marshalGolden returns the file: positions of random games that go on, and one in
// which the side to move can only pass.
func marshalGolden(t *testing.T) []byte {
	g := golden{Doc: goldenDoc, Version: Version, PlaneNames: PlaneNames(), GlobalNames: GlobalNames()}
	rng := rand.New(rand.NewPCG(5, 5))
	for i := range 24 {
		deck := onitama.BaseDeck
		if i%2 == 1 {
			deck = onitama.AllCards
		}
		b, err := onitama.New(deck.Random(rng))
		if err != nil {
			t.Fatal(err)
		}
		var played []game.Move
		for len(played) < i {
			moves := b.Moves(nil)
			m := moves[rng.IntN(len(moves))]
			if b.Play(m); b.Outcome() != game.Undecided {
				b.Undo()
				break
			}
			played = append(played, m)
		}
		g.Cases = append(g.Cases, newGoldenCase(b, onitama.FormatGame(b, played)))
	}
	g.Cases = append(g.Cases, newGoldenCase(stuck(t), "no piece can move"))
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetIndent("", " ")
	if err := enc.Encode(g); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// stuck returns a position in which both legal moves are passes.
func stuck(t *testing.T) *onitama.Board {
	square := func(name string) int { return int(name[0]-'a') + 5*int(name[1]-'1') }
	b, err := onitama.NewSetup(onitama.Setup{
		Students: [2]uint32{1<<square("e1") | 1<<square("e2") | 1<<square("e4") | 1<<square("e5"), 1 << square("a5")},
		Masters:  [2]int{square("e3"), square("c5")},
		Deal: onitama.Deal{
			First:  [2]onitama.Card{onitama.Tiger, onitama.Ox},
			Second: [2]onitama.Card{onitama.Crab, onitama.Horse},
			Side:   onitama.Boar,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if moves := b.Moves(nil); len(moves) != 2 || !onitama.IsPass(moves[0]) {
		t.Fatalf("%v are no two passes", moves)
	}
	return b
}

func newGoldenCase(b *onitama.Board, position string) goldenCase {
	c := goldenCase{Position: position}
	e := New()
	for sym := range e.Symmetries() {
		in := encode(b, sym)
		v := goldenView{Globals: in.globals, Actions: []int{}}
		for p := range Planes {
			v.Planes = append(v.Planes, packed(in.plane(p)))
		}
		for _, m := range b.Moves(nil) {
			v.Actions = append(v.Actions, e.Action(b, m, sym))
		}
		c.Symmetries = append(c.Symmetries, v)
	}
	return c
}

// packed returns a set of squares as bits, square 0 the most significant one.
func packed(set uint32) string {
	bytes := make([]byte, (squares+7)/8)
	for sq := range squares {
		bytes[sq/8] |= byte(set>>sq&1) << (7 - sq%8)
	}
	return hex.EncodeToString(bytes)
}
