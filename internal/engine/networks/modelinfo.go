package networks

import (
	"context"
	"errors"
	"fmt"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/models"
	"github.com/carozero/carozero/nn"
)

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

// Verify loads a model for a variant, which checks its checksum, inputs and
// outputs, and evaluates the positions of a short game. The outputs must be
// finite, and those of a batch the same as those of single positions.
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
	batched, err := n.Evaluator(nn.EvaluatorOptions{Capacity: verified, MaxBatch: verified, Threads: 1})
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
	return sameResults(n.Name, together, alone)
}

// sameResults compares results to the last bit.
func sameResults(name string, a, b []nn.Result) error {
	for i := range a {
		same := a[i].Win == b[i].Win && a[i].Draw == b[i].Draw && a[i].Loss == b[i].Loss
		for j := range a[i].Priors {
			same = same && a[i].Priors[j] == b[i].Priors[j]
		}
		if !same {
			return fmt.Errorf("model %s: position %d of a batch differs from the same position alone: results would depend on the batch size", name, i+1)
		}
	}
	return nil
}
