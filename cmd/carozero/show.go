package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/record"
	"github.com/carozero/carozero/internal/record/gamefiles"
	"github.com/carozero/carozero/internal/record/picture"
	"github.com/carozero/carozero/internal/support/option"
	"github.com/carozero/carozero/internal/support/outfile"
)

// showFlags say what is shown, and how.
type showFlags struct {
	out       string
	nth, move int
	delay     time.Duration
	plain     [4]bool // without coordinates, numbers, the last move, closed points
	o         picture.Options
}

// newShow returns the command "show".
func newShow() *cobra.Command {
	var (
		position positionFlags
		flags    showFlags
		output   outputFlags
	)
	cmd := &cobra.Command{
		Use:   "show [POSITION|FILE]",
		Short: "Draw a position or a game: SVG, PNG, GIF, or text",
		Long: `Draw a position, given as its moves, or a game of a file in any format that
"convert" reads, or of a shard of self-play. --out names a picture by its
extension: .svg, .png, or .gif, which shows all positions of the game one after the
other. Without --out the board is printed as text.

Pictures show coordinates, the numbers of moves, the last one in red, a winning line
in green, forbidden points as red crosses, and the labels and marks of the record;
of Onitama the cards too.`,
		Example: `  carozero show h8i9j7
  carozero show --rule renju h8h9i7i9h10i6i11i12 --out forbidden.svg
  carozero show game.sgf --out game.gif --delay 500ms
  carozero show games.sgf --nth 3 --move 20 --out third.png --theme dark
  carozero show --game onitama Ox,Boar/Horse,Elephant/Crab --out start.svg`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("show: unexpected argument %s: want one position or file", shownValue(args[1]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd, &position, &output, args)
		},
	}
	fs := cmd.Flags()
	fs.StringVar(&flags.out, "out", "", "picture to write: a file that ends in .svg, .png or .gif")
	addInt(cmd, &flags.nth, option.GameNumber.Named("nth").With(1, "which game of a file").Above(1))
	addInt(cmd, &flags.move, option.MoveNumber)
	addDuration(cmd, &flags.delay, option.FrameDelay)
	addInt(cmd, &flags.o.Width, option.PictureWidth)
	addWord(cmd, &flags.o.Theme, "theme", picture.ThemeNames()[0], "colours: "+strings.Join(picture.ThemeNames(), " or "), picture.ThemeNames()...)
	fs.BoolVar(&flags.plain[0], "no-coordinates", false, "leave the coordinates out")
	fs.BoolVar(&flags.plain[1], "no-numbers", false, "leave the numbers of moves out; the last one has a red dot then")
	fs.BoolVar(&flags.plain[2], "no-last", false, "do not show which move was the last one")
	fs.BoolVar(&flags.plain[3], "no-forbidden", false, "leave forbidden points out")
	position.register(cmd)
	output.register(cmd)
	return cmd
}

// shown is what show has found: a game, of which it shows the position after its
// moves.
type shown struct {
	v       games.Variant
	start   game.Position
	moves   []game.Move
	record  *gamefiles.Record // nil: a position
	caption string
}

func (f *showFlags) run(cmd *cobra.Command, position *positionFlags, output *outputFlags, args []string) error {
	kind := strings.ToLower(filepath.Ext(f.out))
	if f.out != "" && kind != ".svg" && kind != ".png" && kind != ".gif" {
		return usagef("--out %s: want a file that ends in .svg, .png or .gif", shownValue(f.out))
	}
	s, err := f.find(cmd, position, args)
	if err == nil {
		err = cmd.Context().Err()
	}
	if err != nil {
		return interrupted(err, "nothing was drawn")
	}
	if f.out == "" {
		return output.print(cmd, s.report())
	}
	if err := outfile.Check(f.out, "no picture of this program", picture.Own); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	f.o.Coordinates, f.o.Numbers, f.o.Last, f.o.Forbidden = !f.plain[0], !f.plain[1], !f.plain[2], !f.plain[3]
	r := &report.Picture{Out: f.out, Game: s.v.Game, Rule: s.v.Rule(), Size: s.v.Size, Move: len(s.moves), Positions: 1}
	err = outfile.Write(f.out, func(out io.Writer) error {
		last := s.scene(len(s.moves))
		switch kind {
		case ".svg":
			return picture.SVG(out, &last, f.o)
		case ".png":
			return picture.PNG(out, &last, f.o)
		}
		var scenes []picture.Scene
		for i := range s.moves {
			scenes = append(scenes, s.scene(i))
		}
		r.Positions += len(scenes)
		return interrupted(picture.GIF(cmd.Context(), out, append(scenes, last), f.delay, f.o), "nothing was drawn")
	})
	if err != nil {
		return err
	}
	return output.print(cmd, r)
}

