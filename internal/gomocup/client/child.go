package client

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
)

// grace is how long a program may take to end after END, and its pipes after
// its death.
const grace = time.Second

// longestLine bounds a line of a program, in bytes.
const longestLine = 1 << 16

// child is a running program. One goroutine reads its output; the others'
// methods belong to one goroutine, but for kill.
type child struct {
	name   string
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	stderr *tail
	lines  chan string   // closed at the end of the output
	done   chan struct{} // closed when nobody receives lines any more
	exited chan struct{} // closed when the program has ended; cmd.ProcessState is set
	close  sync.Once
}

// start starts a program, its name and its arguments.
func start(command []string) (*child, error) {
	c := &child{
		name:   filepath.Base(command[0]),
		cmd:    exec.Command(command[0], command[1:]...),
		stderr: &tail{},
		lines:  make(chan string),
		done:   make(chan struct{}),
		exited: make(chan struct{}),
	}
	c.cmd.Stderr = c.stderr
	c.cmd.WaitDelay = grace
	group(c.cmd)
	var err error
	if c.stdin, err = c.cmd.StdinPipe(); err == nil {
		c.stdout, err = c.cmd.StdoutPipe()
	}
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("%s could not be started: %w", c.name, err)
	}
	go c.read()
	return c, nil
}

// read hands out the program's lines and then waits for its end.
func (c *child) read() {
	defer close(c.exited)
	scanner := bufio.NewScanner(c.stdout)
	scanner.Buffer(nil, longestLine)
	for scanner.Scan() {
		select {
		case c.lines <- scanner.Text():
		case <-c.done:
		}
	}
	close(c.lines)
	_, _ = io.Copy(io.Discard, c.stdout)
	_ = c.cmd.Wait()
}

// send writes lines to the program. If ctx ends while the program does not
// read, the program is killed.
func (c *child) send(ctx context.Context, lines ...string) error {
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
func (c *child) receive(ctx context.Context, limit <-chan time.Time) (string, error) {
	select {
	case line, ok := <-c.lines:
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
func (c *child) death(ctx context.Context) error {
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
func (c *child) kill() { killGroup(c.cmd) }

// stop asks the program to end and kills it if it does not. It returns when
// the program and the goroutine that reads are gone.
func (c *child) stop() {
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
	})
}
