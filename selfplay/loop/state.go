package loop

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"time"

	"github.com/carozero/carozero/internal/support/outfile"
)

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
func (s *State) save(dir string) error { return saveJSON(filepath.Join(dir, stateName), s) }

// saveJSON writes a file atomically.
func saveJSON(path string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return outfile.WriteBytes(path, append(text, '\n'))
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
		return nil, fmt.Errorf("%s has version %d, want %d: go on with the program that began it", stateName, s.Version, stateVersion)
	}
	for i := range s.Rounds {
		r := &s.Rounds[i]
		if r.Number != i+1 || !r.Done && i != len(s.Rounds)-1 || r.Done && (r.Games == nil || r.Training == nil || r.Verdict == nil) {
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
