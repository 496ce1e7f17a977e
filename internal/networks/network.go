// Package networks opens networks by the names that users give: shipped ones, files of
// every kind, and the one without knowledge. A network opened for a variant is a [Net].
package networks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/models"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/nn/onnx"
)

// Uniform is the name of the network without knowledge.
const Uniform = nn.UniformName

// LoaderOptions say where to look for ONNX Runtime and what computes.
type LoaderOptions struct {
	Flag, Env string // library, or its folder, that the user named; "": not named
	Provider  string // as onnx.ParseProvider reads it; "": cpu
	Devices   []uint // numbers of the provider's devices that share the work; none: the usual one
	Threads   int    // threads that compute networks; 0: as many as there are cores

	// Note, unless it is nil, receives a line when a network is used for something that it
	// was not trained for, or a file has no digest that verifies its weights or seems to
	// give probabilities; each line once.
	Note func(text string)

	// Naming names in errors the options "model", "engine" and "onnxruntime".
	Naming option.Naming
}

// Loader opens networks. ONNX Runtime is loaded when the first network needs
// it, and a process can load it only once: make one Loader per process. It
// belongs to one goroutine; the networks it opens may be used by many.
type Loader struct {
	opts  LoaderOptions
	rt    *onnx.Runtime
	turns *nn.Turns       // of those that use a device
	noted map[string]bool // lines already passed to Note
}

// NewLoader returns a Loader; nothing is loaded yet.
func NewLoader(opts LoaderOptions) *Loader {
	if opts.Threads == 0 {
		opts.Threads = runtime.NumCPU()
	}
	return &Loader{opts: opts, turns: nn.NewTurns(opts.Threads), noted: map[string]bool{}}
}

// Provider returns what computes networks, with its options.
func (l *Loader) Provider() string { return cmp.Or(l.opts.Provider, "cpu") }

// Threads returns how many threads compute networks.
func (l *Loader) Threads() int { return l.opts.Threads }

// Search says where ONNX Runtime is looked for.
func (l *Loader) Search() onnx.Search {
	search := onnx.Search{
		Flag: l.opts.Flag, Env: l.opts.Env, Naming: l.opts.Naming, Provider: onnx.Provider(l.opts.Provider),
	}
	if exe, err := os.Executable(); err == nil {
		search.ExeDir = filepath.Dir(exe)
	}
	if cache, err := os.UserCacheDir(); err == nil {
		search.CacheDir = filepath.Join(cache, "carozero")
	}
	return search
}

// Runtime loads ONNX Runtime, or returns what was loaded before.
func (l *Loader) Runtime() (*onnx.Runtime, error) {
	if l.rt != nil {
		return l.rt, nil
	}
	rt, err := onnx.Find(l.Search())
	if err == nil {
		l.rt = rt
	}
	return rt, err
}

// Net is a network opened for a variant.
type Net struct {
	Name   string
	SHA256 string // "" for the net without knowledge

	variant games.Variant
	model   string // as Open resolved it
	kind    string
	network nn.Network
	threads int
}

// Open opens a model for a variant: a shipped name, a path, "uniform", or "" for the
// shipped network that suits the rule and size best. Any network that can compute the
// variant is accepted; see LoaderOptions.Note. The caller closes it.
func (l *Loader) Open(v games.Variant, model string) (*Net, error) {
	var err error
	if model == "" {
		if model, err = l.DefaultModel(v); err != nil {
			return nil, err
		}
	}
	n, err := l.load(model)
	if err != nil {
		return nil, err
	}
	lent, err := l.lend(n, v)
	if err != nil {
		return nil, errors.Join(err, n.Close())
	}
	return lent, nil
}

// load loads a model without a variant.
func (l *Loader) load(model string) (*Net, error) {
	var (
		n    nn.Network = nn.UniformNetwork{}
		kind string
		err  error
	)
	if name, what, _ := strings.Cut(model, ":"); name == nn.SimulatedName {
		if n, err = l.simulated(what); err != nil {
			return nil, fmt.Errorf("model %s: %w", model, err)
		}
	} else if err := onnx.Provider(l.opts.Provider).CheckDevices(l.opts.Devices, l.opts.Naming); err != nil {
		return nil, err
	} else if model != Uniform {
		if n, kind, err = l.kinds().load(model, uniformToo); err != nil {
			return nil, err
		}
		d, onDevice := n.(nn.DeviceNetwork)
		if p := onnx.Provider(l.opts.Provider).Name(); p != onnx.CPU && !(onDevice && d.Device() != nil) {
			l.Tell(n.Name() + " is computed by the processor all the same: " + l.opts.Naming.FlagName("provider") + " " + p +
				" is for residual networks")
		}
	}
	return &Net{Name: n.Name(), SHA256: n.SHA256(), model: model, kind: kind, network: n, threads: l.opts.Threads}, nil
}

