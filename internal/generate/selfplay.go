package generate

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"sync"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// SelfplayOptions configure a self-play run.
type SelfplayOptions struct {
	Seed        uint64 // of the evaluators' symmetries
	Capacity    int    // positions that may wait for one worker's network at once
	CacheBytes  int    // of the table that all workers share; 0: none
	SolverNodes int    // budget of the solver at each leaf, or ByNetwork; 0: no solver

	PolicyTemperature float32 // divides the network's policy logits, besides its own temperature; 0: 1

	Version, Commit string // of the program, for the shards

	Follow *Following // nil: the network stays the same
}

// SelfplaySetup returns what package selfplay needs to play a variant with a
// network. Each worker computes its own batches on one thread.
func SelfplaySetup(n *networks.Net, o SelfplayOptions) (selfplay.Setup, error) {
	v := n.Variant()
	o.SolverNodes = n.Leaf(o.SolverNodes)
	setup, err := newSetup(v, n.Form(games.SolverNodes{Leaf: o.SolverNodes}))
	if err != nil {
		return setup, err
	}
	fields := samples.Fields{
		{Key: "symmetry", Value: "random"},
		{Key: "symmetry_seed", Value: o.Seed},
		{Key: "solver_nodes", Value: int64(o.SolverNodes)},
	}
	if t := cmp.Or(o.PolicyTemperature, 1); t != 1 {
		more, err := samples.FieldsOf(policyField{t})
		if err != nil {
			return setup, err
		}
		fields = append(fields, more...)
	}
	if setup.Header, err = newHeader(v, o, fields); err != nil {
		return setup, err
	}
	setup.Header.Model, setup.Header.ModelSHA256 = n.Name, n.SHA256
	var cache *nn.CacheTable
	if o.CacheBytes > 0 {
		cache = nn.NewCacheTable(o.CacheBytes, setup.Start.MaxMoves())
	}
	evaluators := func(n *networks.Net) func(int) (nn.Evaluator, error) {
		return func(int) (nn.Evaluator, error) {
			return n.Evaluator(nn.EvaluatorOptions{Capacity: o.Capacity, Threads: 1, Seed: o.Seed, Cache: cache, Temperature: o.PolicyTemperature})
		}
	}
	setup.Evaluator = evaluators(n)
	if o.Follow != nil {
		if err := o.Follow.follow(&setup, n, evaluators); err != nil {
			return setup, err
		}
	}
	setup.Solver = func(int) mcts.Solver { return v.Solvers(games.SolverNodes{Leaf: o.SolverNodes}) }
	return setup, nil
}

// policyField is in a header's search map if the policy's temperature is not 1.
type policyField struct{ PolicyTemperature float32 }

// newSetup returns the part of a setup that does not depend on what evaluates; form is as
// in Net.Form.
func newSetup(v games.Variant, form func(game.Position) game.Position) (selfplay.Setup, error) {
	start, err := v.Start()
	if err != nil {
		return selfplay.Setup{}, err
	}
	enc, err := v.Encoder("")
	if err != nil {
		return selfplay.Setup{}, fmt.Errorf("no samples can be made: %w", err)
	}
	return selfplay.Setup{
		Start: form(start),
		Deal: func(rng *rand.Rand) (game.Position, error) {
			pos, err := v.Deal(rng)
			if err != nil {
				return nil, err
			}
			return form(pos), nil
		},
		Format:  v.FormatGame,
		Encoder: enc,
		Columns: v.Columns(),
	}, nil
}

// newHeader returns the shard header of a variant, without the model.
func newHeader(v games.Variant, o SelfplayOptions, search samples.Fields) (samples.Header, error) {
	rule, err := samples.FieldsOf(v.Of().Parameters(v))
	if err != nil {
		return samples.Header{}, err
	}
	inputs := v.Of().Inputs[0]
	return samples.Header{
		Game:    v.Game,
		Rule:    rule,
		Size:    v.Size,
		Planes:  samples.Planes{Version: inputs.Version, Names: inputs.Planes},
		Globals: inputs.Globals,
		Engine:  samples.Engine{Version: o.Version, Commit: o.Commit},
		Search:  search,
	}, nil
}

// Following says which file a run takes its networks from.
type Following struct {
	File   string
	Loader *networks.Loader
	Note   func(line string) // receives the reason if the file is not used
}

// mostSidecar is the largest digest file, in bytes.
const mostSidecar = 8 << 10

