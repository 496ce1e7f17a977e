// Package selfplay plays games of one player against itself and writes them as training
// samples. A [Run] is all that decides the bytes of the shards; [Run.Open] opens what plays
// it. A game is a pure function of the run and the game's id. [Play] deals the games to
// workers, each of which plays one game after the other on its goroutine, so the bytes
// depend neither on the number of workers nor on interruptions.
package selfplay

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"strings"
	"sync"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// Run is a self-play run: all that decides the bytes of its shards, but for the network's
// file. The zero value of what only the other player has is right.
type Run struct {
	Version string               `json:"version"` // of the program
	Commit  string               `json:"commit"`
	Variant games.VariantOptions `json:"variant"`
	Options Options              `json:"options"` // with their defaults

	// Player describes the classical player that plays and scores the moves; "": the tree
	// search plays, with the rest.
	Player string `json:"player,omitempty"`

	// SolverNodes is the budget of the solver at each leaf, or games.ByNetwork; 0: no solver.
	SolverNodes int `json:"solver_nodes"`

	// Fours has the classical search's solver of fours work at leaves; without it, and so in
	// runs of before it was known, vcf does.
	Fours bool `json:"fours,omitempty"`

	// PolicyTemperature divides the network's policy logits, besides its own temperature; 0: 1.
	PolicyTemperature float32 `json:"policy_temperature"`

	// Batch is how many positions a device computes together; 0: as many as Machine.Batch says,
	// or suit the provider.
	Batch int `json:"batch,omitempty"`

	Follow bool `json:"follow,omitempty"` // the network may change from shard to shard
}

// Tree is the tree search of a run.
type Tree struct {
	Playouts int
	engine.TreeSettings
}

// DefaultTree returns the defaults of a run's tree search.
func DefaultTree() Tree { return Tree{200, engine.DefaultTreeSettings(16)} }

// treeSettings are what the description of an mcts player may set.
var treeSettings = append(
	[]option.Setting[Tree]{option.NumVar(option.Playouts.Above(2), func(t *Tree) *int { return &t.Playouts })},
	option.Within(engine.GameSettings, func(t *Tree) *engine.TreeSettings { return &t.TreeSettings })...)

// SetPlayer has a described player play: mcts, with tree for what the description leaves out,
// or alphabeta.
func (r *Run) SetPlayer(spec players.Spec, tree Tree) error {
	switch spec.Kind {
	case players.AlphaBeta:
		r.Player = spec.String()
		_, err := parseAlphaBeta(r.Player)
		return err
	case players.MCTS:
		if err := players.ReadArgs(treeSettings, spec.Args, &tree); err != nil {
			return fmt.Errorf("%q: %w", spec, err)
		}
		r.Options.Playouts, r.Options.Search = tree.Playouts, tree.Search
		r.SolverNodes, r.Fours = tree.Solvers.Leaf, tree.Solvers.Fours
		r.PolicyTemperature = tree.PolicyTemperature
		return nil
	}
	return fmt.Errorf("%q: want mcts or alphabeta: other programs give neither visits nor scores", spec)
}

// SetVariant sets what is played, and the defaults of options.
func (r *Run) SetVariant(v games.Variant) {
	r.Variant = v.Options()
	r.Options.MaxPlies = cmp.Or(r.Options.MaxPlies, v.Of().MoveLimit)
	r.Options = r.Options.WithDefaults()
}

// Check returns an error for the first thing that cannot be played in the run's variant. name
// names options.
func (r *Run) Check(v games.Variant, name option.Naming) error {
	o := &r.Options
	cells := v.Columns() * v.Size
	switch {
	case cells > 0 && o.Opening.MinPlies >= cells:
		return fmt.Errorf("%s %d: the board has %d points: want fewer moves", name.FlagName("opening-min"),
			o.Opening.MinPlies, cells)
	case r.Player != "" && (o.Targets.Forced > 0 || o.Targets.Gumbel.Considered > 0):
		return fmt.Errorf("%s and %s are of mcts, not of %s", name.FlagName("forced-playouts"), name.FlagName("gumbel"),
			r.Player)
	case r.Player == "" && o.CheapPlayouts > o.Playouts:
		return fmt.Errorf("%s %d: want at most %s %d", name.FlagName("cheap-playouts"), o.CheapPlayouts,
			name.FlagName("playouts"), o.Playouts)
	}
	return o.Check(name)
}

