package option

import (
	"fmt"
	"strings"
	"time"

	"github.com/carozero/carozero/internal/disk"
)

// mebibytes is the unit of everything that takes memory.
const mebibytes = "MiB"

// The game.
var (
	// BoardSize is the side length of a gomoku board.
	BoardSize = Int{Key: "size", Help: "side length of the board", Default: 15, Min: 5, Max: 22}

	// Captured is how many stones a side may have taken.
	Captured = Int{Key: "captured", Help: "stones taken", Min: 0, Max: 24}

	// OpeningPlies is a number of moves at the start of a game: at most a full
	// board.
	OpeningPlies = Int{Key: "opening-plies", Help: "moves of a random opening", Min: 0, Max: 484}

	// GamePlies bounds the length of a game, which sample files hold in 16
	// bits.
	GamePlies = Int{Key: "max-plies", Help: "moves after which a game is drawn", Min: 1, Max: 65_535, Zero: "no limit"}

	// EndgameMen bounds the endgames of Onitama that are solved.
	EndgameMen = Int{Key: "men", Help: "most men of both sides, masters included", Default: 4, Min: 2, Max: 6}

	// RandomSeed is the seed of everything random.
	RandomSeed = Seed{Key: "seed", Help: "seed of everything random", Default: 1}
)

// Budgets of a search. Nothing is allocated for them in advance.
var (
	// Playouts and Visits keep the counts of a tree within 32 bits.
	Playouts = Int{Key: "playouts", Help: "playouts of a search", Default: 400, Min: 1, Max: 1_000_000_000}
	Visits   = Int{
		Key: "visits", Help: "visits of the root at the end of a search, inherited ones included", Min: 1, Max: 1_000_000_000,
	}

	// Nodes are moves played by the classical search, or by a solver that is
	// asked for itself: at most, days.
	Nodes = Int{
		Key: "nodes", Help: "moves that the search plays at most", Default: 1_000_000, Min: 1, Max: 1_000_000_000_000,
	}

	// PerftDepth is the length of the sequences that are counted.
	PerftDepth = Int{Key: "depth", Help: "moves of a sequence (required)", Min: 1, Max: 16}

	// Depth is that of the classical search.
	Depth = Int{Key: "depth", Help: "last iteration, in plies", Min: 1, Max: 100}

	// Lines are best moves to show: at most all there are.
	Lines = Int{Key: "lines", Help: "best moves to show, each with its line", Default: 1, Min: 1, Max: 484}

	// Deeper is a factor of budgets.
	Deeper = Int{Key: "deeper", Help: "how many times as much is searched", Default: 4, Min: 2, Max: 1000}

	// Time is what a search, a move or a measurement may take, up to eleven
	// days.
	Time = Duration{Key: "time", Help: "time of a move", Min: time.Microsecond, Max: 1_000_000 * time.Second}
)

