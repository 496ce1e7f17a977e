package generate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/support/option"
	"github.com/carozero/carozero/models"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// A network is found by its digest, whatever its name, and the error for a missing one
// says in a line how to name it.
func TestAgainFindsNetworks(t *testing.T) {
	v, err := games.NewVariant(games.VariantOptions{Rule: "caro", Size: 9})
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Repeat("ab", 32)
	file := filepath.Join(t.TempDir(), "net.onnx")
	if err := os.WriteFile(file, []byte("whatever"), 0o666); err != nil {
		t.Fatal(err)
	}
	own, err := players.FileSHA256(file)
	if err != nil {
		t.Fatal(err)
	}
	judge, found, err := models.ForClassical("caro", 9)
	if err != nil || !found {
		t.Fatal(err)
	}
	fitted := v.Of().Weights(v, games.FittedWeights)
	for _, c := range []struct{ player, digest, want string }{
		{"", "", ""},
		{"", own, ""},
		{"", judge.SHA256, ""},
		{"", other, "the network is not here"},
		{"alphabeta:nodes=10", judge.SHA256, ""},
		{"alphabeta:nodes=10", fitted, ""},
		{"alphabeta:nodes=10,net=elsewhere/gone.line", judge.SHA256, ""},
		{"alphabeta:nodes=10,net=none", fitted, ""},
		{"alphabeta:nodes=10,net=elsewhere/gone.line", other, "the network is not here"},
		{"alphabeta:nodes=10,net=none", other, "another digest here"},
		{"alphabeta:nodes=10,weights=hand", fitted, "another digest here"},
		{"alphabeta:nodes=10,threads=2", fitted, "threads"},
	} {
		a := &Again{Loader: networks.NewLoader(networks.LoaderOptions{}), Models: []string{file}, Workers: 1, AtOnce: 1}
		h := headerAgain(t, v, c.player, c.digest)
		err := a.Find(&h)
		if (err == nil) != (c.want == "") || err != nil && (!strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%q of %.8s: %v, want %q", c.player, c.digest, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), "--") {
			t.Errorf("a flag in %v", err)
		}
		if c.want == ErrNoNetwork.Error() && !errors.Is(err, ErrNoNetwork) {
			t.Errorf("%q: %v", c.player, err)
		}
	}
	a := &Again{Loader: networks.NewLoader(networks.LoaderOptions{}), Workers: 1 << 10, AtOnce: 1 << 12}
	h := headerAgain(t, v, "", "")
	for _, c := range []struct {
		naming option.Naming
		want   string
	}{
		{nil, "cache 0, workers 1024, at-once 4096: together"},
		{func(key string) string { return "<" + key + ">" }, "<cache> 0, <workers> 1024, <at-once> 4096: together"},
	} {
		a.Naming = c.naming
		if err := a.Find(&h); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("more games than there is memory for: %v, want %s", err, c.want)
		}
	}
	h = headerAgain(t, v, "", strings.Repeat("0", 64))
	if err := a.Find(&h); err == nil || !strings.HasSuffix(err.Error(), ": name its file with <model>") {
		t.Errorf("a network that is not here: %v", err)
	}
}

// headerAgain returns the header of a run of a player.
func headerAgain(t *testing.T, v games.Variant, player, digest string) samples.Header {
	t.Helper()
	n, err := networks.NewLoader(networks.LoaderOptions{}).Open(v, networks.Uniform)
	if err != nil {
		t.Fatal(err)
	}
	setup, err := SelfplaySetup(n, SelfplayOptions{Capacity: 1})
	if player != "" {
		setup, err = TeachingSetup(v, Teaching{engine: search.ClassicalOptions{Weights: games.FittedWeights}, text: player}, SelfplayOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
	run, err := selfplay.Plan(setup, selfplay.Options{Games: 2})
	if err != nil {
		t.Fatal(err)
	}
	run.Header.ModelSHA256 = digest
	data, err := run.Header.Options()
	if err != nil {
		t.Fatal(err)
	}
	h, err := samples.ParseOptions(data)
	if err != nil {
		t.Fatal(err)
	}
	return h
}
