package main

import (
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game/onitama/bitbase"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/report"
)

// bitbaseFlags say what is built.
type bitbaseFlags struct {
	cards, out   string
	men, threads int
}

// newBitbase returns the command "bitbase".
func newBitbase() *cobra.Command {
	var (
		flags  bitbaseFlags
		output outputFlags
	)
	cmd := &cobra.Command{
		Use:   "bitbase --cards CARDS --out FILE | bitbase FILE",
		Short: "Solve the endgames of Onitama for five cards",
		Long: `Solve all endgames of Onitama with five cards and few men, and write them to a
file: who wins each position of each deal of the cards, in how many plies, or that
neither side can force a win.

  men  positions      file    memory
  4       17,568,810   18 MB   0.02 GB
  5      252,615,930  253 MB   0.4 GB
  6    2,603,087,130  2.6 GB   2.9 GB

Five men take minutes, six have ten times the positions. The needs are told before it
begins. The bytes depend on nothing but the cards and the men.

With a FILE it reads all of that, checks its sums, and tells what is in it. Damage gives
status 3.`,
		Example: `  carozero bitbase --cards Crab,Crane,Dragon,Monkey,Tiger --men 5 --out five.bitbase
  carozero solve --game onitama --board position.txt --bitbase five.bitbase
  carozero bitbase five.bitbase`,
		Args: anyArgs("a file of solved endgames"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			var r *report.Bitbase
			switch {
			case len(args) == 0:
				r, err = flags.run(cmd)
			case len(args) > 1 || flags.cards != "" || flags.out != "":
				return usagef("bitbase: want --cards and --out, or one file to check")
			default:
				r, err = flags.verify(cmd, args[0])
			}
			if errors.Is(err, bitbase.ErrDamaged) {
				return found(nil, true, "%v", err)
			}
			if err != nil {
				return interrupted(err, "the table is not whole; run it again")
			}
			return output.print(cmd, r)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&flags.cards, "cards", "", "five cards in any order, as in Crab,Crane,Dragon,Monkey,Tiger (required)")
	fs.StringVar(&flags.out, "out", "", "file of the solved endgames (required)")
	addNum(cmd, &flags.men, option.EndgameMen)
	addNum(cmd, &flags.threads, option.Workers.Named("threads").With(int64(runtime.NumCPU()),
		"threads that solve; changes no byte"))
	output.register(cmd)
	return cmd
}

// run builds the table and returns what is in it.
func (f *bitbaseFlags) run(cmd *cobra.Command) (*report.Bitbase, error) {
	switch {
	case f.cards == "":
		return nil, usagef("--cards is missing: name five, as in Crab,Crane,Dragon,Monkey,Tiger")
	case f.out == "":
		return nil, usagef("--out is missing: name the file of the solved endgames")
	}
	five, err := bitbase.ParseCards(f.cards)
	if err != nil {
		return nil, usagef("--cards: %w", err)
	}
	needs, err := bitbase.NeedsOf(f.men)
	if err != nil {
		return nil, usagef("--men: %w", err)
	}
	var m option.Memory
	m.Add(fmt.Sprintf("--men %d", f.men), needs.Memory)
	if err := checkMemory(&m); err != nil {
		return nil, err
	}
	if err := disk.Check(f.out, "no bitbase", bitbase.Begins); err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	held, err := disk.LockFile(f.out)
	if err != nil {
		return nil, fmt.Errorf("--out: %w", err)
	}
	defer held.Close()
	fmt.Fprintf(cmd.ErrOrStderr(), "carozero: %d positions: a file of %s, and %s of memory\n", needs.Positions,
		disk.FormatSize(needs.Positions), disk.FormatSize(needs.Memory))
	start := time.Now()
	bar := newProgress(1, "positions")
	err = bitbase.Build(cmd.Context(), f.out, five, f.men, bitbase.Options{
		Threads:  f.threads,
		Progress: func(done, total int64) { bar.at(int(done), int(total)) },
	})
	_ = bar.Close()
	if err != nil {
		return nil, err
	}
	table, err := bitbase.Open(cmd.Context(), f.out)
	if err != nil {
		return nil, err
	}
	defer table.Close()
	return newBitbaseReport(f.out, table, start), nil
}

// newBitbaseReport returns what is in a table.
func newBitbaseReport(path string, t *bitbase.Table, start time.Time) *report.Bitbase {
	r := &report.Bitbase{File: path, Men: t.Men(), Seconds: time.Since(start).Seconds()}
	for _, c := range t.Cards() {
		r.Cards = append(r.Cards, c.String())
	}
	for _, s := range t.Summaries() {
		r.Positions += s.Size()
		r.Classes = append(r.Classes, report.BitbaseClass{
			Own: s.Own, Opponent: s.Opp, Positions: s.Size(), Wins: s.Wins, Draws: s.Draws, Losses: s.Losses, Longest: s.Longest,
		})
	}
	return r
}

// verify reads all of a table and returns what is in it.
func (f *bitbaseFlags) verify(cmd *cobra.Command, path string) (*report.Bitbase, error) {
	start := time.Now()
	t, err := bitbase.Open(cmd.Context(), path)
	if err != nil {
		return nil, err
	}
	defer t.Close()
	return newBitbaseReport(path, t, start), nil
}
