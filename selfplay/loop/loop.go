package loop

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/carozero/carozero/selfplay/samples"
)

// ErrPatience is wrapped by the error for rounds in a row without a candidate.
var ErrPatience = errors.New("no candidate")

// loop is the state of one Run.
type loop struct {
	dir    string
	config *Config
	file   *File
	host   Host
	state  *State
}

// Run begins or continues the loop in a directory and returns when its rounds are done.
// After any interruption, Run continues where it ended. file is the text of config, used
// to name lines in errors; a new loop keeps a copy. The State is nil if the loop could
// not be opened.
func Run(ctx context.Context, dir string, config *Config, file *File, host Host) (*State, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	l := &loop{dir: dir, config: config, file: file, host: host.withDefaults()}
	if err := l.check(); err != nil {
		return nil, l.file.At(err)
	}
	held, err := l.open(ctx)
	if err != nil {
		return nil, err
	}
	err = l.run(ctx)
	return l.state, errors.Join(err, held.Close())
}

func (h Host) withDefaults() Host {
	if h.Now == nil {
		h.Now = func() time.Time { return time.Time{} }
	}
	if h.CPU == nil {
		h.CPU = func() time.Duration { return 0 }
	}
	if h.Progress == nil {
		h.Progress = func(Progress) {}
	}
	if h.Note == nil {
		h.Note = func(string) {}
	}
	if h.Halt == nil {
		h.Halt = func(string) error { return nil }
	}
	return h
}

// check checks the configuration before anything is changed.
func (l *loop) check() error {
	if err := l.config.Check(); err != nil {
		return err
	}
	if err := l.host.Player.Check(l.config); err != nil {
		return err
	}
	if err := l.config.Trainer.checkPrograms(); err != nil {
		return err
	}
	further, err := l.config.Trainer.further()
	if err == nil {
		err = l.checkSamples(further)
	}
	if err != nil {
		return &KeyError{"trainer.samples", err}
	}
	return nil
}

// run does one step after the other.
func (l *loop) run(ctx context.Context) error {
	for l.state.done() < l.config.Rounds {
		if n := l.state.failures(); l.config.Patience > 0 && n >= l.config.Patience {
			last := l.state.Rounds[l.state.done()-1].Training.Failure
			return fmt.Errorf("%w in %d rounds in a row, the last time since %s; mend the trainer, then go on with a higher "+
				"patience, now %d", ErrPatience, n, last, n)
		}
		r := l.state.current()
		step := r.step()
		err := l.timed(r, step, func() error { return l.do(ctx, r, step) })
		if err != nil {
			return fmt.Errorf("round %d, %s: %w", r.Number, step, err)
		}
	}
	return nil
}

// timed does a step, adds its cost, and saves the state.
func (l *loop) timed(r *Round, step Step, do func() error) error {
	cpu, start := l.host.CPU(), l.host.Now()
	l.progress(r, step, "", 0, 0)
	err := do()
	c := r.Costs[step]
	c.CPUSeconds += (l.host.CPU() - cpu).Seconds()
	c.WallSeconds += l.host.Now().Sub(start).Seconds()
	r.Costs[step] = c
	if errors.Is(err, errHalted) {
		return err
	}
	if haltErr := l.halt("save the state after " + string(step)); haltErr != nil {
		return haltErr
	}
	if saveErr := l.state.save(l.dir); err == nil {
		err = saveErr
	}
	return err
}

// do does a step and records its result in the round.
func (l *loop) do(ctx context.Context, r *Round, step Step) error {
	switch step {
	case StepPlay:
		return l.play(ctx, r)
	case StepTrain:
		return l.train(ctx, r)
	case StepGate:
		return l.gate(ctx, r)
	}
	return l.promote(r)
}

// errHalted is wrapped by an error of Host.Halt.
var errHalted = errors.New("halted")

// halt asks the host whether the loop may continue with next.
func (l *loop) halt(next string) error {
	if err := l.host.Halt(next); err != nil {
		return fmt.Errorf("%w: %w", errHalted, err)
	}
	return nil
}

