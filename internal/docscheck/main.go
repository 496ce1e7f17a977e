// Command docscheck runs the commands that documents show, each document's in a new
// folder, and compares what they print with what the documents say they print.
//
//	docscheck -program bin/carozero README.md docs/*.md
//
// Times, rates, dates, versions and the widths of columns may differ. A block of
// commands can have lines above it that readers do not see:
//
//	<!-- docs: before: COMMAND -->   makes what the block needs
//	<!-- docs: varies: REGEXP -->    what matches may differ as well
//	<!-- docs: not run: REASON -->   the commands take too long, or need a server
//
// Of commands that are not run, and of those in blocks marked as sh, which show no
// output, the flags are looked up. With -renew the documents are written anew with
// what was printed. The exit status is 1 if anything differs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"time"
)

func main() {
	program := flag.String("program", "bin/carozero", "the program that the commands run")
	renew := flag.Bool("renew", false, "write what was printed into the documents")
	limit := flag.Duration("limit", 15*time.Minute, "how long a command may take")
	words := flag.Int("words", 0, "the most words that the documents may have together; 0 for any number")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, checker{program: *program, limit: *limit, out: os.Stdout}, flag.Args(), *renew, *words); err != nil {
		fmt.Fprintln(os.Stderr, "docscheck:", err)
		os.Exit(1)
	}
}

// run checks pages and prints the result of each.
func run(ctx context.Context, c checker, paths []string, renew bool, most int) (err error) {
	if len(paths) == 0 {
		return errors.New("want the documents to check")
	}
	if c.program, err = filepath.Abs(c.program); err != nil {
		return err
	}
	if _, err := os.Stat(c.program); err != nil {
		return fmt.Errorf("%w: build it with make build", err)
	}
	c.help = map[string]string{}
	var all counts
	words := 0
	for _, path := range paths {
		p, err := readPage(path)
		if err != nil {
			return err
		}
		n, printed, err := c.check(ctx, p)
		if err != nil {
			return err
		}
		if renew && len(printed) > 0 {
			if err := os.WriteFile(path, []byte(p.renewed(printed)), 0o644); err != nil {
				return err
			}
		}
		fmt.Fprintf(c.out, "%s: %d words; commands: %d run, %d not run, %d without output\n", path, p.words, n.run, n.notRun, n.alone)
		all.add(n)
		words += p.words
	}
	fmt.Fprintf(c.out, "%d documents, %d words; commands: %d run, %d not run, %d without output; %d differ\n",
		len(paths), words, all.run, all.notRun, all.alone, all.differs)
	if all.differs > 0 {
		return fmt.Errorf("%d commands print something else than is shown, or have unknown flags", all.differs)
	}
	if most > 0 && words > most {
		return fmt.Errorf("%d words are more than %d", words, most)
	}
	return nil
}
