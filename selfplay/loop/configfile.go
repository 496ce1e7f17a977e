package loop

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/option"
)

// mostConfig bounds a configuration's file, in bytes.
const mostConfig = 1 << 20

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

// File is the text of a configuration.
type File struct {
	Name string
	Text []byte
}

// At adds the file's name to an error.
func (f *File) At(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", f.Name, err)
}

// Parse reads a configuration. Errors name the file by name, and the unknown key or the key
// with the invalid value.
func Parse(name string, text []byte) (Config, *File, error) {
	file := &File{Name: name, Text: text}
	c := DefaultConfig()
	if len(text) > mostConfig {
		return c, file, fmt.Errorf("%s: %d bytes: a configuration has at most %d", name, len(text), mostConfig)
	}
	document := struct {
		Config
		Tables []map[string]any `toml:"games"`
	}{Config: c}
	decoder := toml.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&document); err != nil {
		return c, file, decodeError(name, err)
	}
	c = document.Config
	var given struct {
		Gate struct {
			Boards []map[string]any `toml:"boards"`
		} `toml:"gate"`
	}
	if err := toml.Unmarshal(text, &given); err != nil {
		return c, file, decodeError(name, err)
	}
	for i, board := range given.Gate.Boards {
		if _, told := board["opening_plies"]; !told {
			c.Gate.Boards[i].OpeningPlies = defaultOpening
		}
	}
	var err error
	if c.Games, err = readGames(document.Tables); err == nil {
		err = c.Check()
	}
	return c, file, file.At(err)
}

// errNoKey is the error for a key that no configuration has.
var errNoKey = errors.New("there is no such key; `carozero loop config` prints all keys")

// decodeError returns the library's first error on one line.
func decodeError(name string, err error) error {
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		first := &unknown.Errors[0]
		line, _ := first.Position()
		return fmt.Errorf("%s:%d: %s: %w", name, line, strings.Join(first.Key(), "."), errNoKey)
	}
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		line, _ := wrong.Position()
		key := strings.Join(wrong.Key(), ".")
		if key != "" {
			key += ": "
		}
		return fmt.Errorf("%s:%d: %s%s", name, line, key, inWords(strings.TrimPrefix(wrong.Error(), "toml: ")))
	}
	return fmt.Errorf("%s: %w", name, err)
}

// misplaced are the library's texts for a value of another kind than the key's: what was
// found, and the type of Go that has the key.
var misplaced = regexp.MustCompile(`^cannot (?:decode TOML|store an?) (.+?) (?:into struct field .+ of type|in an?) (.+)$`)

// inWords returns an error's text without types of Go.
func inWords(text string) string {
	match := misplaced.FindStringSubmatch(text)
	if match == nil {
		return text
	}
	found := map[string]string{
		"string": "a text", "integer": "a whole number", "float": "a number with a fraction", "boolean": "true or false",
		"array": "a list", "datetime": "a time", "array table": "a list of tables",
	}[match[1]]
	want := map[string]string{
		"int": "a whole number", "float64": "a number", "bool": "true or false", "string": "a text", "[]string": "a list of texts",
	}[match[2]]
	switch {
	case want != "":
	case strings.HasPrefix(match[2], "[]"):
		want = "a list of tables"
	default:
		want = "a table"
	}
	return fmt.Sprintf("%s: want %s", cmp.Or(found, "a table"), want)
}

// number is an integer of a configuration with its range.
type number struct {
	key   string
	value int
	of    option.Int
}

// fraction is a floating-point number of a configuration with its range.
type fraction struct {
	key   string
	value float64
	of    option.Float
}

// Ranges of the settings that only a loop has.
var (
	roundsRange    = option.Int{Key: "rounds", Min: 1, Max: 1_000_000}
	countRange     = option.Int{Key: "count", Min: 0, Max: 1_000_000_000}
	workersRange   = option.Workers.ZeroMeans("as many as there are cores")
	toleranceRange = option.Int{Key: "tolerance", Min: 0, Max: 1_000_000}
	sigmasRange    = option.Float{Key: "sigmas", Min: 0, Max: 10}
)

// Check returns a [KeyError] for the first invalid value. It does not check the names
// of games and players, which only the Host knows.
func (c *Config) Check() error {
	numbers := []number{
		{"rounds", c.Rounds, roundsRange},
		{"patience", c.Patience, countRange},
		{"workers", c.Workers, workersRange},
		{"at_once", c.AtOnce, option.AtOnce},
		{"cache_mib", c.Cache, option.Cache},
		{"trainer.window", c.Trainer.Window, countRange},
	}
	if err := checkNumbers(numbers, nil); err != nil {
		return err
	}
	if c.Start == "" {
		return keyErrorf("start", "want %s, the name of a shipped network, or a file", Uniform)
	}
	if len(c.Games) == 0 {
		return keyErrorf("games", "want at least one table [[games]]")
	}
	for i := range c.Games {
		if err := c.Games[i].check(fmt.Sprintf("games[%d].", i+1)); err != nil {
			return err
		}
	}
	if err := c.checkRounds(); err != nil {
		return err
	}
	if err := c.Trainer.check(); err != nil {
		return err
	}
	if err := c.Gate.check(); err != nil {
		return err
	}
	g, boards := &c.Gate, len(c.MatchBoards())
	if least := g.Batch * boards; g.Games > 0 && g.Games < least {
		return keyErrorf("gate.games", "%d: want at least gate.batch on each of %d boards, %d, or 0 for no match", g.Games, boards, least)
	}
	return nil
}

