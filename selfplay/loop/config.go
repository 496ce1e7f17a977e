package loop

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/selfplay"
)

// Config describes a loop. [Parse] reads one, with the defaults of
// [DefaultConfig] for what it leaves out; see [Config.Same] for what may change later.
type Config struct {
	name string // of its file, for errors
	text []byte // of the file

	Seed   uint64 `toml:"seed"`
	Rounds int    `toml:"rounds"` // rounds in all

	// Start is the network before the first round: uniform, the name of a shipped one,
	// or a file.
	Start string `toml:"start"`

	// Patience is the number of consecutive rounds without a candidate after which the
	// loop ends; 0: it never ends for that.
	Patience int `toml:"patience"`

	Workers int `toml:"workers"`   // games and positions at once; 0: as many as there are cores
	AtOnce  int `toml:"at_once"`   // games under way with a network on a device; 0: as many as keep it busy
	Cache   int `toml:"cache_mib"` // memory of the cache of network results

	Games   []Games `toml:"-"` // of the tables [[games]], which Parse reads
	Trainer Trainer `toml:"trainer"`
	Gate    Gate    `toml:"gate"`
}

// Games configures self-play games of a round: a table [[games]], whose keys are
// [gamesSettings].
type Games struct {
	games.VariantOptions
	From  int // first round that has the table
	Until int // last one; 0: the last of the loop

	// Player is described as in a match: alphabeta:nodes=N for a teacher, or
	// mcts:playouts=N for the tree search with the best network.
	Player string

	// Options have what the table says; 0 means the default, a temperature of 0 the
	// player's own.
	selfplay.Options
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
	// further runs of samples, trained on in every round, by their paths or by patterns of
	// [filepath.Match]
	Samples []string `toml:"samples,omitempty"`
	Limit   Duration `toml:"limit"`
}

// Gate says which match a candidate must pass.
type Gate struct {
	First string `toml:"first"` // what the first candidate needs where the loop began with uniform: match, or nothing

	Games    int          `toml:"games"` // most games of a match, of all boards together; 0: no match
	Batch    int          `toml:"batch"` // games of each board after which the test is asked
	Playouts int          `toml:"playouts"`
	Elo0     float64      `toml:"elo0"`
	Elo1     float64      `toml:"elo1"`
	Boards   []MatchBoard `toml:"boards,omitempty"` // empty: the boards of all tables of games
}

// MatchBoard is a board that the gate's match is played on.
type MatchBoard struct {
	games.VariantOptions
	OpeningPlies int    `toml:"opening_plies"` // of a random opening; 0: defaultOpening
	Openings     string `toml:"openings"`      // file of openings; "": random ones
}

// Duration is a length of time, written with its unit.
type Duration time.Duration

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *Duration) UnmarshalText(text []byte) error {
	n, err := time.ParseDuration(string(text))
	*d = Duration(n)
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

// defaultOpening is the number of random moves that games of the gate begin with if
// the configuration says nothing else.
const defaultOpening = 4

// DefaultConfig returns the values of an empty configuration. It has no games and no
// trainer.
func DefaultConfig() Config {
	return Config{
		Seed: 1, Rounds: 10, Start: Uniform, Patience: 3, Cache: 64,
		Trainer: Trainer{
			Network: KindONNX, Checkpoint: "checkpoint.pt", Metrics: "metrics.jsonl", Window: 5, Limit: Duration(2 * time.Hour),
		},
		Gate: Gate{First: ByMatch, Games: 200, Batch: 10, Playouts: 100, Elo0: 0, Elo1: 40},
	}
}

// KeyError is an error about one key of a configuration, as in games[1].size.
// Tables of a list are counted from 1.
type KeyError struct {
	Key string
	Err error
}

func (e *KeyError) Error() string { return e.Key + ": " + e.Err.Error() }
func (e *KeyError) Unwrap() error { return e.Err }

// keyErrorf returns a KeyError.
func keyErrorf(key, format string, args ...any) error {
	return &KeyError{key, fmt.Errorf(format, args...)}
}

// at adds the file's name to an error.
func (c *Config) at(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", c.name, err)
}

// maxConfig bounds a configuration's file, in bytes.
const maxConfig = 1 << 20

// Read reads the file of a configuration.
func Read(name string) (Config, error) {
	text, err := disk.ReadText(name, maxConfig)
	if err != nil {
		return Config{}, fmt.Errorf("%s: %w", name, err)
	}
	return Parse(name, text)
}

// Parse reads a configuration. Errors name the file by name, and the unknown key or the key
// with the invalid value.
func Parse(name string, text []byte) (Config, error) {
	document := struct {
		Config
		Tables []map[string]any `toml:"games"`
	}{Config: DefaultConfig()}
	document.name, document.text = name, text
	decoder := toml.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&document)
	c := document.Config
	if err != nil {
		return c, decodeError(name, err)
	}
	for i := range c.Gate.Boards {
		b := &c.Gate.Boards[i]
		b.OpeningPlies = cmp.Or(b.OpeningPlies, defaultOpening)
	}
	if c.Games, err = readGames(document.Tables); err == nil {
		err = c.Check()
	}
	return c, c.at(err)
}

