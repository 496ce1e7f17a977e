package generate

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/engine/players"

	"github.com/carozero/carozero/internal/support/option"
	"github.com/carozero/carozero/models"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// Again replays runs of self-play by the options in the headers of their shards. It belongs
// to one goroutine; close it.
type Again struct {
	Loader *networks.Loader
	Models []string // files of networks, besides the shipped ones

	// Workers is the number of goroutines that play, AtOnce the concurrent games of each,
	// CacheMiB the size of the cache of network results.
	Workers, AtOnce, CacheMiB int

	// Naming names in errors the options "model", "workers", "at-once" and "cache", which
	// are the fields above.
	Naming option.Naming

	net     *networks.Net     // of the last run
	digests map[string]string // paths of Models by digest
}

// ErrNoNetwork means that the network of a run was not found.
var ErrNoNetwork = errors.New("the network is not here")

// playerKey is the field of a header's search map with the description of a classical
// player.
const playerKey = "player"

// Find returns an error if the network of a header's games is missing or there is not
// enough memory to play them.
func (a *Again) Find(h *samples.Header) error {
	v, err := SampleVariant(h)
	if err != nil {
		return err
	}
	opts, _, err := a.options(h, samples.Plan{Games: 1, GamesPerShard: 2})
	if err == nil {
		opts = opts.WithDefaults()
		err = opts.Check()
	}
	if err != nil {
		return err
	}
	var m option.Memory
	m.Add(fmt.Sprintf("%s %d", a.Naming.FlagName("cache"), a.CacheMiB), int64(a.CacheMiB)<<20)
	if text, taught := h.Search.Get(playerKey); taught {
		t, err := a.teaching(v, h, fmt.Sprint(text))
		if err != nil {
			return err
		}
		m.Add(fmt.Sprintf("%s %d", a.Naming.FlagName("workers"), a.Workers), t.Bytes(v), a.Workers)
		return m.Check(option.Machine())
	}
	if _, err = a.model(h); err != nil {
		return err
	}
	trees := v.TreeBytes(opts.Playouts, int(min(opts.Search.Memory>>20, math.MaxInt32)))
	m.Add(fmt.Sprintf("%s %d, %s %d", a.Naming.FlagName("workers"), a.Workers, a.Naming.FlagName("at-once"), a.AtOnce), trees, a.Workers, a.AtOnce)
	m.Add("", v.RowBytes(), a.Workers, a.AtOnce, opts.Search.InFlight)
	return m.Check(option.Machine())
}

// Plan returns the run of a header as this program would play it, without loading the
// network.
func (a *Again) Plan(h *samples.Header, p samples.Plan) (samples.Run, error) {
	v, err := SampleVariant(h)
	if err != nil {
		return samples.Run{}, err
	}
	var setup selfplay.Setup
	opts, o, err := a.options(h, p)
	if err != nil {
		return samples.Run{}, err
	}
	if text, taught := h.Search.Get(playerKey); taught {
		_, t, err := parseTaught(fmt.Sprint(text))
		if err != nil {
			return samples.Run{}, err
		}
		if t.engine.Weights == games.BestWeights {
			t.engine.Weights = games.FittedWeights // any will do: nothing is played
		}
		if setup, err = TeachingSetup(v, t, o); err != nil {
			return samples.Run{}, err
		}
	} else {
		n, err := a.Loader.Open(v, networks.Uniform) // likewise
		if err != nil {
			return samples.Run{}, err
		}
		if setup, err = SelfplaySetup(n, o); err != nil {
			return samples.Run{}, err
		}
	}
	setup.Header.Model, setup.Header.ModelSHA256 = h.Model, h.ModelSHA256
	return selfplay.Plan(setup, opts)
}

// Play returns the setup that replays the run of a header. It is valid until the next call.
func (a *Again) Play(h *samples.Header, p samples.Plan) (setup selfplay.Setup, opts selfplay.Options, err error) {
	v, err := SampleVariant(h)
	if err != nil {
		return setup, opts, err
	}
	opts, o, err := a.options(h, p)
	if err != nil {
		return setup, opts, err
	}
	if text, taught := h.Search.Get(playerKey); taught {
		t, err := a.teaching(v, h, fmt.Sprint(text))
		if err != nil {
			return setup, opts, err
		}
		setup, err = TeachingSetup(v, t, o)
		return setup, opts, err
	}
	model, err := a.model(h)
	if err != nil {
		return setup, opts, err
	}
	if a.net, err = a.Loader.Reopen(a.net, v, model); err != nil {
		a.net = nil
		return setup, opts, err
	}
	if a.net.SHA256 != h.ModelSHA256 {
		return setup, opts, fmt.Errorf("%s was replaced while it was read: try again", model)
	}
	setup, err = SelfplaySetup(a.net, o)
	setup.Header.Model = h.Model
	return setup, opts, err
}