// CheckMemory refuses more games at once than there is memory for.
func (r *Run) CheckMemory(v games.Variant, workers, atOnce, cacheMiB int, name option.Naming) error {
	var m option.Memory
	text := func(key string, n int) string { return fmt.Sprintf("%s %d", name.FlagName(key), n) }
	if r.Player != "" {
		p, err := parseAlphaBeta(r.Player)
		m.Add(text("workers", workers)+", "+name.FlagName("player")+" "+r.Player,
			games.ClassicalBytes(1, p.engine.Search.TableMiB), workers)
		return errors.Join(err, m.Check(option.Machine()))
	}
	s := &r.Options.Search
	tree, playing := int(s.Memory>>20), max(workers, atOnce)
	m.Add(strings.Join([]string{
		text("workers", workers), text("at-once", atOnce), text("memory", tree), text("in-flight", s.InFlight),
	}, ", "),
		v.TreeBytes(r.Options.Playouts, tree), playing)
	m.Add("", v.RowBytes(), playing, s.InFlight)
	if r.Batch > 0 {
		m.Add(text("batch", r.Batch), v.RowBytes(), r.Batch, batchesBusy+1)
	}
	m.Add(text("cache", cacheMiB), int64(cacheMiB)<<20)
	return m.Check(option.Machine())
}

// Machine says with what a machine plays runs. None of it changes a byte of the shards.
type Machine struct {
	Loader   *networks.Loader
	Model    string            // network of the tree search
	Follow   string            // file that a run which follows takes its networks from
	Note     func(line string) // receives the reason if that file is not used
	CacheMiB int               // of the cache that all workers share; 0: none
	Batch    int               // of a run that leaves it open: that of RecordedBatch
}

// RecordedBatch returns how many positions a device computes together for the run in a
// directory, 0 if there is none.
func RecordedBatch(dir string) int {
	var run struct {
		Header struct{ Search struct{ Device Device } }
	}
	text, err := disk.ReadFile(filepath.Join(dir, samples.RunName), 1<<20)
	if err != nil || json.Unmarshal(text, &run) != nil {
		return 0 // whoever resumes the run tells it
	}
	return run.Header.Search.Device.Batch
}

// Playing is a run on a machine.
type Playing struct {
	Run
	Setup Setup
	Net   *networks.Net // nil for a classical player
}

// Close frees the network.
func (p *Playing) Close() error {
	if p.Net == nil {
		return nil
	}
	return p.Net.Close()
}

// Exact reports whether machines of different kinds play a game to the same bytes: unless
// the network says that it computes differently there, or a followed one may take its place.
func (p *Playing) Exact() bool { return p.Net == nil || !p.Follow && p.Net.Exact() }

// Open opens what plays the run. The solver's budget and the batch of the result are numbers.
func (r Run) Open(m Machine) (*Playing, error) {
	v, err := games.NewVariant(r.Variant)
	if err != nil {
		return nil, err
	}
	p := &Playing{Run: r}
	if r.Player != "" {
		p.SolverNodes = v.Settled(r.solvers(), false).Leaf
		p.Setup, err = r.labelled(v)
		return p, err
	}
	if p.Net, err = m.Loader.Open(v, m.Model); err != nil {
		return nil, err
	}
	settled := p.Net.Settled(r.solvers())
	p.SolverNodes, p.Fours = settled.Leaf, settled.Fours
	if p.Setup, err = r.Setup(p.Net, m); err != nil {
		return nil, errors.Join(err, p.Close())
	}
	p.Batch = p.Setup.Device.Batch
	return p, nil
}

// solvers returns the solvers that the run asks for.
func (r *Run) solvers() games.SolverNodes {
	return games.SolverNodes{Leaf: r.SolverNodes, Fours: r.Fours}
}

// A device is busy while two of its batches are computed and a third one is filled. Games
// that keep it so are at most maxAtOnce.
const (
	batchesBusy = 3
	maxAtOnce   = 2048
)

