package gomocup

import (
	"bufio"
	"cmp"
	"context"
	"errors"
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

// Options configure a dialogue. The zero value works.
type Options struct {
	Nodes   int         // of a move for which the client set no limit; 0: DefaultNodes
	Depth   int         // plies to look ahead at most where the client names no number; 0: no bound
	Quick   int         // nodes of a move that is wanted as fast as possible; 0: 16
	Threads int         // as many as clients may ask for; 0: as many as there are cores
	Memory  int64       // bytes, as many as clients may ask for; 0: what the machine has
	Seed    uint64      // of the limits of every move
	Version string      // in the answer to ABOUT
	Time    engine.Time // nil: engine.SystemTime
}

func (o Options) withDefaults() Options {
	const quick, assumedMemory = 16, 2 << 30 // of a machine that tells nothing
	o.Nodes, o.Quick = cmp.Or(o.Nodes, DefaultNodes), cmp.Or(o.Quick, quick)
	o.Threads = cmp.Or(o.Threads, runtime.NumCPU())
	if o.Memory == 0 {
		if o.Memory = option.Machine(); o.Memory == option.UnknownMemory {
			o.Memory = assumedMemory
		}
	}
	if o.Time == nil {
		o.Time = engine.SystemTime{}
	}
	return o
}

// lastSearch is how long a search may take, or go on, after the end of the input: the client
// may have gone.
const lastSearch = 600 * time.Millisecond

// Serve answers the commands of in on out until END, the end of in, or the end of ctx, all of
// which are no error; an error is one of reading or writing. The engines of open think; nothing
// else may use them meanwhile, and Serve does not close them. An END that was written later
// than the command of a running search stops that, and the dialogue, without an answer.
// Otherwise, and after the end of in, all that was said is answered, and each search ends
// after 600 ms.
//
// Serve joins its goroutines, with one exception: if ctx ends, or out fails, while in.Read
// blocks, the goroutine that reads ends with that Read.
func Serve(ctx context.Context, open Open, o Options, in io.Reader, out io.Writer) error {
	o = o.withDefaults()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := &dialogue{
		session: newSession(open, o, &output{w: out}),
		queue:   &queue{clock: o.Time, changed: make(chan struct{}, 1)},
		clock:   o.Time,
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
}

func (d *dialogue) run(ctx context.Context) error {
	for ctx.Err() == nil {
		l, ok, said := d.queue.next()
		switch {
		case ok && l.number <= d.stopped && parseCommand(l.text).verb == "YXSTOP": // it has ended a search
		case ok:
			if j := d.session.handle(l); j != nil && !d.work(ctx, j, l) {
				return nil
			}
			if err := d.session.out.failure(); err != nil {
				return err
			}
		case said.closed:
			return said.err
		case !d.session.prepare():
			d.wait(ctx)
		}
	}
	return nil
}

// wait returns when something was said, and at the end of ctx. Until then the engine
// ponders, if there is something to think about.
func (d *dialogue) wait(ctx context.Context) {
	idle, cancel := context.WithCancel(ctx)
	var background sync.WaitGroup
	if board := d.session.pondered(); board != nil {
		background.Go(func() { d.session.engine.Ponder(idle, board) })
	}
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
	began := d.clock.Now()
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
			if said.at.After(began) {
				began = said.at
			}
			last, release := d.clock.WithDeadline(ctx, began.Add(lastSearch))
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

// line is a line of input with the time at which it was read.
type line struct {
	text    string
	number  int // of the line, from 1
	read    int // number of the read of the input that it came in
	arrival time.Time
}

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
}

// said is what a client has said that does not wait for its turn.
type said struct {
	ended  int       // number of the read that END came in; 0: none
	stop   int       // number of the last YXSTOP; 0: none
	closed bool      // the input, or the dialogue by END, has ended
	at     time.Time // since when, if it is
	err    error     // that ended the input, nil for its end
}

// longestLine bounds a line, in bytes; no command is nearly as long. A longer one ends the input.
const longestLine = 1 << 16

// read takes in lines until the end of the input, an END, or the end of ctx; empty ones are
// left out.
func (q *queue) read(ctx context.Context, in io.Reader) {
	counted := &countedReads{in: in}
	lines := bufio.NewScanner(disk.Text(counted))
	lines.Buffer(nil, longestLine)
	for ctx.Err() == nil {
		if !lines.Scan() {
			err := lines.Err()
			if errors.Is(err, bufio.ErrTooLong) {
				err = fmt.Errorf("a line has more than %d bytes: want a command of the Gomocup protocol: %w", longestLine, err)
			}
			q.change(func() { q.said.closed, q.said.at, q.said.err = true, q.clock.Now(), err })
			return
		}
		if text := lines.Text(); text != "" && q.put(text, counted.n) {
			return
		}
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
	now, verb := q.clock.Now(), parseCommand(text).verb
	q.change(func() {
		if verb == "END" {
			q.said.ended, q.said.closed, q.said.at = read, true, now
			return
		}
		q.count++
		q.lines = append(q.lines, line{text: text, number: q.count, read: read, arrival: now})
		if verb == "YXSTOP" {
			q.said.stop = q.count
		}
	})
	return verb == "END"
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

// error writes an ERROR line.
func (o *output) error(err error) {
	o.printf("ERROR %s", strings.Join(strings.Fields(err.Error()), " "))
}

// failure returns the error of the first line that could not be written.
func (o *output) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
