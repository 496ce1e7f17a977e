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
		Use:   "bitbase --cards CARDS --out FILE",
		Short: "Solve the endgames of Onitama for five cards",
		Long: `Solve all endgames of Onitama with five cards and few men, and write them to a
file: who wins each position of each deal of the cards, in how many plies, or that
neither side can force a win.

  men  positions      file    memory
  4       17,568,810   18 MB   0.02 GB
  5      252,615,930  253 MB   0.4 GB
  6    2,603,087,130  2.6 GB   2.9 GB

Five men take minutes, six have ten times the positions. The needs are told before it
begins. The bytes depend on nothing but the cards and the men.`,
		Example: `  carozero bitbase --cards Crab,Crane,Dragon,Monkey,Tiger --men 5 --out five.bitbase
  carozero solve --game onitama --board position.txt --bitbase five.bitbase
  carozero bitbase verify five.bitbase`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r, err := flags.run(cmd)
			if err != nil {
				return interrupted(err, "nothing was written; run it again")
			}
			return output.print(cmd, r)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&flags.cards, "cards", "", "five cards in any order, as in Crab,Crane,Dragon,Monkey,Tiger (required)")
	fs.StringVar(&flags.out, "out", "", "file of the solved endgames (required)")
	addNum(cmd, &flags.men, option.EndgameMen)
	addNum(cmd, &flags.threads, option.Workers.Named("threads").With(int64(runtime.NumCPU()), "threads that solve; changes no byte"))
	output.register(cmd)
	cmd.AddCommand(newBitbaseVerify())
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
	fmt.Fprintf(cmd.ErrOrStderr(), "carozero: %d positions: a file of %s, and %s of memory\n", needs.Positions, disk.FormatSize(needs.Positions), disk.FormatSize(needs.Memory))
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

// newBitbaseVerify returns the command "bitbase verify".
func newBitbaseVerify() *cobra.Command {
	var output outputFlags
	cmd := &cobra.Command{
		Use:   "verify FILE",
		Short: "Check a file of solved endgames",
		Long: `Read all of a file of solved endgames, check its sums, and tell what is in it. Damage
gives status 3.`,
		Example: "  carozero bitbase verify five.bitbase",
		Args:    oneArg("a file of solved endgames"),
		RunE: func(cmd *cobra.Command, args []string) error {
			start := time.Now()
			t, err := bitbase.Open(cmd.Context(), args[0])
			if errors.Is(err, bitbase.ErrDamaged) {
				return found(nil, true, "%v", err)
			}
			if err != nil {
				return interrupted(err, "the file was not read to its end; run it again")
			}
			defer t.Close()
			return output.print(cmd, newBitbaseReport(args[0], t, start))
		},
	}
	output.register(cmd)
	return cmd
}
