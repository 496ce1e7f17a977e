package selfplay

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/enginetest"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/search"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/nn/nntest"
	"github.com/carozero/carozero/selfplay/samples"
)

// hashNet is a network of a fourth kind: all that a kind needs beside its line in the
// list. What it says of a position is a function of the position's hash. It plays gomoku
// only, and judges.
type hashNet struct {
	name, sha256 string
	seed         uint64
}

const hashFile = "HASH-NET"

var hashKind = nn.Kind{
	Name:        "hash",
	Incremental: true,
	Recognize:   isHash,
	Load:        loadHash,
}

func isHash(start []byte) bool { return strings.HasPrefix(string(start), hashFile) }

func loadHash(path string, data []byte, want string) (nn.Network, error) {
	sum := fmt.Sprintf("%x", sha256.Sum256(data))
	switch {
	case want != "" && !strings.EqualFold(want, sum):
		return nil, fmt.Errorf("model %s: %w: its SHA-256 is %s, not %s", path, nn.ErrModel, sum, want)
	case len(data) != len(hashFile)+8 || !isHash(data):
		return nil, fmt.Errorf("model %s: %w: it is no hash", path, nn.ErrModel)
	}
	return &hashNet{filepath.Base(path), sum, uint64(data[len(hashFile)])}, nil
}

func (n *hashNet) Name() string          { return n.name }
func (n *hashNet) SHA256() string        { return n.sha256 }
func (n *hashNet) Metadata() nn.Metadata { return nn.Metadata{Temperature: 1} }
func (n *hashNet) Exact() bool           { return true }
func (n *hashNet) Close() error          { return nil }

func (n *hashNet) Suits(v nn.Variant) error {
	start, err := v.Start()
	if _, ok := start.(*gomoku.Board); err == nil && !ok {
		err = fmt.Errorf("model %s: %w: it plays no %s", n.name, nn.ErrModel, v)
	}
	return err
}

func (n *hashNet) Evaluator(v nn.Variant, o nn.EvaluatorOptions) (nn.Evaluator, error) {
	m := nn.NewMock(n.seed)
	m.Queue = o.Capacity
	return m, n.Suits(v)
}

func (n *hashNet) BoardEvaluator(board game.Position) nn.BoardEvaluator {
	return &hashJudge{n.seed, board}
}

type hashJudge struct {
	seed  uint64
	board game.Position
}

func (j *hashJudge) ask() (moves []game.Move, r nn.Result) {
	m := nn.NewMock(j.seed)
	m.Immediate = true
	moves = j.board.Moves(nil)
	r.Priors = make([]float32, len(moves))
	m.Add(j.board, m.Tag(j.board), moves, &r)
	return moves, r
}

func (j *hashJudge) Odds() int32 {
	_, r := j.ask()
	return int32(math.Log(float64((r.Win+r.Draw/2)/(r.Loss+r.Draw/2))) * (1 << nn.OddsBits))
}

func (j *hashJudge) PolicyAt(moves []game.Move, logits []int32) {
	all, r := j.ask()
	for i, m := range moves {
		logits[i] = int32(math.Log(float64(r.Priors[slices.Index(all, m)])) * (1 << nn.PolicyBits))
	}
}

