package main

import (
	"archive/zip"
	"compress/flate"
	"io"
	"os"
	"time"
)

// File is a file that goes into an archive.
type File struct {
	Name string // in the archive, at its root
	Path string
}

// Pack writes a zip archive of files in their order, all of them executable and of
// the date given, in UTC: its bytes are a function of theirs and of the date.
func Pack(w io.Writer, files []File, date time.Time) error {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(out, flate.BestCompression)
	})
	for _, f := range files {
		if err := add(z, f, date); err != nil {
			return err
		}
	}
	return z.Close()
}

func add(z *zip.Writer, f File, date time.Time) error {
	in, err := os.Open(f.Path)
	if err != nil {
		return err
	}
	defer in.Close()
	head := &zip.FileHeader{Name: f.Name, Method: zip.Deflate, Modified: date.UTC()}
	head.SetMode(0o755)
	out, err := z.CreateHeader(head)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return err
}