// errNoKey is the error for a key that no configuration has.
var errNoKey = errors.New("there is no such key; `carozero loop config` prints all keys")

// decodeError returns the library's first error on one line.
func decodeError(name string, err error) error {
	var unknown *toml.StrictMissingError
	var wrong *toml.DecodeError
	text := ""
	switch {
	case errors.As(err, &unknown):
		wrong, text = &unknown.Errors[0], errNoKey.Error()
	case !errors.As(err, &wrong):
		return fmt.Errorf("%s: %w", name, err)
	default:
		if text = strings.TrimPrefix(wrong.Error(), "toml: "); strings.HasPrefix(text, "cannot ") { // names types of Go
			text = "want another kind of value; `carozero loop config` prints all keys with values"
		}
	}
	if key := strings.Join(wrong.Key(), "."); key != "" {
		text = key + ": " + text
	}
	line, _ := wrong.Position()
	return fmt.Errorf("%s:%d: %s", name, line, text)
}

// roundsRange is the range of numbers of rounds.
var roundsRange = option.Int{Key: "rounds", Min: 1, Max: 1_000_000}

// settings are the numbers of a configuration with their ranges, outside of lists.
var settings = func() []option.Setting[Config] {
	count := option.Int{Min: 0, Max: 1_000_000_000}
	return []option.Setting[Config]{
		option.NumVar(roundsRange, func(c *Config) *int { return &c.Rounds }),
		option.NumVar(count.Named("patience"), func(c *Config) *int { return &c.Patience }),
		option.NumVar(option.Workers.ZeroMeans("as many as there are cores"), func(c *Config) *int { return &c.Workers }),
		option.NumVar(option.AtOnce, func(c *Config) *int { return &c.AtOnce }),
		option.NumVar(option.Cache, func(c *Config) *int { return &c.Cache }),
		option.NumVar(count.Named("trainer.window"), func(c *Config) *int { return &c.Trainer.Window }),
		option.NumVar(count.Named("gate.games"), func(c *Config) *int { return &c.Gate.Games }),
		option.NumVar(option.Int{Key: "gate.batch", Min: 2, Max: 100_000}, func(c *Config) *int { return &c.Gate.Batch }),
		option.NumVar(option.Playouts.Named("gate.playouts"), func(c *Config) *int { return &c.Gate.Playouts }),
		option.NumVar(option.EloDifference.Named("gate.elo0"), func(c *Config) *float64 { return &c.Gate.Elo0 }),
		option.NumVar(option.EloDifference.Named("gate.elo1"), func(c *Config) *float64 { return &c.Gate.Elo1 }),
	}
}()

// gamesSettings are the keys of a table, as options name them; see keyOf.
var gamesSettings = append([]option.Setting[Games]{
	option.StringVar(option.Text{Key: "game", Sample: "the name of a game"}, func(g *Games) *string { return &g.Game }),
	option.StringVar(option.Text{Key: "rule", Sample: "the name of a rule set"},
		func(g *Games) *string { return &g.Rule }),
	option.NumVar(option.Int{Key: "size", Min: -1 << 31, Max: 1 << 31}, func(g *Games) *int { return &g.Size }),
	option.BoolVar(option.Switch("open-rule", "", false), func(g *Games) *bool { return &g.OpenRule }),
	option.NumVar(roundsRange.Named("from").ZeroMeans("the first"), func(g *Games) *int { return &g.From }),
	option.NumVar(roundsRange.Named("until").ZeroMeans("the last"), func(g *Games) *int { return &g.Until }),
	option.StringVar(option.Text{Key: "player", Sample: "mcts:playouts=N or alphabeta:nodes=N"},
		func(g *Games) *string { return &g.Player }),
}, option.Within(append(
	option.Only(selfplay.Settings, "games"),
	option.OrZero(option.Without(selfplay.Settings, "games"), "the default")...,
), func(g *Games) *selfplay.Options { return &g.Options })...)

// keyOf returns the key of an option in a configuration.
func keyOf(option string) string {
	if option == "cache" {
		return "cache_mib"
	}
	return strings.ReplaceAll(option, "-", "_")
}

// readGames reads the tables [[games]].
func readGames(tables []map[string]any) ([]Games, error) {
	list := make([]Games, len(tables))
	for i, table := range tables {
		for _, key := range slices.Sorted(maps.Keys(table)) {
			at := slices.IndexFunc(gamesSettings, func(s option.Setting[Games]) bool { return keyOf(s.Name()) == key })
			err, text := errNoKey, fmt.Sprint(table[key])
			if at >= 0 {
				if err = gamesSettings[at].Set(&list[i], text); err != nil {
					err = fmt.Errorf("%.40s: %w", text, err)
				}
			}
			if err != nil {
				return nil, &KeyError{fmt.Sprintf("games[%d].%s", i+1, key), err}
			}
		}
	}
	return list, nil
}

// maxLimit bounds what a trainer may take.
const maxLimit = 1000 * time.Hour

