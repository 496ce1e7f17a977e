package gomocup

import (
	"context"
	"io"
	"time"

	"github.com/carozero/carozero/internal/engine"
)

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
