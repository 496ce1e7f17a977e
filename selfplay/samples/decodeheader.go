package samples

import (
	"fmt"
	"math"
	"slices"

	"github.com/carozero/carozero/game"
)

var headerKeys = []string{"format", "version", "game", "rule", "size", "planes", "globals", "model",
	"model_sha256", "engine", "search", "seed", "rows", "games"}

// header reads a header. Keys that it does not know are additions and skipped.
func (d *decoder) header(h *Header) error {
	need := slices.Clone(headerKeys)
	err := d.object(func(key string) (err error) {
		if i := slices.Index(need, key); i >= 0 {
			need = slices.Delete(need, i, i+1)
		}
		switch key {
		case "format":
			return d.want(Format)
		case "version":
			n, err := d.natural(math.MaxInt32)
			if err == nil && n != Version {
				return fmt.Errorf("%d, want %d", n, Version)
			}
			return err
		case "game":
			h.Game, err = d.text()
		case "rule":
			h.Rule, err = d.fields(maxDepth)
		case "size":
			h.Size, err = d.natural(math.MaxUint8)
		case "planes":
			h.Planes, err = d.planes()
		case "globals":
			h.Globals, err = d.texts()
		case "model":
			h.Model, err = d.text()
		case "model_sha256":
			h.ModelSHA256, err = d.text()
		case "engine":
			h.Engine, err = d.engine()
		case "search":
			h.Search, err = d.fields(maxDepth)
		case "seed":
			h.Seed, err = d.unsigned()
		case "rows":
			h.Rows, err = d.natural(math.MaxInt32)
		case "games":
			err = d.list(maxGames, func() error {
				g, err := d.game()
				h.Games = append(h.Games, g)
				return err
			})
		default:
			_, err = d.value(maxDepth)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("header: %w", err)
	}
	if len(need) > 0 {
		return fmt.Errorf("header: no key %q", need[0])
	}
	return nil
}

func (d *decoder) want(text string) error {
	s, err := d.text()
	if err == nil && s != text {
		return fmt.Errorf("%.40q, want %q", s, text)
	}
	return err
}

func (d *decoder) planes() (p Planes, err error) {
	err = d.object(func(key string) (err error) {
		switch key {
		case "version":
			p.Version, err = d.text()
		case "names":
			p.Names, err = d.texts()
		default:
			_, err = d.value(maxDepth)
		}
		return err
	})
	return p, err
}

func (d *decoder) engine() (e Engine, err error) {
	err = d.object(func(key string) (err error) {
		switch key {
		case "version":
			e.Version, err = d.text()
		case "commit":
			e.Commit, err = d.text()
		default:
			_, err = d.value(maxDepth)
		}
		return err
	})
	return e, err
}

func (d *decoder) game() (g Game, err error) {
	err = d.object(func(key string) (err error) {
		switch key {
		case "id":
			g.ID, err = d.unsigned()
		case "seed":
			g.Seed, err = d.unsigned()
		case "from":
			g.From, err = d.text()
		case "moves":
			g.Moves, err = d.text()
		case "result":
			g.Result, err = d.text()
		case "reason":
			var s string
			s, err = d.text()
			g.Reason = game.Reason(s)
		case "plies":
			g.Plies, err = d.natural(math.MaxUint16)
		default:
			_, err = d.value(maxDepth)
		}
		return err
	})
	return g, err
}