// checkRounds refuses a loop with a round that has no games.
func (c *Config) checkRounds() error {
	for round := 1; round <= c.Rounds; round++ {
		if len(c.tables(round)) == 0 {
			return keyErrorf("games", "round %d has no table: see from and until", round)
		}
		if c.openEnded(round) {
			return nil
		}
	}
	return nil
}

// openEnded reports whether some table is in a round and in all later ones.
func (c *Config) openEnded(round int) bool {
	for i := range c.Games {
		if g := &c.Games[i]; g.From <= round && g.Until == 0 {
			return true
		}
	}
	return false
}

// mostHours bounds what a trainer may take.
const mostHours = 1000

func (t *Trainer) check() error {
	for _, c := range []struct {
		key   string
		words []string
		must  bool
	}{
		{"trainer.train", t.Train, true}, {"trainer.resume", t.Resume, false}, {"trainer.export", t.Export, false},
	} {
		if len(c.words) == 0 && c.must {
			return keyErrorf(c.key, "want a command: a list of words")
		}
		if err := checkCommand(c.words); err != nil {
			return &KeyError{c.key, err}
		}
	}
	if !slices.Contains(kinds, t.Network) {
		return keyErrorf("trainer.network", "%q: want \"%s\"", t.Network, strings.Join(kinds, `" or "`))
	}
	for _, name := range []struct{ key, value string }{{"trainer.checkpoint", t.Checkpoint}, {"trainer.metrics", t.Metrics}} {
		if err := checkInside(name.value); err != nil {
			return &KeyError{name.key, err}
		}
	}
	if limit := time.Duration(t.Limit); limit <= 0 || limit > mostHours*time.Hour {
		return keyErrorf("trainer.limit", "%v: want a time, as in 90m, of at most %dh", limit, mostHours)
	}
	return nil
}

func (g *Gate) check() error {
	numbers := []number{
		{"gate.games", g.Games, countRange},
		{"gate.batch", g.Batch, option.Int{Key: "batch", Min: 2, Max: 100_000}},
		{"gate.playouts", g.Playouts, option.Playouts},
		{"gate.tactics.playouts", g.Tactics.Playouts, option.Playouts.ZeroMeans("leave the suite out")},
		{"gate.tactics.problems", g.Tactics.Problems, countRange},
		{"gate.tactics.solver", g.Tactics.Solver, option.SolverNodes},
		{"gate.tactics.tolerance", g.Tactics.Tolerance, toleranceRange},
		{"gate.crosscheck.positions", g.CrossCheck.Positions, countRange},
	}
	for i, f := range g.Boards {
		numbers = append(numbers, number{fmt.Sprintf("gate.boards[%d].opening_plies", i+1), f.OpeningPlies, option.OpeningPlies})
	}
	fractions := []fraction{
		{"gate.elo0", g.Elo0, option.EloDifference},
		{"gate.elo1", g.Elo1, option.EloDifference},
		{"gate.crosscheck.sigmas", g.CrossCheck.Sigmas, sigmasRange},
	}
	if err := checkNumbers(numbers, fractions); err != nil {
		return err
	}
	switch {
	case g.Batch%2 == 1:
		return keyErrorf("gate.batch", "%d: want an even number, since two games share an opening", g.Batch)
	case g.First != ByMatch && g.First != WithNothing:
		return keyErrorf("gate.first", "%q: want %q or %q", g.First, ByMatch, WithNothing)
	case !(g.Elo0 < g.Elo1):
		return keyErrorf("gate.elo1", "%g: want more than gate.elo0, %g", g.Elo1, g.Elo0)
	}
	return nil
}

// test returns the gate's sequential test.
func (g *Gate) test() arena.SPRT { return arena.SPRT{Elo0: g.Elo0, Elo1: g.Elo1} }

func checkNumbers(numbers []number, fractions []fraction) error {
	for _, n := range numbers {
		if err := n.of.Holds(int64(n.value)); err != nil {
			return keyErrorf(n.key, "%d: %w", n.value, err)
		}
	}
	for _, f := range fractions {
		if err := f.of.Check(fmt.Sprint(f.value)); err != nil {
			return keyErrorf(f.key, "%g: %w", f.value, err)
		}
	}
	return nil
}
