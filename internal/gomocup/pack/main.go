// Command pack makes a zip archive of files, the same bytes for the same files and
// the same date, and fails if it is larger than a tournament allows.
//
//	go run ./internal/gomocup/pack -out FILE.zip -date 1767225600 -limit 8000000 NAME=PATH...
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/carozero/carozero/internal/disk"
)

func main() {
	out := flag.String("out", "", "archive that is written")
	limit := flag.Int64("limit", 0, "bytes that it may have; 0: any number")
	date := flag.Int64("date", earliest.Unix(), "seconds since 1970 of the date that the files have in it")
	flag.Parse()
	size, err := run(*out, *limit, time.Unix(*date, 0), flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
	fmt.Printf("%s: %d bytes\n", *out, size)
}

// The dates that a zip archive can hold.
var (
	earliest = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2107, 12, 31, 23, 59, 59, 0, time.UTC)
)

// run packs the files that the arguments name, NAME=PATH each.
func run(out string, limit int64, date time.Time, args []string) (size int64, err error) {
	if date.Before(earliest) || date.After(latest) {
		return 0, fmt.Errorf("-date %d: want seconds since 1970 of a day from %s to %s", date.Unix(), earliest.Format(time.DateOnly), latest.Format(time.DateOnly))
	}
	if out == "" || len(args) == 0 {
		return 0, fmt.Errorf("want -out FILE.zip and files as NAME=PATH")
	}
	var files []File
	for _, arg := range args {
		name, path, ok := strings.Cut(arg, "=")
		if !ok || name != filepath.Base(name) {
			return 0, fmt.Errorf("%q: want NAME=PATH, the name without a folder", arg)
		}
		files = append(files, File{name, path})
	}
	zipped := func(head []byte) bool { return strings.HasPrefix(string(head), "PK") }
	if err := disk.Check(out, "no zip archive", zipped); err != nil {
		return 0, err
	}
	err = disk.Write(out, func(w io.Writer) error {
		counted := &counter{w: w}
		if err := Pack(counted, files, date); err != nil {
			return err
		}
		size = counted.n
		if limit > 0 && size > limit {
			return fmt.Errorf("%s would have %d bytes, more than the limit of %d", out, size, limit)
		}
		return nil
	})
	return size, err
}

// counter counts the bytes that pass.
type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}
