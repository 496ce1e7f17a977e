package arena

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/outfile"
)

// SGF records each game as a file game-NNNNNN.sgf, numbered from 1, in the
// format FF[4] (red-bean.com/sgf). Black is the first player.
type SGF struct {
	Folder  string                 // must exist; see Prepare
	Game    int                    // number of the game's kind: 4 is gomoku and renju
	Size    int                    // of the square board
	Rules   string                 // name of the rule set
	Event   string                 // "": none
	Program string                 // that writes the file, "name:version"; "": none
	Point   func(game.Move) string // see [Points]

	Black, White []game.Move // stones of a start position that was set up
	ToMove       game.Side   // in the start position
}

// Points returns the SGF coordinates of a cell on a board of up to 26 columns
// whose cells are numbered row by row from the bottom left: the column, then
// the row from the top, each as a letter from a.
func Points(size int) func(game.Move) string {
	return func(m game.Move) string {
		x, down := int(m)%size, size-1-int(m)/size
		return string([]byte{byte('a' + x), byte('a' + down)})
	}
}

// Record writes the game's file. It replaces an earlier record of the same
// program, and no other file.
func (s *SGF) Record(result *Result, names [2]string) error {
	path := filepath.Join(s.Folder, fmt.Sprintf("game-%06d.sgf", result.Game+1))
	if err := s.checkOwn(path); err != nil {
		return err
	}
	return outfile.WriteBytes(path, []byte(s.format(result, names)))
}

// Prepare creates the folder if it is missing, and returns an error if files of
// others are there under the names of records.
func (s *SGF) Prepare() error {
	if err := os.MkdirAll(s.Folder, 0o755); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(s.Folder, "game-[0-9][0-9][0-9][0-9][0-9][0-9].sgf"))
	for _, path := range files {
		if err == nil {
			err = s.checkOwn(path)
		}
	}
	return err
}

// checkOwn returns an error if there is a file at path that is no record of the
// program.
func (s *SGF) checkOwn(path string) error {
	name, _, _ := strings.Cut(s.Program, ":")
	return outfile.Check(path, "no record of this program", func(head []byte) bool {
		return name != "" && bytes.HasPrefix(head, []byte("(;GM[")) && bytes.Contains(head, []byte("\nAP["+name))
	})
}

func (s *SGF) format(result *Result, names [2]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "(;GM[%d]FF[4]CA[UTF-8]SZ[%d]\n", s.Game, s.Size)
	property(&b, "AP", s.Program)
	property(&b, "RU", s.Rules)
	property(&b, "EV", s.Event)
	property(&b, "RO", fmt.Sprint(result.Game+1))
	property(&b, "PB", names[game.First])
	property(&b, "PW", names[game.Second])
	property(&b, "RE", result.sgf())
	if f := result.Forfeit; f != nil {
		property(&b, "GC", fmt.Sprintf("%s forfeits: %s", names[f.Side], f.Text))
	} else {
		property(&b, "GC", "reason: "+string(result.Reason))
	}
	s.setup(&b, "AB", s.Black)
	s.setup(&b, "AW", s.White)
	side := s.ToMove
	for i, m := range result.Moves {
		if i > 0 && i%12 == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, ";%c[%s]", "BW"[side], s.Point(m))
		if result.Values != nil {
			fmt.Fprintf(&b, "V[%g]", result.Values[i])
		}
		side = side.Other()
	}
	b.WriteString(")\n")
	return b.String()
}

// setup writes the stones of one colour, if there are any.
func (s *SGF) setup(b *strings.Builder, name string, cells []game.Move) {
	if len(cells) == 0 {
		return
	}
	b.WriteString(name)
	for _, m := range cells {
		fmt.Fprintf(b, "[%s]", s.Point(m))
	}
	b.WriteByte('\n')
}

// property writes a property of one text, unless that is empty.
func property(b *strings.Builder, name, text string) {
	if text == "" {
		return
	}
	text = strings.NewReplacer(`\`, `\\`, `]`, `\]`).Replace(text)
	fmt.Fprintf(b, "%s[%s]\n", name, text)
}

// sgf returns the value of the property RE.
func (r *Result) sgf() string {
	if r.Outcome == game.Draw {
		return "0"
	}
	text := "B+"
	if r.Outcome == game.SecondWins {
		text = "W+"
	}
	switch {
	case r.Reason == game.Resigned:
		return text + "R"
	case r.Forfeit != nil && r.Forfeit.Fault == Timeout:
		return text + "T"
	case r.Forfeit != nil:
		return text + "F"
	}
	return text
}
