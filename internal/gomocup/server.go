package gomocup

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/option"
)

// DefaultNodes is the budget of a move where neither the client nor the options
// set any limit: playouts for a tree search.
const DefaultNodes = 800

// defaultQuick is the Options.Quick that zero means.
const defaultQuick = 16

// Options configure a Server. The zero value works.
type Options struct {
	Nodes   int         // of a move for which the client set no limit; 0: DefaultNodes
	Depth   int         // plies to look ahead at most where the client names no number; 0: no bound
	Quick   int         // nodes of a move that is wanted as fast as possible; 0: 16
	Threads int         // as many as clients may ask for; 0: as many as there are cores
	Memory  int64       // bytes, as many as clients may ask for; 0: what the machine has
	Seed    uint64      // of the limits of every move
	Name    string      // in the answer to ABOUT; "": CaroZero
	Version string      // likewise
	Time    engine.Time // nil: engine.SystemTime
}

// Server answers one client.
type Server struct {
	open Open
	opts Options
}

// New returns a Server that has the engines of open think. They must not be used
// by anything else while Run runs, and are not closed.
func New(open Open, opts Options) *Server {
	const assumedMemory = 2 << 30 // of a machine that tells nothing
	opts.Nodes = cmp.Or(opts.Nodes, DefaultNodes)
	opts.Quick = cmp.Or(opts.Quick, defaultQuick)
	opts.Threads = cmp.Or(opts.Threads, runtime.NumCPU())
	if opts.Memory == 0 {
		if opts.Memory = option.Machine(); opts.Memory == option.UnknownMemory {
			opts.Memory = assumedMemory
		}
	}
	opts.Name = cmp.Or(opts.Name, "CaroZero")
	if opts.Time == nil {
		opts.Time = engine.SystemTime{}
	}
	return &Server{open: open, opts: opts}
}

// After the end of the input the client may have gone: what is left to do
// is then done in a hurry, and dropped where even that takes too long.
const (
	lastSearch = 600 * time.Millisecond // after that, searches end at once
	lastAnswer = 750 * time.Millisecond // after that, nothing more is answered
)

// Run answers the commands of in on out until END, the end of in, or the end of ctx, all
// of which are no error; an error is one of reading or writing. An END that was written
// later than the command of a running search stops that, and the dialogue, without an
// answer. Otherwise, and after the end of in, all that was said is answered, as far as
// that can be done within a second, what opening engines takes left out; the searches get
// the first 600 ms of it. So a dialogue that is piped in as a whole may go another way on
// a slower machine.
//
// Run joins its goroutines, with one exception: if ctx ends, or out fails,
// while in.Read blocks, the goroutine that reads ends with that Read.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := &dialogue{
		session: newSession(s.open, s.opts, &output{w: out}),
		queue:   newQueue(s.opts.Time),
		clock:   s.opts.Time,
	}
	go d.queue.read(ctx, in)
	return d.run(ctx)
}

// dialogue connects a session with its input. It alone starts goroutines.
type dialogue struct {
	session *session
	queue   *queue
	clock   engine.Time
	stopped int // number of the last YXSTOP that has ended a search

	opening time.Duration // what opening engines took after the end of the input
}

