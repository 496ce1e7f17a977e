package loophost

import (
	"context"
	"errors"
	"fmt"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/support/limitio"
	"github.com/carozero/carozero/models"
	"github.com/carozero/carozero/selfplay/loop"
)

// mostModel is the largest network file, in bytes.
const mostModel = 512 << 20

// Fetch implements [loop.Networks].
func (w *Worker) Fetch(ctx context.Context, name string, boards []loop.Board) (data []byte, kind string, err error) {
	data, _, err = models.Open(name)
	if errors.Is(err, models.ErrUnknown) {
		data, err = limitio.ReadFile(name, mostModel)
	}
	if err == nil {
		kind, err = w.Try(ctx, name, boards)
	}
	if err != nil {
		return nil, "", err
	}
	return data, kind, nil
}

// Planes implements [loop.Networks].
func (w *Worker) Planes(name string) (string, error) {
	v, err := games.NewVariant(games.VariantOptions{Game: name})
	if err != nil {
		return "", err
	}
	return v.Of().Inputs[0].Version, nil
}

// Try implements [loop.Networks].
func (w *Worker) Try(ctx context.Context, path string, boards []loop.Board) (kind string, err error) {
	for i, b := range boards {
		v, err := variantOf(b)
		if err != nil {
			return "", err
		}
		if kind, err = w.tryOn(ctx, path, v, uint64(i)); err != nil {
			return "", fmt.Errorf("on %s: %w", v, err)
		}
	}
	return kind, nil
}

// tryOn evaluates positions of a variant's random games, and returns the kind of
// the network. The evaluator refuses a result that is not finite.
func (w *Worker) tryOn(ctx context.Context, path string, v games.Variant, seed uint64) (kind string, err error) {
	net, err := w.Loader.Open(v, path)
	if err != nil {
		return "", err
	}
	defer net.Close()
	return net.Kind(), net.Try(ctx, seed)
}
