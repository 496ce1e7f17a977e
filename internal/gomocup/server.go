package gomocup

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/carozero/carozero/internal/engine"
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
	if opts.Nodes == 0 {
		opts.Nodes = DefaultNodes
	}
	if opts.Quick == 0 {
		opts.Quick = defaultQuick
	}
	if opts.Threads == 0 {
		opts.Threads = runtime.NumCPU()
	}
	if opts.Memory == 0 {
		opts.Memory = machineMemory()
	}
	if opts.Memory == 0 {
		opts.Memory = assumedMemory
	}
	if opts.Name == "" {
		opts.Name = "CaroZero"
	}
	if opts.Time == nil {
		opts.Time = engine.SystemTime{}
	}
	return &Server{open: open, opts: opts}
}

// about returns the answer to ABOUT.
func (o *Options) about() string {
	return fmt.Sprintf("name=%q, version=%q, author=%q, country=%q", o.Name, o.Version, "the "+o.Name+" authors", "none")
}

// After the end of the input the client may have gone: what is left to do
// is then done in a hurry, and dropped where even that takes too long.
const (
	lastSearch = 600 * time.Millisecond // after that, searches end at once
	lastAnswer = 750 * time.Millisecond // after that, nothing more is answered
)

// Run answers the commands of in on out until END, the end of in, or the end of
// ctx, all of which are no error; an error is one of reading or writing. END
// stops a running search without an answer. After the end of in all
// that was said is answered, as far as that can be done within a second, what opening
// engines takes left out; the searches get the first 600 ms of it.
//
// Run joins its goroutines, with one exception: if ctx ends, or out fails,
// while in.Read blocks, the goroutine that reads ends with that Read.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := &dialogue{
		session: newSession(s.open, s.opts, &output{w: out}),
		inbox:   newInbox(s.opts.Time),
		clock:   s.opts.Time,
	}
	go d.inbox.read(ctx, in)
	return d.run(ctx)
}

// dialogue connects a session with its input.
type dialogue struct {
	session *session
	inbox   *inbox
	clock   engine.Time
	stopped int // number of the last YXSTOP that has ended a search

	spared time.Duration // after the end of the input, that no search and no answer took
}

