package gomocup

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/procgroup"
)

// grace is how long a program may take to end after END, and its pipes after
// its death.
const grace = time.Second

// longestAnswer bounds a line of a program, in bytes.
const longestAnswer = 1 << 16

// process is a running program. One goroutine reads its output; the others'
// methods belong to one goroutine, but for kill.
type process struct {
	name   string
	cmd    *exec.Cmd
	group  procgroup.Group
	stdin  io.WriteCloser
	stdout io.ReadCloser
	stderr *tail
	lines  chan string   // closed at the end of the output
	done   chan struct{} // closed when lines are no longer received
	broken error         // why no more lines are read, nil at their end; set when lines is closed
	exited chan struct{} // closed when the program has ended; cmd.ProcessState is set
	close  sync.Once
}

// startProcess starts a program, its name and its arguments.
func startProcess(command []string) (*process, error) {
	c := &process{
		name:   filepath.Base(command[0]),
		cmd:    exec.Command(command[0], command[1:]...),
		stderr: &tail{},
		lines:  make(chan string),
		done:   make(chan struct{}),
		exited: make(chan struct{}),
	}
	c.cmd.Stderr = c.stderr
	c.cmd.WaitDelay = grace
	var err error
	if c.stdin, err = c.cmd.StdinPipe(); err == nil {
		c.stdout, err = c.cmd.StdoutPipe()
	}
	if err == nil {
		err = c.group.Start(c.cmd)
	}
	if err != nil {
		return nil, fmt.Errorf("%s could not be started: %w", c.name, err)
	}
	go c.read()
	return c, nil
}

// read hands out the program's lines and then waits for its end.
func (c *process) read() {
	defer close(c.exited)
	c.scan(c.stdout)
	_, _ = io.Copy(io.Discard, c.stdout)
	_ = c.cmd.Wait()
}

// scan hands out the lines of r and closes their channel.
func (c *process) scan(r io.Reader) {
	defer close(c.lines)
	scanner := bufio.NewScanner(disk.Text(r))
	scanner.Buffer(nil, longestAnswer)
	for scanner.Scan() {
		select {
		case c.lines <- scanner.Text():
		case <-c.done:
		}
	}
	if errors.Is(scanner.Err(), bufio.ErrTooLong) {
		c.broken = fmt.Errorf("%s wrote a line of more than %d bytes", c.name, longestAnswer)
	}
}

// send writes lines to the program. If ctx ends while the program does not
// read, the program is killed.
func (c *process) send(ctx context.Context, lines ...string) error {
	stop := context.AfterFunc(ctx, c.kill)
	defer stop()
	if _, err := io.WriteString(c.stdin, strings.Join(lines, "\n")+"\n"); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return c.death(ctx)
	}
	return nil
}

// errSilent is returned by receive when its own limit is over.
var errSilent = errors.New("no answer")

// receive returns the program's next line. A limit that ends first is errSilent;
// a nil one never does.
func (c *process) receive(ctx context.Context, limit <-chan time.Time) (string, error) {
	select {
	case line, ok := <-c.lines:
		if !ok && c.broken != nil {
			return "", c.broken
		}
		if !ok {
			return "", c.death(ctx)
		}
		return strings.TrimSpace(line), nil
	case <-limit:
		return "", errSilent
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// death describes the end of a program that has ended its output.
func (c *process) death(ctx context.Context) error {
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-c.exited:
		return fmt.Errorf("%s ended (%v)%s", c.name, c.cmd.ProcessState, c.stderr.last())
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return fmt.Errorf("%s closed its standard input or output%s", c.name, c.stderr.last())
	}
}

// kill ends the program and all that it started. It may be called at any time
// by any goroutine.
func (c *process) kill() { c.group.Kill() }

// stop asks the program to end and kills it if it does not. It returns when
// the program is gone and nothing of it is read any more.
func (c *process) stop() {
	c.close.Do(func() {
		close(c.done)
		ctx, cancel := context.WithTimeout(context.Background(), grace)
		defer cancel()
		stop := context.AfterFunc(ctx, c.kill)
		_, _ = io.WriteString(c.stdin, "END\n")
		_ = c.stdin.Close()
		select {
		case <-c.exited:
		case <-ctx.Done():
		}
		stop()
		c.kill()
		timer := time.AfterFunc(grace, func() { _ = c.stdout.Close() })
		<-c.exited
		timer.Stop()
		c.group.Release()
	})
}

// mostTail is how much of a program's error output is kept, in bytes.
const mostTail = 300

// tail keeps the end of what is written to it. It is safe for concurrent use.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if extra := len(t.text) - mostTail; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(p), nil
}

// last returns the last line that was written, for the end of a message.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	if text := strings.TrimSpace(lines[len(lines)-1]); text != "" {
		return fmt.Sprintf("; its last words were %q", text)
	}
	return ""
}
