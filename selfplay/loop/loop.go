// Package loop repeats self-play, training and gating, so that a network learns from its own
// games: see docs/loop.md. [Run] decides which step of a round comes next and whether a
// candidate is promoted; an [Engine] plays the games and matches and tries networks, and
// [Worker] is that of this program. Every step can be repeated: a loop that is killed at any
// moment and goes on ends with the same samples and verdicts as one that was not.
package loop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/selfplay/samples"
)

// ErrPatience is wrapped by the error for rounds in a row without a candidate.
var ErrPatience = errors.New("no candidate")

// Host is where a loop runs.
type Host struct {
	Engine   Engine
	Now      func() time.Time     // the time
	CPU      func() time.Duration // processor time of this process and its children so far
	Progress func(Progress)       // called with the progress, by one goroutine at a time
	Note     func(line string)    // called with the result of each step

	// Halt, if not nil, is called before each write to the directory with its name; its error
	// ends the loop at once, as a kill would. It is for tests.
	Halt func(name string) error
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

// Network is a network of a loop.
type Network struct {
	Path   string // uniform, or a file
	SHA256 string // "" for uniform
}

// Engine is what depends on games and networks.
type Engine interface {
	// Check returns a [KeyError] if a configuration has a game, player or file that does
	// not exist or that a loop cannot use. It fills in the defaults of boards.
	Check(c *Config) error

	// Play plays the games of a job that its directory does not have yet.
	Play(ctx context.Context, job PlayJob) error

	// Fetch returns the file of a network that a configuration names, after a Try, and
	// its kind, KindONNX or KindLine.
	Fetch(ctx context.Context, name string, boards []games.VariantOptions) (data []byte, kind string, err error)

	// Try loads a network's file, evaluates some positions of each of the boards, and
	// returns its kind, which does not depend on the file's name. It returns an error if
	// the file is damaged or unsuitable for a board, or if a result is not finite.
	Try(ctx context.Context, path string, boards []games.VariantOptions) (kind string, err error)

	// Match plays a match up to job.Games games, including those in its journal, and
	// returns the candidate's results.
	Match(ctx context.Context, job MatchJob) (arena.Report, error)
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

// loop is the state of one Run.
type loop struct {
	dir    string
	config *Config
	host   Host
	state  *State
}

// Run begins or continues the loop in a directory and returns when its rounds are done.
// After any interruption, Run continues where it ended. A new loop keeps a copy of config's
// file. The State is nil if the loop could not be opened.
func Run(ctx context.Context, dir string, config *Config, host Host) (*State, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	l := &loop{dir: dir, config: config, host: host}
	if err := l.check(); err != nil {
		return nil, l.config.at(err)
	}
	held, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	for err == nil && l.state.done() < l.config.Rounds {
		err = l.step(ctx)
	}
	return l.state, errors.Join(err, held.Close())
}

// check checks the configuration before anything is changed.
func (l *loop) check() error {
	if err := l.config.Check(); err != nil {
		return err
	}
	if err := l.host.Engine.Check(l.config); err != nil {
		return err
	}
	for _, c := range l.config.Trainer.commands() {
		if _, err := programOf(l.config.Trainer.Folder, c.words[0]); err != nil {
			return keyErrorf(c.key, "no such program: %w", err)
		}
	}
	if _, err := l.config.Trainer.furtherSamples(); err != nil {
		return &KeyError{"trainer.samples", err}
	}
	return nil
}

// step does the step that comes next, adds its cost to the round's, and saves the state.
func (l *loop) step(ctx context.Context) error {
	if n := l.state.failures(); l.config.Patience > 0 && n >= l.config.Patience {
		last := l.state.Rounds[l.state.done()-1].Training.Failure
		return fmt.Errorf("%w in %d rounds in a row, the last time since %s; mend the trainer, then go on with a higher "+
			"patience, now %d", ErrPatience, n, last, n)
	}
	r := l.state.current()
	step := r.step()
	do := map[Step]func(context.Context, *Round) error{
		StepPlay: l.play, StepTrain: l.train, StepGate: l.gate, StepPromote: l.promote,
	}[step]
	cpu, start := l.host.CPU(), l.host.Now()
	l.progress(r, step, "", 0, 0)
	err := do(ctx, r)
	c := r.Costs[step]
	c.CPUSeconds += (l.host.CPU() - cpu).Seconds()
	c.WallSeconds += l.host.Now().Sub(start).Seconds()
	r.Costs[step] = c
	if !errors.Is(err, errHalted) {
		saved := l.writeJSON(filepath.Join(l.dir, stateName), l.state)
		if err == nil {
			err = saved
		}
	}
	if err != nil {
		err = fmt.Errorf("round %d, %s: %w", r.Number, step, err)
	}
	return err
}

func (l *loop) progress(r *Round, step Step, what string, done, of int) {
	rounds, sum := l.state.done(), 0.0
	for i := range rounds {
		for _, c := range l.state.Rounds[i].Costs {
			sum += c.WallSeconds
		}
	}
	// The unfinished rounds, the current one counted fully.
	left := sum / float64(max(1, rounds)) * float64(l.config.Rounds-rounds)
	l.host.Progress(Progress{Round: r.Number, Rounds: l.config.Rounds, Step: step, What: what, Done: done, Of: of,
		Left: time.Duration(left * float64(time.Second))})
}

func (l *loop) note(r *Round, format string, args ...any) {
	l.host.Note(fmt.Sprintf("round %d: ", r.Number) + fmt.Sprintf(format, args...))
}

// network returns the network of a round, that of the start for 0.
func (l *loop) network(round int) Network {
	if round > 0 {
		return Network{filepath.Join(l.roundDir(round), l.config.Trainer.file(netStem)),
			l.state.Rounds[round-1].Training.Candidate}
	}
	n := l.state.Start
	if n.Path != Uniform {
		n.Path = filepath.Join(l.dir, n.Path)
	}
	return n
}

// play plays the games of a round.
func (l *loop) play(ctx context.Context, r *Round) error {
	tables, before, of := l.config.tables(r.Number), 0, 0
	for _, t := range tables {
		of += t.Games.Games
	}
	for _, t := range tables {
		dir := l.samplesDir(r.Number, t)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		err := l.host.Engine.Play(ctx, PlayJob{
			Games: *t.Games, Seed: l.config.seed(r.Number, seedGames, t.index), Dir: dir,
			Network: l.network(l.state.best(r.Number)),
			Workers: workers(l.config.Workers), AtOnce: l.config.AtOnce, Cache: l.config.Cache,
			Progress: func(done, _ int) { l.progress(r, StepPlay, t.name(), before+done, of) },
		})
		if err != nil {
			return fmt.Errorf("[[games]] %d: %w", t.index+1, err)
		}
		before += t.Games.Games
	}
	report, err := gamesReport(ctx, l.samplesDirs(r.Number, r.Number)...)
	if err != nil {
		return err
	}
	r.Games = report
	l.note(r, "%d games, %d positions, mean length %.1f, draws %.1f%%", report.Games, report.Positions, report.MeanPlies,
		100*report.DrawShare())
	return nil
}

// Purposes for which seeds are derived.
const (
	seedGames = iota + 1
	seedTrainer
	seedMatch
)

// seed derives a seed from the loop's, by the round, the purpose and a number.
func (c *Config) seed(round, purpose, number int) uint64 {
	s := samples.GameSeed(c.Seed, uint64(round))
	return samples.GameSeed(s, uint64(purpose)<<32+uint64(number))
}
