package loop

import (
	"context"
	"crypto/sha256"
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

// ErrForeign is wrapped by the error for a directory that holds something else than a
// loop.
var ErrForeign = errors.New("stays as it is")

// Load returns the state of a loop's directory.
func Load(dir string) (*State, error) {
	text, err := disk.ReadFile(filepath.Join(dir, stateName), mostState)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no loop: it has no %s", dir, stateName)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	s, err := parseState(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return s, nil
}

// ReadConfig returns the text of the file of a configuration.
func ReadConfig(name string) ([]byte, error) {
	text, err := disk.ReadText(name, mostConfig)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return text, nil
}

// Kept returns the text of the configuration that the loop in a directory was begun with.
func Kept(dir string) (name string, text []byte, err error) {
	name = filepath.Join(dir, configName)
	text, err = ReadConfig(name)
	return name, text, err
}

// begun reports whether a directory holds a loop. It returns false if the directory does
// not exist, is empty, or holds what a loop killed at its start left, and an error if it
// holds anything else.
func begun(dir string) (bool, error) {
	if _, err := os.Stat(filepath.Join(dir, stateName)); err == nil {
		_, err := Load(dir)
		return err == nil, err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	for _, e := range entries {
		if name := e.Name(); !ofNewLoop.MatchString(name) {
			return false, fmt.Errorf("%s holds %s and no loop, and %w: name an empty directory", dir, name, ErrForeign)
		}
	}
	return false, nil
}

// ofNewLoop matches the files that a loop that has no state yet may have left.
var ofNewLoop = regexp.MustCompile(`^(run\.lock|start\.(onnx|line)(\.\d+\.tmp)?|state\.json\.\d+\.tmp)$`)

// open locks a directory and reads the state of its loop, or makes it if there is none.
// The caller closes the lock.
func (l *loop) open(ctx context.Context) (held *disk.Lock, err error) {
	if _, err = begun(l.dir); err != nil {
		return nil, err
	}
	if err = l.halt("make the directory"); err != nil {
		return nil, err
	}
	if err = os.MkdirAll(l.dir, 0o777); err != nil {
		return nil, err
	}
	if held, err = disk.LockDir(l.dir); err != nil {
		return nil, err
	}
	if err = l.enter(ctx); err != nil {
		return nil, errors.Join(err, held.Close())
	}
	return held, nil
}

// enter reads or makes the state. The directory is locked.
func (l *loop) enter(ctx context.Context) error {
	there, err := begun(l.dir)
	if err == nil && !there {
		err = l.begin(ctx)
	}
	if err == nil {
		err = l.sweep()
	}
	if err != nil {
		return err
	}
	if l.state, err = Load(l.dir); err != nil {
		return err
	}
	if err = l.file.At(l.config.Same(l.state.Config)); err != nil {
		return err
	}
	l.state.Config = *l.config // rounds and limits may be others
	return l.keepConfig()
}

// ownTemporary matches temporary files that a killed loop left; see disk.Write.
var ownTemporary = regexp.MustCompile(`^(state\.json|loop\.toml|(start|best|net)\.(onnx|line)(\.sha256)?|(verdict|tactics|blunders)\.json|(match|rows)-\d+\.jsonl)\.\d+\.tmp$`)

// sweep removes temporary files that a killed loop left.
func (l *loop) sweep() error {
	dirs := []string{l.dir, filepath.Join(l.dir, "start")}
	for n := 1; ; n++ {
		round := roundDir(l.dir, n)
		if _, err := os.Stat(round); err != nil {
			break
		}
		dirs = append(dirs, round, filepath.Join(round, "gate"))
	}
	for _, dir := range dirs {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			if ownTemporary.MatchString(e.Name()) {
				if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// begin makes the state of a new loop.
func (l *loop) begin(ctx context.Context) error {
	start := Network{Path: Uniform}
	if l.config.Start != Uniform {
		data, kind, err := l.host.Networks.Fetch(ctx, l.config.Start, l.config.boards())
		if err != nil {
			return l.file.At(&KeyError{"start", err})
		}
		name := startStem + "." + kind
		if err := l.write(filepath.Join(l.dir, name), data); err != nil {
			return err
		}
		start = Network{Path: name, SHA256: fmt.Sprintf("%x", sha256.Sum256(data))}
	}
	if err := l.halt("write the first " + stateName); err != nil {
		return err
	}
	s := &State{Format: stateFormat, Version: stateVersion, Config: *l.config, Start: start, Rounds: []Round{}}
	return s.save(l.dir)
}

// keepConfig writes the configuration's text, unless the file exists.
func (l *loop) keepConfig() error {
	path := filepath.Join(l.dir, configName)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	return l.write(path, l.file.Text)
}

// write replaces a file, unless the loop is halted.
func (l *loop) write(path string, data []byte) error {
	if err := l.halt("write " + filepath.Base(path)); err != nil {
		return err
	}
	return disk.WriteBytes(path, data)
}

// State records which steps of a loop are done, and their results.
type State struct {
	Format  string  `json:"format"`
	Version int     `json:"version"`
	Config  Config  `json:"config"` // the one that the loop was begun with, except what may change
	Start   Network `json:"start"`
	Rounds  []Round `json:"rounds"` // the last one may be under way
}

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

// Training is the result of a round's training.
type Training struct {
	Candidate  string `json:"candidate"`         // SHA-256 of the network; "": there is none
	Failure    string `json:"failure,omitempty"` // why there is none, in one line
	Checkpoint bool   `json:"checkpoint"`        // whether the next round can begin with its checkpoint
	Loss       *Loss  `json:"loss,omitempty"`    // nil: the trainer reports none
}

// Loss is the trainer's last validation.
type Loss struct {
	Step   int     `json:"step"`
	Total  float64 `json:"loss"`
	Policy float64 `json:"policy_loss"`
	Floor  float64 `json:"policy_floor"` // below which the policy's loss cannot fall
	Value  float64 `json:"value_loss"`
}

// Files of a loop's directory.
const (
	stateName  = "state.json"
	configName = "loop.toml"
	digestName = ".sha256" // after a network's name
)

// Networks of a loop's directory; the names of their files end in their kind.
const (
	startStem = "start"
	bestStem  = "best"
	netStem   = "net" // of a round
)

// Kinds of networks that a trainer may write, by what the names of their files end in.
const (
	KindONNX = "onnx"
	KindLine = "line"
)

// kinds are the words for the kinds that there are.
var kinds = []string{KindONNX, KindLine}

// file returns the name of a network's file.
func (t *Trainer) file(stem string) string { return stem + "." + t.Network }

const (
	stateFormat  = "carozero-loop"
	stateVersion = 1
	mostState    = 256 << 20
)

// save replaces the state of a directory.
func (s *State) save(dir string) error {
	text, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	return disk.WriteBytes(filepath.Join(dir, stateName), append(text, '\n'))
}

// writeJSON replaces a file, unless the loop is halted.
func (l *loop) writeJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return l.write(path, append(text, '\n'))
}

// parseState reads a state.
func parseState(text []byte) (*State, error) {
	s := &State{}
	switch err := json.Unmarshal(text, s); {
	case err != nil:
		return nil, fmt.Errorf("%s is damaged: %w", stateName, err)
	case s.Format != stateFormat:
		return nil, fmt.Errorf("%s is of another program", stateName)
	case s.Version != stateVersion:
		return nil, fmt.Errorf("%s has version %d, want %d: go on with the program that began it", stateName, s.Version,
			stateVersion)
	}
	for i := range s.Rounds {
		r := &s.Rounds[i]
		if r.Number != i+1 || !r.Done && i != len(s.Rounds)-1 || r.Done && (r.Games == nil || r.Training == nil ||
			r.Verdict == nil) {
			return nil, fmt.Errorf("%s is damaged: round %d does not follow", stateName, r.Number)
		}
	}
	return s, nil
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
