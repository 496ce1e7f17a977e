// Package nntest holds what tests of several packages need of networks.
package nntest

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/nn"
)

// Variant implements [nn.Variant] by its fields.
type Variant struct {
	Name    string
	From    func() (game.Position, error) // the start
	Encoded func() (nn.Encoder, error)
}

// Start implements [nn.Variant].
func (v Variant) Start() (game.Position, error) { return v.From() }

// Encoder implements [nn.Variant].
func (v Variant) Encoder(version string) (nn.Encoder, error) {
	enc, err := v.Encoded()
	if err == nil && version != "" && version != enc.Version() {
		return nil, fmt.Errorf("%w: it reads input planes %s, needed are %s for %s", nn.ErrModel, version, enc.Version(),
			v.Name)
	}
	return enc, err
}

// String implements [nn.Variant].
func (v Variant) String() string { return v.Name }

// Toy is the 3,3,3 game of package gametest with the encoder [TicTacToe].
var Toy = Variant{
	Name:    "tic-tac-toe",
	From:    func() (game.Position, error) { return gametest.NewMNK(3, 3, 3), nil },
	Encoded: func() (nn.Encoder, error) { return TicTacToe{}, nil },
}

// Subject is a network to be checked and the test data.
type Subject struct {
	Network   nn.Network // CheckNetwork closes it
	Variant   nn.Variant // one that it suits
	Positions []game.Position
	Everyone  bool // it suits every game

	// Bits is the digest of its results for the positions, as the test prints it, the
	// same on every machine; "": the network is not Exact.
	Bits string

	// Board returns a position in the type that BoardEvaluator takes; nil unless the
	// network is an nn.IncrementalNetwork.
	Board func(pos game.Position) game.Position
}

// CheckNetwork checks what [nn.Network] promises, whatever the network's kind.
func CheckNetwork(t *testing.T, s Subject) {
	t.Helper()
	n := s.Network
	if n.Name() == "" || strings.ContainsAny(n.Name(), "\n/\\") {
		t.Errorf("it is called %q", n.Name())
	}
	if sum, err := hex.DecodeString(n.SHA256()); err != nil || len(sum) != sha256.Size && len(sum) != 0 {
		t.Errorf("its SHA-256 is %q", n.SHA256())
	}
	if m := n.Metadata(); !(m.Temperature > 0) {
		t.Errorf("its metadata are %+v", m)
	}
	if err := n.Suits(s.Variant); err != nil {
		t.Fatal(err)
	}
	if _, err := n.Evaluator(Toy, nn.EvaluatorOptions{}); !s.Everyone {
		checkRefused(t, "an evaluator of another game", err)
		checkRefused(t, "another game", n.Suits(Toy))
	}
	single := ask(t, s, nn.EvaluatorOptions{Capacity: 1})
	checkProbabilities(t, single)
	for what, o := range map[string]nn.EvaluatorOptions{
		"a batch": {Capacity: len(s.Positions), MaxBatch: len(s.Positions)},
		"threads": {Capacity: len(s.Positions), Threads: 3},
		"a cache": {Capacity: 2, Cache: nn.NewCacheTable(1<<20, maxMoves(s.Positions))},
	} {
		if got := bits(ask(t, s, o)); got != bits(single) {
			t.Errorf("with %s the results are others than one by one", what)
		}
	}
	for i, r := range ask(t, s, nn.EvaluatorOptions{Temperature: 4}) {
		if slices.Max(r.Priors) > slices.Max(single[i].Priors) || r.Win != single[i].Win || r.Loss != single[i].Loss {
			t.Errorf("position %d: a higher temperature sharpens the policy or changes the value: %v, of %v", i, r, single[i])
		}
	}
	if got := bits(single); n.Exact() != (s.Bits != "") || n.Exact() && got != s.Bits {
		t.Errorf("exact: %v; the digest of its results is %s, want %q", n.Exact(), got, s.Bits)
	}
	if j, ok := n.(nn.IncrementalNetwork); ok != (s.Board != nil) {
		t.Errorf("it is incremental: %v", ok)
	} else if ok {
		checkBoardEvaluator(t, s, j)
	}
	checkClose(t, s)
}

