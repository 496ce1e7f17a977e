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

// converter hands out games in the form in which they are written.
type converter struct {
	o   *Conversion
	in  *Trees
	sum *Converted
}

// next returns the next game, and io.EOF after the last one.
func (c *converter) next(ctx context.Context) (Record, error) {
	if err := ctx.Err(); err != nil {
		return Record{}, err
	}
	r, err := c.in.Next()
	if err != nil {
		return r, err
	}
	for _, text := range r.Notes(!c.o.Check || c.o.Rule != "") {
		c.o.Note(text)
		c.sum.Notes = append(c.sum.Notes, text)
	}
	if c.o.Check {
		if err := r.Check(); err != nil {
			c.o.Note(err.Error())
			c.sum.Illegal++
		}
	}
	if c.o.Main {
		r.Tree = r.Tree.Branch(r.Tree.MainLeaf())
	}
	if r.Tree.Rule == "" && r.Tree.Size > 0 {
		r.Tree.Rule = c.o.Rule
	}
	c.sum.Games++
	return r, nil
}

// write writes a game as a file of the format.
func (c *converter) write(out io.Writer, r Record) error {
	if c.o.To == record.SGF && c.o.Program != "" {
		r.Tree.Program = c.o.Program
	}
	if err := r.Write(out, c.o.To); err != nil {
		return disk.About(r.Source, err)
	}
	return nil
}

// Stream writes all games to one file, in order.
func (o *Conversion) Stream(ctx context.Context, out io.Writer, in *Trees) (Converted, error) {
	var sum Converted
	c := converter{o, in, &sum}
	for {
		r, err := c.next(ctx)
		if errors.Is(err, io.EOF) {
			return sum, nil
		}
		if err != nil {
			return sum, err
		}
		if err := c.write(out, r); err != nil {
			return sum, err
		}
	}
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
func (o *Conversion) Folder(ctx context.Context, folder string, in *Trees) (Converted, error) {
	var sum Converted
	c := converter{o, in, &sum}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return sum, err
	}
	written := map[string]bool{}
	var waiting *Record // the last game, whose name depends on the next one
	number := 0         // of it in its file; 0: it is the only one so far
	put := func(n int) error {
		if waiting == nil {
			return nil
		}
		base := filepath.Base(waiting.Path)
		base = strings.TrimSuffix(base, filepath.Ext(base))
		if n > 0 {
			base += fmt.Sprintf("-%06d", n)
		}
		path := filepath.Join(folder, base+o.To.Extension())
		if written[path] {
			return fmt.Errorf("%s: its file would be %s, as that of another game: convert them into different folders",
				waiting.Source, path)
		}
		written[path] = true
		if err := CheckOut(path, o.To, o.Program); err != nil {
			return err
		}
		sum.Files = append(sum.Files, path)
		return disk.Write(path, func(out io.Writer) error { return c.write(out, *waiting) })
	}
	for {
		r, err := c.next(ctx)
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended {
			return sum, err
		}
		again := !ended && waiting != nil && r.Path == waiting.Path
		if again || number > 0 {
			number++
		}
		if err := put(number); err != nil {
			return sum, err
		}
		if ended {
			return sum, nil
		}
		if !again {
			number = 0
		}
		waiting = &r
	}
}