// Settings of the tree search and of the classical search.
var (
	// InFlight is limited by the memory of the evaluators.
	InFlight = Int{
		Key: "in-flight", Help: "playouts under way at once in a search; part of the algorithm", Min: 1, Max: 256,
		Zero: "the default",
	}

	Temperature = Float{Key: "temperature", Help: "temperature of the choice of moves", Min: 0, Max: 10}

	// ResultTemperature and MaxLoss are differences of expected results, which lie
	// within -1..1.
	ResultTemperature = Float{
		Key:  "target-temperature",
		Help: "with alphabeta: by how much worse a move's expected result is that has 1/e of the target", Default: 0.1,
		Min: 0.001, Max: 10,
	}

	MaxLoss = Float{
		Key: "max-loss", Help: "with alphabeta: by how much worse than the best a move that is played may be", Default: 0.2,
		Min: 0.001, Max: 2,
	}

	// HalfLife is a number of plies.
	HalfLife = Float{
		Key: "temperature-half-life", Help: "plies in which the difference halves", Default: 10, Min: 0.01, Max: 1e6,
	}

	// Share is a part of a whole.
	Share = Float{Key: "share", Help: "part of a whole", Min: 0, Max: 1}

	// Part is a share that must be more than none.
	Part = Float{Key: "part", Help: "part of a whole", Default: 0.5, Min: 0.001, Max: 1}

	// ForcedPlayouts is the k of forced playouts.
	ForcedPlayouts = Float{
		Key:  "forced-playouts",
		Help: "forced playouts at the root of full searches, pruned from the target: k of sqrt(k*P*N), 2 in KataGo",
		Min:  0.01, Max: 100, Zero: "none",
	}

	// GumbelScale is c_scale of the improved policy.
	GumbelScale = Float{
		Key:  "gumbel-scale",
		Help: "with --gumbel: what a value of -1..1 weighs beside a logit, times 50 and the most visits", Default: 0.1,
		Min: 0.001, Max: 10,
	}

	// FullShare and CheapWeight are those of playout-cap randomisation.
	FullShare   = Part.Named("full-share").With(0.25, "with --cheap-playouts: share of full searches")
	CheapWeight = Float{
		Key: "cheap-weight", Help: "with --cheap-playouts: weight of rows from cheap searches; 0: leave them out", Min: 0,
		Max: 1000,
	}

	// Resign is a value of the side that resigns, ResignAudit a share of games.
	Resign      = Share.Named("resign").With(0, "resign at a value of minus this, --resign-turns times in a row; 0: never")
	ResignAudit = Share.Named("resign-audit").With(0,
		"with --resign: share of games in which nobody resigns, to count how many would have been resigned falsely")

	// Straying is how far weights may stray from those that were set by hand,
	// which count for nothing beyond the maximum.
	Straying = Float{Key: "spread", Help: "how far weights may stray", Default: 1, Min: 0.001, Max: 100}

	// LearningRate is how far weights move in the first step of learning.
	LearningRate = Float{Key: "rate", Help: "rate of learning", Default: 0.3, Min: 0.0001, Max: 100}

	// TuningGain is in steps of the settings that are tuned.
	TuningGain = Float{
		Key: "gain", Help: "steps by which chance alone moves a setting in the first trial", Default: 0.25, Min: 0.001,
		Max: 100,
	}

	// EloDifference is a hypothesis of a sequential test.
	EloDifference = Float{Key: "sprt", Help: "Elo difference", Unit: "Elo", Min: -1000, Max: 1000}
)

// What takes memory or threads. Each maximum is more than any machine makes
// sense of; what several of them take together is checked by Memory.
var (
	// TreeMemory bounds the memory of a search tree, whose indices have 32
	// bits.
	TreeMemory = Int{
		Key: "memory", Help: "bound on the memory of a search tree", Unit: mebibytes, Default: 2048, Min: 1, Max: 32 << 10,
	}

	// ProofMemory bounds the table of a proof-number search.
	ProofMemory = Int{
		Key: "memory", Help: "pn, full: bound on the memory of the table", Unit: mebibytes, Default: 256, Min: 1,
		Max: 32 << 10,
	}

	// EngineMemory is the memory limit sent to a foreign engine.
	EngineMemory = Int{
		Key: "memory", Help: "memory that the engine is told to keep to", Unit: mebibytes, Min: 1, Max: 1 << 20,
	}

	// Table is the size of a transposition table, whose indices have 32 bits.
	Table = Int{
		Key: "table", Help: "size of the transposition table", Unit: mebibytes, Default: 64, Min: 1, Max: 256 << 10,
	}

	// Cache is the size of a cache of network results.
	Cache = Int{
		Key: "cache", Help: "memory of the cache of network results", Unit: mebibytes, Default: 64, Min: 1, Max: 1 << 20,
		Zero: "none",
	}

	// Threads compute networks.
	Threads = Int{Key: "threads", Help: "threads that compute networks", Min: 1, Max: 1024, Zero: "all cores"}

	// SearchThreads are those of one classical search.
	SearchThreads = Int{Key: "threads", Help: "threads of a search", Default: 1, Min: 1, Max: 256}

	// Workers are games or positions at once.
	Workers = Int{Key: "workers", Help: "games at once", Min: 1, Max: 1024}

	// Batch is how many positions a device computes together.
	Batch = Int{
		Key: "batch", Help: "positions that a device computes together; part of what decides the samples", Min: 1,
		Max: 1 << 16, Zero: "as many as suit the provider",
	}

	// AtOnce is the concurrent games of a network on a device.
	AtOnce = Int{
		Key: "at-once", Help: "games under way with a network on a device", Min: 1, Max: 4096,
		Zero: "as many as keep it busy",
	}
)