// ask returns the network's results for the positions, in new memory. It evaluates each
// position twice.
func ask(t *testing.T, s Subject, o nn.EvaluatorOptions) []nn.Result {
	t.Helper()
	e, err := s.Network.Evaluator(s.Variant, o)
	if err != nil {
		t.Fatal(err)
	}
	if o.Capacity > 0 && e.Capacity() < o.Capacity {
		t.Errorf("the capacity is %d, want %d", e.Capacity(), o.Capacity)
	}
	var results []nn.Result
	for range 2 {
		asked := make([]nn.Result, len(s.Positions))
		waiting := 0
		for i, pos := range s.Positions {
			moves := pos.Moves(nil)
			asked[i].Priors = make([]float32, len(moves))
			tag := e.Tag(pos)
			if again := e.Tag(pos.Clone()); again != tag {
				t.Errorf("position %d: its tag is %v and %v", i, tag, again)
			}
			if !e.Add(pos, tag, moves, &asked[i]) {
				waiting++
			}
			if waiting == e.Capacity() || i == len(asked)-1 {
				if err := e.Wait(t.Context(), nn.All); err != nil {
					t.Fatal(err)
				}
				waiting = 0
			}
		}
		if results != nil && bits(results) != bits(asked) {
			t.Error("the same question has another answer")
		}
		results = asked
	}
	if e.Stats().Evals == 0 {
		t.Error("nothing was counted")
	}
	return results
}

func maxMoves(positions []game.Position) int {
	most := 0
	for _, pos := range positions {
		most = max(most, pos.MaxMoves())
	}
	return most
}

// bits returns the digest of results to the last bit.
func bits(results []nn.Result) string {
	sum := sha256.New()
	for _, r := range results {
		for _, v := range append([]float32{r.Win, r.Draw, r.Loss}, r.Priors...) {
			sum.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:8])
}

func checkProbabilities(t *testing.T, results []nn.Result) {
	t.Helper()
	for i, r := range results {
		for _, part := range [][]float32{{r.Win, r.Draw, r.Loss}, r.Priors} {
			sum := 0.0
			for _, p := range part {
				if !(p >= 0 && p <= 1) {
					t.Errorf("position %d: a probability of %v", i, p)
				}
				sum += float64(p)
			}
			if math.Abs(sum-1) > 1e-4 {
				t.Errorf("position %d: probabilities sum to %v", i, sum)
			}
		}
	}
}

// checkBoardEvaluator compares a board's evaluator, over moves and undone moves, with an
// nn.Evaluator.
func checkBoardEvaluator(t *testing.T, s Subject, n nn.IncrementalNetwork) {
	t.Helper()
	want := ask(t, s, nn.EvaluatorOptions{Temperature: 1 / n.Metadata().Temperature})
	for i, pos := range s.Positions {
		board := s.Board(pos)
		j := n.BoardEvaluator(board)
		moves := board.Moves(nil)
		for _, m := range moves[:min(3, len(moves))] { // what is taken back leaves nothing
			board.Play(m)
			j.Odds()
			board.Undo()
		}
		r := want[i]
		odds := math.Log(float64(r.Win+r.Draw/2) / float64(r.Loss+r.Draw/2))
		if got := float64(j.Odds()) / (1 << nn.OddsBits); math.Abs(got-odds) > 0.001*max(1, math.Abs(odds)) &&
			math.Abs(odds) < 10 {
			t.Errorf("position %d: odds of e^%v, the evaluator's are e^%v", i, got, odds)
		}
		logits := make([]int32, len(moves))
		j.PolicyAt(moves, logits)
		best := slices.Index(r.Priors, slices.Max(r.Priors))
		for k, p := range r.Priors {
			behind := float64(logits[best]-logits[k]) / (1 << nn.PolicyBits)
			if p > 1e-6 && math.Abs(behind-math.Log(float64(r.Priors[best]/p))) > 0.001*max(1, behind) {
				t.Errorf("position %d: move %d is e^%v behind the best, with priors of %v and %v", i, moves[k], behind, p,
					r.Priors[best])
			}
		}
	}
}

