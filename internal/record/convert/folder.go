package convert

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
	"github.com/carozero/carozero/internal/record/gamefiles"
)

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
func Folder(ctx context.Context, folder string, in *gamefiles.Trees, o Options) (Summary, error) {
	var sum Summary
	c := converter{&o, in, &sum}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return sum, err
	}
	written := map[string]bool{}
	var waiting *gamefiles.Record // the last game, whose name depends on the next one
	number := 0                   // of it in its file; 0: it is the only one so far
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
			return fmt.Errorf("%s: its file would be %s, as that of another game: convert them into different folders", waiting.Source, path)
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