func (d *dialogue) run(ctx context.Context) error {
	for {
		l, ok := d.next(ctx)
		if !ok {
			break
		}
		var j *job
		d.spare(func() { j = d.session.handle(l) })
		if j != nil && !d.work(ctx, j, l.number) {
			return nil
		}
		if err := d.session.out.failure(); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return d.inbox.failure()
}

// next returns the line to handle next, and false if there is none
// to come.
func (d *dialogue) next(ctx context.Context) (line, bool) {
	for ctx.Err() == nil {
		l, ok, n, lost := d.inbox.look()
		if n.end || n.closed && (!ok || d.clock.Now().Sub(n.at) >= d.spared+lastAnswer) {
			break
		}
		if lost > 0 {
			d.session.out.errorf("%d lines were lost; no more than %d MiB of them can wait", lost, d.inbox.most>>20)
		}
		prepared := false
		switch {
		case ok && l.number <= d.stopped && parseCommand(l.text).verb == "YXSTOP": // it has ended a search
		case ok:
			return l, true
		default:
			if d.spare(func() { prepared = d.session.prepare() }); !prepared {
				d.wait(ctx)
			}
		}
	}
	return line{}, false
}

// spare does what may open an engine, and leaves out of the last second what it takes.
func (d *dialogue) spare(do func()) {
	began := d.clock.Now()
	do()
	if n := d.inbox.latest(); n.closed {
		if n.at.After(began) {
			began = n.at
		}
		d.spared += d.clock.Now().Sub(began)
	}
}

// wait returns when there is news, and at the end of ctx. Until then the engine
// settles what its settings have left to do, and ponders, if there is something to
// think about.
func (d *dialogue) wait(ctx context.Context) {
	defer d.idle(ctx)()
	select {
	case <-d.inbox.changed:
	case <-ctx.Done():
	}
}

// idle has the engine settle and ponder in the background, as far as there is
// something to do, and returns the function that ends that and waits for it.
func (d *dialogue) idle(ctx context.Context) (quiet func()) {
	board, engine := d.session.pondered(), d.session.engine
	settler, settles := engine.(Settler)
	if engine == nil || board == nil && !settles {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		if settles {
			settler.Settle(ctx)
		}
		if board != nil {
			engine.Ponder(ctx, board)
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// work runs the job that the line of a number led to, and applies its result. It
// ends the job on a YXSTOP that came after that line and some time after the end
// of the input. It returns false, with nothing applied, on END and at the end of
// ctx.
func (d *dialogue) work(ctx context.Context, j *job, number int) bool {
	outer := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	limited, release := ctx, context.CancelFunc(func() {})
	if !j.end.IsZero() {
		limited, release = d.clock.WithDeadline(ctx, j.end)
	}
	defer release()
	result := make(chan func(), 1)
	go func() { result <- j.run(limited) }()
	var hurry context.Context
	var late <-chan struct{}
	for {
		n := d.inbox.latest()
		switch {
		case n.end:
			cancel()
		case n.stop > number:
			d.stopped, d.session.yixin = n.stop, true
			cancel()
		case n.closed && hurry == nil:
			hurry, release = d.clock.WithDeadline(ctx, n.at.Add(d.spared+lastSearch))
			defer release()
			late = hurry.Done()
		}
		select {
		case apply := <-result:
			if outer.Err() != nil || d.inbox.latest().end {
				return false
			}
			apply()
			return true
		case <-d.inbox.changed:
		case <-late:
			late = nil
			cancel()
		}
	}
}

// longestLine is the most that is kept of a line, in bytes; no command is as
// long.
const longestLine = 4096

// mostWaiting bounds the memory of the lines that wait, in bytes: some 300,000
// lines of a usual length. What is sent beyond that is lost, apart from END and
// YXSTOP, and a message says how much.
const mostWaiting = 32 << 20

// lineBytes is what a line that waits takes beside its text.
const lineBytes = 96

// inbox holds the lines that were read and not yet handled. Reading never waits
// for what reads from it, so that END, YXSTOP and the end of the input are seen
// behind any number of lines.
type inbox struct {
	clock   engine.Time
	most    int           // bytes of lines
	changed chan struct{} // holds a token if there is news that look has not told

	mu    sync.Mutex
	lines []line
	bytes int // of lines
	count int // lines read
	lost  int // lines dropped since look last told
	news  news
	err   error // of reading
}

// news is what a client has said that does not wait for its turn.
type news struct {
	end    bool      // END
	stop   int       // number of the last YXSTOP; 0: none
	closed bool      // the input has ended
	at     time.Time // since when, if it is
}

func newInbox(clock engine.Time) *inbox {
	return &inbox{clock: clock, most: mostWaiting, changed: make(chan struct{}, 1)}
}

// read takes in lines until the end of the input, an END, or the end of ctx.
// Lines end with LF, CR or both; empty ones are left out.
func (b *inbox) read(ctx context.Context, in io.Reader) {
	r := bufio.NewReader(in)
	for ctx.Err() == nil {
		l, err := readLine(r)
		if l.text != "" && b.put(l) {
			return
		}
		if err != nil {
			b.close(err)
			return
		}
	}
}

// put adds a line and reports whether it is an END.
func (b *inbox) put(l line) (end bool) {
	verb := ""
	if !l.broken {
		verb = parseCommand(l.text).verb
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count++
	l.number, l.arrival = b.count, b.clock.Now()
	switch verb {
	case "END":
		b.news.end = true
	case "YXSTOP":
		b.news.stop = l.number
	}
	if size := len(l.text) + lineBytes; b.bytes+size <= b.most {
		b.bytes += size
		b.lines = append(b.lines, l)
	} else {
		b.lost++
	}
	b.tell()
	return b.news.end
}

// close notes the end of the input.
func (b *inbox) close(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err != io.EOF {
		b.err = err
	}
	b.news.closed, b.news.at = true, b.clock.Now()
	b.tell()
}

// tell leaves a token; the lock is held.
func (b *inbox) tell() {
	select {
	case b.changed <- struct{}{}:
	default:
	}
}

// look returns the next line, if there is one, with the news and the number of
// lines lost since the last call. If there is no line, all that was told so far
// is in the news, and changed is empty.
func (b *inbox) look() (l line, ok bool, n news, lost int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	lost, b.lost = b.lost, 0
	if len(b.lines) == 0 {
		select {
		case <-b.changed:
		default:
		}
		return line{}, false, b.news, lost
	}
	l = b.lines[0]
	b.lines[0] = line{}
	b.lines = b.lines[1:]
	b.bytes -= len(l.text) + lineBytes
	return l, true, b.news, lost
}

// latest returns the news.
func (b *inbox) latest() news {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.news
}

// failure returns the error that ended the reading, nil for the end of the input.
func (b *inbox) failure() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// readLine returns the next line without its end, which may be missing at the
// end of the input.
func readLine(r *bufio.Reader) (line, error) {
	var text []byte
	for n := 0; ; {
		if _, err := r.Peek(1); err != nil {
			return line{text: string(text), broken: n > longestLine}, err
		}
		part, _ := r.Peek(r.Buffered())
		end := bytes.IndexByte(part, '\n')
		if end >= 0 {
			part = part[:end]
		}
		if i := bytes.IndexByte(part, '\r'); i >= 0 {
			part, end = part[:i], i
		}
		n += len(part)
		text = append(text, part[:min(len(part), longestLine-len(text))]...)
		if end >= 0 {
			_, err := r.Discard(end + 1)
			return line{text: string(text), broken: n > longestLine}, err
		}
		if _, err := r.Discard(len(part)); err != nil {
			return line{}, err
		}
	}
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
