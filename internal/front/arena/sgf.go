package arena

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/record"
	"github.com/carozero/carozero/internal/support/outfile"
)

// SGF records each game as a file game-NNNNNN.sgf, numbered from 1, in the
// format FF[4] (red-bean.com/sgf). Black is the first player.
type SGF struct {
	Folder  string // must exist; see Prepare
	Size    int    // of the square board whose cells, row by row from the bottom left, are the moves
	Rules   string // name of the rule set
	Event   string // "": none
	Program string // that writes the file, "name:version"; "": none

	Setup []game.Move // before a game's own, whose stones are set up
}

// Record writes the game's file. It replaces an earlier record of the same
// program, and no other file.
func (s *SGF) Record(result *Result, names [2]string) error {
	path := filepath.Join(s.Folder, fmt.Sprintf("game-%06d.sgf", result.Game+1))
	if err := s.checkOwn(path); err != nil {
		return err
	}
	text, err := s.format(result, names)
	if err != nil {
		return err
	}
	return outfile.WriteBytes(path, text)
}

// Prepare creates the folder if it is missing, and returns an error if it has
// files with the names of records that this program did not write.
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

// checkOwn returns an error if the file at path exists but was not written by
// this program.
func (s *SGF) checkOwn(path string) error {
	return outfile.Check(path, "no record of this program", func(head []byte) bool { return record.IsSGFOf(head, s.Program) })
}

// format returns the bytes of a game's file.
func (s *SGF) format(result *Result, names [2]string) ([]byte, error) {
	t := record.New(s.Size)
	for i, m := range s.Setup {
		t.Setup[i%2] = append(t.Setup[i%2], m)
	}
	t.Info = record.Info{
		Program: s.Program, Rule: s.Rules, Event: s.Event, Round: fmt.Sprint(result.Game + 1),
		Black: names[game.First], White: names[game.Second], Comment: "reason: " + string(result.Reason),
	}
	t.SetOutcome(result.Outcome, result.Reason)
	if f := result.Forfeit; f != nil {
		t.Comment = fmt.Sprintf("%s forfeits: %s", names[f.Side], f.Text)
		if f.Fault == Timeout {
			t.Result = strings.TrimSuffix(t.Result, "F") + "T"
		}
	}
	if _, err := t.Extend(0, t.ToMove(0), result.Moves, result.Values); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	_, err := record.Write(&b, []*record.Tree{t}, record.SGF, record.WriteOptions{})
	return b.Bytes(), err
}