// Check returns a [KeyError] for the first invalid value. It does not check games and players,
// which the [Engine] knows.
func (c *Config) Check() error {
	var err error
	want := func(ok bool, key, format string, args ...any) {
		if err == nil && !ok {
			err = keyErrorf(key, format, args...)
		}
	}
	for _, s := range settings {
		text := s.Text(c)
		wrong := s.Check(text)
		want(wrong == nil, keyOf(s.Name()), "%s: %w", text, wrong)
	}
	want(c.Start != "", "start", "want %s, the name of a shipped network, or a file", Uniform)
	want(len(c.Games) > 0, "games", "want at least one table [[games]]")
	for i := range c.Games {
		g, at := &c.Games[i], fmt.Sprintf("games[%d].", i+1)
		want(g.Player != "", at+"player", "want mcts:playouts=N or alphabeta:nodes=N")
		want(g.Until == 0 || g.Until >= g.From, at+"until", "%d: want at least from, %d, or 0", g.Until, g.From)
	}
	for round := 1; round <= c.Rounds && err == nil; round++ {
		tables := c.tables(round)
		want(len(tables) > 0, "games", "round %d has no table: see from and until", round)
		if slices.ContainsFunc(tables, func(t table) bool { return t.Until == 0 }) {
			break
		}
	}
	t, limit := &c.Trainer, time.Duration(c.Trainer.Limit)
	want(len(t.Train) > 0, "trainer.train", "want a command: a list of words")
	for _, command := range t.commands() {
		unfit := checkCommand(command.words)
		want(unfit == nil, command.key, "%w", unfit)
	}
	want(slices.Contains(kinds, t.Network), "trainer.network", "%q: want \"%s\"", t.Network, strings.Join(kinds, `" or "`))
	want(t.Checkpoint == "" || filepath.IsLocal(t.Checkpoint), "trainer.checkpoint", noName, t.Checkpoint)
	want(t.Metrics == "" || filepath.IsLocal(t.Metrics), "trainer.metrics", noName, t.Metrics)
	want(limit > 0 && limit <= maxLimit, "trainer.limit", "%v: want a time, as in 90m, of at most %gh", limit,
		maxLimit.Hours())

	g, boards := &c.Gate, len(c.MatchBoards())
	for i, b := range g.Boards {
		unfit := option.OpeningPlies.Holds(int64(b.OpeningPlies))
		want(unfit == nil, fmt.Sprintf("gate.boards[%d].opening_plies", i+1), "%d: %w", b.OpeningPlies, unfit)
	}
	want(g.Batch%2 == 0, "gate.batch", "%d: want an even number, since two games share an opening", g.Batch)
	want(g.First == ByMatch || g.First == WithNothing, "gate.first", "%q: want %q or %q", g.First, ByMatch, WithNothing)
	want(g.Elo0 < g.Elo1, "gate.elo1", "%g: want more than gate.elo0, %g", g.Elo1, g.Elo0)
	want(g.Games == 0 || g.Games >= g.Batch*boards, "gate.games",
		"%d: want at least gate.batch on each of %d boards, %d, or 0 for no match", g.Games, boards, g.Batch*boards)
	return err
}

const noName = "%q: want the name of a file within {out}"

// table is a table of games in a round.
type table struct {
	index int // in Config.Games
	*Games
}

// name is the name of its run of samples.
func (t table) name() string {
	return fmt.Sprintf("%02d-%s-%d", t.index+1, cmp.Or(t.Rule, t.Game), t.Size)
}

// tables returns the tables of a round, from 1.
func (c *Config) tables(round int) []table {
	var list []table
	for i := range c.Games {
		if g := &c.Games[i]; g.From <= round && (g.Until == 0 || round <= g.Until) {
			list = append(list, table{i, g})
		}
	}
	return list
}

// boards returns all boards that networks of the loop play on.
func (c *Config) boards() []games.VariantOptions {
	var list []games.VariantOptions
	add := func(v games.VariantOptions) {
		if !slices.Contains(list, v) {
			list = append(list, v)
		}
	}
	for _, g := range c.Games {
		add(g.VariantOptions)
	}
	for _, b := range c.Gate.Boards {
		add(b.VariantOptions)
	}
	return list
}

// MatchBoards returns the boards of the gate's match.
func (c *Config) MatchBoards() []MatchBoard {
	list := c.Gate.Boards
	if len(list) == 0 {
		for _, b := range c.boards() {
			list = append(list, MatchBoard{VariantOptions: b, OpeningPlies: defaultOpening})
		}
	}
	return list
}

// Same returns an error that names the first key in which c differs from the
// configuration that the loop was begun with and may not change.
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
	document := map[string]any{}
	if err == nil {
		err = toml.Unmarshal(text, &document)
	}
	for i := range c.Games {
		table := map[string]string{}
		for _, s := range gamesSettings {
			table[keyOf(s.Name())] = s.Text(&c.Games[i])
		}
		document[fmt.Sprintf("games[%d]", i+1)] = table
	}
	if err != nil {
		return nil, err
	}
	return json.Marshal(document)
}
