package gamefiles

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/arena"
	"github.com/carozero/carozero/internal/record"
)

// OfMatch returns a game of a match as a record.
func OfMatch(v games.Variant, g *arena.Result, names [2]string) (Record, error) {
	start, err := v.Start()
	if err != nil {
		return Record{}, err
	}
	r := Begin(v, start)
	r.Opening = g.Opening
	r.End(names, g.Outcome, g.Reason)
	if f := g.Forfeit; f != nil {
		r.Tree.Comment = fmt.Sprintf("%s forfeits: %s", names[f.Side], f.Text)
		if f.Fault == arena.Timeout {
			r.Tree.Result = strings.TrimSuffix(r.Tree.Result, "F") + "T"
		}
	}
	at, side := int32(0), start.ToMove()
	for _, m := range g.Moves {
		if at, err = r.Tree.Add(at, m, side); err != nil {
			return r, err
		}
		side = side.Other()
	}
	return r, nil
}

// Folder keeps each game that was played as a file game-NNNNNN.sgf, numbered from 1, in
// the format FF[4] (red-bean.com/sgf). Black is the first player.
type Folder struct {
	Path    string // must exist; see Prepare
	Program string // that writes the files, "name:version"
}

func (f *Folder) file(number int) string {
	return filepath.Join(f.Path, fmt.Sprintf("game-%06d.sgf", number+1))
}

// Has reports whether there is a file of game number, from 0.
func (f *Folder) Has(number int) bool {
	_, err := os.Lstat(f.file(number))
	return err == nil
}

// Write writes the file of game number, from 0. It replaces an earlier record of the same
// program, and no other file.
func (f *Folder) Write(number int, r *Record) error {
	path := f.file(number)
	if err := f.checkOwn(path); err != nil {
		return err
	}
	r.Tree.Program, r.Tree.Round = f.Program, fmt.Sprint(number+1)
	return disk.Write(path, func(out io.Writer) error {
		_, err := r.Write(out, record.SGF, "")
		return err
	})
}

// Prepare creates the folder if it is missing, and returns an error if it has
// files with the names of records that this program did not write.
func (f *Folder) Prepare() error {
	if err := os.MkdirAll(f.Path, 0o755); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(f.Path, "game-[0-9][0-9][0-9][0-9][0-9][0-9].sgf"))
	for _, path := range files {
		if err == nil {
			err = f.checkOwn(path)
		}
	}
	return err
}

// checkOwn returns an error if the file at path exists but was not written by
// this program.
func (f *Folder) checkOwn(path string) error {
	return disk.Check(path, "no record of this program", func(head []byte) bool { return record.IsSGFOf(head, f.Program) })
}
