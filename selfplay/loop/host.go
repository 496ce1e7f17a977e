package loop

import (
	"context"
	"time"

	"github.com/carozero/carozero/internal/arena"
)

// Network is a network of a loop.
type Network struct {
	Path   string // uniform, or a file
	SHA256 string // "" for uniform
}

// Host does the parts of a loop that depend on games and networks.
type Host struct {
	Player   Player
	Networks Networks
	Referee  Referee
	Examiner Examiner

	Program string               // name of this build in the loop's files
	Now     func() time.Time     // nil: always the zero time
	CPU     func() time.Duration // processor time of this process and its children so far; nil: 0

	// Progress, if not nil, is called with the progress, by one goroutine at a time.
	Progress func(Progress)

	// Note, if not nil, is called with the result of each step, in one line.
	Note func(line string)

	// Halt, if not nil, is called before each change of the directory with what comes
	// next; its error ends the loop at once, as a kill would. It is for tests.
	Halt func(next string) error
}

// Progress is how far a loop is.
type Progress struct {
	Round, Rounds int
	Step          Step
	What          string // current part of the step
	Done, Of      int    // games or positions; Of 0: unknown

	// Left is the estimated remaining time of the loop, from the finished rounds; 0:
	// unknown.
	Left time.Duration
}

// Player plays games.
type Player interface {
	// Check returns a [KeyError] if a configuration has a game, player or file that does
	// not exist or that a loop cannot use. It fills in the defaults of boards.
	Check(c *Config) error

	// Play plays the games of a job that its directory does not have yet.
	Play(ctx context.Context, job PlayJob) error
}

// PlayJob is a table of a round's games.
type PlayJob struct {
	Games
	Seed                   uint64
	Dir                    string  // of the run of samples
	Network                Network // that mcts plays with
	Workers, AtOnce, Cache int
	Progress               func(done, of int)
}

// Networks reads network files.
type Networks interface {
	// Fetch returns the file of a network that a configuration names, after a Try, and
	// its kind, KindONNX or KindLine.
	Fetch(ctx context.Context, name string, boards []Board) (data []byte, kind string, err error)

	// Try loads a network's file, evaluates some positions of each of the boards, and
	// returns its kind, which does not depend on the file's name. It returns an error if
	// the file is damaged or unsuitable for a board, or if a result is not finite.
	Try(ctx context.Context, path string, boards []Board) (kind string, err error)

	// Planes returns the version of the input planes that samples of a game must have.
	Planes(game string) (version string, err error)
}

// Referee plays matches.
type Referee interface {
	// Match plays a match up to job.Games games, including those in its journal, and
	// returns the candidate's results.
	Match(ctx context.Context, job MatchJob) (arena.Tally, error)
}

// MatchJob is a match of a candidate against the best network on one board.
type MatchJob struct {
	MatchBoard
	Candidate, Best Network
	Games, Playouts int
	Seed            uint64
	Journal         string
	Workers, Cache  int
	Progress        func(done int)
}

// Examiner tests a network on positions whose best moves are known.
type Examiner interface {
	// Solve runs the tree search on the suite of proven positions of some rule sets and
	// returns its score.
	Solve(ctx context.Context, n Network, rules []string, t Tactics, progress func(done, of int)) (TacticsScore, error)

	// CrossCheck compares the tree search with the classical one on fixed positions of
	// an input. It keeps the results in the job's Rows file and continues from there.
	CrossCheck(ctx context.Context, job CrossCheckJob) (BlunderScore, error)
}

// CrossCheckJob is a cross-check of one input.
type CrossCheckJob struct {
	CrossCheck
	Network        Network
	Source         string // the input
	Rows           string // file
	Seed           uint64 // of the choice of positions
	Workers, Cache int
	Progress       func(done, of int)
}

// TacticsScore is the result of a network on the suite.
type TacticsScore struct {
	Wins   int      `json:"wins"` // positions with a winning move
	Won    int      `json:"won"`
	Holds  int      `json:"holds"` // positions with one move that holds
	Held   int      `json:"held"`
	Missed []string `json:"missed"`
}

// Asked returns the number of positions.
func (s TacticsScore) Asked() int { return s.Wins + s.Holds }

// Unsolved returns the number of positions in which the right move was not found.
func (s TacticsScore) Unsolved() int { return s.Wins - s.Won + s.Holds - s.Held }

// BlunderScore is the result of a network on the positions of one input.
type BlunderScore struct {
	Source    string  `json:"source"`
	Positions int     `json:"positions"`
	Blunders  []int   `json:"blunders"`  // the positions where the search's move is a proven blunder, ascending
	Brier     float64 `json:"net_brier"` // of the network's value; 0 without outcomes
}
