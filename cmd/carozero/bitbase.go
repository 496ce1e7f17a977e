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

// bitbaseCommand holds the flags of the command "bitbase".
type bitbaseCommand struct {
	cards, out   string
	men, threads int
}

// newBitbase returns the command "bitbase".
func newBitbase() *cobra.Command {
	var b bitbaseCommand
	return define(&cobra.Command{
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
	}, b.run, b.register)
}

func (b *bitbaseCommand) register(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&b.cards, "cards", "", "five cards in any order, as in Crab,Crane,Dragon,Monkey,Tiger (required)")
	fs.StringVar(&b.out, "out", "", "file of the solved endgames (required)")
	addNum(cmd, &b.men, option.EndgameMen)
	addNum(cmd, &b.threads, option.Workers.Named("threads").With(int64(runtime.NumCPU()),
		"threads that solve; changes no byte"))
	goesWith(cmd, "--cards and --out", func() bool { return fs.NArg() == 0 }, "men", "threads")
}

// run builds a table, or reads all of one, and returns what is in it.
func (b *bitbaseCommand) run(cmd *cobra.Command, args []string) (report.Report, error) {
	start, file := time.Now(), b.out
	if len(args) > 0 {
		if len(args) > 1 || b.cards != "" || b.out != "" {
			return nil, usagef("bitbase: want --cards and --out, or one file to check")
		}
		file = args[0]
	} else if err := b.build(cmd); err != nil {
		return nil, interrupted(err, "the table is not whole; run it again")
	}
	t, err := bitbase.Open(cmd.Context(), file)
	if errors.Is(err, bitbase.ErrDamaged) {
		return nil, found(true, "%v", err)
	}
	if err != nil {
		return nil, interrupted(err, "the table is not whole; run it again")
	}
	defer t.Close()
	r := &report.Bitbase{File: file, Men: t.Men(), Seconds: time.Since(start).Seconds()}
	for _, c := range t.Cards() {
		r.Cards = append(r.Cards, c.String())
	}
	for _, s := range t.Summaries() {
		r.Positions += s.Size()
		r.Classes = append(r.Classes, report.BitbaseClass{
			Own: s.Own, Opponent: s.Opp, Positions: s.Size(), Wins: s.Wins, Draws: s.Draws, Losses: s.Losses, Longest: s.Longest,
		})
	}
	return r, nil
}

// build builds the table.
func (b *bitbaseCommand) build(cmd *cobra.Command) error {
	switch {
	case b.cards == "":
		return usagef("--cards is missing: name five, as in Crab,Crane,Dragon,Monkey,Tiger")
	case b.out == "":
		return usagef("--out is missing: name the file of the solved endgames")
	}
	five, err := bitbase.ParseCards(b.cards)
	if err != nil {
		return usagef("--cards: %w", err)
	}
	needs, err := bitbase.NeedsOf(b.men)
	if err != nil {
		return usagef("--men: %w", err)
	}
	if err := checkMemory(need{fmt.Sprintf("--men %d", b.men), needs.Memory, 1}); err != nil {
		return err
	}
	if err := disk.Check(b.out, "no bitbase", bitbase.Begins); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	held, err := disk.LockFile(b.out)
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	defer held.Close()
	noteOf(cmd)(fmt.Sprintf("%d positions: a file of %s, and %s of memory", needs.Positions,
		disk.FormatSize(needs.Positions), disk.FormatSize(needs.Memory)))
	bar := newProgress(1, "positions")
	defer bar.Close()
	return bitbase.Build(cmd.Context(), b.out, five, b.men, bitbase.Options{
		Threads:  b.threads,
		Progress: func(done, total int64) { bar.at(int(done), int(total)) },
	})
}
