package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/carozero/carozero/models"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/nn/onnx"
)

// Uniform names the net without knowledge.
const Uniform = "uniform"

// LoaderOptions say where ONNX Runtime is looked for and what computes.
type LoaderOptions struct {
	Flag, Env string // library, or its folder, that the user named; "": not named
	Provider  string // one of Providers; "": cpu
	Threads   int    // threads that compute networks; 0: as many as there are cores
}

// Loader opens networks. ONNX Runtime is loaded when the first network needs
// it, and a process can load it only once: make one Loader per process. It
// belongs to one goroutine; the networks it opens may be used by many.
type Loader struct {
	opts LoaderOptions
	rt   *onnx.Runtime
}

// NewLoader returns a Loader; nothing is loaded yet.
func NewLoader(opts LoaderOptions) *Loader {
	if opts.Threads == 0 {
		opts.Threads = runtime.NumCPU()
	}
	return &Loader{opts: opts}
}

// Threads returns how many threads compute networks.
func (l *Loader) Threads() int { return l.opts.Threads }

// Search says where ONNX Runtime is looked for.
func (l *Loader) Search() onnx.Search {
	search := onnx.Search{Flag: l.opts.Flag, Env: l.opts.Env}
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
	if err != nil {
		return nil, err
	}
	l.rt = rt
	return rt, nil
}

// Net is a network opened for a variant.
type Net struct {
	Name   string
	SHA256 string // "" for the net without knowledge

	variant Variant
	network nn.Network // nil: uniform
	threads int
	fixed   bool // the provider needs batches of one size
}

// Open opens a model for a variant: a shipped name, a path, "uniform", or ""
// for the shipped net that suits the rule and size. The caller closes it.
func (l *Loader) Open(v Variant, model string) (*Net, error) {
	if model == "" {
		var err error
		if model, err = defaultModel(v); err != nil {
			return nil, err
		}
	}
	if model == Uniform {
		return &Net{Name: Uniform, variant: v, threads: l.opts.Threads}, nil
	}
	enc, err := v.Encoder()
	if err != nil {
		return nil, err
	}
	session, err := l.session(model)
	if err != nil {
		return nil, err
	}
	if err := session.Check(enc); err != nil {
		return nil, errors.Join(err, session.Close())
	}
	return &Net{
		Name:    session.Name(),
		SHA256:  session.SHA256(),
		variant: v,
		network: session,
		threads: l.opts.Threads,
		fixed:   session.Provider() != onnx.CPU,
	}, nil
}

// defaultModel returns the shipped net for a variant. A game for which no net
// can exist yet is played without knowledge.
func defaultModel(v Variant) (string, error) {
	if v.Game == Onitama {
		return Uniform, nil
	}
	m, err := models.Best(v.Rule(), v.Size)
	if err != nil {
		return "", fmt.Errorf("%w; name one with --model, or use --model uniform", err)
	}
	return m.Name, nil
}

// session loads a shipped model or a file.
func (l *Loader) session(model string) (*onnx.Session, error) {
	rt, err := l.Runtime()
	if err != nil {
		return nil, err
	}
	provider, err := onnx.ParseProvider(l.opts.Provider)
	if err != nil {
		return nil, err
	}
	opts := onnx.Options{Provider: provider}
	data, entry, err := models.Open(model)
	switch {
	case err == nil:
		opts.SHA256 = entry.SHA256
		return rt.Load(entry.Name, data, opts)
	case errors.Is(err, models.ErrUnknown) && !looksLikePath(model):
		return nil, fmt.Errorf("%w; uniform is the net without knowledge, and a file needs its path or the ending .onnx", err)
	case errors.Is(err, models.ErrUnknown):
		return rt.LoadFile(model, opts)
	}
	return nil, err
}

func looksLikePath(model string) bool {
	return strings.ContainsAny(model, `/\`) || filepath.Ext(model) == ".onnx"
}

// Network returns the network itself, nil for the net without knowledge.
func (n *Net) Network() nn.Network { return n.network }

// Variant returns what the network was opened for.
func (n *Net) Variant() Variant { return n.variant }

// Close frees the network once nothing runs it any more.
func (n *Net) Close() error {
	if n.network == nil {
		return nil
	}
	return n.network.Close()
}

// EvalOptions configure an evaluator. The zero value works.
type EvalOptions struct {
	Capacity int // positions that may wait at once; 0: 64
	Threads  int // threads that compute batches; 0: as the Loader says
	MaxBatch int // rows of a batch at most; 0: the capacity on devices, else as nn.BatcherOptions says
	Seed     uint64
	Cache    *nn.CacheTable // nil: none
	Clock    func() time.Time

	// Temperature divides the policy logits; 0: 1.
	Temperature float32
}

// Evaluator returns a new evaluator for one goroutine.
func (n *Net) Evaluator(o EvalOptions) (nn.Evaluator, error) {
	if o.Capacity == 0 {
		o.Capacity = nn.DefaultCapacity
	}
	if n.network == nil {
		return nn.NewUniform(o.Capacity), nil
	}
	if o.Threads == 0 {
		o.Threads = n.threads
	}
	if o.MaxBatch == 0 && n.fixed {
		o.MaxBatch = o.Capacity
	}
	enc, err := n.variant.Encoder()
	if err != nil {
		return nil, err
	}
	e, err := nn.NewBatcher(n.network, enc, nn.BatcherOptions{
		Capacity:    o.Capacity,
		MaxBatch:    o.MaxBatch,
		Threads:     o.Threads,
		Seed:        o.Seed,
		Temperature: o.Temperature,
		FixedBatch:  n.fixed,
		Clock:       o.Clock,
	})
	if err != nil {
		return nil, err
	}
	if o.Cache == nil {
		return e, nil
	}
	return nn.NewCache(e, o.Cache), nil
}

// CacheTable returns a table for the variant's results, to be shared by the
// evaluators of one network.
func (v Variant) CacheTable(bytes int) (*nn.CacheTable, error) {
	pos, err := v.Start()
	if err != nil {
		return nil, err
	}
	return nn.NewCacheTable(bytes, pos.MaxMoves()), nil
}

// Providers returns the names of what can compute networks, cpu first.
func Providers() []string {
	var names []string
	for _, p := range onnx.Providers() {
		names = append(names, string(p))
	}
	return names
}

// CheckProvider returns an error that lists the providers if name is none.
func CheckProvider(name string) error {
	_, err := onnx.ParseProvider(name)
	return err
}
