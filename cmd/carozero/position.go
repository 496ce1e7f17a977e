package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/report"
)

// positionFlags choose a position and the game that it is of.
type positionFlags struct {
	variantFlags
	position, board, toMove, captured string
}

func (f *positionFlags) register(cmd *cobra.Command) {
	f.declare(cmd)
	fs := cmd.Flags()
	fs.StringVar(&f.position, "position", "",
		"moves from the empty board, as in h8i9j7; onitama: deal, then moves after a colon")
	fs.StringVar(&f.board, "board", "",
		"file with a diagram, - for standard input: '.' empty, X first player, O second; has the size that it is drawn "+
			"with")
	addWord(cmd, &f.toMove, "to-move", "", "with --board: first or second (default: by the count of stones)", sideWords...)
	fs.StringVar(&f.captured, "captured", "", "with --board under school42: stones taken by first and second, as in 4,2")
	cmd.MarkFlagsMutuallyExclusive("position", "board")
	goesWith(cmd, "--board", func() bool { return f.board != "" }, "to-move", "captured")
}

// read returns the variant and the position that the flags name. Where --size is not
// given, a diagram has the size that it is drawn with.
func (f *positionFlags) read(cmd *cobra.Command) (v games.Variant, pos game.Position, err error) {
	if v, err = f.variant(); err != nil {
		return v, nil, err
	}
	if f.board == "" {
		if pos, err = v.Parse(f.position); err != nil {
			err = usagef("--position: %w", err)
		}
		return v, pos, err
	}
	text, err := await(cmd.Context(), func() ([]byte, error) {
		if f.board == "-" {
			return disk.ReadAll(disk.Text(cmd.InOrStdin()), maxDiagram)
		}
		return disk.ReadText(f.board, maxDiagram)
	})
	if err != nil {
		return v, nil, fmt.Errorf("--board %s: %w", f.board, disk.Cause(err))
	}
	return f.drawn(v, string(text))
}

// maxDiagram bounds what is read of a diagram, in bytes.
const maxDiagram = 1 << 18

// drawn returns the position of a diagram.
func (f *positionFlags) drawn(v games.Variant, text string) (_ games.Variant, pos game.Position, err error) {
	if l := v.Lines(); l != nil {
		rows, err := l.DrawnSize(text)
		switch {
		case err != nil:
			return v, nil, usagef("--board %s: %w", f.board, err)
		case f.given("size") && rows != f.opts.Size:
			return v, nil, usagef("--board %s has %d rows, --size is %d: want the same, or no --size", f.board, rows,
				f.opts.Size)
		case option.BoardSize.Holds(int64(rows)) != nil:
			return v, nil, usagef("--board %s has %d rows: boards are %d to %d wide", f.board, rows, option.BoardSize.Min,
				option.BoardSize.Max)
		}
		f.opts.Size = rows
		if v, err = f.variant(); err != nil {
			return v, nil, err
		}
	}
	d := games.Diagram{Text: text}
	if f.toMove != "" {
		side := sideOf(f.toMove)
		d.ToMove = &side
	}
	if f.captured != "" {
		taken, err := pair(option.Captured, f.captured)
		if err != nil {
			return v, nil, usagef("--captured %s: %w; the stones taken by first and second, as in 4,2",
				shownValue(f.captured), err)
		}
		d.Captured = [2]int{int(taken[0]), int(taken[1])}
	}
	if pos, err = v.ParseDiagram(d); err != nil {
		err = usagef("--board %s: %w", f.board, inFlags(err))
	}
	return v, pos, err
}

// undecided is read of a position in which there must be a move to find.
func (f *positionFlags) undecided(cmd *cobra.Command) (games.Variant, game.Position, error) {
	v, pos, err := f.read(cmd)
	if err == nil && pos.Outcome() != game.Undecided {
		err = usagef("the position is already over: %v (%s); give one in which there is a move to find", pos.Outcome(),
			pos.Reason())
	}
	return v, pos, err
}

// shown returns what a report says of the position: its moves, or a drawing of that of --board.
func (f *positionFlags) shown(v games.Variant, pos game.Position) (moves *string, board string) {
	if f.board == "" {
		return &f.position, ""
	}
	return nil, strings.TrimRight(v.Drawing(pos), "\n")
}

// sideWords are the names of the sides, by [game.Side].
var sideWords = []string{game.First.String(), game.Second.String()}

// sideOf returns the side of one of sideWords.
func sideOf(word string) game.Side { return game.Side(slices.Index(sideWords, word)) }

// newForbidden returns the command "forbidden".
func newForbidden() *cobra.Command {
	var position positionFlags
	return define(&cobra.Command{
		Use:   "forbidden",
		Short: "Show the empty points that the side to move may not play",
		Long: `Show the empty points that the side to move may not play: renju's overlines,
double-fours and double-threes, school42's double free-threes, and what
--open-rule closes; each with its kind: overline, double-four, double-three,
free-three (two at once) or open-rule. Where a point is of several, JSON has the gravest,
which come in this order, as kind and the rest as also.`,
		Example: `  carozero forbidden --rule renju --position h8h9i7i9h10i6i11i12`,
	}, func(cmd *cobra.Command, _ []string) (report.Report, error) {
		v, pos, err := position.read(cmd)
		if err != nil {
			return nil, err
		}
		if v.Lines() == nil {
			return nil, usagef("--game %s: only gomoku has forbidden points", v.Game)
		}
		return report.NewForbidden(v, pos), nil
	}, position.register)
}

// perftCommand holds the flags of the command "perft".
type perftCommand struct {
	position positionFlags
	depth    int
	divide   bool
}

// newPerft returns the command "perft".
func newPerft() *cobra.Command {
	var p perftCommand
	return define(&cobra.Command{
		Use:   "perft --depth N",
		Short: "Count the move sequences of a depth, to check the rules",
		Long: `Count the sequences of exactly --depth legal moves from a position, to compare
with another program's. Games that are over before that are not expanded and
count nothing; a pass of Onitama is a move. Moves of the last ply are counted
without being played. A node is a move that was played.`,
		Example: `  carozero perft --rule renju --position h8h9i7i9 --depth 3
  carozero perft --game onitama --position Ox,Boar/Horse,Elephant/Crab --depth 6`,
	}, p.run, p.position.register, p.register)
}

func (p *perftCommand) register(cmd *cobra.Command) {
	addNum(cmd, &p.depth, option.PerftDepth)
	needs(cmd, "depth", option.PerftDepth.Range())
	cmd.Flags().BoolVar(&p.divide, "divide", false, "show the count behind each move, too")
}

func (p *perftCommand) run(cmd *cobra.Command, _ []string) (report.Report, error) {
	v, pos, err := p.position.read(cmd)
	if err != nil {
		return nil, err
	}
	bar := newProgress(len(pos.Moves(nil)), "moves")
	count, err := game.Perft(cmd.Context(), pos, p.depth, game.PerftOptions{
		Clock: time.Now, Branch: func(game.PerftBranch) { bar.step() },
	})
	_ = bar.Close()
	if err != nil {
		return nil, interrupted(err, "%d leaves were counted behind the first %d of %d moves; nothing is kept",
			count.Leaves, len(count.Branches), len(pos.Moves(nil)))
	}
	r := report.NewPerft(v, pos, p.depth, &count)
	r.Position, r.Board = p.position.shown(v, pos)
	if !p.divide {
		r.Branches = nil
	}
	return r, nil
}
