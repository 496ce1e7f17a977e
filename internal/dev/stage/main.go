// Command stage runs targets of make one after the other and prints at the end what
// each has cost: time, bytes fetched, bytes on the disk, and the memory of its
// largest process.
//
//	stage make build test-go+venv,test-train
//
// What a plus joins runs at once: a target that waits for a network, or keeps one core
// busy, beside one that computes on all. A comma joins targets that follow one another
// there. The first that fails ends the run, with its status, once what runs beside it
// is done.
package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"
)

// cost is what a target has taken.
type cost struct {
	target  string
	time    time.Duration
	fetched int64 // bytes that arrived from other machines meanwhile, -1 if unknown
	written int64 // bytes that the disk got fuller by, -1 if unknown
	memory  int64 // of the largest process in bytes, -1 if unknown
	err     error
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "stage: want the program make and its targets")
		os.Exit(2)
	}
	others := load()
	costs, err := run(os.Args[1], os.Args[2:], os.Stdout, os.Stderr)
	table(os.Stdout, costs)
	if cores := runtime.NumCPU(); others > float64(cores)/2 {
		fmt.Printf("The machine was busy before (load %.1f on %d cores): on an idle one this takes less time.\n", others, cores)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "stage:", err)
		os.Exit(1)
	}
}

// run makes the targets, and returns what those that were begun have taken.
func run(program string, stages []string, out, messages *os.File) ([]cost, error) {
	var costs []cost
	for _, stage := range stages {
		chains := strings.Split(stage, "+")
		made := make([][]cost, len(chains))
		var running sync.WaitGroup
		for i, chain := range chains {
			running.Go(func() { made[i] = follow(program, strings.Split(chain, ","), out, messages) })
		}
		running.Wait()
		group := slices.Concat(made...)
		costs = append(costs, group...)
		for _, c := range group {
			if c.err != nil {
				return costs, fmt.Errorf("%s: %w", c.target, c.err)
			}
		}
	}
	return costs, nil
}

// follow makes targets one after the other until one fails, and returns what those that
// were begun have taken.
func follow(program string, targets []string, out, messages *os.File) []cost {
	var costs []cost
	for _, target := range targets {
		costs = append(costs, one(program, target, out, messages))
		if costs[len(costs)-1].err != nil {
			break
		}
	}
	return costs
}

// one makes a target.
func one(program, target string, out, messages *os.File) cost {
	began, receivedBefore, usedBefore := time.Now(), received(), used()
	cmd := exec.Command(program, "--no-print-directory", target)
	cmd.Stdout, cmd.Stderr = out, messages
	err := cmd.Run()
	c := cost{target: target, time: time.Since(began), fetched: since(receivedBefore, received()), written: since(usedBefore, used()), memory: -1, err: err}
	if cmd.ProcessState != nil {
		c.memory = largest(cmd.ProcessState)
	}
	return c
}

// since returns by how much a counter has grown, -1 if it is unknown.
func since(before, after int64) int64 {
	if before < 0 || after < 0 {
		return -1
	}
	return max(after-before, 0)
}

// received returns how many bytes have arrived from other machines since the start
// of this one, -1 if the system does not tell.
func received() int64 {
	data, err := os.ReadFile("/proc/net/dev")
	if err != nil {
		return -1
	}
	var sum int64
	for line := range strings.Lines(string(data)) {
		name, counters, ok := strings.Cut(line, ":")
		var n int64
		if _, err := fmt.Sscan(counters, &n); ok && err == nil && strings.TrimSpace(name) != "lo" {
			sum += n
		}
	}
	return sum
}

// load returns how many processes wanted a core in the last minute on average, 0 if
// the system does not tell.
func load() float64 {
	var n float64
	if data, err := os.ReadFile("/proc/loadavg"); err == nil {
		_, _ = fmt.Sscan(string(data), &n)
	}
	return n
}

// table prints the costs.
func table(w io.Writer, costs []cost) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\nstage\ttime\tfetched\ton disk\tlargest process\t")
	for _, c := range costs {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t\n", c.target, seconds(c.time), size(c.fetched), size(c.written), size(c.memory))
	}
	t.Flush()
	fmt.Fprintln(w, "Bytes are counted for the whole machine; stages that ran at once share them.")
}

// seconds prints a time as minutes and seconds.
func seconds(d time.Duration) string {
	s := int(d.Round(time.Second) / time.Second)
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// size prints bytes as megabytes.
func size(n int64) string {
	if n < 0 {
		return "-"
	}
	return fmt.Sprintf("%d MB", (n+500_000)/1_000_000)
}