func (d *dialogue) run(ctx context.Context) error {
	for {
		l, ok := d.next(ctx)
		if !ok {
			break
		}
		var j *job
		d.open(func() { j = d.session.handle(l) })
		if j != nil && !d.work(ctx, j, l) {
			return nil
		}
		if err := d.session.out.failure(); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return d.queue.failure()
}

// next returns the line to handle next, and false if there is none
// to come.
func (d *dialogue) next(ctx context.Context) (line, bool) {
	for ctx.Err() == nil {
		l, ok, said := d.queue.next()
		if said.closed && (!ok || d.clock.Now().Sub(said.at) >= d.opening+lastAnswer) {
			break
		}
		prepared := false
		switch {
		case ok && l.number <= d.stopped && parseCommand(l.text).verb == "YXSTOP": // it has ended a search
		case ok:
			return l, true
		default:
			if d.open(func() { prepared = d.session.prepare() }); !prepared {
				d.wait(ctx)
			}
		}
	}
	return line{}, false
}

// open does what may open an engine, and leaves what it takes out of the last second.
func (d *dialogue) open(do func()) {
	began := d.clock.Now()
	do()
	if said := d.queue.latest(); said.closed {
		if said.at.After(began) {
			began = said.at
		}
		d.opening += d.clock.Now().Sub(began)
	}
}

// wait returns when something was said, and at the end of ctx. Until then the engine
// settles what its settings have left to do, and ponders, if there is something to
// think about.
func (d *dialogue) wait(ctx context.Context) {
	board, engine := d.session.pondered(), d.session.engine
	idle, cancel := context.WithCancel(ctx)
	var background sync.WaitGroup
	background.Go(func() {
		if settler, ok := engine.(Settler); ok {
			settler.Settle(idle)
		}
		if engine != nil && board != nil {
			engine.Ponder(idle, board)
		}
	})
	select {
	case <-d.queue.changed:
	case <-ctx.Done():
	}
	cancel()
	background.Wait()
}

// work runs the job that a line led to, and applies its result. It ends the job on a
// YXSTOP that came after that line and some time after the end of the input. It returns
// false, with nothing applied, on an END that came in a later read, and at the end of ctx.
func (d *dialogue) work(ctx context.Context, j *job, l line) bool {
	search, cancel := context.WithCancel(ctx)
	defer cancel()
	if !j.end.IsZero() {
		limited, release := d.clock.WithDeadline(search, j.end)
		defer release()
		search = limited
	}
	result := make(chan func(), 1)
	go func() { result <- j.run(search) }()
	var late <-chan struct{}
	for hurried := false; ; {
		said := d.queue.latest()
		switch {
		case said.ended > l.read:
			cancel()
		case said.stop > l.number:
			d.stopped, d.session.yixin = said.stop, true
			cancel()
		case said.closed && !hurried:
			last, release := d.clock.WithDeadline(ctx, said.at.Add(d.opening+lastSearch))
			defer release()
			late, hurried = last.Done(), true
		}
		select {
		case apply := <-result:
			if ctx.Err() != nil || d.queue.latest().ended > l.read {
				return false
			}
			apply()
			return true
		case <-d.queue.changed:
		case <-late:
			late = nil
			cancel()
		}
	}
}

// longestLine is the most that is kept of a line, in bytes; no command is as
// long.
const longestLine = 4096

// queue holds the lines that were read and not yet handled. Reading never waits
// for what takes them, so that END, YXSTOP and the end of the input are seen
// behind any number of lines.
type queue struct {
	clock   engine.Time
	changed chan struct{} // holds a token if something was said that next has not returned

	mu    sync.Mutex
	lines []line
	count int // lines read
	said  said
	err   error // of reading
}

// said is what a client has said that does not wait for its turn.
type said struct {
	ended  int       // number of the read that END came in; 0: none
	stop   int       // number of the last YXSTOP; 0: none
	closed bool      // the input, or the dialogue by END, has ended
	at     time.Time // since when, if it is
}

func newQueue(clock engine.Time) *queue {
	return &queue{clock: clock, changed: make(chan struct{}, 1)}
}

// read takes in lines until the end of the input, an END, or the end of ctx; empty ones are
// left out.
func (q *queue) read(ctx context.Context, in io.Reader) {
	counted := &countedReads{in: in}
	lines := bufio.NewScanner(disk.Text(counted))
	lines.Buffer(nil, 4*longestLine)
	lines.Split(splitLines())
	for ctx.Err() == nil {
		if !lines.Scan() {
			q.change(func() { q.err, q.said.closed, q.said.at = lines.Err(), true, q.clock.Now() })
			return
		}
		if text := lines.Text(); text != "" && q.put(text, counted.n) {
			return
		}
	}
}

// splitLines returns what splits a text into lines that end with LF, CR or both. Of a line
// that is too long it returns no more than tells that.
func splitLines() bufio.SplitFunc {
	rest := false // of a line that is too long
	return func(data []byte, ended bool) (int, []byte, error) {
		end := bytes.IndexAny(data, "\r\n")
		switch {
		case end < 0 && (!ended && len(data) <= longestLine || len(data) == 0):
			return 0, nil, nil // more is to come
		case end < 0 && rest:
			return len(data), nil, nil
		case end < 0:
			rest = len(data) > longestLine
			return len(data), data, nil
		case rest:
			rest = false
			return end + 1, nil, nil
		}
		return end + 1, data[:end], nil
	}
}

// countedReads counts the reads that returned something: what a client writes at once comes
// in one, unless it is long.
type countedReads struct {
	in io.Reader
	n  int
}

// Read implements io.Reader.
func (r *countedReads) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	if n > 0 {
		r.n++
	}
	return n, err
}

// put adds a line that came in a read of a number, and reports whether it is an END.
func (q *queue) put(text string, read int) (end bool) {
	l := line{text: text, read: read, arrival: q.clock.Now()}
	if l.broken = len(text) > longestLine; l.broken {
		l.text = text[:longestLine]
	}
	verb := parseCommand(text).verb
	end = verb == "END" && !l.broken
	q.change(func() {
		if end {
			q.said.ended, q.said.closed, q.said.at = read, true, l.arrival
			return
		}
		q.count++
		l.number = q.count
		q.lines = append(q.lines, l)
		if verb == "YXSTOP" {
			q.said.stop = l.number
		}
	})
	return end
}

// change does something to the queue and leaves a token.
func (q *queue) change(do func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	do()
	select {
	case q.changed <- struct{}{}:
	default:
	}
}

// next returns the next line, if there is one, with what does not wait. If there is no line,
// that is all that was said so far, and changed is empty.
func (q *queue) next() (l line, ok bool, now said) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.lines) == 0 {
		select {
		case <-q.changed:
		default:
		}
		return line{}, false, q.said
	}
	l, q.lines = q.lines[0], q.lines[1:]
	return l, true, q.said
}

// latest returns what was said that does not wait.
func (q *queue) latest() said {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.said
}

// failure returns the error that ended the reading, nil for the end of the input.
func (q *queue) failure() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.err
}

// output writes lines, each at once and whole, so that a client sees an answer
// as soon as it is there. It is safe for concurrent use.
type output struct {
	mu  sync.Mutex
	w   io.Writer
	err error // the first one; nothing is written after it
}

// printf writes one line.
func (o *output) printf(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		_, o.err = io.WriteString(o.w, fmt.Sprintf(format, args...)+"\n")
	}
}

// errorf writes an ERROR line.
func (o *output) errorf(format string, args ...any) {
	o.printf("ERROR %s", strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " "))
}

// failure returns the error of the first line that could not be written.
func (o *output) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
