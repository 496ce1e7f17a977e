package gomocup

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"sync"
	"time"

	"github.com/carozero/carozero/internal/engine"
)

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
