package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/carozero/carozero/internal/disk"
)

// A loop's directory:
//
//	state.json           which steps are done and what came of them
//	loop.toml            the configuration that the loop was begun with
//	start.onnx           the network that it began with, unless it was uniform
//	best.onnx            the best network so far, once there is one
//	round-0001/samples/  a run of self-play for each table
//	round-0001/train/    what the trainer writes; trainer.log has what it says
//	round-0001/net.onnx  the candidate, with its SHA-256 beside it
//	round-0001/gate/     journals of the matches
//	round-0001/verdict.json
//
// Line networks are NAME.line. state.json is replaced when a step is done.
const (
	ConfigName = "loop.toml"
	stateName  = "state.json"
	startStem  = "start" // of networks
	bestStem   = "best"
	netStem    = "net"
)

// Kinds of networks that a trainer may write, by what the names of their files end in.
const (
	KindONNX = "onnx"
	KindLine = "line"
)

var kinds = []string{KindONNX, KindLine}

// file returns the name of a network's file.
func (t *Trainer) file(stem string) string { return stem + "." + t.Network }

// roundDir returns the directory of a round.
func (l *loop) roundDir(round int) string {
	return filepath.Join(l.dir, fmt.Sprintf("round-%04d", round))
}

// samplesDir returns the run of samples of a table in a round.
func (l *loop) samplesDir(round int, t table) string {
	return filepath.Join(l.roundDir(round), "samples", t.name())
}

// samplesDirs returns the runs of samples of some rounds.
func (l *loop) samplesDirs(first, last int) (dirs []string) {
	for n := first; n <= last; n++ {
		for _, t := range l.config.tables(n) {
			dirs = append(dirs, l.samplesDir(n, t))
		}
	}
	return dirs
}

// errNone is wrapped by the error for a directory without a loop.
var errNone = errors.New("there is no loop: it has no " + stateName)

// maxState bounds state.json, in bytes.
const maxState = 256 << 20

// Load returns the state of a loop's directory.
func Load(dir string) (s *State, err error) {
	text, err := disk.ReadFile(filepath.Join(dir, stateName), maxState)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = errNone
	case err == nil:
		s = &State{}
		err = s.parse(text)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return s, nil
}

// open locks the directory and reads the state of its loop, or makes both. The caller closes
// the lock.
func (l *loop) open(ctx context.Context) (*disk.Lock, error) {
	if err := os.MkdirAll(l.dir, 0o777); err != nil {
		return nil, err
	}
	held, err := disk.LockDir(l.dir)
	if err != nil {
		return nil, err
	}
	if l.state, err = Load(l.dir); errors.Is(err, errNone) {
		l.state, err = l.begin(ctx)
	}
	if err == nil {
		err = l.resume()
	}
	if err != nil {
		return nil, errors.Join(err, held.Close())
	}
	return held, nil
}

// ofNewLoop matches the files that a loop that has no state yet may have left.
var ofNewLoop = regexp.MustCompile(`^(run\.lock|start\.(onnx|line)(\.\d+\.tmp)?|state\.json\.\d+\.tmp)$`)

// begin makes the state of a new loop. It refuses a directory that holds anything else than
// what a loop killed at its start left.
func (l *loop) begin(ctx context.Context) (*State, error) {
	entries, err := os.ReadDir(l.dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !ofNewLoop.MatchString(e.Name()) {
			return nil, fmt.Errorf("%s holds %s and no loop, and stays as it is: name an empty directory", l.dir, e.Name())
		}
	}
	s := &State{Format: stateFormat, Version: stateVersion, Config: *l.config, Start: Network{Path: Uniform},
		Rounds: []Round{}}
	if l.config.Start != Uniform {
		data, kind, err := l.host.Engine.Fetch(ctx, l.config.Start, l.config.boards())
		if err != nil {
			return nil, l.config.at(&KeyError{"start", err})
		}
		s.Start = Network{Path: startStem + "." + kind, SHA256: disk.Sum(data)}
		if err := l.write(filepath.Join(l.dir, s.Start.Path), data); err != nil {
			return nil, err
		}
	}
	return s, l.writeJSON(filepath.Join(l.dir, stateName), s)
}

