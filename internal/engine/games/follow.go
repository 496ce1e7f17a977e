package games

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/support/limitio"
	"github.com/carozero/carozero/models"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay"
)

// Following says which file a run takes its networks from.
type Following struct {
	File   string
	Loader *Loader
	Note   func(line string) // told why the file is not used
}

// Bounds on files, in bytes.
const (
	mostNetwork = 512 << 20
	mostSidecar = 8 << 10
)

// follow lets a setup of n's games take its networks from a file.
func (f *Following) follow(setup *selfplay.Setup, n *Net, evaluators func(n *Net) func(int) (nn.Evaluator, error)) error {
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
			next, err := f.Loader.Open(n.variant, path)
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

// refused says in a line that the file's network is not taken.
func (f *Following) refused(err error) error {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	return fmt.Errorf("%s holds no network to go on with, the last one stays: %s", f.File, text)
}

// look returns what is in the file. A digest beside it must be its own.
func (f *Following) look() ([]byte, error) {
	data, err := limitio.ReadFile(f.File, mostNetwork)
	if err != nil {
		return nil, f.refused(err)
	}
	beside, err := limitio.ReadFile(f.File+limitio.DigestSuffix, mostSidecar)
	if errors.Is(err, fs.ErrNotExist) {
		return data, nil
	}
	if err != nil {
		return nil, f.refused(err)
	}
	sum := sha256.Sum256(data)
	words := strings.Fields(string(beside))
	if len(words) == 0 || !strings.EqualFold(strings.TrimPrefix(words[0], `\`), hex.EncodeToString(sum[:])) {
		return nil, f.refused(fmt.Errorf("its sha256 is %s, and %s says another", hex.EncodeToString(sum[:]), f.File+limitio.DigestSuffix))
	}
	return data, nil
}

// File returns the content of the network's file, nil for the net without knowledge.
func (n *Net) File() ([]byte, error) {
	if !n.Trained() {
		return nil, nil
	}
	data, _, err := models.Open(n.model)
	if errors.Is(err, models.ErrUnknown) {
		data, err = limitio.ReadFile(n.model, mostNetwork)
	}
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != n.SHA256 {
		return nil, fmt.Errorf("%s was replaced while it was read: try again", n.model)
	}
	return data, nil
}

// tryGames is how many random games a network is tried on.
const tryGames = 4

// Try evaluates positions of random games of the variant; a result that is not finite
// is an error.
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
