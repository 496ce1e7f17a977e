package samples

import (
	"fmt"
	"math"
	"slices"

	"github.com/carozero/carozero/game"
)

var headerKeys = []string{"format", "version", "game", "rule", "size", "planes", "globals", "model",
	"model_sha256", "engine", "search", "seed", "rows", "games"}

// header reads a header. It skips unknown keys.
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
		case "filter":
			h.Filter, err = d.text()
		case "seed":
			h.Seed, err = d.unsigned()
		case "rows":
			h.Rows, err = d.natural(math.MaxInt32)
		case "games":
			h.Games, err = d.games()
		default:
			err = d.skip()
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

func (d *decoder) games() (list []Game, err error) {
	err = d.list(maxGames, func() error {
		if err := d.budget.take(gameCost); err != nil {
			return err
		}
		g, err := d.game()
		list = append(list, g)
		return err
	})
	return list, err
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
			err = d.skip()
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
			err = d.skip()
		}
		return err
	})
	return e, err
}

var gameKeys = []string{"id", "seed", "from", "moves", "result", "reason", "plies"}

// game reads an entry of the header's games, which must have every key.
func (d *decoder) game() (g Game, err error) {
	found := 0
	err = d.object(func(key string) (err error) {
		if slices.Contains(gameKeys, key) {
			found++
		}
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
		case "audit":
			g.Audit, err = d.audit()
		default:
			err = d.skip()
		}
		return err
	})
	if err == nil && found < len(gameKeys) {
		err = fmt.Errorf("a game without one of its keys %v", gameKeys)
	}
	return g, err
}

func (d *decoder) audit() (*Audit, error) {
	a := &Audit{}
	return a, d.object(func(key string) (err error) {
		switch key {
		case "resigns":
			a.Resigns, err = d.text()
		case "ply":
			a.Ply, err = d.natural(math.MaxUint16)
		default:
			err = d.skip()
		}
		return err
	})
}
