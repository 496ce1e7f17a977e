// Command mutants says which changes of a package its tests do not notice. It makes
// one small change after the other (a comparison turned round, a bound moved by one, a
// statement left out), runs the tests against each, and lists the changes that no
// test failed under: each is a line that could be wrong unnoticed.
//
//	make mutants PKG=./mcts SEED=1 COUNT=40
//	go run ./internal/dev/mutants -pkg ./mcts -seed 1 -count 40
//
// The seed decides which mutants are drawn. Those that do not compile are replaced by
// others. The package's own tests are run first and then, for what only callers assert,
// those that tests.txt names; -own leaves these out, since they link whole programs. A
// mutant under which the tests take several times the processor time or memory counts as
// killed.
//
// A journal keeps the verdicts. An interrupted run goes on from there; after a change of
// the tests the survivors are judged again, after a change of the package all mutants.
// Mutants that change nothing observable are listed in equivalent.txt with the reason. Tests that write files wait
// for the disk less with TMPDIR in memory, such as /dev/shm.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == limitedWord {
		fail(runLimited(os.Args[2:]))
	}
	var o options
	flag.StringVar(&o.pkg, "pkg", "", "package that is changed, as ./mcts")
	flag.Uint64Var(&o.seed, "seed", 1, "decides which mutants are drawn")
	flag.IntVar(&o.count, "count", 40, "how many mutants; 0: all")
	flag.StringVar(&o.at, "at", "", "all mutants of one line, FILE:LINE, in place of those that the seed draws")
	flag.StringVar(&o.tests, "run", "", "run only the tests that this matches, as go test -run: whether a new test kills")
	flag.BoolVar(&o.own, "own", false, "run the package's own tests only: quicker, and no more is killed than by all")
	flag.StringVar(&o.out, "out", filepath.FromSlash("runs/mutants"), "folder of the journals")
	flag.IntVar(&o.memory, "memory", 4096, "what a test may take, in MiB")
	flag.Float64Var(&o.least, "least", 93, "percent to kill, equivalents aside; below, the exit status is 1")
	flag.Parse()
	if flag.NArg() > 0 {
		fail(fmt.Errorf("%q: want flags only", flag.Args()))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	sum, err := run(ctx, o, os.Stderr)
	if err != nil {
		fail(err)
	}
	sum.print(os.Stdout)
	if sum.percent() < o.least {
		fail(fmt.Errorf("%.1f%% killed, want %g%%", sum.percent(), o.least))
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "mutants:", err)
	os.Exit(1)
}

// options are what a user asks for.
type options struct {
	pkg    string
	seed   uint64
	at     string
	tests  string // regular expression; "": all
	own    bool   // the package's own tests only
	count  int
	out    string
	memory int // MiB
	least  float64
}

func (o *options) check() error {
	switch {
	case o.pkg == "":
		return fmt.Errorf("-pkg: want a package, as ./mcts")
	case o.count < 0:
		return fmt.Errorf("-count: %d, want 0 for all, or more", o.count)
	case o.memory < 64 || o.memory > 1<<20:
		return fmt.Errorf("-memory: %d, want 64 to %d", o.memory, 1<<20)
	}
	return nil
}

// run judges mutants and prints each verdict.
func run(ctx context.Context, o options, progress io.Writer) (*summary, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	pkg, err := list(".", o.pkg)
	if err != nil {
		return nil, err
	}
	k, err := pkg.read()
	if err != nil {
		return nil, err
	}
	drawn := Shuffle(k.mutants, k.path, o.seed)
	if o.at != "" {
		if drawn, err = k.at(o.at); err != nil {
			return nil, err
		}
	}
	named, err := equivalents(equivalentList)
	if err != nil {
		return nil, fmt.Errorf("equivalent.txt: %w", err)
	}
	c, done, err := o.campaign(pkg.Module.Dir, k)
	if err != nil {
		return nil, err
	}
	defer done()
	c.named, c.progress = named, progress
	sum, err := c.run(ctx, drawn, o.count)
	if err != nil {
		return nil, err
	}
	sum.what, sum.of, sum.stale = fmt.Sprintf("%s, seed %d", k.path, o.seed), len(k.mutants), stale(k, named)
	return sum, nil
}

// campaign opens what is needed to judge a package's mutants; done closes it.
func (o *options) campaign(root string, k *pack) (c *campaign, done func(), err error) {
	run, err := suites(testsList, k.path)
	if err != nil {
		return nil, nil, fmt.Errorf("tests.txt: %w", err)
	}
	if o.own {
		run = run[:1]
	}
	if o.tests != "" {
		for i := range run {
			run[i].args = append(run[i].args, "-run="+o.tests)
		}
	}
	tests, err := digest(root, run)
	if err != nil {
		return nil, nil, err
	}
	self, err := os.Executable()
	if err == nil {
		err = plain(self)
	}
	if err != nil {
		return nil, nil, err
	}
	temp, err := os.MkdirTemp("", "carozero-")
	if err != nil {
		return nil, nil, err
	}
	journal, err := OpenJournal(filepath.Join(o.out, strings.ReplaceAll(k.path, "/", "-")+".jsonl"))
	if err != nil {
		_ = os.RemoveAll(temp)
		return nil, nil, err
	}
	done = func() { _ = errors.Join(journal.Close(), os.RemoveAll(temp)) }
	j := &judge{root: root, temp: temp, self: self, memory: uint64(o.memory) << 20, suites: run, spare: usualSpare}
	return &campaign{judge: j, journal: journal, pack: k, tests: tests}, done, nil
}
