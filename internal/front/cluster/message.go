package cluster

import (
	"fmt"
	"regexp"

	"github.com/carozero/carozero/selfplay/samples"
)

// Bounds on what a peer may send. Honest ones stay far below.
const (
	maxMessage = 128 << 10 // bytes of a message: the embedded server lets no larger one pass
	maxControl = 16 << 10  // bytes of a message that is neither a hello nor a part of a result
	maxPart    = 120 << 10 // bytes of a result in one message; larger ones go in parts
	maxRead    = 64 << 10  // bytes of a configuration or a network in one answer
	maxResult  = 8 << 20   // bytes of a result, compressed
	maxParcel  = 32 << 20  // bytes of a result, unfolded
	maxRoom    = 1 << 16   // games that a worker may ask for
	maxHolding = 3500      // games that a worker has at most, so that its hello fits into a message
	maxDealt   = 256       // tasks in an answer
)

var (
	groupPattern   = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,40}$`)
	namePattern    = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,39}$`)
	sessionPattern = regexp.MustCompile(`^[a-zA-Z0-9]{22,40}$`)
)

// CheckName returns an error for what cannot be the name of a worker.
func CheckName(name string) error {
	if !namePattern.MatchString(name) {
		return fmt.Errorf("%.60q: want up to 40 letters, digits, '-', '_' and '.', the first a letter or digit", name)
	}
	return nil
}

// CheckGroup returns an error for what cannot be the name of a cluster.
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

// What a session asks.
const (
	verbDeal   = "deal"
	verbResult = "result"
	verbPart   = "part"
	verbBeat   = "beat"
	verbBye    = "bye"
)

// hello is how a worker begins a session, and goes on with one that the coordinator has
// forgotten.
type hello struct {
	Protocol int       `json:"protocol"`
	Name     string    `json:"name"`
	Version  string    `json:"version"`
	Commit   string    `json:"commit"`
	Planes   string    `json:"planes"`
	Model    string    `json:"model_sha256"`      // digest of the network that it has opened
	Config   string    `json:"config"`            // digest of the configuration
	Run      string    `json:"run"`               // digest of the run.json that follows from it here
	Counted  beat      `json:"counted"`           // up to now
	Holding  []holding `json:"holding,omitempty"` // that is under way
}

// holding is a task that a worker says it has.
type holding struct {
	ID    int   `json:"id"`
	Games []int `json:"games"`
}

// read asks for what is played, or for a piece of it. It needs no hello before.
type read struct {
	Object string `json:"object,omitempty"` // digest of a configuration or a network; "": which configuration is the current one
	From   int64  `json:"from,omitempty"`   // bytes before the piece
}

// answer is what every request but a status gets.
type answer struct {
	Refused string `json:"refused,omitempty"` // why; nothing else will be answered
	Failed  string `json:"failed,omitempty"`  // what went wrong here; ask again

	Beat  float64 `json:"beat,omitempty"`  // of hello: seconds from one beat to the next
	Tasks []Task  `json:"tasks,omitempty"` // of deal
	Wait  string  `json:"wait,omitempty"`  // of deal: why there is nothing now

	From  int  `json:"from,omitempty"`  // of part: bytes of the result that are here
	Taken bool `json:"taken,omitempty"` // of part: the result is whole, and on disk

	Current string `json:"current,omitempty"` // of read: digest of the current configuration, "" while none is played
	Data    []byte `json:"data,omitempty"`    // of read: the piece
	Size    int64  `json:"size,omitempty"`    // of read: bytes of the object
}

// Task is games of a range of ids that are to be played.
type Task struct {
	ID      int              `json:"id"`
	Games   []int            `json:"games"`
	Network samples.PlayedBy `json:"network"`
}

// ask is what a worker says with deal.
type ask struct {
	Room int `json:"room"` // games that it can take
}

// beat is a sign of life, with what the session has counted so far.
type beat struct {
	UnderWay int   `json:"under_way"`
	Evals    int64 `json:"evals"`
	Hits     int64 `json:"cache_hits"`
	Nodes    int64 `json:"nodes"`
}