// simulated returns simulated devices that are slower by a factor or answer as a network does.
func (l *Loader) simulated(what string) (nn.Network, error) {
	o := nn.SimulatedOptions{Devices: l.opts.Devices}
	var err error
	if o.Slow, err = strconv.ParseFloat(cmp.Or(what, "1"), 64); err != nil {
		o.Answers, _, err = l.kinds().load(what, "")
	} else if !(o.Slow > 0) {
		err = errors.New("want a factor above 0, by which the simulated device is slower")
	}
	if _, batches := o.Answers.(nn.BatchNetwork); batches {
		err = errors.Join(errors.New("want a line network: others do not answer at once"), o.Answers.Close())
	}
	if err != nil {
		return nil, err
	}
	return nn.NewSimulated(l.turns, o)
}

// uniformToo tells in errors what may be named besides files.
const uniformToo = Uniform + " is the net without knowledge, and "

// lend returns the network of n for another variant. Only one of the two must be closed.
func (l *Loader) lend(n *Net, v games.Variant) (*Net, error) {
	if err := n.network.Suits(v); err != nil {
		return nil, err
	}
	m := n.network.Metadata()
	if text := m.Beyond(v.Rule(), v.Size); text != "" {
		l.Tell(n.Name + " " + text)
	}
	lent := *n
	lent.variant = v
	if m.Unsealed { // another program than the trainer wrote the file
		l.Tell(n.Name + " has no SHA-256 in it (carozero.weights) or beside it, so that damage to its weights" +
			" would not be found: 'sha256sum " + n.Name + " >" + n.Name + disk.DigestSuffix + "' writes it")
		shares, err := lent.shares()
		if err != nil {
			return nil, err
		}
		for _, output := range shares {
			l.Tell(n.Name + ": its " + output + " output seems to be probabilities, from 0 to 1 and 1 in sum: want logits")
		}
	}
	return &lent, nil
}

// shares returns which outputs of the network are shares of one at the start of a game, as
// probabilities are and logits hardly ever.
func (n *Net) shares() (outputs []string, err error) {
	batches := n.Batches()
	if batches == nil {
		return nil, nil
	}
	enc, err := n.variant.Encoder(batches.Planes())
	if err != nil {
		return nil, err
	}
	pos, err := n.variant.Start()
	if err != nil {
		return nil, err
	}
	b := nn.NewBatch(enc.Shape(), 1)
	enc.Encode(pos, 0, b.Planes(0), b.Globals(0))
	b.SetLen(1)
	if err := batches.Forward(context.Background(), b); err != nil {
		return nil, err
	}
	for _, output := range []struct {
		name   string
		values []float32
	}{{"policy", b.Policy(0)}, {"value", b.Value(0)}} {
		sum := float32(0)
		for _, x := range output.values {
			sum += x
		}
		if slices.Min(output.values) >= 0 && math.Abs(float64(sum)-1) < 1e-3 {
			outputs = append(outputs, output.name)
		}
	}
	return outputs, nil
}

// Tell passes a new line to Note.
func (l *Loader) Tell(text string) {
	if l.opts.Note != nil && !l.noted[text] {
		l.noted[text] = true
		l.opts.Note(text)
	}
}

// DefaultModel returns the shipped network for a variant.
func (l *Loader) DefaultModel(v games.Variant) (string, error) {
	m, err := models.Best(v.Rule(), v.Size)
	if err != nil {
		model := l.opts.Naming.FlagName("model")
		return "", fmt.Errorf("%w; name one with %s, or use %s uniform", err, model, model)
	}
	return m.Name, nil
}

// Trained reports whether the network was trained; only Uniform was not.
func (n *Net) Trained() bool { return n.SHA256 != "" }

// Kind returns the extension of the network's file; "" for a network without a file.
func (n *Net) Kind() string { return n.kind }

// Judges reports whether the network can also evaluate for the classical search.
func (n *Net) Judges() bool {
	_, ok := n.network.(nn.IncrementalNetwork)
	return ok
}

// Exact is [nn.Network.Exact].
func (n *Net) Exact() bool { return n.network.Exact() }

// Batches returns what computes the network's batches, nil for a network that computes
// single positions.
func (n *Net) Batches() nn.BatchNetwork {
	b, _ := n.network.(nn.BatchNetwork)
	return b
}

// Device returns what computes the network's batches outside the processor, nil without.
func (n *Net) Device() *nn.Device {
	if d, ok := n.network.(nn.DeviceNetwork); ok {
		return d.Device()
	}
	return nil
}

// Network returns the network itself, which Close closes.
func (n *Net) Network() nn.Network { return n.network }

// Variant returns what the network was opened for.
func (n *Net) Variant() games.Variant { return n.variant }

