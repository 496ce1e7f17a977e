package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/internal/record"
	"github.com/carozero/carozero/internal/report"
	"github.com/carozero/carozero/internal/review"
)

// reviewCommand holds the flags of the command "review".
type reviewCommand struct {
	serviceFlags
	out, language string
	number        int
}

// newReview returns the command "review".
func newReview() *cobra.Command {
	var r reviewCommand
	return define(&cobra.Command{
		Use:   "review GAME",
		Short: "Judge the moves of a game by what each gives away",
		Long: `Judge the moves of a recorded game: SGF, psq, lib or text. An engine looks at every
position, and a move's loss is what it takes from its side's expected result, the
win rate in which a draw is half a win. A move is best below 1% or if the engine
plays it too, good below 5%, an inaccuracy from 5%, a mistake from 10% and a
blunder from 20%. A side's accuracy is the mean of 103.1668 exp(-0.04354 loss) -
3.1669 over its moves, with the loss in percent.

--out writes the review: a page that needs nothing else (.html), or the game with
comments, values and what was better as variations (.sgf). The board in the
browser ("serve") reviews in the same way.`,
		Example: `  carozero review game.sgf
  carozero review game.sgf --out review.html --language vi
  carozero review games.lib --number 3 --engine alphabeta --max-nodes 1000000 --out annotated.sgf`,
		Args: oneArg("a file with a game"),
	}, r.run, r.register)
}

func (r *reviewCommand) register(cmd *cobra.Command) {
	r.serviceFlags.register(cmd, serviceDefaults{memory: 128, table: 16, cache: 64, queue: 10_000})
	fs := cmd.Flags()
	fs.StringVar(&r.out, "out", "", "file to write the review to, .html or .sgf")
	addWord(cmd, &r.language, "language", review.Languages()[0],
		"of what is written to --out: "+strings.Join(review.Languages(), ", "), review.Languages()...)
	addNum(cmd, &r.number, option.Count.Named("number").With(1, "which game of the file, from 1"))
	goesWith(cmd, "--out", func() bool { return r.out != "" }, "language")
	goesWith(cmd, "--engine mcts", func() bool { return r.engine != engineAlphaBeta },
		append(option.Keys(players.FixedTreeSettings), "max-visits", "cache", "model", "onnxruntime", "provider")...)
	goesWith(cmd, "--engine alphabeta", func() bool { return r.engine != engineMCTS },
		"max-nodes", "table", "techniques")
}

// page reports whether --out names a page.
func (r *reviewCommand) page() bool {
	return strings.HasSuffix(strings.ToLower(r.out), ".html") || strings.HasSuffix(strings.ToLower(r.out), ".htm")
}

// check refuses flags that make no sense, before anything is searched.
func (r *reviewCommand) check() error {
	switch {
	case r.engine == string(analysis.Each):
		return usagef("--engine each: one engine judges; want %s or %s", engineMCTS, engineAlphaBeta)
	case r.out == "":
	case r.page():
		return disk.Check(r.out, "no review of this program",
			func(head []byte) bool { return bytes.Contains(head, []byte(review.PageMark)) })
	case record.ByExtension(r.out) != record.SGF:
		return usagef("--out %s: want a name that ends in .html or .sgf", shownValue(r.out))
	default:
		return gamefiles.CheckOut(r.out, record.SGF, r.program())
	}
	return nil
}

func (r *reviewCommand) program() string { return "carozero:" + version }