// checkClose closes the network twice. Its evaluator then returns ErrClosed or still
// works.
func checkClose(t *testing.T, s Subject) {
	t.Helper()
	before := bits(ask(t, s, nn.EvaluatorOptions{Capacity: 1})[:1])
	e, err := s.Network.Evaluator(s.Variant, nn.EvaluatorOptions{Capacity: 1})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := s.Network.Close(); err != nil {
			t.Error(err)
		}
	}
	pos := s.Positions[0]
	moves := pos.Moves(nil)
	r := nn.Result{Priors: make([]float32, len(moves))}
	if !e.Add(pos, e.Tag(pos), moves, &r) {
		err = e.Wait(t.Context(), nn.All)
	}
	if err == nil && bits([]nn.Result{r}) != before {
		t.Error("a network that is closed answers something else")
	}
	if err != nil && !errors.Is(err, nn.ErrClosed) {
		t.Errorf("a network that is closed: %v", err)
	}
}

// CheckKind checks what [nn.Kind] promises of good files, of which data is one, and
// of bad ones.
func CheckKind(t *testing.T, k nn.Kind, data []byte) {
	t.Helper()
	sum := fmt.Sprintf("%x", sha256.Sum256(data))
	start := data[:min(nn.RecognizeBytes, len(data))]
	if !k.Recognize(start) || k.Recognize(nil) || k.Recognize([]byte("no network\n")) ||
		k.Recognize(make([]byte, nn.RecognizeBytes)) {
		t.Error("files are not known by how they begin")
	}
	n, err := k.Load(filepath.Join("folder", "it"), data, strings.ToUpper(sum))
	if err != nil {
		t.Fatal(err)
	}
	if _, incremental := n.(nn.IncrementalNetwork); incremental != k.Incremental || n.Name() != "it" ||
		n.SHA256() != sum || n.Metadata().Unsealed {
		t.Errorf("%q with the digest %s and %+v is incremental: %v", n.Name(), n.SHA256(), n.Metadata(), incremental)
	}
	if err := n.Close(); err != nil {
		t.Error(err)
	}
	_, err = k.Load("it", data, strings.Repeat("0", len(sum)))
	checkRefused(t, "another digest", err, "it", "SHA-256", sum)
	for _, size := range []int{0, 1, 9, len(data) / 2, len(data) - 1} {
		_, err := k.Load("it", data[:size], "")
		checkRefused(t, fmt.Sprintf("%d of %d bytes", size, len(data)), err, "it")
	}
	_, err = k.Load("it", []byte("no network\nof any kind\n"), "")
	checkRefused(t, "a text", err, "it")
}

// checkRefused checks that an error is one line that blames the model, with some words.
func checkRefused(t *testing.T, what string, err error, words ...string) {
	t.Helper()
	if !errors.Is(err, nn.ErrModel) || !isLine(err, words...) {
		t.Errorf("%s: error %v, want one line that blames the model, with %q", what, err, words)
	}
}

func isLine(err error, words ...string) bool {
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			return false
		}
	}
	return !strings.Contains(err.Error(), "\n")
}

// TicTacToe implements [nn.Encoder] for the 3,3,3 game of package gametest: a plane
// of the own stones and one of the opponent's. It is a value without state.
type TicTacToe struct{}

// Shape implements [nn.Encoder].
func (TicTacToe) Shape() nn.Shape { return nn.Shape{Planes: 2, Height: 3, Width: 3, Actions: 9} }

// Version implements [nn.Encoder].
func (TicTacToe) Version() string { return "mnk-1" }

// Symmetries implements [nn.Encoder].
func (TicTacToe) Symmetries() int { return 1 }

// Action implements [nn.Encoder].
func (TicTacToe) Action(_ game.Position, m game.Move, _ int) int { return int(m) }

// Key implements [nn.Encoder].
func (TicTacToe) Key(pos game.Position) nn.Key { return nn.Key{pos.Hash()} }

// Clone implements [nn.Encoder].
func (TicTacToe) Clone() nn.Encoder { return TicTacToe{} }

// Encode implements [nn.Encoder].
func (TicTacToe) Encode(pos game.Position, _ int, planes, _ []float32) {
	p := pos.(*gametest.MNK)
	for c := range 9 {
		planes[c] = float32(p.Stones(p.ToMove()) >> c & 1)
		planes[9+c] = float32(p.Stones(p.ToMove().Other()) >> c & 1)
	}
}
