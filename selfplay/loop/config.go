package loop

import (
	_ "embed"
	"time"
)

// Config describes a loop. [Parse] reads one, with the defaults of
// [DefaultConfig] for what it leaves out.
type Config struct {
	Seed   uint64 `toml:"seed"`
	Rounds int    `toml:"rounds" loop:"free"` // rounds in all

	// Start is the network before the first round: uniform, the name of a shipped one,
	// or a file.
	Start string `toml:"start"`

	// Patience is the number of consecutive rounds without a candidate after which the
	// loop ends; 0: it never ends for that.
	Patience int `toml:"patience" loop:"free"`

	Workers int `toml:"workers" loop:"free"`   // games and positions at once; 0: as many as there are cores
	AtOnce  int `toml:"at_once" loop:"free"`   // games that a worker keeps under way
	Cache   int `toml:"cache_mib" loop:"free"` // memory of the cache of network results

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
	Train  []string `toml:"train"`
	Resume []string `toml:"resume"` // in place of Train after an interruption; empty: Train starts over
	Export []string `toml:"export"` // after Train; empty: Train writes the network

	Network    string   `toml:"network"`    // kind of network that they write, KindONNX or KindLine
	Checkpoint string   `toml:"checkpoint"` // file within {out} that the next round's training begins with
	Metrics    string   `toml:"metrics"`    // file within {out} with a JSON line for each validation
	Window     int      `toml:"window"`     // rounds whose samples are trained on, the newest ones; 0: all
	Samples    []string `toml:"samples"`    // further runs of samples, trained on in every round; patterns stand for all that match
	Limit      Duration `toml:"limit" loop:"free"`
}

// Gate says which tests a candidate must pass.
type Gate struct {
	First string `toml:"first"` // what the first candidate needs where the loop began with uniform: match, or nothing

	Games    int          `toml:"games"` // most games of a match, of all boards together; 0: no match
	Batch    int          `toml:"batch"` // games of each board after which the test is asked
	Playouts int          `toml:"playouts"`
	Elo0     float64      `toml:"elo0"`
	Elo1     float64      `toml:"elo1"`
	Boards   []MatchBoard `toml:"boards"` // empty: the boards of all tables of games

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
	Positions int      `toml:"positions"` // of each input; 0: no cross-check
	Input     []string `toml:"input"`     // runs, shards or lists; empty: the games of the first round
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
			Tactics:    Tactics{Playouts: 50, Problems: 20, Tolerance: 4},
			CrossCheck: CrossCheck{Positions: 50, MCTS: "playouts=100,solver=0,vct=0,parries=0", AlphaBeta: "nodes=20000,table=8", Sigmas: 1},
		},
	}
}
