package crosscheck

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// Options are all settings that can change a row. Zero stands for the default
// that each field names.
type Options struct {
	Playouts int // of MCTS; zero means 400
	Nodes    int // of alpha-beta; zero means 200,000

	// Deeper is by what MCTS's and alpha-beta's budgets are multiplied where
	// they differ, 2 or more. Zero means 4.
	Deeper int

	// SolverNodes bounds each call of the solvers. Zero means 100,000.
	SolverNodes int

	Sampling Sampling

	// Setting describes whatever else makes the engines what they are: program,
	// models, rules, further options. It only has to be equal for a run to be
	// resumed.
	Setting string
}

// Sampling chooses positions of games. Single positions are always taken.
type Sampling struct {
	Every   int    // take every n-th position of a game, from a place drawn by the seed; zero means 1
	PerGame int    // then draw so many of these; zero means all
	Limit   int    // positions in all; zero means no limit
	Seed    uint64 // of what is drawn
}

// Defaults of the zero Options.
const (
	defaultPlayouts    = 400
	defaultNodes       = 200_000
	defaultDeeper      = 4
	defaultSolverNodes = 100_000
)

// WithDefaults returns o with each zero replaced by what it stands for.
func (o Options) WithDefaults() Options {
	o.Playouts = cmp.Or(o.Playouts, defaultPlayouts)
	o.Nodes = cmp.Or(o.Nodes, defaultNodes)
	o.Deeper = cmp.Or(o.Deeper, defaultDeeper)
	o.SolverNodes = cmp.Or(o.SolverNodes, defaultSolverNodes)
	o.Sampling.Every = cmp.Or(o.Sampling.Every, 1)
	return o
}

// Check names the first value that makes no sense. It expects the options with
// their defaults.
func (o Options) Check() error {
	for _, c := range []struct {
		ok   bool
		name string
		got  int
		want string
	}{
		{o.Playouts >= 1, "playouts", o.Playouts, "1 or more"},
		{o.Nodes >= 1, "nodes", o.Nodes, "1 or more"},
		{o.Deeper >= 2, "deeper", o.Deeper, "2 or more"},
		{o.SolverNodes >= 1, "solver nodes", o.SolverNodes, "1 or more"},
		{o.Sampling.Every >= 1, "every", o.Sampling.Every, "1 or more"},
		{o.Sampling.PerGame >= 0, "positions per game", o.Sampling.PerGame, "0 for all, or more"},
		{o.Sampling.Limit >= 0, "limit", o.Sampling.Limit, "0 for none, or more"},
	} {
		if !c.ok {
			return fmt.Errorf("%s: %d, want %s", c.name, c.got, c.want)
		}
	}
	return nil
}

// rowsVersion changes when rows of equal options would differ.
const rowsVersion = 5

// fingerprint identifies options whose rows may stand in one file. It expects
// the options with their defaults. The limit is not part of it, so that a run
// can be resumed with a higher one.
func (o Options) fingerprint() string {
	o.Sampling.Limit = 0
	text, err := json.Marshal(struct {
		Version int
		Options
	}{rowsVersion, o})
	if err != nil {
		panic(err) // numbers and strings have a JSON form
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}
