package networks

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/models"
	"github.com/carozero/carozero/nn"
)

// What is in a file says which kind of network it is; where nothing does, its name.
func TestKindOfAFile(t *testing.T) {
	lines, _, err := models.Open("taught7-line16")
	if err != nil {
		t.Fatal(err)
	}
	onnx, _, err := models.Open("first-b4c32-int8")
	if err != nil {
		t.Fatal(err)
	}
	small, err := os.ReadFile("../../nn/onnx/testdata/good.onnx")
	if err != nil {
		t.Fatal(err)
	}
	garbage := []byte("\xd3\x1fno network of any kind")
	for _, c := range []struct {
		name string
		data []byte
		line bool
	}{
		{"a.line", lines, true}, {"a.onnx", lines, true}, {"a.line", onnx, false}, {"a.onnx", onnx, false},
		{"a.line", small, false},
		{"a.line", garbage, true}, {"a.onnx", garbage, false}, {"a.line", nil, true}, {"a.line", lines[:4], true},
		{"a.onnx", nil, false},
	} {
		path := filepath.Join(t.TempDir(), c.name)
		if err := os.WriteFile(path, c.data, 0o644); err != nil {
			t.Fatal(err)
		}
		if got := new(Loader).kinds().of(path).Name == "line"; got != c.line {
			t.Errorf("%s of %d bytes: line network %v", c.name, len(c.data), got)
		}
	}
}

// A file is named by its path in errors, and must have the digest beside it.
func TestLoadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "net.line")
	_, _, err := new(Loader).kinds().load(path, "")
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), path) {
		t.Errorf("no file: %v", err)
	}
	data, entry, err := models.Open("taught7-line16")
	for _, digest := range []string{entry.SHA256, strings.Repeat("0", 64)} {
		err = errors.Join(err, os.WriteFile(path, data, 0o600), os.WriteFile(path+".sha256", []byte(digest+"  net\n"), 0o600))
		if err != nil {
			t.Fatal(err)
		}
		n, _, err := new(Loader).kinds().load(path, "")
		if right := digest == entry.SHA256; right && (err != nil || n.Name() != "net.line") ||
			!right && (!errors.Is(err, nn.ErrModel) || !strings.Contains(err.Error(), path+": ")) {
			t.Errorf("the digest %s: %v", digest, err)
		}
	}
}

// A network that the processor computes says so where another provider was asked for.
func TestProviderWithoutEffect(t *testing.T) {
	var notes []string
	l := NewLoader(LoaderOptions{Provider: "cuda", Note: func(text string) { notes = append(notes, text) }})
	if _, err := l.load("taught7-line16"); err != nil || len(notes) != 1 || !strings.Contains(notes[0], "residual") {
		t.Errorf("%q, %v", notes, err)
	}
}

// newTestLoader returns a loader with the runtime that tests use, and the notes
// that it has made so far.
func newTestLoader() (*Loader, *[]string) {
	notes := new([]string)
	return NewLoader(LoaderOptions{
		Env: os.Getenv("CAROZERO_ONNXRUNTIME"), Threads: 1,
		Note: func(text string) { *notes = append(*notes, text) },
	}), notes
}

// Every shipped network of gomoku computes every rule set on every size, and says once
// what goes beyond its card; a network is loaded once for all of them.
func TestShippedNetworksPlayEverySize(t *testing.T) {
	list, err := models.List()
	if err != nil {
		t.Fatal(err)
	}
	l, notes := newTestLoader()
	for _, entry := range list {
		if !slices.Contains(games.RuleNames(), entry.Rules[0]) {
			continue
		}
		*notes = nil
		nets := NewNets(l, entry.Name)
		var loaded nn.Network
		beyond := map[[2]any]bool{} // the rule set and the size that are news, nil where one is not
		for size := 5; size <= 22; size++ {
			for _, rule := range games.RuleNames() {
				v, err := games.NewVariant(games.VariantOptions{Rule: rule, Size: size})
				if err != nil {
					t.Fatal(err)
				}
				n, err := nets.Net(v)
				if err != nil {
					t.Fatalf("%s, %s %d: %v", entry.Name, rule, size, err)
				}
				if loaded != nil && loaded != n.network {
					t.Fatalf("%s was loaded again", entry.Name)
				}
				loaded = n.network
				checkOpinion(t, n)
				var news [2]any
				if !slices.Contains(entry.Rules, rule) {
					news[0] = rule
				}
				if size < entry.Sizes[0] || size > entry.Sizes[1] {
					news[1] = size
				}
				beyond[news] = true
			}
		}
		delete(beyond, [2]any{})
		if len(*notes) != len(beyond) {
			t.Errorf("%s: %d notes %q, want %d", entry.Name, len(*notes), *notes, len(beyond))
		}
		for _, text := range *notes {
			if !strings.HasPrefix(text, entry.Name+" was trained ") || strings.Contains(text, "\n") {
				t.Errorf("note %q", text)
			}
		}
		v, _ := games.NewVariant(games.VariantOptions{Game: games.Onitama})
		if _, err := nets.Net(v); err == nil {
			t.Errorf("%s plays onitama", entry.Name)
		}
		if err := nets.Close(); err != nil {
			t.Error(err)
		}
	}
}

