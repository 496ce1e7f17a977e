package loop

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/selfplay"
)

// Config describes a loop. [Parse] reads one, with the defaults of
// [DefaultConfig] for what it leaves out.
type Config struct {
	Seed   uint64 `toml:"seed"`
	Rounds int    `toml:"rounds"` // rounds in all

	// Start is the network before the first round: uniform, the name of a shipped one,
	// or a file.
	Start string `toml:"start"`

	// Patience is the number of consecutive rounds without a candidate after which the
	// loop ends; 0: it never ends for that.
	Patience int `toml:"patience"`

	Workers int `toml:"workers"`   // games and positions at once; 0: as many as there are cores
	AtOnce  int `toml:"at_once"`   // games that a worker keeps under way
	Cache   int `toml:"cache_mib"` // memory of the cache of network results

	Games   []Games `toml:"-"` // of the tables [[games]], which Parse reads
	Trainer Trainer `toml:"trainer"`
	Gate    Gate    `toml:"gate"`
}

// Board is a game, rule set and board size, as on the command line.
type Board struct {
	Game     string `toml:"game"`
	Rule     string `toml:"rule"`
	Size     int    `toml:"size"`
	OpenRule bool   `toml:"open_rule"`
}

// Trainer is the external command that makes networks. Train, Resume and Export are
// command lines with placeholders; see docs/loop.md.
type Trainer struct {
	Folder string   `toml:"folder"` // working directory of the commands; "": that of this process
	Train  []string `toml:"train,omitempty"`
	Resume []string `toml:"resume,omitempty"` // in place of Train after an interruption; empty: Train starts over
	Export []string `toml:"export,omitempty"` // after Train; empty: Train writes the network

	Network    string `toml:"network"`    // kind of network that they write, KindONNX or KindLine
	Checkpoint string `toml:"checkpoint"` // file within {out} that the next round's training begins with
	Metrics    string `toml:"metrics"`    // file within {out} with a JSON line for each validation
	Window     int    `toml:"window"`     // rounds whose samples are trained on, the newest ones; 0: all
	// further runs of samples, trained on in every round; patterns stand for all that match
	Samples []string `toml:"samples,omitempty"`
	Limit   Duration `toml:"limit"`
}

// Gate says which tests a candidate must pass.
type Gate struct {
	First string `toml:"first"` // what the first candidate needs where the loop began with uniform: match, or nothing

	Games    int          `toml:"games"` // most games of a match, of all boards together; 0: no match
	Batch    int          `toml:"batch"` // games of each board after which the test is asked
	Playouts int          `toml:"playouts"`
	Elo0     float64      `toml:"elo0"`
	Elo1     float64      `toml:"elo1"`
	Boards   []MatchBoard `toml:"boards,omitempty"` // empty: the boards of all tables of games

	Tactics    Tactics    `toml:"tactics"`
	CrossCheck CrossCheck `toml:"crosscheck"`
}

// MatchBoard is a board that the gate's match is played on.
type MatchBoard struct {
	Board
	OpeningPlies int    `toml:"opening_plies"` // of a random opening; Parse takes defaultOpening for one that is left out
	Openings     string `toml:"openings"`      // file of openings; "": random ones
}

// Tactics configures the test on the suite of proven positions.
type Tactics struct {
	Playouts  int `toml:"playouts"`  // 0: the suite is left out
	Problems  int `toml:"problems"`  // most of each kind, spread over the suite; 0: all of the rule sets that are played
	Solver    int `toml:"solver"`    // budget of the solver at each leaf
	Tolerance int `toml:"tolerance"` // how many more than the best network's may be missed
}

// CrossCheck configures the comparison with the classical search on fixed positions.
type CrossCheck struct {
	Positions int      `toml:"positions"`       // of each input; 0: no cross-check
	Input     []string `toml:"input,omitempty"` // runs, shards or lists; empty: the games of the first round
	MCTS      string   `toml:"mcts"`
	AlphaBeta string   `toml:"alphabeta"`
	Sigmas    float64  `toml:"sigmas"` // standard errors by which the candidate may have more blunders
}

// Duration is a length of time, written with its unit.
type Duration time.Duration

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *Duration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	*d = Duration(parsed)
	return err
}

// MarshalText implements [encoding.TextMarshaler].
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// Values of Config.Start and Gate.First.
const (
	Uniform     = "uniform"
	ByMatch     = "match"
	WithNothing = "nothing"
)

// Example is a configuration with every key explained, which works as it stands.
//
//go:embed default.toml
var Example []byte

// DefaultConfig returns the values of an empty configuration. It has no games and no
// trainer.
func DefaultConfig() Config {
	return Config{
		Seed: 1, Rounds: 10, Start: Uniform, Patience: 3, AtOnce: 16, Cache: 64,
		Trainer: Trainer{
			Network: KindONNX, Checkpoint: "checkpoint.pt", Metrics: "metrics.jsonl", Window: 5, Limit: Duration(2 * time.Hour),
		},
		Gate: Gate{
			First: ByMatch, Games: 200, Batch: 10, Playouts: 100, Elo0: 0, Elo1: 40,
			Tactics: Tactics{Playouts: 50, Problems: 20, Tolerance: 4},
			CrossCheck: CrossCheck{Positions: 50, MCTS: "playouts=100,solver=0,vct=0,parries=0",
				AlphaBeta: "nodes=20000,table=8", Sigmas: 1},
		},
	}
}

