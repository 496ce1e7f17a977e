package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// process is the program as a process, with what it says on standard error.
type process struct {
	*exec.Cmd
	said bytes.Buffer
}

func startProgram(t *testing.T, args []string) *process {
	t.Helper()
	p := &process{Cmd: program(args...)}
	p.Env = append(p.Env, "GOMAXPROCS=1")
	p.Stderr = &p.said
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// kept is a command that keeps what it has done, and how that is looked at.
type kept struct {
	name    string
	args    func(dir string) []string
	lock    string // its lock's file in dir
	content func(t *testing.T, dir string) string
}

// keptCommands are the three commands that keep what they have done, with input
// for the last.
func keptCommands(list string) []kept {
	rows := func(dir string) string { return filepath.Join(dir, "rows.jsonl") }
	journal := func(dir string) string { return filepath.Join(dir, "match.jsonl") }
	lines := func(path func(string) string) func(*testing.T, string) string {
		return func(t *testing.T, dir string) string {
			data, err := os.ReadFile(path(dir))
			if err != nil {
				t.Fatal(err)
			}
			all := strings.Split(string(data), "\n")
			slices.Sort(all)
			return strings.Join(all, "\n")
		}
	}
	return []kept{
		{
			name: "selfplay", lock: "run.lock",
			args: func(dir string) []string {
				return []string{"selfplay", "--model", "uniform", "--size", "7", "--playouts", "10", "--games", "24",
					"--games-per-shard", "4", "--workers", "1", "--out", dir, "--resume"}
			},
			content: func(t *testing.T, dir string) string {
				mustRun(t, "samples", "verify", dir)
				text := ""
				for _, name := range []string{"run.json", "shard-000000.msgpack.zst", "shard-000005.msgpack.zst"} {
					data, err := os.ReadFile(filepath.Join(dir, name))
					if err != nil {
						t.Fatal(err)
					}
					text += string(data)
				}
				return text
			},
		}, {
			name: "match", lock: "match.jsonl.lock",
			args: func(dir string) []string {
				return []string{"match", "--a", "mcts:playouts=10,model=uniform", "--b", "alphabeta:nodes=50,table=1", "--size",
					"7",
					"--rule", "freestyle", "--games", "20", "--workers", "1", "--journal", journal(dir)}
			},
			content: lines(journal),
		}, {
			name: "crosscheck", lock: "rows.jsonl.lock",
			args: func(dir string) []string {
				return []string{"crosscheck", "--input", list, "--mcts", "playouts=10,model=uniform", "--alphabeta",
					"nodes=300,table=1",
					"--deeper", "2", "--solver-nodes", "100", "--workers", "1", "--rows", rows(dir), "--resume"}
			},
			content: lines(rows),
		},
	}
}

// positionsFile returns a file of positions for a cross-check.
func positionsFile(t *testing.T) string {
	t.Helper()
	text := ""
	for column := range 15 {
		text += fmt.Sprintf("h8%c1\n", 'a'+column)
	}
	path := filepath.Join(t.TempDir(), "list.txt")
	writeFile(t, path, []byte(text))
	return path
}

// TestTwoProcesses lets two processes at once do the same work in one place,
// kills one of them half of the time, and lets another finish: each either does
// its work or learns who does it, and what is there in the end is what one
// process alone would have left.
func TestTwoProcesses(t *testing.T) {
	for _, c := range keptCommands(positionsFile(t)) {
		alone := t.TempDir()
		startedAlone := startProgram(t, c.args(alone))
		if err := startedAlone.Wait(); err != nil {
			t.Fatalf("%s: %v: %s", c.name, err, startedAlone.said.String())
		}
		want := c.content(t, alone)
		for try := range 2 {
			dir := t.TempDir()
			first, second := startProgram(t, c.args(dir)), startProgram(t, c.args(dir))
			killed := try%2 == 1
			if killed {
				killAtWork(t, first, filepath.Join(dir, c.lock))
			}
			for _, p := range []*process{first, second} {
				checkEnd(t, c.name, p, killed && p == first)
			}
			last := startProgram(t, c.args(dir))
			if err := last.Wait(); err != nil {
				t.Errorf("%s, try %d: the run cannot be finished: %v: %s", c.name, try, err, last.said.String())
				continue
			}
			if got := c.content(t, dir); got != want {
				t.Errorf("%s, try %d: not what one process leaves", c.name, try)
			}
			if _, err := os.Stat(filepath.Join(dir, c.lock)); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%s, try %d: the lock's file is left: %v", c.name, try, err)
			}
		}
	}
}

// killAtWork kills a process once somebody is at work, or lets it be if it is
// done before that is seen.
func killAtWork(t *testing.T, p *process, lock string) {
	t.Helper()
	for range 100_000 {
		if _, err := os.Stat(lock); err == nil {
			break
		}
	}
	if err := p.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
}

// checkEnd waits for a process, which may fail only because it was killed or
// because another has the lock.
func checkEnd(t *testing.T, name string, p *process, killed bool) {
	t.Helper()
	err := p.Wait()
	said := p.said.String()
	told := strings.Contains(said, " is in use by ") && strings.Count(said, "\n") == 1 &&
		p.ProcessState.ExitCode() == statusFailed
	if err != nil && !told && !killed {
		t.Errorf("%s: %v: %q", name, err, said)
	}
}
