package engine

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/carozero/carozero/models"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/nn/line"
	"github.com/carozero/carozero/nn/onnx"
)

// Uniform names the net without knowledge.
const Uniform = "uniform"

// LoaderOptions say where ONNX Runtime is looked for and what computes.
type LoaderOptions struct {
	Flag, Env string // library, or its folder, that the user named; "": not named
	Provider  string // one of Providers; "": cpu
	Threads   int    // threads that compute networks; 0: as many as there are cores

	// Note, unless it is nil, is told in one line what a network is used for
	// beyond what it was trained for, and of a file whose weights no digest
	// vouches for. It is called once for each such line.
	Note func(text string)
}

// Loader opens networks. ONNX Runtime is loaded when the first network needs
// it, and a process can load it only once: make one Loader per process. It
// belongs to one goroutine; the networks it opens may be used by many.
type Loader struct {
	opts  LoaderOptions
	rt    *onnx.Runtime
	noted map[string]bool // lines that Note was told
}

// NewLoader returns a Loader; nothing is loaded yet.
func NewLoader(opts LoaderOptions) *Loader {
	if opts.Threads == 0 {
		opts.Threads = runtime.NumCPU()
	}
	return &Loader{opts: opts, noted: map[string]bool{}}
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
	model   string        // as Open resolved it
	network *onnx.Session // nil: a line network, or uniform
	line    *line.Network // nil: another one
	threads int
	fixed   bool // the provider needs batches of one size
}

// Open opens a model for a variant: a shipped name, a path, "uniform", or ""
// for the shipped net that suits the rule and size best. A network that can
// compute the variant at all plays it; see LoaderOptions.Note. The caller closes
// it.
func (l *Loader) Open(v Variant, model string) (*Net, error) { return l.Reopen(nil, v, model) }

// Reopen is Open in place of n, which it closes, or takes over where it is of the
// same model: then nothing is loaded. A nil n is none. After an error n is
// closed.
func (l *Loader) Reopen(n *Net, v Variant, model string) (*Net, error) {
	var err error
	if model == "" {
		model, err = defaultModel(v)
	}
	if n != nil && (err != nil || !n.Trained() || n.model != model) {
		err = errors.Join(err, n.Close())
		n = nil
	}
	if err != nil {
		return nil, err
	}
	if model == Uniform {
		return &Net{Name: Uniform, variant: v, model: model, threads: l.opts.Threads}, nil
	}
	if n != nil && n.line != nil {
		return l.lend(n, v)
	}
	if n == nil && isLine(model) {
		return l.openLine(v, model)
	}
	session, err := l.sessionFor(n, v, model)
	if err != nil {
		return nil, err
	}
	l.note(session.Name(), session.Metadata(), v)
	if !session.Vouched() {
		l.tell(session.Name() + " has no SHA-256 in it (carozero.weights) or beside it: damage to its weights would not be found")
	}
	return &Net{
		Name:    session.Name(),
		SHA256:  session.SHA256(),
		variant: v,
		model:   model,
		network: session,
		threads: l.opts.Threads,
		fixed:   session.Provider() != onnx.CPU,
	}, nil
}

// sessionFor returns the session of n, or loads one if n is nil, for a model that
// must be able to compute v; otherwise no session is left open.
func (l *Loader) sessionFor(n *Net, v Variant, model string) (session *onnx.Session, err error) {
	enc, err := v.Encoder()
	switch {
	case n != nil:
		session = n.network
	case err != nil:
		return nil, err
	default:
		if session, err = l.session(model); err != nil {
			return nil, err
		}
	}
	if err == nil {
		err = session.Check(enc)
	}
	if err != nil {
		return nil, errors.Join(err, session.Close())
	}
	return session, nil
}

// note tells Note what v asks of a network beyond its training.
func (l *Loader) note(name string, m nn.Metadata, v Variant) {
	if text := m.Beyond(v.Rule(), v.Size); text != "" {
		l.tell(name + " " + text)
	}
}

// tell tells Note a line that it was not told before.
func (l *Loader) tell(text string) {
	if l.opts.Note == nil || l.noted[text] {
		return
	}
	l.noted[text] = true
	l.opts.Note(text)
}

// defaultModel returns the shipped net for a variant. A game for which no net
// can exist yet is played without knowledge.
func defaultModel(v Variant) (string, error) {
	if v.game.Untrained {
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
		return nil, fmt.Errorf("%w; uniform is the net without knowledge, and a file needs its path or the ending .onnx or .line", err)
	case errors.Is(err, models.ErrUnknown):
		return rt.LoadFile(model, opts)
	}
	return nil, err
}

func looksLikePath(model string) bool {
	return strings.ContainsAny(model, `/\`) || filepath.Ext(model) == ".onnx" || filepath.Ext(model) == line.Extension
}

// Trained reports whether the net knows anything: all but the one named uniform.
func (n *Net) Trained() bool { return n.network != nil || n.line != nil }

// Lines reports whether it is a line network.
func (n *Net) Lines() bool { return n.line != nil }

// Network returns what computes batches, nil where nothing does: a line network
// answers at once, and so does the net without knowledge.
func (n *Net) Network() nn.Network {
	if n.network == nil {
		return nil
	}
	return n.network
}

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

	// Temperature divides the policy logits, beside what the model says itself; 0: 1.
	Temperature float32
}

// temperature returns what divides the policy logits of a model.
func (o *EvalOptions) temperature(m nn.Metadata) float32 {
	return cmp.Or(o.Temperature, 1) * cmp.Or(m.Temperature, 1)
}

// Evaluator returns a new evaluator for one goroutine.
func (n *Net) Evaluator(o EvalOptions) (nn.Evaluator, error) {
	if o.Capacity == 0 {
		o.Capacity = nn.DefaultCapacity
	}
	if n.line != nil {
		return n.lineEvaluator(o)
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
		Temperature: o.temperature(n.network.Metadata()),
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
