package gamefiles

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/record"
)

// Conversion says what is made of recorded games of any form: files of one form, all
// games in one, or each in its own.
type Conversion struct {
	To      record.Format
	Program string // written into SGF files as the program that made them, "name:version"
	Rule    string // of games whose records name none; "": none is written
	Main    bool   // leave variations out
	Check   bool   // replay every game through the rules

	// Note gets a line about each game that is not legal, and about other things to
	// be told; never nil.
	Note func(text string)
}

// Converted is what became of the games.
type Converted struct {
	Games   int
	Illegal int // of the games, found by Check
	Files   []string
	Notes   []string // what was odd in the files, and which rules were guessed
}

// each calls use with the games in the form in which they are written.
func (o *Conversion) each(ctx context.Context, in *Trees, sum *Converted, use func(r *Record) error) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		r, err := in.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, text := range r.Notes(!o.Check || o.Rule != "") {
			o.Note(text)
			sum.Notes = append(sum.Notes, text)
		}
		if o.Check {
			if err := r.Check(); err != nil {
				o.Note(err.Error())
				sum.Illegal++
			}
		}
		if o.Main {
			r.Tree = r.Tree.Branch(r.Tree.MainLeaf())
		}
		if r.Tree.Rule == "" && r.Tree.Size > 0 {
			r.Tree.Rule = o.Rule
		}
		if o.To == record.SGF && o.Program != "" {
			r.Tree.Program = o.Program
		}
		sum.Games++
		if err := use(&r); err != nil {
			return err
		}
	}
}

// write writes a game as a file of the format.
func (o *Conversion) write(out io.Writer, r *Record) error {
	if err := r.Write(out, o.To); err != nil {
		return disk.About(r.Source, err)
	}
	return nil
}

// Stream writes all games to one file, in order.
func (o *Conversion) Stream(ctx context.Context, out io.Writer, in *Trees) (sum Converted, err error) {
	err = o.each(ctx, in, &sum, func(r *Record) error { return o.write(out, r) })
	return sum, err
}

// CheckOut returns an error if a file is at path that the program may not replace:
// one with anything in it, unless it is an SGF file that the program wrote. Nothing
// in a file of another format says who wrote it.
func CheckOut(path string, f record.Format, program string) error {
	what := fmt.Sprintf("no %s file of this program", f)
	if f != record.SGF {
		what = "there already, and no " + f.String() + " file says who wrote it,"
	}
	return disk.Check(path, what, func(head []byte) bool { return f == record.SGF && record.IsSGFOf(head, program) })
}

// Folder writes each game to a file of its own. That of a source with one game is
// named as its source, others are numbered from 1. The folder is made if it is
// missing; its files are those of CheckOut.
func (o *Conversion) Folder(ctx context.Context, folder string, in *Trees) (sum Converted, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return sum, err
	}
	written := map[string]bool{}
	write := func(r *Record, number int) error {
		base := filepath.Base(r.Path)
		base = strings.TrimSuffix(base, filepath.Ext(base))
		if number > 0 {
			base += fmt.Sprintf("-%06d", number)
		}
		path := filepath.Join(folder, base+o.To.Extension())
		if written[path] {
			return fmt.Errorf("%s: its file would be %s, as that of another game: convert them into different folders",
				r.Source, path)
		}
		written[path] = true
		if err := CheckOut(path, o.To, o.Program); err != nil {
			return err
		}
		sum.Files = append(sum.Files, path)
		return disk.Write(path, func(out io.Writer) error { return o.write(out, r) })
	}
	var last *Record // whose name depends on the next one
	number := 0      // of it in its file; 0: it is the only one so far
	put := func(next *Record) (err error) {
		again := next != nil && last != nil && next.Path == last.Path
		if again || number > 0 {
			number++
		}
		if last != nil {
			err = write(last, number)
		}
		if last = next; !again {
			number = 0
		}
		return err
	}
	if err = o.each(ctx, in, &sum, put); err == nil {
		err = put(nil)
	}
	return sum, err
}
