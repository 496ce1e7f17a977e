package networks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/models"
	"github.com/carozero/carozero/nn"
	"math/rand/v2"
)

// MostBytes is the largest file of a network.
const MostBytes = 512 << 20

// File returns the content of the network's file, nil for the net without knowledge.
func (n *Net) File() ([]byte, error) {
	if !n.Trained() {
		return nil, nil
	}
	data, _, err := models.Open(n.model)
	if errors.Is(err, models.ErrUnknown) {
		data, err = disk.ReadFile(n.model, MostBytes)
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