// A kind of network is registered by a line: with that its files are opened whatever
// their names, searched with by both engines, play themselves, and their samples and
// matches work.
func TestAFourthKind(t *testing.T) {
	t.Cleanup(networks.AddKind(func(*networks.Loader) nn.Kind { return hashKind }))
	data := []byte(hashFile + "7654321\n")
	v := enginetest.Variant(t, games.VariantOptions{Size: 7})
	folder := t.TempDir()
	write := func(name string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	path := write("net.hash")
	loader := networks.NewLoader(networks.LoaderOptions{Flag: "no such library", Threads: 1})
	net, err := loader.Open(v, path)
	if err != nil {
		t.Fatal(err)
	}
	if !net.Trained() || net.Kind() != "hash" || !net.Judges() || !net.Exact() || net.Batches() != nil {
		t.Errorf("opened as %+v", net)
	}
	if other, err := loader.Open(v, write("net.onnx")); err != nil || other.Kind() != "hash" {
		t.Errorf("under another name: %v, %v", other, err)
	}
	t.Run("contract", func(t *testing.T) {
		nntest.CheckKind(t, hashKind, data)
		positions := []game.Position{
			enginetest.Parse(t, v, ""), enginetest.Parse(t, v, "d4e4"), enginetest.Parse(t, v, "d4e4c3f4d3"),
		}
		nntest.CheckNetwork(t, nntest.Subject{
			Network: net.Network(), Variant: v, Positions: positions, Bits: "77abc423450f554b", Board: v.Searchable,
		})
	})
	t.Run("search", func(t *testing.T) { searchFourth(t, v, net, path) })
	t.Run("selfplay", func(t *testing.T) { selfplayNew(t, net) })
	t.Run("describe", func(t *testing.T) {
		info, err := loader.Describe(path)
		if err != nil || info.Name != "net.hash" || info.SHA256 != net.SHA256 {
			t.Errorf("%+v, %v", info, err)
		}
		if _, err := loader.Describe("nosuch"); err == nil ||
			!strings.HasSuffix(err.Error(), "the ending .onnx or .line or .hash") {
			t.Errorf("an unknown name: %v", err)
		}
	})
}

// searchFourth has both engines think with the network, which they are seen to ask.
func searchFourth(t *testing.T, v games.Variant, net *networks.Net, path string) {
	pos := enginetest.Parse(t, v, "d4e4c3")
	tree, err := search.NewTree(net, search.TreeOptions{Solvers: games.DefaultSolvers()})
	if err != nil {
		t.Fatal(err)
	}
	want := (&hashJudge{uint64('7'), pos})
	_, r := want.ask()
	if a := enginetest.Answer(t, tree, t.Context(), pos, engine.Limits{Nodes: 30}); a.NetValue != r.Value() ||
		!pos.Legal(a.Move) {
		t.Errorf("tree search: the network says %v, want %v", a.NetValue, r.Value())
	}
	if tree.Options().Solvers.Leaf != games.LineLeafFours {
		t.Errorf("a leaf budget of %d beside a network that judges, want %d", tree.Options().Solvers.Leaf,
			games.LineLeafFours)
	}
	judge, err := networks.LoadJudge(filepath.Join(filepath.Dir(path), "net.onnx"))
	if err != nil {
		t.Fatal(err)
	}
	parts, err := search.ClassicalOptions{Judge: judge}.Game(v).Bind(pos.Clone())
	if err != nil {
		t.Fatal(err)
	}
	odds := float64(want.Odds()) / (1 << nn.OddsBits)
	if got := float64(parts.Evaluation.Evaluate()); math.Abs(got-odds*v.Curve().Scale) > 1 {
		t.Errorf("a score of %v, want the odds e^%v", got, odds)
	}
	c, err := search.NewClassical(v, search.ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}, Judge: judge})
	if err != nil {
		t.Fatal(err)
	}
	found, err := c.Search(context.Background(), pos, alphabeta.Limits{Nodes: 200})
	if err != nil || !pos.Legal(found.Move) {
		t.Errorf("classical search: %v, %v", found.Move, err)
	}
}

// A game is described once: with its file and its line in the list it is searched
// by both engines, plays itself, and its samples and matches work.
func TestAThirdGame(t *testing.T) {
	v := enginetest.AddToyGame(t)
	net := enginetest.Uniform(t, v)
	t.Run("search", func(t *testing.T) { searchThird(t, v, net) })
	t.Run("selfplay", func(t *testing.T) { selfplayNew(t, net) })
}

// searchThird has both engines find the win that exhaustive search proves.
func searchThird(t *testing.T, v games.Variant, net *networks.Net) {
	pos, err := v.Parse("b2a1")
	if err != nil {
		t.Fatal(err)
	}
	c, err := search.NewClassical(v, search.ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Search(t.Context(), pos, alphabeta.Limits{Depth: 5})
	if err != nil {
		t.Fatal(err)
	}
	if plies, claimed := r.Score.Claim(); !claimed || plies != 3 {
		t.Errorf("alpha-beta: %v by %s, want a win in 3", r.Score, v.Notation().FormatMove(r.Move))
	}
	eval, err := net.Evaluator(nn.EvaluatorOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s := mcts.New(mcts.Options{}, eval, v.Solvers(games.DefaultSolvers()))
	if err := s.SetPosition(v.Searchable(pos)); err != nil {
		t.Fatal(err)
	}
	if err := s.Search(t.Context(), mcts.Limits{Playouts: 2000}); err != nil {
		t.Fatal(err)
	}
	var found mcts.Result
	if s.Result(&found); found.Proven != game.Won {
		t.Errorf("tree search: %v in %d plies, want a win", found.Proven, found.ProofPlies)
	}
}

// selfplayNew plays games, writes their samples and verifies them.
func selfplayNew(t *testing.T, net *networks.Net) {
	setup, err := Run{Options: Options{Seed: 1}, SolverNodes: 100}.Setup(net, Machine{})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	sum, err := Play(t.Context(), setup, Options{Games: 6, Playouts: 20, Opening: Opening{MaxPlies: 2}}, Host{Dir: dir})
	if err != nil || sum.OnDisk != 6 {
		t.Fatalf("%+v, %v", sum, err)
	}
	report, err := samples.Verify(t.Context(), SampleCodec, 10, dir)
	if err != nil || report.Bad != 0 || report.Games != 6 {
		t.Errorf("%+v, %v", report, err)
	}
}