func (l *loop) progress(r *Round, step Step, what string, done, of int) {
	l.host.Progress(Progress{Round: r.Number, Rounds: l.config.Rounds, Step: step, What: what, Done: done, Of: of,
		Left: l.left()})
}

// left estimates the time of the unfinished rounds, counting the current one fully.
func (l *loop) left() time.Duration {
	done, sum := l.state.done(), 0.0
	for i := range done {
		for _, c := range l.state.Rounds[i].Costs {
			sum += c.WallSeconds
		}
	}
	return time.Duration(sum / float64(max(1, done)) * float64(l.config.Rounds-done) * float64(time.Second))
}

func (l *loop) note(r *Round, format string, args ...any) {
	l.host.Note(fmt.Sprintf("round %d: ", r.Number) + fmt.Sprintf(format, args...))
}

// workers returns how many games and positions are under way at once.
func (l *loop) workers() int {
	if l.config.Workers > 0 {
		return l.config.Workers
	}
	return runtime.NumCPU()
}

// network returns the network of a round, that of the start for 0.
func (l *loop) network(round int) Network {
	if round > 0 {
		return Network{filepath.Join(roundDir(l.dir, round), l.config.Trainer.file(netStem)),
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
	tables := l.config.tables(r.Number)
	var dirs []string
	before := 0
	of := 0
	for _, t := range tables {
		of += t.Games.Games
	}
	for _, t := range tables {
		dir := filepath.Join(roundDir(l.dir, r.Number), "samples", t.name())
		if err := l.halt("play " + t.name()); err != nil {
			return err
		}
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		job := PlayJob{
			Games: *t.Games, Seed: l.config.seed(r.Number, seedGames, t.index), Dir: dir,
			Network: l.network(l.state.best(r.Number)),
			Workers: l.workers(), AtOnce: l.config.AtOnce, Cache: l.config.Cache,
			Progress: func(done, _ int) { l.progress(r, StepPlay, t.name(), before+done, of) },
		}
		if err := l.host.Player.Play(ctx, job); err != nil {
			return fmt.Errorf("[[games]] %d: %w", t.index+1, err)
		}
		before += t.Games.Games
		dirs = append(dirs, dir)
	}
	report, err := gamesReport(ctx, dirs)
	if err != nil {
		return err
	}
	r.Games = report
	l.note(r, "%d games, %d positions, mean length %.1f, draws %.1f%%", report.Games, report.Positions, report.MeanPlies,
		100*report.DrawShare())
	return nil
}

// table is a table of games in a round.
type table struct {
	index int // in Config.Games
	*Games
}

// name is the name of its run of samples.
func (t table) name() string { return fmt.Sprintf("%02d-%s-%d", t.index+1, t.label(), t.Size) }

func (t table) label() string {
	if t.Rule == "" {
		return t.Game
	}
	return t.Rule
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

// MatchBoards returns the boards of the gate's match.
func (c *Config) MatchBoards() []MatchBoard {
	if len(c.Gate.Boards) > 0 {
		return c.Gate.Boards
	}
	var list []MatchBoard
	seen := map[Board]bool{}
	for _, g := range c.Games {
		if !seen[g.Board] {
			seen[g.Board] = true
			list = append(list, MatchBoard{Board: g.Board, OpeningPlies: defaultOpening})
		}
	}
	return list
}

// defaultOpening is the number of random moves that games of the gate begin with if
// the configuration says nothing else.
const defaultOpening = 4

// Purposes for which seeds are derived.
const (
	seedGames = iota + 1
	seedTrainer
	seedMatch
	seedCrossCheck
)

// seed derives a seed from the loop's, by the round, the purpose and a number.
func (c *Config) seed(round, purpose, number int) uint64 {
	s := samples.GameSeed(c.Seed, uint64(round))
	return samples.GameSeed(s, uint64(purpose)<<32+uint64(number))
}

// roundDir returns the directory of a round.
func roundDir(dir string, round int) string {
	return filepath.Join(dir, fmt.Sprintf("round-%04d", round))
}