// resume checks that the loop has the same configuration, and removes temporary files that a
// killed one left.
func (l *loop) resume() error {
	if err := l.config.at(l.config.Same(l.state.Config)); err != nil {
		return err
	}
	l.state.Config = *l.config // rounds and limits may be others
	for _, dir := range []string{"", "round-*/", "round-*/gate/"} {
		left, err := fs.Glob(os.DirFS(l.dir), dir+"*.[0-9]*.tmp") // of disk.Write
		for _, name := range left {
			err = errors.Join(err, os.Remove(filepath.Join(l.dir, name)))
		}
		if err != nil {
			return err
		}
	}
	path := filepath.Join(l.dir, ConfigName)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	return l.write(path, l.config.text)
}

// errHalted is wrapped by an error of Host.Halt.
var errHalted = errors.New("halted")

// write replaces a file, unless the loop is halted.
func (l *loop) write(path string, data []byte) error {
	if l.host.Halt != nil {
		if err := l.host.Halt(filepath.Base(path)); err != nil {
			return fmt.Errorf("%w: %w", errHalted, err)
		}
	}
	return disk.WriteBytes(path, data)
}

// writeJSON replaces a file, unless the loop is halted.
func (l *loop) writeJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return l.write(path, append(text, '\n'))
}

// writeDigest writes the digest of a network's file beside it.
func (l *loop) writeDigest(path, sha256 string) error {
	return l.write(path+disk.DigestSuffix, []byte(sha256+"  "+filepath.Base(path)+"\n"))
}

// State records which steps of a loop are done, and their results.
type State struct {
	Format  string  `json:"format"`
	Version int     `json:"version"`
	Config  Config  `json:"config"` // the one that the loop was begun with, except what may change
	Start   Network `json:"start"`
	Rounds  []Round `json:"rounds"` // the last one may be under way
}

const (
	stateFormat  = "carozero-loop"
	stateVersion = 1
)

// Round is the record of one round. Its parts are nil until their step is done.
type Round struct {
	Number   int           `json:"round"`
	Games    *GamesReport  `json:"games"`
	Training *Training     `json:"training"`
	Verdict  *Verdict      `json:"verdict"`
	Done     bool          `json:"done"` // a promotion included
	Costs    map[Step]Cost `json:"costs"`
}

// Step is one of the four steps of a round.
type Step string

// The steps.
const (
	StepPlay    Step = "play"
	StepTrain   Step = "train"
	StepGate    Step = "gate"
	StepPromote Step = "promote"
)

// Cost is the time of a step, including interrupted attempts but not killed ones. It
// affects no decision.
type Cost struct {
	CPUSeconds  float64 `json:"cpu_seconds"`
	WallSeconds float64 `json:"wall_seconds"`
}

// CPUHours returns the processor time of all steps.
func (r *Round) CPUHours() float64 {
	sum := 0.0
	for _, c := range r.Costs {
		sum += c.CPUSeconds
	}
	return sum / time.Hour.Seconds()
}

// step returns the step that comes next.
func (r *Round) step() Step {
	switch {
	case r.Games == nil:
		return StepPlay
	case r.Training == nil:
		return StepTrain
	case r.Verdict == nil:
		return StepGate
	}
	return StepPromote
}

// parse reads a state.
func (s *State) parse(text []byte) error {
	switch err := json.Unmarshal(text, s); {
	case err != nil:
		return fmt.Errorf("%s is damaged: %w", stateName, err)
	case s.Format != stateFormat || s.Version != stateVersion:
		return fmt.Errorf("%s is of %q, version %d, want %q, version %d: go on with the program that began it", stateName,
			s.Format, s.Version, stateFormat, stateVersion)
	}
	return nil
}

// done returns how many rounds are over.
func (s *State) done() int {
	n := len(s.Rounds)
	if n > 0 && !s.Rounds[n-1].Done {
		n--
	}
	return n
}

// current returns the unfinished round, a new one if there is none.
func (s *State) current() *Round {
	if n := s.done(); n == len(s.Rounds) {
		s.Rounds = append(s.Rounds, Round{Number: n + 1, Costs: map[Step]Cost{}})
	}
	return &s.Rounds[len(s.Rounds)-1]
}

// best returns the number of the last round before the given one whose network was
// promoted, 0 if none was.
func (s *State) best(before int) int {
	for n := before - 1; n > 0; n-- {
		if s.Rounds[n-1].Verdict.Promoted {
			return n
		}
	}
	return 0
}

// failures returns how many of the latest rounds in a row had no candidate.
func (s *State) failures() int {
	n := 0
	for i := s.done(); i > 0 && s.Rounds[i-1].Training.Candidate == ""; i-- {
		n++
	}
	return n
}
