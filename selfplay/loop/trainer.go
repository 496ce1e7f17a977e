package loop

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/carozero/carozero/internal/support/procgroup"
)

// programOf returns the path of a command's program: relative ones are below the
// folder that it runs in, and names without a slash are looked up.
func programOf(folder, name string) (string, error) {
	if strings.ContainsAny(name, `/\`) && !filepath.IsAbs(name) {
		absolute, err := filepath.Abs(filepath.Join(folder, name))
		if err != nil {
			return "", err
		}
		name = absolute
	}
	return exec.LookPath(name)
}

// checkPrograms returns an error that names a command of the trainer that does
// not exist.
func (t *Trainer) checkPrograms() error {
	for _, c := range []struct {
		key   string
		words []string
	}{{"trainer.train", t.Train}, {"trainer.resume", t.Resume}, {"trainer.export", t.Export}} {
		if len(c.words) == 0 {
			continue
		}
		if _, err := programOf(t.Folder, c.words[0]); err != nil {
			return keyErrorf(c.key, "no such program: %w", err)
		}
	}
	return nil
}

// pipeGrace is how long the pipes of a program may stay open after it has exited.
const pipeGrace = 5 * time.Second

// errLimit is the cause of a context ended by the trainer's time limit.
var errLimit = errors.New("limit")

// runCommand runs a program in a folder and appends its output to log. When ctx ends, it
// kills the program and its children. Errors are one line.
func runCommand(ctx context.Context, folder string, words []string, log io.Writer) error {
	program, err := programOf(folder, words[0])
	if err != nil {
		return fmt.Errorf("no such program: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	said := &lastLine{}
	cmd := exec.Command(program, words[1:]...)
	cmd.Dir, cmd.WaitDelay = folder, pipeGrace
	cmd.Stdout = io.MultiWriter(log, said)
	cmd.Stderr = cmd.Stdout
	ended := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // see procgroup.Group.Start
		defer runtime.UnlockOSThread()
		ended <- procgroup.Run(ctx, cmd)
	}()
	err = <-ended
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil {
		return fmt.Errorf("%s: %w%s", filepath.Base(program), err, said)
	}
	return nil
}

// lastLine is a writer that keeps the last non-blank line.
type lastLine struct {
	mu         sync.Mutex
	line, text []byte
}

// mostLine bounds a line that is kept, in bytes.
const mostLine = 300

// Write implements [io.Writer].
func (l *lastLine) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range p {
		switch {
		case b == '\n' || b == '\r':
			if len(strings.TrimSpace(string(l.line))) > 0 {
				l.text = append(l.text[:0], l.line...)
			}
			l.line = l.line[:0]
		case len(l.line) < mostLine:
			l.line = append(l.line, b)
		}
	}
	return len(p), nil
}

// String returns the line for the end of a message, "" if there is none.
func (l *lastLine) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := strings.TrimSpace(string(l.line))
	if text == "" {
		text = strings.TrimSpace(string(l.text))
	}
	if text == "" {
		return ""
	}
	return ": " + strings.ToValidUTF8(text, "?")
}

// train runs the trainer's commands for a round. An error that is not the
// context's says in one line why there is no candidate.
func (t *Trainer) run(ctx context.Context, a *assignment, logPath string) (err error) {
	limit := time.Duration(t.Limit)
	limited, cancel := context.WithTimeoutCause(ctx, limit, errLimit)
	defer cancel()
	log, err := os.OpenFile(logPath, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	first := t.Train
	if t.interrupted(a.out) {
		first = t.Resume
	} else if err := emptied(a.out); err != nil {
		return err
	}
	for _, words := range [][]string{first, t.Export} {
		if len(words) == 0 {
			continue
		}
		if words, err = a.expand(words); err != nil {
			return err
		}
		err = runCommand(limited, t.Folder, words, log)
		if errors.Is(err, errLimit) {
			return fmt.Errorf("it was ended at its limit of %v", limit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// interrupted reports whether a training was begun in out that can go on.
func (t *Trainer) interrupted(out string) bool {
	if len(t.Resume) == 0 || t.Checkpoint == "" {
		return false
	}
	info, err := os.Stat(filepath.Join(out, t.Checkpoint))
	return err == nil && info.Mode().IsRegular()
}

// emptied makes a directory and removes its contents.
func emptied(dir string) error {
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	return os.MkdirAll(dir, 0o777)
}