// Close frees the last network.
func (a *Again) Close() error {
	if a.net == nil {
		return nil
	}
	n := a.net
	a.net = nil
	return n.Close()
}

// options returns the options of a header's run and of its setup.
func (a *Again) options(h *samples.Header, p samples.Plan) (opts selfplay.Options, o SelfplayOptions, err error) {
	_, taught := h.Search.Get(playerKey)
	opts, rest, err := selfplay.OptionsOf(h, taught)
	if err != nil {
		return opts, o, err
	}
	opts.Games, opts.GamesPerShard = p.Games, p.GamesPerShard
	o = SelfplayOptions{
		Capacity: max(1, a.AtOnce) * max(1, opts.Search.InFlight), CacheBytes: a.CacheMiB << 20,
		Version: h.Engine.Version, Commit: h.Engine.Commit,
	}
	for _, f := range rest {
		ok := true
		switch f.Key {
		case "symmetry", playerKey, "score_scale": // which the setup writes, and the whole is compared
		case "symmetry_seed":
			o.Seed, ok = unsigned(f.Value)
		case "policy_temperature":
			var t float64
			t, ok = f.Value.(float64)
			o.PolicyTemperature = float32(t)
			ok = ok && t > 0 && t != 1
		case "solver_nodes":
			var n uint64
			n, ok = unsigned(f.Value)
			o.SolverNodes = int(min(n, 1<<31))
		default:
			ok = false
		}
		if !ok {
			return opts, o, fmt.Errorf("the search's option %.40s %.40s is unknown here", f.Key, fmt.Sprint(f.Value))
		}
	}
	return opts, o, nil
}

// unsigned returns a field's value if it is an integer of at least 0.
func unsigned(v any) (uint64, bool) {
	switch n := v.(type) {
	case int64:
		return uint64(n), n >= 0
	case uint64:
		return n, true
	}
	return 0, false
}

// model returns the network with a header's digest, as Loader.Open takes it: one of Models
// or a shipped one.
func (a *Again) model(h *samples.Header) (string, error) {
	if h.ModelSHA256 == "" {
		return networks.Uniform, nil
	}
	if a.digests == nil {
		digests := map[string]string{}
		for _, path := range a.Models {
			sum, err := players.FileSHA256(path)
			if err != nil {
				return "", err
			}
			digests[sum] = path
		}
		a.digests = digests
	}
	if path, ok := a.digests[h.ModelSHA256]; ok {
		return path, nil
	}
	list, err := models.List()
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(list, func(e models.Entry) bool { return e.SHA256 == h.ModelSHA256 })
	if i >= 0 {
		if _, _, err := models.Open(list[i].Name); err == nil {
			return list[i].Name, nil
		}
	}
	return "", fmt.Errorf("%w: %.80q with the sha256 %.64s: name its file with %s", ErrNoNetwork, h.Model, h.ModelSHA256, a.Naming.FlagName("model"))
}

// parseTaught reads the description of a classical player without loading its network,
// whose name it also returns ("" for none).
func parseTaught(text string) (net string, t Teaching, err error) {
	spec, err := players.ParseSpec(text)
	if err != nil {
		return "", t, err
	}
	net, _ = spec.Args.Get("net")
	if net != networks.NoNetwork {
		spec.Args = slices.DeleteFunc(slices.Clone(spec.Args), func(a players.Arg) bool { return a.Key == "net" })
	}
	t, err = ParseTeaching(spec)
	t.text = text
	return net, t, err
}

// teaching returns the classical player of a header. The header's digest identifies the
// judging network, which may no longer be the shipped one.
func (a *Again) teaching(v games.Variant, h *samples.Header, text string) (Teaching, error) {
	net, t, err := parseTaught(text)
	if err != nil {
		return t, err
	}
	weights, digest := t.engine.Weights, ""
	if weights == games.BestWeights {
		weights = games.FittedWeights
	}
	if v.Of().Weights != nil {
		digest = v.Of().Weights(v, weights)
	}
	if digest == h.ModelSHA256 && (net == "" || net == networks.NoNetwork) {
		t.engine.Weights = weights
		return t, nil
	}
	if t.engine.Weights != games.BestWeights || net == networks.NoNetwork {
		return t, fmt.Errorf("the weights of %.80s have another digest here, %.12s…, than then, %.12s…", text, digest, h.ModelSHA256)
	}
	model, err := a.model(h)
	if err != nil {
		return t, err
	}
	t.engine.Judge, err = networks.LoadJudge(model)
	if err == nil && t.engine.Judge.SHA256() != h.ModelSHA256 {
		err = fmt.Errorf("%s was replaced while it was read: try again", filepath.Base(model))
	}
	t.engine.Weights = games.FittedWeights
	return t, err
}