// find returns what the arguments name.
func (f *showFlags) find(cmd *cobra.Command, position *positionFlags, args []string) (*shown, error) {
	if len(args) == 1 && (position.position != "" || position.board != "") {
		return nil, usagef("show: %s and --position or --board: want one of them", shownValue(args[0]))
	}
	if len(args) == 1 {
		if info, err := os.Stat(args[0]); err == nil && !info.IsDir() {
			return f.read(cmd, position, args[0])
		}
		position.position = args[0]
	}
	if position.board != "" {
		v, pos, err := position.read(cmd)
		if err == nil && cmd.Flags().Changed("move") {
			err = usagef("--move is for games: a diagram has no order of moves")
		}
		return &shown{v: v, start: pos}, err
	}
	v, _, err := position.read(cmd)
	if err != nil && len(args) == 1 {
		return nil, usagef("%s is no file, and no position: %w", shownValue(args[0]), errors.Unwrap(err))
	} else if err != nil {
		return nil, err
	}
	s := &shown{v: v}
	if s.start, s.moves, err = v.ParseGame(position.position); err != nil {
		return nil, err
	}
	if !cmd.Flags().Changed("move") {
		return s, nil
	}
	if f.move > len(s.moves) {
		return nil, usagef("--move %d: the game has %d moves", f.move, len(s.moves))
	}
	s.moves = s.moves[:f.move]
	return s, nil
}

// read returns a game of a file.
func (f *showFlags) read(cmd *cobra.Command, position *positionFlags, path string) (*shown, error) {
	v, err := position.variant()
	if err != nil {
		return nil, err
	}
	in, err := gamefiles.OpenTrees([]string{path}, gamefiles.Options{Variant: v, Fixed: cmd.Flags().Changed("rule")}, "")
	if err != nil {
		return nil, err
	}
	defer in.Close()
	var r gamefiles.Record
	for i := range f.nth {
		if err := cmd.Context().Err(); err != nil {
			return nil, err
		}
		r, err = in.Next()
		if errors.Is(err, io.EOF) {
			return nil, usagef("--nth %d: %s has %d games", f.nth, path, i)
		}
		if err != nil {
			return nil, err
		}
	}
	sayGuessed(cmd, &r, cmd.Flags().Changed("rule"))
	plies := -1
	if cmd.Flags().Changed("move") {
		plies = f.move
	}
	g, err := r.Line(r.Tree.MainLeaf(), plies)
	if err != nil {
		return nil, err
	}
	s := &shown{v: r.Variant, moves: g.Moves, record: &r}
	s.start, err = g.Start()
	if t := r.Tree; t.Black != "" || t.White != "" {
		s.caption = strings.TrimSpace(fmt.Sprintf("%s – %s  %s", t.Black, t.White, t.Result))
	}
	return s, err
}

// scene returns the position after the first plies moves.
func (s *shown) scene(plies int) picture.Scene {
	scene := picture.NewScene(s.v, s.start, s.moves[:plies], s.note(plies))
	scene.Caption = s.caption
	if s.record != nil {
		t := s.record.Tree
		scene.CountFrom(len(t.Setup[0]) + len(t.Setup[1]))
	}
	return scene
}

// note returns what the record says of the position after plies moves.
func (s *shown) note(plies int) *record.Note {
	if s.record == nil {
		return nil
	}
	t := s.record.Tree
	if plies == len(t.Setup[0])+len(t.Setup[1]) {
		return t.Note(0)
	}
	for _, id := range t.Path(t.MainLeaf()) {
		if len(t.Moves(id)) == plies && t.Nodes[id].Move != game.NoMove {
			return t.Note(id)
		}
	}
	return nil
}

// report returns the position as text.
func (s *shown) report() *report.Shown {
	pos := s.start.Clone()
	for _, m := range s.moves {
		pos.Play(m)
	}
	return &report.Shown{
		Game: s.v.Game, Rule: s.v.Rule(), Size: s.v.Size, Move: len(s.moves), ToMove: pos.ToMove().String(),
		Outcome: pos.Outcome().String(), Reason: string(pos.Reason()), Position: s.v.FormatGame(s.start, s.moves),
		Board: strings.TrimRight(s.v.Drawing(pos), "\n"), Title: s.scene(len(s.moves)).Title, Caption: oneLine(s.caption),
	}
}