// Setup returns what package selfplay needs for the games of the tree search with a network,
// whose variant is the run's. Each worker computes its own batches on one thread.
func (r Run) Setup(n *networks.Net, m Machine) (Setup, error) {
	v, leaf := n.Variant(), n.Settled(r.solvers())
	setup, err := newSetup(v, n.Form(leaf))
	if err != nil {
		return setup, err
	}
	fields := samples.OrderedMap{
		{Key: "symmetry", Value: "random"},
		{Key: "symmetry_seed", Value: r.Options.Seed},
		{Key: "solver_nodes", Value: int64(leaf.Leaf)},
	}
	if leaf.Fours {
		fields = append(fields, samples.OrderedMap{{Key: "leaf_solver", Value: "fours"}}...)
	}
	if t := cmp.Or(r.PolicyTemperature, 1); t != 1 {
		more, _ := samples.FieldsOf(struct{ PolicyTemperature float32 }{t}) // a float cannot fail
		fields = append(fields, more...)
	}
	batch := r.Batch
	if d := n.Device(); d != nil {
		batch = cmp.Or(batch, m.Batch, d.Batch)
		probe, err := d.Probe(context.Background(), v, batch)
		if errors.Is(err, nn.ErrUnequal) && m.Loader != nil {
			m.Loader.Tell(err.Error())
		} else if err != nil {
			return setup, err
		}
		setup.Turns, setup.AtOnce = d.Turns(), min(maxAtOnce, d.Count()*batch*batchesBusy/r.Options.Search.InFlight)
		setup.Device = Device{d.Kind, batch, probe[:min(16, len(probe))]}
		recorded, err := samples.FieldsOf(setup.Device)
		if err != nil {
			return setup, err
		}
		fields = append(fields, samples.Field{Key: "device", Value: recorded})
	} else if batch > 0 {
		return setup, fmt.Errorf("batches of %d positions: the processor computes %s, which needs none", batch, n.Name)
	}
	if setup.Header, err = r.header(v, fields); err != nil {
		return setup, err
	}
	setup.Header.Model, setup.Header.ModelSHA256 = n.Name, n.SHA256
	options := nn.EvaluatorOptions{
		Capacity: r.Options.Search.InFlight, Threads: 1, MaxBatch: batch,
		Seed: r.Options.Seed, Temperature: r.PolicyTemperature,
	}
	if m.CacheMiB > 0 {
		options.Cache = nn.NewCacheTable(m.CacheMiB<<20, setup.Start.MaxMoves())
	}
	evaluators := func(n *networks.Net) func(int, *nn.Turn) (nn.Evaluator, error) {
		return func(worker int, turn *nn.Turn) (nn.Evaluator, error) {
			o := options
			o.Turn, o.Device = turn, worker
			return n.Evaluator(o)
		}
	}
	setup.Evaluator = evaluators(n)
	setup.Solver = func(int) mcts.Solver { return v.Solvers(leaf) }
	if !r.Follow {
		return setup, nil
	}
	start, err := n.File()
	if err != nil {
		return setup, err
	}
	setup.Follow = &Follow{Look: m.look, Start: start, Note: m.Note}
	var opening sync.Mutex // the loader belongs to one goroutine
	setup.Follow.Open = func(path string) (Network, error) {
		opening.Lock()
		defer opening.Unlock()
		next, err := m.Loader.Open(n.Variant(), path)
		if err != nil {
			return Network{}, m.refused(err)
		}
		if err := next.Try(context.Background(), 0); err != nil {
			return Network{}, m.refused(errors.Join(err, next.Close()))
		}
		return Network{
			Name: filepath.Base(m.Follow), SHA256: next.SHA256, Evaluator: evaluators(next), Close: next.Close,
		}, nil
	}
	return setup, nil
}

// refused reports that the network of the followed file is not used.
func (m *Machine) refused(err error) error {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	return fmt.Errorf("%s holds no network to go on with, the last one stays: %s", m.Follow, text)
}

// look reads the followed file, and verifies the digest beside it.
func (m *Machine) look() ([]byte, error) {
	data, err := disk.ReadFile(m.Follow, networks.MostBytes)
	if err != nil {
		return nil, m.refused(err)
	}
	want, err := disk.ReadDigest(m.Follow + disk.DigestSuffix)
	if err != nil {
		return nil, m.refused(err)
	}
	if found := disk.Sum(data); want != "" && found != want {
		return nil, m.refused(fmt.Errorf("its sha256 is %s, and %s says another", found, m.Follow+disk.DigestSuffix))
	}
	return data, nil
}

// newSetup returns the part of a setup that does not depend on what evaluates; form is as
// in Net.Form.
func newSetup(v games.Variant, form func(game.Position) game.Position) (Setup, error) {
	start, err := v.Start()
	if err != nil {
		return Setup{}, err
	}
	enc, err := v.Encoder("")
	if err != nil {
		return Setup{}, fmt.Errorf("no samples can be made: %w", err)
	}
	return Setup{
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

// header returns the shard header of a variant, without the model.
func (r *Run) header(v games.Variant, search samples.OrderedMap) (samples.Header, error) {
	rule, err := samples.FieldsOf(v.Parameters())
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
		Engine:  samples.Engine{Version: r.Version, Commit: r.Commit},
		Search:  search,
	}, nil
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
	want, err := samples.FieldsOf(v.Parameters())
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