// Close frees the network. Nothing may use it any more.
func (n *Net) Close() error { return n.network.Close() }

// Evaluator returns a new evaluator for one goroutine. By default it computes on as many
// threads as the Loader's options say.
func (n *Net) Evaluator(o nn.EvaluatorOptions) (nn.Evaluator, error) {
	o.Threads = cmp.Or(o.Threads, n.threads)
	return n.network.Evaluator(n.variant, o)
}

// Settled returns the solvers that a search with n uses. Beside a device searches for threes
// would be what takes the time, as it would beside the uniform network.
func (n *Net) Settled(s games.SolverNodes) games.SolverNodes {
	if n.Device() != nil || !n.Trained() {
		s = s.WithoutThrees()
	}
	return n.variant.Settled(s, n.Judges())
}

// Form returns a function that copies a position into the form that suits a tree search
// with the network and solvers: without patterns, which cost time, if nothing reads them.
func (n *Net) Form(s games.SolverNodes) func(game.Position) game.Position {
	if s.Off() && !n.Trained() {
		return game.Position.Clone
	}
	return n.variant.Searchable
}

// Nets opens networks for many variants: each variant when it is first needed, each model
// once. It is safe for concurrent use.
type Nets struct {
	mu     sync.Mutex
	loader *Loader
	model  string
	nets   map[games.Variant]*Net
	owners map[string]*Net // by model: the one that loaded it

	// Lines leaves variants without a shipped line network to the net without knowledge.
	Lines bool
}

// NewNets returns a Nets that opens model, as in [Loader.Open], by loader, which it takes
// over.
func NewNets(loader *Loader, model string) *Nets {
	return &Nets{loader: loader, model: model, nets: map[games.Variant]*Net{}, owners: map[string]*Net{}}
}

// Net returns the network for a variant, which Close closes.
func (s *Nets) Net(v games.Variant) (*Net, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n, ok := s.nets[v]; ok {
		return n, nil
	}
	model, err := s.model, error(nil)
	if model == "" {
		if model, err = s.loader.DefaultModel(v); err != nil {
			return nil, err
		}
	}
	if entry, err := models.Find(model); s.Lines && err == nil && judging().named(entry.File) == nil {
		model = Uniform
	}
	var n *Net
	if owner := s.owners[model]; owner != nil {
		n, err = s.loader.lend(owner, v)
	} else if n, err = s.loader.Open(v, model); err == nil {
		s.owners[model] = n
	}
	if err != nil {
		return nil, err
	}
	s.nets[v] = n
	return n, nil
}

// Opened returns the networks opened so far, one for each model, sorted by name.
func (s *Nets) Opened() []*Net {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := slices.Collect(maps.Values(s.owners))
	slices.SortFunc(list, func(a, b *Net) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// Close frees all networks. Nothing may use them any more.
func (s *Nets) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	for _, n := range s.owners {
		err = errors.Join(err, n.Close())
	}
	clear(s.owners)
	clear(s.nets)
	return err
}

// MostBytes bounds the file of a network. One of forty blocks of 256 filters has a third of it.
const MostBytes = 512 << 20

// ReadFile returns the content of the file of a network, a shipped one or a path.
func ReadFile(model string) ([]byte, error) {
	data, _, err := models.Open(model)
	if errors.Is(err, models.ErrUnknown) {
		data, err = disk.ReadFile(model, MostBytes)
	}
	return data, err
}

// File returns the content of the network's file, nil for the net without knowledge.
func (n *Net) File() ([]byte, error) {
	if !n.Trained() {
		return nil, nil
	}
	data, err := ReadFile(n.model)
	if err != nil {
		return nil, err
	}
	if disk.Sum(data) != n.SHA256 {
		return nil, fmt.Errorf("%s was replaced while it was read: try again", n.model)
	}
	return data, nil
}

// tryGames is how many random games a network is tried on.
const tryGames = 4

// Try evaluates positions of random games of the variant. It returns an error if a result
// is not finite.
func (n *Net) Try(ctx context.Context, seed uint64) error {
	eval, err := n.Evaluator(nn.EvaluatorOptions{Capacity: 1, Threads: 1, Seed: seed})
	if err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(seed, tryGames))
	for range tryGames {
		pos, err := n.variant.Start()
		if err != nil {
			return err
		}
		for range 2 * n.variant.Size {
			if pos.Outcome() != game.Undecided {
				break
			}
			moves := pos.Moves(nil)
			r := nn.Result{Priors: make([]float32, len(moves))}
			if !eval.Add(pos, eval.Tag(pos), moves, &r) {
				if err := eval.Wait(ctx, nn.All); err != nil {
					return err
				}
			}
			pos.Play(moves[rng.IntN(len(moves))])
		}
	}
	return nil
}
