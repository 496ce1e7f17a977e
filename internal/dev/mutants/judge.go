package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/carozero/carozero/internal/support/procgroup"
)

// judge runs tests against mutants. No file of the tree is changed: the go command
// reads the changed one in its place (-overlay).
type judge struct {
	root   string // of the module
	temp   string // a folder of its own
	self   string // this program, which limits the tests; see limited
	memory uint64 // in bytes, of a test's process
	suites []suite
	spare  spare

	cpu  []time.Duration // what each suite takes without a mutation; nil: not measured
	wall []time.Duration
}

// spare is how much more than without a mutation a test may take under one: so many
// times as much, and something beside. Processor time tells a loop without end also on
// a machine that has much else to do; the clock ends a test that waits.
type spare struct {
	factor    time.Duration
	cpu, wall time.Duration
}

var usualSpare = spare{factor: 4, cpu: 10 * time.Second, wall: 3 * time.Minute}

// measure runs the tests without a mutation. They must pass.
func (j *judge) measure(ctx context.Context) error {
	if j.cpu != nil {
		return nil
	}
	var cpus, walls []time.Duration
	for _, s := range j.suites {
		// The first build is not part of what the tests take.
		if out, _, err := j.test(ctx, suite{s.pkg, []string{"-run=^$"}}, "", time.Hour, time.Hour); err != nil {
			return j.broken(ctx, s, out, err)
		}
		start := time.Now()
		out, cpu, err := j.test(ctx, s, "", time.Hour, time.Hour)
		if err != nil {
			return j.broken(ctx, s, out, err)
		}
		cpus, walls = append(cpus, cpu), append(walls, time.Since(start))
	}
	j.cpu, j.wall = cpus, walls
	return nil
}

func (j *judge) broken(ctx context.Context, s suite, out []byte, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("the tests of %s fail without a mutation (%w): mend them first\n%s", s.pkg, err, out)
}

// Try runs the tests against a mutant until one fails, and says which.
func (j *judge) Try(ctx context.Context, m *Mutant, source []byte) (v Verdict, by string, err error) {
	if err := j.measure(ctx); err != nil {
		return "", "", err
	}
	overlay, err := j.overlay(m, source)
	if err != nil {
		return "", "", err
	}
	for i, s := range j.suites {
		out, _, err := j.test(ctx, s, overlay, j.spare.factor*j.cpu[i]+j.spare.cpu, j.spare.factor*j.wall[i]+j.spare.wall)
		var exit *exec.ExitError
		switch {
		case ctx.Err() != nil:
			return "", "", context.Cause(ctx)
		case err == nil:
			continue
		case !errors.As(err, &exit):
			return "", "", err
		case builds.Match(out):
			return Uncompilable, "", nil
		}
		return Killed, killer(out), nil
	}
	return Survived, "", nil
}

// builds is what the go command says of a package that does not compile.
var builds = regexp.MustCompile(`(?m)^FAIL\s.*\[build failed\]$`)

// killers match what ended the tests in their output, the most specific first. Without a
// name the match itself names it.
var killers = []struct {
	name string
	said *regexp.Regexp
}{
	{"time", regexp.MustCompile(`(?m)^panic: test timed out after`)},
	{"processor time", regexp.MustCompile(`(?m)^signal: killed|CPU time limit exceeded`)},
	{"memory", regexp.MustCompile(`(?m)^(?:fatal error|runtime): .*(?:out of memory|cannot allocate memory)`)},
	// Short of memory, Go's runtime may also fault itself, on its own stack.
	{"memory", regexp.MustCompile(`(?s)SIGSEGV: segmentation violation\n.*\ngoroutine 0 `)},
	{"", regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)},
	{"", regexp.MustCompile(`(?m)^(panic: .*)`)},
}

// killer returns what ended the tests: a test, or what ran out.
func killer(out []byte) string {
	for _, k := range killers {
		switch found := k.said.FindSubmatch(out); {
		case found == nil:
		case k.name == "":
			return string(found[1])
		default:
			return k.name
		}
	}
	return "exit status"
}

// overlay writes a mutant, and returns the overlay file for the go command.
func (j *judge) overlay(m *Mutant, source []byte) (string, error) {
	changed := filepath.Join(j.temp, "mutant.go")
	if err := os.WriteFile(changed, m.apply(source), 0o644); err != nil {
		return "", err
	}
	real := filepath.Join(j.root, filepath.FromSlash(m.File))
	text, err := json.Marshal(map[string]map[string]string{"Replace": {real: changed}})
	if err != nil {
		return "", err
	}
	name := filepath.Join(j.temp, "overlay.json")
	return name, os.WriteFile(name, text, 0o644)
}

// environment has property tests draw the same in every run, and write nothing into
// the tree. What they would take to find a smaller example is saved.
var environment = []string{"RAPID_SEED=1", "RAPID_NOFAILFILE=true", "RAPID_SHRINKTIME=1ms"}

// test runs a suite within limits and returns what it printed and the processor time
// that it took, building and linking included.
func (j *judge) test(ctx context.Context, s suite, overlay string, cpu, wall time.Duration) ([]byte, time.Duration, error) {
	limits := fmt.Sprintf("'%s' %s %d %d", j.self, limitedWord, j.memory, int64(cpu/time.Second))
	args := []string{"test", "-count=1", "-failfast", "-vet=off", "-pgo=off", "-ldflags=-w", "-exec=" + limits, "-timeout=" + wall.String()}
	if overlay != "" {
		args = append(args, "-overlay="+overlay)
	}
	args = append(append(args, "./"+s.pkg), s.args...)
	out := &tail{}
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = j.root, out, out, 10*time.Second
	cmd.Env = append(os.Environ(), environment...)
	cmd.Env = append(cmd.Env, "TMPDIR="+j.temp) // what killed tests leave goes with it
	// A test that not even its own timeout ends is ended with all that it started.
	ctx, cancel := context.WithTimeout(ctx, wall+2*j.spare.wall)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // see procgroup.Group.Start
		defer runtime.UnlockOSThread()
		ended <- procgroup.Run(ctx, cmd)
	}()
	err := <-ended
	var took time.Duration
	if cmd.ProcessState != nil {
		took = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return out.text, took, err
}

// tail keeps the end of what is written to it, so that a mutant may print without end.
type tail struct{ text []byte }

const mostTail = 1 << 20

// Write implements [io.Writer].
func (t *tail) Write(p []byte) (int, error) {
	t.text = append(t.text, p...)
	if len(t.text) > 2*mostTail {
		t.text = append(t.text[:0], t.text[len(t.text)-mostTail:]...)
	}
	return len(p), nil
}

// limitedWord is the first argument with which the go command has this program run
// the tests: limited MEMORY SECONDS PROGRAM ARGUMENT...
const limitedWord = "limited"

// runLimited is the program under that word.
func runLimited(args []string) error {
	if len(args) < 3 {
		return fmt.Errorf("want %s MEMORY SECONDS PROGRAM and its arguments", limitedWord)
	}
	bytes, err := strconv.ParseUint(args[0], 10, 64)
	if err != nil {
		return err
	}
	seconds, err := strconv.ParseUint(args[1], 10, 64)
	if err != nil {
		return err
	}
	return limited(bytes, seconds, args[2], args[3:])
}

// plain returns what an argument of -exec may not have in it.
func plain(path string) error {
	if strings.ContainsAny(path, "'\n") {
		return fmt.Errorf("%s: the path has a quotation mark in it", path)
	}
	return nil
}
