package gomocup

import (
	"bufio"
	"context"
	"io"
)

// longestLine is the most that is kept of a line, in bytes; no command is as
// long.
const longestLine = 4096

// longestQueue is how many lines may wait for a job to end. When it is full,
// reading pauses.
const longestQueue = 4096

// Run answers the commands of in on out until END, the end of in, or the end of
// ctx, all of which are no error; an error is one of reading or writing. At the
// end of in a search that is under way is finished and answered; END stops it
// without an answer.
//
// Run joins its goroutines, with one exception: if ctx ends, or out fails,
// while in.Read blocks, the goroutine that reads ends with that Read.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	d := &dialogue{
		session: newSession(s.engine, s.opts, &output{w: out}),
		lines:   make(chan line),
		failed:  make(chan error, 1),
	}
	go func() {
		d.failed <- read(ctx, in, s.opts.Time, d.lines)
		close(d.lines)
	}()
	return d.run(ctx)
}

// dialogue connects a session with its input.
type dialogue struct {
	session *session
	lines   chan line // closed at the end of the input
	failed  chan error
	queue   []line // read while a job was under way
	ended   bool
}

func (d *dialogue) run(ctx context.Context) error {
	for !d.ended {
		l, ok := d.next(ctx)
		if !ok {
			break
		}
		if isEnd(l) {
			break
		}
		if j := d.session.handle(l); j != nil {
			d.work(ctx, j)
		}
		if err := d.session.out.failure(); err != nil {
			return err
		}
	}
	if d.ended || ctx.Err() != nil {
		return nil
	}
	select {
	case err := <-d.failed:
		return err
	default:
		return nil
	}
}

// next returns the line that is to be handled next, and false if there is none.
func (d *dialogue) next(ctx context.Context) (line, bool) {
	if len(d.queue) > 0 {
		l := d.queue[0]
		d.queue = d.queue[1:]
		return l, true
	}
	select {
	case l, ok := <-d.lines:
		return l, ok
	default:
		d.session.prepare()
	}
	defer d.ponder(ctx)()
	select {
	case l, ok := <-d.lines:
		return l, ok
	case <-ctx.Done():
		return line{}, false
	}
}

// ponder has the engine think in the background, if there is something to think
// about, and returns the function that ends that and waits for it.
func (d *dialogue) ponder(ctx context.Context) (quiet func()) {
	board := d.session.pondered()
	if board == nil {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		d.session.engine.Ponder(ctx, board)
	}()
	return func() {
		cancel()
		<-done
	}
}

// work runs a job and applies its result. Meanwhile it obeys YXSTOP and END and
// queues all other lines.
func (d *dialogue) work(ctx context.Context, j *job) {
	outer := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	limited, release := ctx, context.CancelFunc(func() {})
	if !j.end.IsZero() {
		limited, release = d.session.opts.Time.WithDeadline(ctx, j.end)
	}
	defer release()
	result := make(chan func(), 1)
	go func() { result <- j.run(limited) }()
	input := d.lines
	for {
		source := input
		if len(d.queue) >= longestQueue {
			source = nil
		}
		select {
		case apply := <-result:
			d.ended = d.ended || outer.Err() != nil
			if !d.ended {
				apply()
			}
			return
		case l, ok := <-source:
			switch {
			case !ok:
				input = nil
			case isEnd(l):
				d.ended = true
				input = nil
				cancel()
			case parseCommand(l.text).verb == "YXSTOP":
				d.session.yixin = true
				cancel()
			default:
				d.queue = append(d.queue, l)
			}
		}
	}
}

// isEnd reports whether a line ends the dialogue.
func isEnd(l line) bool { return !l.broken && parseCommand(l.text).verb == "END" }

// read sends the lines of in until its end, an END, or the end of ctx. Lines
// end with LF, CR or both; empty ones are left out.
func read(ctx context.Context, in io.Reader, clock Time, lines chan<- line) error {
	r := bufio.NewReader(in)
	for {
		l, err := readLine(r)
		if l.text != "" {
			l.arrival = clock.Now()
			select {
			case lines <- l:
			case <-ctx.Done():
				return nil
			}
			if isEnd(l) {
				return nil
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// readLine returns the next line without its end, which may be missing at the
// end of the input.
func readLine(r *bufio.Reader) (line, error) {
	var text []byte
	for n := 0; ; n++ {
		b, err := r.ReadByte()
		if err != nil || b == '\n' || b == '\r' {
			return line{text: string(text), broken: n > longestLine}, err
		}
		if n < longestLine {
			text = append(text, b)
		}
	}
}