func (r *reviewCommand) run(cmd *cobra.Command, args []string) (_ report.Report, err error) {
	if err := r.settle(); err != nil {
		return nil, err
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	rec, line, err := r.read(args[0])
	if err != nil {
		return nil, err
	}
	sayNotes(cmd, rec, r.variant.given("rule"))
	if r.out != "" && !r.page() && rec.Variant.Columns() == 0 {
		return nil, usagef("--out %s: %s has no form as SGF; want a name that ends in .html", shownValue(r.out),
			rec.Variant.Game)
	}
	if r.out != "" {
		if err := disk.Try(r.out); err != nil {
			return nil, fmt.Errorf("--out: %w", err)
		}
	}
	defer func() { err = r.forget(cmd, err) }()
	if err := r.know(cmd); err != nil {
		return nil, err
	}
	g, err := reviewed(rec, line)
	if err != nil {
		return nil, err
	}
	turns, err := r.ask(cmd, g)
	if err != nil {
		return nil, err
	}
	judged, err := review.Judge(g, turns)
	if err != nil {
		return nil, err
	}
	if err := r.write(rec, judged); err != nil {
		return nil, err
	}
	return report.NewReview(judged, r.out), nil
}

// read returns the record that is asked for, and its main line.
func (r *reviewCommand) read(path string) (*gamefiles.Record, *gamefiles.Game, error) {
	v, err := r.variant.variant()
	if err != nil {
		return nil, nil, err
	}
	trees, err := gamefiles.OpenTrees([]string{path}, gamefiles.Options{Variant: v, AnyGame: !r.variant.given("game")})
	if err != nil {
		return nil, nil, err
	}
	defer trees.Close()
	for n := 1; ; n++ {
		rec, err := trees.Next()
		if errors.Is(err, io.EOF) {
			return nil, nil, usagef("--number %d: %s has %d games", r.number, path, n-1)
		}
		if err != nil {
			return nil, nil, err
		}
		if n < r.number {
			continue
		}
		line, err := rec.Line(rec.Tree.MainLeaf(), -1)
		if err == nil && len(line.Moves) == 0 {
			err = fmt.Errorf("%s: the game has no moves to review", cmp.Or(rec.Source, path))
		}
		return &rec, &line, err
	}
}

// reviewed returns a game to review. Stones that were set up stand in its first position.
func reviewed(rec *gamefiles.Record, line *gamefiles.Game) (*review.Game, error) {
	start, err := line.Start()
	if err != nil {
		return nil, err
	}
	t := rec.Tree
	lead := len(t.Setup[0]) + len(t.Setup[1])
	for _, m := range line.Moves[:lead] {
		start.Play(m)
	}
	return &review.Game{
		Variant: rec.Variant, Start: start, Moves: line.Moves[lead:], Opening: max(0, line.Opening-lead),
		Title: t.Title(), Black: t.Black, White: t.White, Result: t.Result,
	}, nil
}

// ask asks the engine about every position of a game that is not over.
func (r *reviewCommand) ask(cmd *cobra.Command, g *review.Game) (turns []review.Turn, err error) {
	nets := r.net.nets()
	defer func() { err = errors.Join(err, nets.Close()) }()
	service, err := analysis.New(nets, r.opts)
	if err != nil {
		return nil, asUsage(err)
	}
	query, err := reviewQuery(g)
	if err != nil {
		return nil, err
	}
	bar := newProgress(cmd, len(g.Moves)+1, "positions")
	answers := answerReader{game: g, step: bar.step}
	if err := service.Serve(cmd.Context(), bytes.NewReader(query), &answers, analysis.Finish); err != nil {
		if errors.Is(err, analysis.ErrInterrupted) {
			return nil, interrupted(err, "nothing was written")
		}
		return nil, err
	}
	return answers.turns, answers.failed
}

// reviewQuery returns the query about all positions of a game.
func reviewQuery(g *review.Game) ([]byte, error) {
	n, all := g.Variant.Notation(), g.Start.Clone()
	lead, _ := g.Variant.Played(g.Start)
	turns := []int{}
	for i := range len(g.Moves) + 1 {
		if all.Outcome() == game.Undecided {
			turns = append(turns, len(lead)+i)
		}
		if i < len(g.Moves) {
			all.Play(g.Moves[i])
		}
	}
	moves := game.Texts(n, append(lead, g.Moves...))
	o := g.Variant.Options()
	fields := map[string]any{"id": "review", "game": o.Game, "moves": moves, "analyzeTurns": turns, "useBook": false}
	if g.Variant.Columns() > 0 {
		fields["rules"] = map[string]any{"name": g.Variant.Rule(), "openRule": o.OpenRule}
	} else {
		fields["initialPosition"] = initialOf(g.Variant, g.Start, len(lead))
	}
	if g.Variant.Of().Sizes {
		fields["boardXSize"], fields["boardYSize"] = g.Variant.Size, g.Variant.Size
	}
	return json.Marshal(fields)
}

// initialOf returns the text of the position before so many moves.
func initialOf(v games.Variant, pos game.Position, moves int) string {
	pos = pos.Clone()
	for range moves {
		pos.Undo()
	}
	return v.FormatGame(pos, nil)
}

// answerReader collects the turns of what a service writes, a message a line.
type answerReader struct {
	game   *review.Game
	step   func()
	rest   []byte
	turns  []review.Turn
	failed error
}

// Write implements [io.Writer].
func (a *answerReader) Write(p []byte) (int, error) {
	a.rest = append(a.rest, p...)
	for {
		line, rest, found := bytes.Cut(a.rest, []byte("\n"))
		if !found {
			return len(p), nil
		}
		a.rest = rest
		a.take(line)
	}
}

// take takes a message.
func (a *answerReader) take(line []byte) {
	var m analysis.Answer
	if err := json.Unmarshal(line, &m); err != nil {
		a.failed = fmt.Errorf("an answer of the engine: %w", err)
		return
	}
	if m.Error != "" {
		a.failed = errors.New(m.Error)
		return
	}
	lead, _ := a.game.Variant.Played(a.game.Start)
	m.TurnNumber -= len(lead)
	if t, ok := review.TurnOf(&m); ok {
		a.turns = append(a.turns, t)
		a.step()
	}
}

// write writes the review to --out.
func (r *reviewCommand) write(rec *gamefiles.Record, judged *review.Report) error {
	switch {
	case r.out == "":
		return nil
	case r.page():
		return disk.Write(r.out, func(out io.Writer) error { return judged.WritePage(out, r.language) })
	}
	if err := judged.Annotate(rec.Tree, 0, r.language); err != nil {
		return err
	}
	rec.Tree.Program = r.program()
	return disk.Write(r.out, func(out io.Writer) error {
		_, err := rec.Write(out, record.SGF)
		return err
	})
}

// isRecord reports whether the beginning of a file is that of recorded games in a
// format that is no plain text.
func isRecord(head []byte) bool {
	switch record.Detect(head[:min(len(head), record.HeadBytes)]) {
	case record.SGF, record.PSQ, record.Lib:
		return true
	}
	return false
}

// recordOptions are what a file of games of a variant leaves open where its main lines
// alone are read.
func recordOptions(v games.Variant) record.Options {
	o := gamefiles.ReadOptions(v)
	o.MainLine = true
	return o
}

// recordedBoard returns the variant and the position after the main line of the
// first game of a file.
func recordedBoard(
	cmd *cobra.Command, v games.Variant, path string, data []byte,
) (games.Variant, game.Position, error) {
	trees, _, err := record.Parse(data, recordOptions(v))
	if err != nil {
		return v, nil, usagef("--board %s: %w", path, err)
	}
	o := v.Options()
	switch t := trees[0]; {
	case cmd.Flags().Changed("size") && t.Size != v.Size:
		return v, nil, usagef("--board %s is of %dx%d, --size is %d: want the same, or no --size", path, t.Size, t.Size,
			v.Size)
	case v.Columns() == 0 && t.Size == 0:
	case v.Columns() == 0:
		return v, nil, usagef("--board %s: a record of a game on a board of cells is none of %s", path, v.Game)
	default:
		o.Size = t.Size
	}
	r, err := gamefiles.NewRecord(trees[0], path, o, cmd.Flags().Changed("rule"))
	if err != nil {
		return v, nil, usagef("--board: %w", err)
	}
	sayNotes(cmd, &r, cmd.Flags().Changed("rule"))
	g, err := r.Line(r.Tree.MainLeaf(), -1)
	if err != nil {
		return v, nil, usagef("--board: %w", err)
	}
	pos, err := g.At(len(g.Moves))
	return r.Variant, pos, err
}

// sayNotes prints what is odd in a record, and how its rule was guessed unless the command
// line gives it.
func sayNotes(cmd *cobra.Command, r *gamefiles.Record, ruleGiven bool) {
	for _, text := range r.Notes(ruleGiven) {
		noteOf(cmd)(text)
	}
}

// recordedOpenings returns the lines of the games of a file as openings.
func recordedOpenings(path string, v games.Variant) (list arena.OpeningList, err error) {
	r, err := gamefiles.Open([]string{path}, gamefiles.Options{Variant: v, Fixed: true})
	if err != nil {
		return nil, err
	}
	defer r.Close()
	for {
		g, err := r.Next()
		if errors.Is(err, io.EOF) {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		pos, err := g.At(len(g.Moves))
		if err != nil {
			return nil, err
		}
		if pos.Outcome() != game.Undecided {
			return nil, fmt.Errorf("%s: the game is over after move %d: want openings", g.Source, len(g.Moves))
		}
		if list = append(list, g.Moves); len(list) > mostRecorded {
			return nil, fmt.Errorf("%s: more than %d openings", path, mostRecorded)
		}
	}
}

// mostRecorded bounds the openings of a file.
const mostRecorded = 500_000
