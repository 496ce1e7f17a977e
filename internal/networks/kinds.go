package networks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/models"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/nn/line"
	"github.com/carozero/carozero/nn/onnx"
)

// kindList are kinds that the file of a network may be of. A file's kind is the first that
// recognizes its first bytes, else the one with its extension, else the first, whose reader
// then says what is wrong.
type kindList []nn.Kind

// kinds returns all kinds. A new kind is a line here.
func (l *Loader) kinds() kindList {
	return kindList{
		onnx.Kind(l.Runtime, l.opts.Provider, l.opts.Devices, l.turns),
		line.Kind,
	}
}

// judging returns the kinds of networks that can evaluate for the classical search.
func judging() kindList {
	list := new(Loader).kinds() // they do not use the loader
	return slices.DeleteFunc(list, func(k nn.Kind) bool { return !k.Incremental })
}

// named returns the kind that a file's name ends in, nil for another name.
func (list kindList) named(file string) *nn.Kind {
	for i, k := range list {
		if filepath.Ext(file) == "."+k.Name {
			return &list[i]
		}
	}
	return nil
}

// of returns the kind of a file.
func (list kindList) of(path string) *nn.Kind {
	start := beginning(path)
	for i, k := range list {
		if k.Recognize(start) {
			return &list[i]
		}
	}
	if k := list.named(path); k != nil {
		return k
	}
	return &list[0]
}

// beginning returns the first bytes of a file, none if it cannot be read.
func beginning(path string) []byte {
	f, err := disk.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	start := make([]byte, nn.RecognizeBytes)
	n, _ := io.ReadFull(f, start) // a shorter file has fewer
	return start[:n]
}

// names returns the names of the kinds with a text before each, as the end of a sentence.
func (list kindList) names(before string) string {
	var all []string
	for _, k := range list {
		all = append(all, before+k.Name)
	}
	return strings.Join(all, " or ")
}

// load loads a network of one of the kinds, a shipped one by its name or a file, and
// returns the name of its kind. otherwise names further choices in the error.
func (list kindList) load(model, otherwise string) (n nn.Network, kind string, err error) {
	entry, err := models.Find(model)
	switch {
	case errors.Is(err, models.ErrUnknown) && !looksLikePath(model):
		return nil, "", fmt.Errorf("%w; %sa file needs its path or the ending %s", err, otherwise, list.names("."))
	case errors.Is(err, models.ErrUnknown):
		k := list.of(model)
		n, err = loadFile(k, model)
		return n, k.Name, err
	case err != nil:
		return nil, "", err
	}
	k := list.named(entry.File)
	if k == nil {
		return nil, "", fmt.Errorf("model %s: %w: it is no %s network; those are files that end in %s", model, nn.ErrModel,
			list.names(""), list.names("."))
	}
	n, err = shipped(k, entry.Name)
	return n, k.Name, err
}

// loadFile loads a network from a file. If there is a digest beside it, that must match.
func loadFile(k *nn.Kind, path string) (nn.Network, error) {
	data, err := disk.ReadFile(path, MostBytes)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", path, err)
	}
	digest, err := disk.ReadDigest(path + disk.DigestSuffix)
	if err != nil {
		return nil, err
	}
	return k.Load(path, data, digest)
}