// Every game has a network of its own, which computes it without a word, and which no
// other game can read.
func TestEveryGameHasANetwork(t *testing.T) {
	l, notes := newTestLoader()
	for _, name := range games.GameNames() {
		v, err := games.NewVariant(games.VariantOptions{Game: name})
		if err != nil {
			t.Fatal(err)
		}
		model, err := l.DefaultModel(v)
		if err != nil {
			t.Fatal(err)
		}
		n, err := l.Open(v, model)
		if err != nil {
			t.Fatal(err)
		}
		checkOpinion(t, n)
		if err := n.Close(); err != nil {
			t.Error(err)
		}
		for _, other := range games.GameNames() {
			w, err := games.NewVariant(games.VariantOptions{Game: other})
			if err != nil {
				t.Fatal(err)
			}
			if n, err := l.Open(w, model); other != name {
				if err == nil || !strings.Contains(err.Error(), "unsuitable model") {
					t.Errorf("%s in %s: %v", model, other, err)
				}
			} else if err != nil {
				t.Error(err)
			} else if err := n.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if len(*notes) > 0 {
		t.Errorf("notes %q", *notes)
	}
}

// checkOpinion demands a proper result for the variant's third position.
func checkOpinion(t *testing.T, n *Net) {
	t.Helper()
	eval, err := n.Evaluator(nn.EvaluatorOptions{Capacity: 1, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	pos, err := n.Variant().Start()
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		moves := pos.Moves(nil)
		pos.Play(moves[len(moves)/2])
	}
	moves := pos.Moves(nil)
	out := nn.Result{Priors: make([]float32, len(moves))}
	eval.Add(pos, eval.Tag(pos), moves, &out)
	if err := eval.Wait(t.Context(), nn.All); err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, p := range out.Priors {
		sum += float64(p)
	}
	if math.Abs(sum-1) > 1e-3 || math.Abs(float64(out.Win+out.Draw+out.Loss)-1) > 1e-3 {
		t.Errorf("%s, %s %d: priors sum to %v, %v", n.Name, n.Variant().Rule(), n.Variant().Size, sum, out)
	}
}

// A file without a digest of its weights is reported once, however often it is opened, and
// so is one whose output is no logits.
func TestUnsealedNetworksAreNotedOnce(t *testing.T) {
	var notes []string
	loader := NewLoader(LoaderOptions{Threads: 1, Note: func(text string) { notes = append(notes, text) }})
	v, err := games.NewVariant(games.VariantOptions{Size: 7})
	if err != nil {
		t.Fatal(err)
	}
	files := filepath.FromSlash("../../nn/onnx/testdata/")
	data, err := os.ReadFile(files + "good.onnx")
	if err != nil {
		t.Fatal(err)
	}
	alone := filepath.Join(t.TempDir(), "good.onnx")
	if err := os.WriteFile(alone, data, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{alone, files + "typed.onnx", alone, files + "dynamo.onnx", files + "good.onnx"} {
		n, err := loader.Open(v, name)
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	}
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "good.onnx has no SHA-256") ||
		!strings.Contains(notes[0], "'sha256sum good.onnx >good.onnx.sha256'") {
		t.Errorf("notes %q", notes)
	}
	shares, err := loader.Open(v, files+"shares.onnx")
	if err != nil {
		t.Fatal(err)
	}
	if err := shares.Close(); err != nil || len(notes) != 3 ||
		!strings.HasPrefix(notes[2], "shares.onnx: its value output seems to be probabilities") {
		t.Errorf("notes %q, %v", notes, err)
	}
}