// Games configures self-play games of a round: a table [[games]], whose keys are
// [gamesSettings].
type Games struct {
	Board
	From  int // first round that has the table
	Until int // last one; 0: the last of the loop

	// Player is described as in a match: alphabeta:nodes=N for a teacher, or
	// mcts:playouts=N for the tree search with the best network.
	Player string

	// Options have what the table says; 0 means the default, a temperature of 0 the
	// player's own.
	selfplay.Options
}

// gamesSettings are the keys of a table, as options name them; see tomlKey.
var gamesSettings = append([]option.Setting[Games]{
	option.StringVar(word{option.Text{Key: "game"}}, func(g *Games) *string { return &g.Game }),
	option.StringVar(word{option.Text{Key: "rule"}}, func(g *Games) *string { return &g.Rule }),
	option.NumVar(option.Int{Key: "size", Min: -1 << 31, Max: 1 << 31}, func(g *Games) *int { return &g.Size }),
	option.BoolVar(option.Switch("open-rule", "", false), func(g *Games) *bool { return &g.OpenRule }),
	option.NumVar(roundsRange.Named("from").ZeroMeans("the first"), func(g *Games) *int { return &g.From }),
	option.NumVar(roundsRange.Named("until").ZeroMeans("the last"), func(g *Games) *int { return &g.Until }),
	option.StringVar(word{option.Text{Key: "player"}}, func(g *Games) *string { return &g.Player }),
}, option.Within(append(
	option.Only(selfplay.Settings, "games"),
	option.OrZero(option.Without(selfplay.Settings, "games"), "the default")...,
), func(g *Games) *selfplay.Options { return &g.Options })...)

// word is an option whose values only the Host knows.
type word struct{ option.Text }

// Check implements [option.Option].
func (word) Check(string) error { return nil }

// tomlKey returns the key of an option in a configuration.
func tomlKey(o option.Option) string { return strings.ReplaceAll(o.Name(), "-", "_") }

// readGames reads the tables [[games]].
func readGames(tables []map[string]any) ([]Games, error) {
	list := make([]Games, len(tables))
	for i, table := range tables {
		for _, key := range slices.Sorted(maps.Keys(table)) {
			if err := list[i].set(key, table[key]); err != nil {
				return nil, &KeyError{fmt.Sprintf("games[%d].%s", i+1, key), err}
			}
		}
	}
	return list, nil
}

// set gives a key the value that a table has.
func (g *Games) set(key string, value any) error {
	at := slices.IndexFunc(gamesSettings, func(s option.Setting[Games]) bool { return tomlKey(s) == key })
	if at < 0 {
		return errNoKey
	}
	text := fmt.Sprint(value)
	if err := gamesSettings[at].Set(g, text); err != nil {
		return fmt.Errorf("%.40s: %w", text, err)
	}
	return nil
}

// checkSettings returns a [KeyError] for the first setting whose value is out of its range.
// at stands before the keys.
func checkSettings[T any](at string, list []option.Setting[T], of *T) error {
	for _, s := range list {
		if text := s.Text(of); s.Check(text) != nil {
			return keyErrorf(at+tomlKey(s), "%s: %w", text, s.Check(text))
		}
	}
	return nil
}

// check returns a [KeyError] for the first invalid value of the table at a key.
func (g *Games) check(at string) error {
	if err := checkSettings(at, gamesSettings, g); err != nil {
		return err
	}
	switch o := &g.Options.Opening; {
	case g.Player == "":
		return keyErrorf(at+"player", "want mcts:playouts=N or alphabeta:nodes=N")
	case g.Until > 0 && g.Until < g.From:
		return keyErrorf(at+"until", "%d: want at least from, %d, or 0", g.Until, g.From)
	case o.MinPlies > o.MaxPlies:
		return keyErrorf(at+"opening_min", "%d: want at most opening_max, %d", o.MinPlies, o.MaxPlies)
	case g.MaxPlies > 0 && g.MaxPlies <= o.MaxPlies:
		return keyErrorf(at+"max_plies", "%d: want more than opening_max, %d, or 0 for no limit", g.MaxPlies, o.MaxPlies)
	}
	return nil
}

// Same returns an error that names the first key in which c differs from the
// configuration that the loop was begun with. Rounds, workers and limits may differ.
func (c Config) Same(begun Config) error {
	now, err := c.fixed()
	was, err2 := begun.fixed()
	if err := errors.Join(err, err2); err != nil {
		return err
	}
	key, here, there, err := disk.Difference(now, was)
	if err == nil && key != "" {
		err = keyErrorf(key,
			"%s, and %s when the loop began: it goes on only with the same, or begin another in another directory", here, there)
	}
	return err
}

// fixed returns as JSON what may not change, by the keys of the file.
func (c Config) fixed() ([]byte, error) {
	c.Rounds, c.Patience, c.Workers, c.AtOnce, c.Cache, c.Trainer.Limit = 0, 0, 0, 0, 0, 0
	text, err := toml.Marshal(c)
	if err != nil {
		return nil, err
	}
	document := map[string]any{}
	if err := toml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	for i := range c.Games {
		table := map[string]string{}
		for _, s := range gamesSettings {
			table[tomlKey(s)] = s.Text(&c.Games[i])
		}
		document[fmt.Sprintf("games[%d]", i+1)] = table
	}
	return json.Marshal(document)
}