// looksLikePath reports whether a model that is not shipped is a path.
func looksLikePath(model string) bool {
	return strings.ContainsAny(model, `/\`) || new(Loader).kinds().named(model) != nil
}

// sharedNetworks caches the shipped judging networks by name. They are read-only, and many
// searches share one.
var sharedNetworks sync.Map

// shipped loads a shipped network.
func shipped(k *nn.Kind, name string) (nn.Network, error) {
	if n, loaded := sharedNetworks.Load(name); loaded {
		return n.(nn.Network), nil
	}
	data, entry, err := models.Open(name)
	if err != nil {
		return nil, err
	}
	n, err := k.Load(entry.Name, data, entry.SHA256)
	if err == nil && k.Incremental {
		first, _ := sharedNetworks.LoadOrStore(name, n)
		n = first.(nn.Network)
	}
	return n, err
}

// Ready loads a shipped judging network ahead of its first use; other networks are ignored.
// Errors are reported when the network is used.
func (l *Loader) Ready(model string) {
	list := l.kinds()
	if entry, err := models.Find(model); err == nil {
		if k := list.named(entry.File); k != nil && k.Incremental {
			_, _ = shipped(k, entry.Name)
		}
	}
}

// NoNetwork is the name for "no network" where a judging network may be named.
const NoNetwork = "none"

// Judge returns what evaluates positions for a classical search, by the name that a user
// gave: a network (shipped or a path), NoNetwork for the fitted weights, or "" for
// BestWeights.
func Judge(name string) (games.Weights, nn.IncrementalNetwork, error) {
	switch name {
	case "":
		return games.BestWeights, nil, nil
	case NoNetwork:
		return games.FittedWeights, nil, nil
	}
	n, err := LoadJudge(name)
	return games.FittedWeights, n, err
}

// LoadJudge loads a network for the classical search: a shipped one by its name, or a file.
func LoadJudge(model string) (nn.IncrementalNetwork, error) {
	n, _, err := judging().load(model, "")
	if err != nil {
		return nil, err
	}
	return n.(nn.IncrementalNetwork), nil
}

// ModelInfo describes a network: its own properties and, for a shipped one,
// the manifest's.
type ModelInfo struct {
	Name         string   `json:"name"`
	SHA256       string   `json:"sha256"`
	Planes       string   `json:"planes"`
	Rules        []string `json:"rules"`
	Sizes        string   `json:"sizes"`
	Run          string   `json:"run"`
	Temperature  float32  `json:"temperature,omitempty"` // if it is not 1
	Architecture string   `json:"architecture,omitempty"`
	Provenance   string   `json:"provenance,omitempty"`
	Strength     string   `json:"strength,omitempty"`
	Created      string   `json:"created,omitempty"`
}

// Describe loads a model and returns what is known of it.
func (l *Loader) Describe(model string) (*ModelInfo, error) {
	n, _, err := l.kinds().load(model, uniformToo)
	if err != nil {
		return nil, err
	}
	m := n.Metadata()
	info := &ModelInfo{
		Name: n.Name(), SHA256: n.SHA256(), Planes: m.Planes, Rules: m.Rules, Sizes: nn.FormatSizes(m.Sizes), Run: m.Run,
	}
	if m.Temperature != 1 {
		info.Temperature = m.Temperature
	}
	if entry, err := models.Find(model); err == nil {
		info.Architecture, info.Provenance = entry.Architecture, entry.Provenance
		info.Strength, info.Created = entry.Strength, entry.Created
	}
	return info, n.Close()
}

// verified is how many plies of a game Verify evaluates.
const verified = 16

// deviceError is how far probabilities of a device may be apart in batches of two sizes.
const deviceError = 0.01

// Verify loads a model for a variant, which checks its checksum, inputs and
// outputs, and evaluates the positions of a short game. The outputs must be
// finite, and those of a batch the same as those of single positions, or near them on a
// device, whose batches have both of its sizes.
func (l *Loader) Verify(ctx context.Context, v games.Variant, model string) (err error) {
	n, err := l.Open(v, model)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.Close()) }()
	pos, err := v.Start()
	if err != nil {
		return err
	}
	single, err := n.Evaluator(nn.EvaluatorOptions{Capacity: 1, Threads: 1})
	if err != nil {
		return err
	}
	size, apart := verified, float32(0)
	if n.Device() != nil {
		size, apart = n.Device().Batch, deviceError
	}
	batched, err := n.Evaluator(nn.EvaluatorOptions{Capacity: verified, MaxBatch: size, Threads: 1})
	if err != nil {
		return err
	}
	together := make([]nn.Result, 0, verified)
	alone := make([]nn.Result, 0, verified)
	for range verified {
		moves := pos.Moves(nil)
		if len(moves) == 0 {
			break
		}
		together = append(together, nn.Result{Priors: make([]float32, len(moves))})
		alone = append(alone, nn.Result{Priors: make([]float32, len(moves))})
		batched.Add(pos, batched.Tag(pos), moves, &together[len(together)-1])
		single.Add(pos, single.Tag(pos), moves, &alone[len(alone)-1])
		if err := single.Wait(ctx, nn.All); err != nil {
			return err
		}
		pos.Play(moves[len(moves)/2])
	}
	if err := batched.Wait(ctx, nn.All); err != nil {
		return err
	}
	return sameResults(n.Name, together, alone, apart)
}

// sameResults returns an error unless results are at most so far apart.
func sameResults(name string, a, b []nn.Result, apart float32) error {
	for i := range a {
		x := append([]float32{a[i].Win, a[i].Draw, a[i].Loss}, a[i].Priors...)
		y := append([]float32{b[i].Win, b[i].Draw, b[i].Loss}, b[i].Priors...)
		if !slices.EqualFunc(x, y, func(x, y float32) bool { return max(x-y, y-x) <= apart }) {
			return fmt.Errorf("model %s: position %d of a batch differs from the same position alone: "+
				"results would depend on the batch size", name, i+1)
		}
	}
	return nil
}
