package analysis

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/nn"
)

// Action is what a line with a field "action" asks for.
type Action string

// The actions. Each is answered by its own fields, with some more.
const (
	QueryVersion Action = "query_version" // adds version and git_hash
	QueryModels  Action = "query_models"  // adds models: the networks that are open
	ClearCache   Action = "clear_cache"   // forgets results of networks

	QueryOpening  Action = "query_opening"  // adds openings: random moves after which the game is even
	QuerySwap2    Action = "query_swap2"    // adds moves or choice: the engine's part in the rule swap2
	QueryPosition Action = "query_position" // adds position: what there is to see at a turn of a game
	QueryBook     Action = "query_book"     // adds book: what the book says of a turn and of the moves there

	QueryCertificate Action = "query_certificate" // adds certificate: the proof that a side wins from a turn of a game

	// Terminate ends the turns of the queries whose id is terminateId, or of them
	// the turnNumbers; TerminateAll those of all queries. What nobody has begun is
	// answered without results before the echo, what is under way soon after with
	// what is known.
	Terminate    Action = "terminate"
	TerminateAll Action = "terminate_all"
)

// actions are all of them.
var actions = []Action{QueryVersion, QueryModels, ClearCache, QueryPosition, QueryBook, QueryCertificate, QueryOpening, QuerySwap2, Terminate, TerminateAll}

// act does an action of a line of so many bytes and echoes it.
func (c *Client) act(id string, of map[string]json.RawMessage, size int) {
	f := &fields{of: of}
	name := ""
	f.text("action", &name)
	if f.wrong == nil && !slices.Contains(actions, Action(name)) {
		var names []string
		for _, a := range actions {
			names = append(names, string(a))
		}
		f.fail("action", "unknown action %s: want one of %s", shown(name), strings.Join(names, ", "))
	}
	later := false
	if f.wrong == nil {
		later = c.do(id, Action(name), f, size)
	}
	if f.wrong != nil {
		f.wrong.ID = &id
		c.problem(f.wrong)
		return
	}
	if !later {
		c.send(of, false)
	}
}

// do does an action and adds to its fields, or puts it into the queue and returns
// true: its answer comes later then.
func (c *Client) do(id string, a Action, f *fields, size int) (later bool) {
	s := c.service
	switch a {
	case QueryOpening:
		c.queryOpening(id, f, size)
		return true
	case QuerySwap2:
		c.querySwap2(id, f, size)
		return true
	case QueryCertificate:
		c.queryCertificate(id, f, size)
		return true
	case QueryVersion:
		f.of["version"], f.of["git_hash"] = encoded(s.opts.Version), encoded(s.opts.Commit)
	case QueryModels:
		f.of["models"] = encoded(s.models())
	case ClearCache:
		if s.cache != nil {
			s.cache.Clear()
		}
	case QueryPosition:
		c.queryPosition(f)
	case QueryBook:
		c.queryBook(f)
	case Terminate, TerminateAll:
		c.end(a, f)
	}
	return false
}

// end does what terminate and terminate_all ask for.
func (c *Client) end(a Action, f *fields) {
	var id string
	if a == Terminate && !isText(f.of["terminateId"], &id) {
		f.fail("terminateId", "want the id of the queries to end, a string")
	}
	turns := f.wholes("turnNumbers", -1<<31, 1<<31)
	if f.wrong != nil {
		return
	}
	of := map[int]bool{}
	for _, n := range turns {
		of[int(n)] = true
	}
	some := f.has("turnNumbers")
	c.terminate(func(t *task) bool {
		return (a == TerminateAll || t.query.ID == id) && (!some || of[t.turn])
	})
}

// models describes the networks that were opened so far, the one for the usual
// rules among them if it can be opened; a query that needs it is told why not.
func (s *Service) models() []Model {
	o := &s.opts
	if v, err := games.NewVariant(games.VariantOptions{Game: o.Game, Rule: o.Rules, Size: o.Size, OpenRule: o.OpenRule}); err == nil {
		_, _ = s.nets.Net(v)
	}
	list := []Model{}
	for _, n := range s.nets.Opened() {
		list = append(list, Model{
			Name: n.Name, InternalName: n.Name, SHA256: n.SHA256,
			MaxBatchSize: nn.DefaultMaxBatch, Version: 1, UsingFP16: "false",
		})
	}
	return list
}

// encoded returns the JSON of something that has one.
func encoded(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("analysis: %v has no JSON form: %v", v, err)) // strings and lists of numbers have
	}
	return text
}