// follow makes a setup of games with n take newer networks from the file.
func (f *Following) follow(setup *selfplay.Setup, n *networks.Net, evaluators func(n *networks.Net) func(int) (nn.Evaluator, error)) error {
	start, err := n.File()
	if err != nil {
		return err
	}
	var opening sync.Mutex // the loader belongs to one goroutine
	setup.Follow = &selfplay.Follow{
		Look:  f.look,
		Start: start,
		Note:  f.Note,
		Open: func(path string) (selfplay.Network, error) {
			opening.Lock()
			defer opening.Unlock()
			next, err := f.Loader.Open(n.Variant(), path)
			if err != nil {
				return selfplay.Network{}, f.refused(err)
			}
			if err := next.Try(context.Background(), 0); err != nil {
				return selfplay.Network{}, f.refused(errors.Join(err, next.Close()))
			}
			return selfplay.Network{
				Name: filepath.Base(f.File), SHA256: next.SHA256, Evaluator: evaluators(next), Close: next.Close,
			}, nil
		},
	}
	return nil
}

// refused reports that the file's network is not used.
func (f *Following) refused(err error) error {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	return fmt.Errorf("%s holds no network to go on with, the last one stays: %s", f.File, text)
}

// look reads the file, and verifies the digest beside it.
func (f *Following) look() ([]byte, error) {
	data, err := disk.ReadFile(f.File, networks.MostBytes)
	if err != nil {
		return nil, f.refused(err)
	}
	beside, err := disk.ReadFile(f.File+disk.DigestSuffix, mostSidecar)
	if errors.Is(err, fs.ErrNotExist) {
		return data, nil
	}
	if err != nil {
		return nil, f.refused(err)
	}
	sum := sha256.Sum256(data)
	words := strings.Fields(string(beside))
	if len(words) == 0 || !strings.EqualFold(strings.TrimPrefix(words[0], `\`), hex.EncodeToString(sum[:])) {
		return nil, f.refused(fmt.Errorf("its sha256 is %s, and %s says another", hex.EncodeToString(sum[:]), f.File+disk.DigestSuffix))
	}
	return data, nil
}

// SampleVariant returns the variant of a shard's games. It rejects a header
// whose game, rule or size is unknown, and one whose parameters are not those
// of the named rule.
func SampleVariant(h *samples.Header) (games.Variant, error) {
	g, err := games.Find(h.Game)
	if err != nil || h.Game == "" {
		return games.Variant{}, fmt.Errorf("game %q: samples are of %v", h.Game, games.GameNames())
	}
	name, _ := h.Rule.Get("name")
	text, _ := name.(string)
	if text == "" {
		return games.Variant{}, fmt.Errorf("the rule has no name; known are %v", g.RuleSets)
	}
	distance, _ := h.Rule.Get("open_distance")
	dealt, _ := h.Rule.Get("cards")
	cards, _ := dealt.(string)
	v, err := games.NewVariant(games.VariantOptions{
		Game: h.Game, Rule: text, Size: h.Size, OpenRule: distance == int64(games.OpenDistance), Cards: cards,
	})
	if err != nil {
		return games.Variant{}, err
	}
	return v, sameRule(v, h)
}

// SampleCodec returns the codec that replays the games of a shard. It fails
// where SampleVariant does.
func SampleCodec(h *samples.Header) (samples.Codec, error) {
	v, err := SampleVariant(h)
	if err != nil {
		return samples.Codec{}, err
	}
	enc, err := v.Encoder("")
	return samples.Codec{Parse: v.ParseGame, Format: v.FormatGame, Notation: v.Notation(), Encoder: enc}, err
}

// sameRule compares a header's size and parameters to those of the variant.
func sameRule(v games.Variant, h *samples.Header) error {
	want, err := samples.FieldsOf(v.Of().Parameters(v))
	if err != nil {
		return err
	}
	if h.Size != v.Size {
		return fmt.Errorf("%s: the size is %d, want %d", v, h.Size, v.Size)
	}
	for _, f := range want {
		if got, ok := h.Rule.Get(f.Key); !ok || !reflect.DeepEqual(got, f.Value) {
			return fmt.Errorf("rule %s: parameter %s is %v, want %v", v.Rule(), f.Key, got, f.Value)
		}
	}
	if len(h.Rule) != len(want) {
		return fmt.Errorf("rule %s: %d parameters, want %d", v.Rule(), len(h.Rule), len(want))
	}
	return nil
}
