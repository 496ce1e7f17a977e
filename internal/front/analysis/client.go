package analysis

import (
	"bytes"
	"encoding/json"
	"slices"
)

// Client is one peer of a service. Its lines are handled by one goroutine; answers
// come from any.
type Client struct {
	service *Service
	send    func(message any, passing bool)

	// Of the service's lock.
	tasks   map[*task]struct{} // without a final answer
	waiting waiting            // of them, those that nobody has begun
	busy    int                // of them, those under way
	ending  bool               // one of them was ended for another client
	served  uint64             // the turn at which the last one was taken
}

// Connect returns a new client. send is given every message to it: an [Answer], a
// [Problem], or the echo of an action, all of which have a JSON form. It may block,
// is called by several goroutines at a time, and may drop what is passing: answers
// on the way to a final one.
func (s *Service) Connect(send func(message any, passing bool)) *Client {
	return &Client{service: s, send: send, tasks: map[*task]struct{}{}}
}

// Handle does what a line says, which must not be longer than Limits.Line. Lines
// without anything on them are left out.
func (c *Client) Handle(line []byte) {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return
	}
	of, id, wrong := c.open(line)
	switch {
	case wrong != nil:
		c.problem(wrong)
	case of["action"] != nil: // known or not
		c.act(id, of, len(line))
	default:
		c.ask(id, of, len(line))
	}
}

// open reads a line as far as everything has it: an object with an id.
func (c *Client) open(line []byte) (of map[string]json.RawMessage, id string, wrong *Problem) {
	if line[0] != '{' {
		return nil, "", &Problem{Code: Malformed, Error: "want a JSON object on a line, found " + found(line)}
	}
	if err := json.Unmarshal(line, &of); err != nil {
		return nil, "", &Problem{Code: Malformed, Error: "want a JSON object on a line: " + err.Error()}
	}
	most := c.service.opts.Limits.ID
	switch {
	case !isText(of["id"], &id):
		return nil, "", &Problem{Code: Invalid, Error: `every line needs an "id", a string`, Field: "id"}
	case len(id) > most:
		return nil, "", &Problem{Code: TooBig, Error: "the id is too long", Field: "id"}
	}
	return of, id, nil
}

// ask takes in a query.
func (c *Client) ask(id string, of map[string]json.RawMessage, size int) {
	q, warnings, wrong := parseQuery(id, of, size, &c.service.opts)
	if wrong != nil {
		c.problem(wrong)
		return
	}
	for i := range warnings {
		c.problem(&warnings[i])
	}
	if err := c.service.accept(c, q); err != nil {
		c.problem(&Problem{Code: Busy, Error: err.Error(), ID: &id})
	}
}

// problem tells what is wrong.
func (c *Client) problem(p *Problem) { c.send(p, false) }

// answer gives an answer to a task.
func (c *Client) answer(t *task, a *Answer, passing bool) {
	a.ID, a.TurnNumber = t.query.ID, t.turn
	c.send(a, passing)
}

// drop gives the final answer to a task that nobody has begun.
func (c *Client) drop(t *task) {
	if t.query.job != nil {
		c.send(t.query.job.dropped(), false)
		return
	}
	c.answer(t, &Answer{NoResults: true}, false)
}

// terminate ends the tasks that are chosen; those that nobody has begun are
// answered here, in the order of arrival.
func (c *Client) terminate(chosen func(*task) bool) {
	waiting := c.service.terminate(c, chosen)
	slices.SortFunc(waiting, func(a, b *task) int { return int(int64(a.number) - int64(b.number)) })
	for _, t := range waiting {
		c.drop(t)
	}
}

// Wait returns when everything that was asked has its final answer, or the service
// is over.
func (c *Client) Wait() {
	s := c.service
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(c.tasks) > 0 && !s.over {
		s.wake.Wait()
	}
}

// Unanswered returns how many turns have no final answer yet.
func (c *Client) Unanswered() int {
	c.service.mu.Lock()
	defer c.service.mu.Unlock()
	return len(c.tasks)
}

// Leave ends all that the client has asked; what is told of it goes to send as
// ever.
func (c *Client) Leave() { c.terminate(func(*task) bool { return true }) }
