package cluster

import (
	"fmt"
	"regexp"

	"github.com/carozero/carozero/selfplay/samples"
)

// Limits on what a peer may send. Honest peers stay far below.
const (
	maxMessage = 128 << 10 // bytes of a message; the embedded server rejects larger ones
	maxControl = 16 << 10  // bytes of a message that is neither a hello nor a part of a result
	maxPart    = 120 << 10 // bytes of a result in one message; larger results are split
	maxRead    = 64 << 10  // bytes of a configuration or a network in one answer
	maxResult  = 8 << 20   // bytes of a result, compressed
	maxParcel  = 32 << 20  // bytes of a result, decompressed
	maxRoom    = 1 << 16   // games that a worker may request
	maxHolding = 3500      // games that a worker may have, so that its hello fits into a message
	maxDealt   = 256       // tasks in an answer
)

var (
	groupPattern   = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,40}$`)
	namePattern    = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,39}$`)
	sessionPattern = regexp.MustCompile(`^[a-zA-Z0-9]{22,40}$`)
)

// CheckName returns an error if name cannot be the name of a worker.
func CheckName(name string) error {
	if !namePattern.MatchString(name) {
		return fmt.Errorf("%.60q: want up to 40 letters, digits, '-', '_' and '.', the first a letter or digit", name)
	}
	return nil
}

// CheckGroup returns an error if name cannot be the name of a cluster.
func CheckGroup(name string) error {
	if !groupPattern.MatchString(name) {
		return fmt.Errorf("%.60q: want up to 40 letters, digits, '-' and '_'", name)
	}
	return nil
}

// group makes the names of one cluster's subjects and buckets.
type group string

func (g group) hello(session string) string { return fmt.Sprintf("carozero.%s.hello.%s", g, session) }
func (g group) status(session string) string {
	return fmt.Sprintf("carozero.%s.status.%s", g, session)
}
func (g group) read(session string) string { return fmt.Sprintf("carozero.%s.read.%s", g, session) }
func (g group) of(session, verb string) string {
	return fmt.Sprintf("carozero.%s.%s.%s", g, session, verb)
}
func (g group) all() string       { return fmt.Sprintf("carozero.%s.*.*", g) }
func (g group) news() string      { return fmt.Sprintf("carozero.%s.news", g) }
func (g group) stream() string    { return "carozero-" + string(g) + "-tasks" }
func (g group) tasks() string     { return "carozero-tasks." + string(g) }
func inbox(session string) string { return "_INBOX_" + session }

// Requests of a session.
const (
	verbDeal   = "deal"
	verbResult = "result"
	verbPart   = "part"
	verbBeat   = "beat"
	verbBye    = "bye"
)

// hello begins a session, or resumes one that the coordinator has forgotten.
type hello struct {
	Protocol int       `json:"protocol"`
	Name     string    `json:"name"`
	Version  string    `json:"version"`
	Commit   string    `json:"commit"`
	Planes   string    `json:"planes"`
	Model    string    `json:"model_sha256"`      // digest of the network file
	Config   string    `json:"config"`            // digest of the configuration
	Run      string    `json:"run"`               // digest of the run.json computed here
	Counted  beat      `json:"counted"`           // totals so far
	Holding  []holding `json:"holding,omitempty"` // tasks in progress
}

// holding is a task that a worker says it has.
type holding struct {
	ID    int   `json:"id"`
	Games []int `json:"games"`
}

// read asks for the current configuration, or for a piece of an object. It needs no
// session.
type read struct {
	Object string `json:"object,omitempty"` // digest of a configuration or a network; "": ask for the current configuration's digest
	From   int64  `json:"from,omitempty"`   // offset of the piece
}

// answer is the answer to every request except status.
type answer struct {
	Refused string `json:"refused,omitempty"` // why; no further request will be answered
	Failed  string `json:"failed,omitempty"`  // a temporary error; ask again

	Beat  float64 `json:"beat,omitempty"`  // of hello: seconds between beats
	Tasks []Task  `json:"tasks,omitempty"` // of deal
	Wait  string  `json:"wait,omitempty"`  // of deal: why there are no tasks now

	From  int  `json:"from,omitempty"`  // of part: bytes of the result received
	Taken bool `json:"taken,omitempty"` // of part: the result is complete and on disk

	Current string `json:"current,omitempty"` // of read: digest of the current configuration, "" for none
	Data    []byte `json:"data,omitempty"`    // of read: the piece
	Size    int64  `json:"size,omitempty"`    // of read: bytes of the object
}

// Task is a range of game ids to be played.
type Task struct {
	ID      int              `json:"id"`
	Games   []int            `json:"games"`
	Network samples.PlayedBy `json:"network"`
}

// ask is the body of a deal request.
type ask struct {
	Room int `json:"room"` // games that it can take
}

// beat tells that a session is alive, and its totals so far.
type beat struct {
	UnderWay int   `json:"under_way"`
	Evals    int64 `json:"evals"`
	Hits     int64 `json:"cache_hits"`
	Nodes    int64 `json:"nodes"`
}
