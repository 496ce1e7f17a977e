package networks_test

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/enginetest"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/models"
	"github.com/carozero/carozero/nn"
)

// tempered returns the path of a copy of the shipped line network whose file asks for
// a temperature of the policy.
func tempered(t *testing.T, temperature string) string {
	t.Helper()
	data, _, err := models.Open(enginetest.LineNetwork)
	if err != nil {
		t.Fatal(err)
	}
	size := binary.LittleEndian.Uint64(data)
	header := map[string]any{}
	if err := json.Unmarshal(data[8:8+size], &header); err != nil {
		t.Fatal(err)
	}
	header["__metadata__"].(map[string]any)["carozero.temperature"] = temperature
	text, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "tempered.line")
	file := slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text, data[8+size:])
	if err := os.WriteFile(path, file, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// A network's own temperature divides the policy's logits, beside the one that is
// asked for, and leaves the value alone.
func TestNetworksTemperature(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "caro"})
	pos := enginetest.Played(t, v, "h8i9j7g9")
	moves := pos.Moves(nil)
	answer := func(model string, asked float32) *nn.Result {
		t.Helper()
		n, err := networks.NewLoader(networks.LoaderOptions{}).Open(v, model)
		if err != nil {
			t.Fatal(err)
		}
		e, err := n.Evaluator(nn.EvaluatorOptions{Temperature: asked})
		if err != nil {
			t.Fatal(err)
		}
		out := &nn.Result{Priors: make([]float32, len(moves))}
		if !e.Add(pos, e.Tag(pos), moves, out) {
			t.Fatal("no answer at once")
		}
		return out
	}
	shipped, err := networks.LoadJudge(enginetest.LineNetwork)
	if err != nil {
		t.Fatal(err)
	}
	own := shipped.Metadata().Temperature
	for _, c := range []struct{ asked, all float32 }{{0, 3}, {1, 3}, {2, 6}} {
		got, want := answer(tempered(t, "3"), c.asked), answer(enginetest.LineNetwork, c.all/own)
		if got.Win != want.Win || got.Draw != want.Draw || got.Loss != want.Loss || !slices.Equal(got.Priors, want.Priors) {
			t.Errorf("asked for %v: %v and %v, of %v and %v", c.asked, got.Win, got.Priors[:3], want.Win, want.Priors[:3])
		}
	}
	info, err := networks.NewLoader(networks.LoaderOptions{}).Describe(tempered(t, "3"))
	if err != nil || info.Temperature != 3 {
		t.Errorf("described as %+v, %v", info, err)
	}
	if _, err := networks.NewLoader(networks.LoaderOptions{}).Describe(tempered(t, "hot")); err == nil ||
		!strings.Contains(fmt.Sprint(err), `has "hot": want 0.05 to 20`) {
		t.Errorf("error %v", err)
	}
}

// A game that no network ships for is told of with the option named as the front names
// it.
func TestNoDefaultModel(t *testing.T) {
	v := enginetest.AddToyGame(t)
	for _, c := range []struct {
		naming option.Naming
		want   string
	}{
		{nil, "; name one with model, or use model uniform"},
		{func(key string) string { return "<" + key + ">" }, "; name one with <model>, or use <model> uniform"},
	} {
		l := networks.NewLoader(networks.LoaderOptions{Naming: c.naming})
		_, lent := networks.NewNets(l, "").Net(v)
		_, opened := l.Open(v, "")
		for _, err := range []error{lent, opened} {
			if err == nil || !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("%v, want %q at its end", err, c.want)
			}
		}
	}
}
