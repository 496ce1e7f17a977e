package line

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/nn"
	gomokunet "github.com/carozero/carozero/nn/gomoku"
	"github.com/carozero/carozero/nn/nntest"
)

var damaged = flag.Int("damaged", 200, "damaged files that are tried")

// part is a tensor on its way into a file.
type part struct {
	name  string
	shape []int
	data  any // []int8, []int16 or []int32
}

// parts returns the tensors of a network in the order of the digest.
func (n *Network) parts() []part {
	k := n.channels
	all := filters*k + filters
	rows := func(at uint32, count int) []int8 { return n.features[int(at)*k:][:count*k] }
	return []part{
		{"T", []int{lineCount, k}, rows(lineRows, lineCount)},
		{"E1", []int{pattern.Codes, k}, rows(ownCodes, pattern.Codes)},
		{"E2", []int{pattern.Codes, k}, rows(oppCodes, pattern.Codes)},
		{
			"W1", []int{hidden, valueInputs(k)}, n.w1,
		}, {"W2", []int{hidden, hidden}, n.w2}, {"W3", []int{outcomes, hidden}, n.w3},
		{"B1", []int{hidden}, n.b1}, {"B2", []int{hidden}, n.b2}, {"B3", []int{outcomes}, n.b3},
		{"D", []int{taps, k}, n.d}, {"Db", []int{k}, n.db},
		{"G1", []int{hidden, contextInputs(k)}, n.g1}, {"Gb1", []int{hidden}, n.gb1},
		{"G2", []int{all, hidden}, n.g2}, {"Gb2", []int{all}, n.gb2},
		{"O", []int{filters}, n.o},
	}
}

// encoded returns the file of tensors; change may do to the header what it likes.
func encoded(t *testing.T, parts []part, change func(header map[string]any)) []byte {
	t.Helper()
	header := map[string]any{}
	var data []byte
	for _, p := range parts {
		from := len(data)
		var err error
		if data, err = binary.Append(data, binary.LittleEndian, p.data); err != nil {
			t.Fatal(err)
		}
		kind := map[int]string{1: "I8", 2: "I16", 4: "I32"}[binary.Size(p.data)/max(product(p.shape), 1)]
		header[p.name] = map[string]any{"dtype": kind, "shape": p.shape, "data_offsets": []int{from, len(data)}}
	}
	sum := sha256.Sum256(data)
	header["__metadata__"] = map[string]string{
		"format": format, "carozero.rules": "caro,renju", "carozero.sizes": "9-20", "carozero.run": "test",
		"carozero.weights": hex.EncodeToString(sum[:]),
	}
	if change != nil {
		change(header)
	}
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text, data)
}

func product(shape []int) int {
	p := 1
	for _, n := range shape {
		p *= n
	}
	return p
}

// What is read from a file is what was written.
func TestFile(t *testing.T) {
	n := randomNetwork(3, 16)
	path := filepath.Join("somewhere", "net.line")
	data := encoded(t, n.parts(), nil)
	if !Kind.Recognize(data) || Kind.Recognize(data[:8]) || Kind.Recognize([]byte("\x08\x08\x12\x07pytorch")) {
		t.Error("a file is not known by how it begins")
	}
	got, err := Load(path, data, "")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.features, n.features) || !slices.Equal(got.packed.w1.weights, n.packed.w1.weights) ||
		!slices.Equal(got.gb2, n.gb2) {
		t.Error("the weights differ")
	}
	if m := got.Metadata(); !slices.Equal(m.Rules, []string{"caro", "renju"}) || len(m.Sizes) != 12 || m.Run != "test" ||
		got.Name() != "net.line" {
		t.Errorf("metadata %+v, name %q", m, got.Name())
	}
	if _, err := Load(path, data, strings.Repeat("0", 64)); !refused(err, "SHA-256") {
		t.Errorf("with another digest: %v", err)
	}
}

// refused reports whether an error is one line that blames the model and has a word.
func refused(err error, word string) bool {
	return errors.Is(err, nn.ErrModel) && !strings.Contains(err.Error(), "\n") && len(err.Error()) < 400 &&
		strings.Contains(err.Error(), word)
}

// Whatever byte of a file is changed, or wherever it ends, it is refused.
func TestDamagedFiles(t *testing.T) {
	data := encoded(t, randomNetwork(3, 16).parts(), nil)
	header := 8 + int(binary.LittleEndian.Uint64(data))
	r := rand.New(rand.NewPCG(7, 7))
	for i := range *damaged {
		bad := slices.Clone(data)
		at := r.IntN(header)
		if i%3 == 0 {
			at = r.IntN(len(data))
		}
		if i%5 == 0 {
			bad = bad[:at]
		} else {
			bad[at] ^= byte(1 + r.IntN(255))
		}
		n, err := Load("net", bad, "")
		if err == nil && at < header && i%5 != 0 && sameWeights(n, data) {
			continue // a letter of the metadata that means nothing
		}
		if !refused(err, "net") {
			t.Fatalf("file %d, byte %d: %v", i, at, err)
		}
	}
}

// sameWeights reports whether the network has the weights of a file.
func sameWeights(n *Network, data []byte) bool {
	want, err := Load("net", data, "")
	return err == nil && slices.Equal(n.features, want.features) && slices.Equal(n.gb2, want.gb2) &&
		slices.Equal(n.w1, want.w1)
}

// A line network does what every network does, and has the same bits on every machine.
func TestNetworkIsANetwork(t *testing.T) {
	const size = 9
	rules, err := gomoku.Lookup("caro")
	if err != nil {
		t.Fatal(err)
	}
	n, err := Kind.Load("it", encoded(t, randomNetwork(3, 16).parts(), nil), "")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 7))
	var positions []game.Position
	for len(positions) < 12 {
		if b := randomBoard(r, "caro", size, r.IntN(40)); b.Outcome() == game.Undecided {
			positions = append(positions, b.Board())
		}
	}
	nntest.CheckNetwork(t, nntest.Subject{
		Network: n, Positions: positions, Bits: "45382add777f1124",
		Variant: nntest.Variant{
			Name:    "caro 9x9",
			From:    func() (game.Position, error) { return gomoku.New(rules, size) },
			Encoded: func() (nn.Encoder, error) { return gomokunet.New(rules, size) },
		},
		Board: func(pos game.Position) game.Position { return pattern.FromBoard(pos.(*gomoku.Board)) },
	})
}