// Counts of what is done or kept.
var (
	// Games of a run. A run keeps a few bytes for each of its games.
	Games = Int{Key: "games", Help: "number of games", Default: 100, Min: 1, Max: 10_000_000}

	// Considered is how many moves sequential halving begins with.
	Considered = Int{
		Key: "gumbel", Help: "full searches share their playouts out among so many moves by sequential halving, and the " +
			"target is the improved policy of completed values; for 16 to 64 playouts", Min: 2, Max: 1250, Zero: "no",
	}

	// ResignTurns are searches of one side in a row.
	ResignTurns = Int{
		Key: "resign-turns", Help: "with --resign: how often in a row a side must find itself there", Default: 3, Min: 1,
		Max: 1000,
	}

	// TunedPairs and TrialPairs are pairs of games of a tuning. A pair with few others
	// in its trial tells a direction badly; one of very many comes late.
	TunedPairs = Int{
		Key: "pairs", Help: "pairs of games, each opening with both colours, of all trials together", Default: 4000, Min: 1,
		Max: 10_000_000,
	}
	TrialPairs = Int{
		Key: "trial", Help: "pairs of games of a trial; part of the algorithm", Default: 8, Min: 1, Max: 10_000,
	}

	// GamesPerShard are kept in memory until their shard is written.
	GamesPerShard = Int{Key: "games-per-shard", Help: "games of a shard", Default: 64, Min: 1, Max: 4096}

	// Rounds of a measurement.
	Rounds = Int{Key: "rounds", Help: "rounds of a measurement", Default: 1, Min: 1, Max: 1000}

	// Count is a number of things to find or to take; nothing is kept for them
	// in advance.
	Count = Int{Key: "limit", Help: "most in all", Min: 1, Max: 1_000_000_000}
)

// Naming returns the name that a front has for the option with a key, for errors of library
// code: "workers" is --workers on a command line. Nil names options by their keys.
type Naming func(key string) string

// FlagName returns the name of the option with a key.
func (n Naming) FlagName(key string) string {
	if n == nil {
		return key
	}
	return n(key)
}

// Memory adds up what a command may take, so that one that asks for more than
// the machine has is refused before anything is allocated. The zero value is
// empty.
type Memory struct {
	total float64 // bytes
	of    []string
}

// Add adds bytes, times each of the counts. what names the options that the number comes
// from, "" for what cannot be chosen.
func (m *Memory) Add(what string, bytes int64, counts ...int) {
	product := float64(bytes)
	for _, n := range counts {
		product *= float64(n)
	}
	m.total += product
	if what != "" {
		m.of = append(m.of, what)
	}
}

// Check returns an error that names what was added if it is more than most
// bytes.
func (m *Memory) Check(most int64) error {
	if m.total <= float64(most) {
		return nil
	}
	return fmt.Errorf("%s: together they may take %s of memory, want at most %s, what there is",
		strings.Join(m.of, ", "), disk.FormatSize(int64(min(m.total, 1<<62))), disk.FormatSize(most))
}

// UnknownMemory is what Machine returns where nothing is known.
const UnknownMemory = 1 << 40
