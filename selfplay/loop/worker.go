package loop

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/carozero/carozero/internal/crosscheck"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/models"
	"github.com/carozero/carozero/selfplay"
)

// Worker does the work of a loop with this program's games and engines, one thing at a time:
// it plays the self-play games, tests the networks that trainers write, and plays matches
// and runs tests of candidates.
type Worker struct {
	Loader          *networks.Loader
	Version, Commit string // of the program, for the samples
	Program         string // names this build: matches and cross-checks go on only with the same

	// Run plays a self-play run with the same bytes as selfplay.Run, which is the default.
	Run func(ctx context.Context, p *selfplay.Playing, host selfplay.Host) error
}

// Host returns w as a loop's host.
func (w *Worker) Host() Host {
	return Host{Player: w, Networks: w, Referee: w, Examiner: w, Program: w.Program}
}

// variantOf returns the variant of a board.
func variantOf(b Board) (games.Variant, error) {
	return games.NewVariant(games.VariantOptions{Game: b.Game, Rule: b.Rule, Size: b.Size, OpenRule: b.OpenRule})
}

// keyOf names an option by its key in the loop's file.
func keyOf(option string) string {
	if option == "cache" {
		return "cache_mib"
	}
	return strings.ReplaceAll(option, "-", "_")
}

// settle fills in a board's defaults.
func settle(b *Board, at string) (games.Variant, error) {
	v, err := variantOf(*b)
	key := "rule"
	if wrong, ok := errors.AsType[*games.OptionError](err); ok {
		key, err = keyOf(wrong.Options[0]), errors.New(wrong.Naming(keyOf))
	}
	if err != nil {
		return v, &KeyError{Key: at + key, Err: err}
	}
	b.Game, b.Rule, b.Size = v.Game, v.Rule(), v.Size
	return v, nil
}

// Check implements [Player].
func (w *Worker) Check(c *Config) error {
	for i := range c.Games {
		g := &c.Games[i]
		at := fmt.Sprintf("games[%d].", i+1)
		v, err := settle(&g.Board, at)
		if err != nil {
			return err
		}
		run, err := w.run(g, v, 0)
		if err != nil {
			return &KeyError{Key: at + "player", Err: err}
		}
		if err := run.Check(v, keyOf); err != nil {
			return &KeyError{Key: strings.TrimSuffix(at, "."), Err: err}
		}
		if err := run.CheckMemory(v, workers(c.Workers), c.AtOnce, c.Cache, keyOf); err != nil {
			return &KeyError{Key: at + "player", Err: err}
		}
	}
	for i := range c.Gate.Boards {
		f := &c.Gate.Boards[i]
		at := fmt.Sprintf("gate.boards[%d].", i+1)
		v, err := settle(&f.Board, at)
		if err == nil && f.Openings != "" {
			if _, err = readOpenings(v, f.Openings); err != nil {
				err = &KeyError{Key: at + "openings", Err: err}
			}
		}
		if err == nil && f.Openings == "" && f.OpeningPlies == 0 && v.RandomStarts(c.Seed) == nil {
			err = &KeyError{
				Key: at + "opening_plies",
				Err: errors.New("0: all games would be the same one: want at least 1, or a file of openings"),
			}
		}
		if err != nil {
			return err
		}
	}
	if err := checkMatch(c); err != nil {
		return err
	}
	return checkCrossCheck(c)
}

// checkMatch returns an error if there is not enough memory for a match.
func checkMatch(c *Config) error {
	for _, f := range c.MatchBoards() {
		v, err := variantOf(f.Board)
		if err != nil {
			return err
		}
		candidate, err := treePlayer(c.Gate.Playouts, "candidate")
		if err != nil {
			return &KeyError{Key: "gate.playouts", Err: err}
		}
		best, err := treePlayer(c.Gate.Playouts, nameBest)
		if err == nil {
			err = players.CheckPlayers(v, []players.PlayerSpec{candidate, best}, workers(c.Workers), c.Cache, keyOf)
		}
		if err != nil {
			return &KeyError{Key: "gate.playouts", Err: err}
		}
	}
	return nil
}

// checkCrossCheck checks the settings of the cross-check's engines.
func checkCrossCheck(c *Config) error {
	x := &c.Gate.CrossCheck
	if x.Positions == 0 {
		return nil
	}
	setup, err := crosscheck.ParseSetup(x.MCTS, x.AlphaBeta)
	if err == nil && setup.Model != "" {
		err = fmt.Errorf("mcts: model=%s: it is the loop's networks that are judged", setup.Model)
	}
	if err != nil {
		return &KeyError{Key: "gate.crosscheck.mcts", Err: err}
	}
	for i := range c.Games {
		v, err := variantOf(c.Games[i].Board)
		if err != nil {
			return err
		}
		var m option.Memory
		n := workers(c.Workers)
		m.Add(fmt.Sprintf("workers %d", n), setup.Bytes(v, deeper), n)
		m.Add(fmt.Sprintf("cache_mib %d", c.Cache), int64(c.Cache)<<20)
		if err := m.Check(option.Machine()); err != nil {
			return &KeyError{Key: "gate.crosscheck.mcts", Err: err}
		}
	}
	if len(x.Input) > 0 {
		for _, path := range x.Input {
			if _, err := settleInput(path); err != nil {
				return &KeyError{Key: "gate.crosscheck.input", Err: err}
			}
		}
	}
	return nil
}

// mostModel is the largest network file, in bytes.
const mostModel = 512 << 20

// Fetch implements [Networks].
func (w *Worker) Fetch(ctx context.Context, name string, boards []Board) (data []byte, kind string, err error) {
	data, _, err = models.Open(name)
	if errors.Is(err, models.ErrUnknown) {
		data, err = disk.ReadFile(name, mostModel)
	}
	if err == nil {
		kind, err = w.Try(ctx, name, boards)
	}
	if err != nil {
		return nil, "", err
	}
	return data, kind, nil
}

// Planes implements [Networks].
func (w *Worker) Planes(name string) (string, error) {
	v, err := games.NewVariant(games.VariantOptions{Game: name})
	if err != nil {
		return "", err
	}
	return v.Of().Inputs[0].Version, nil
}

// Try implements [Networks].
func (w *Worker) Try(ctx context.Context, path string, boards []Board) (kind string, err error) {
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
