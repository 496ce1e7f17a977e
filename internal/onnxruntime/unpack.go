package onnxruntime

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
)

// What is read of a package at most, in bytes: as it arrives, and unpacked. The
// pinned one has 86 MB and 240 MB.
const (
	maxPackage  = 256e6
	maxUnpacked = 1e9
)

// errDigest marks a library that is not the pinned one.
var errDigest = errors.New("it is another file than the pinned one")

// unpack writes the library out of the package to w and reads no further. The
// bytes that were written may be used only if the error is nil.
func unpack(w io.Writer, pack io.Reader, want Library) error {
	zipped, err := gzip.NewReader(bufio.NewReaderSize(pack, 1<<16))
	if err != nil {
		return broken(err)
	}
	archive := tar.NewReader(&bounded{zipped, maxUnpacked})
	for {
		header, err := archive.Next()
		if err == io.EOF {
			return fmt.Errorf("it has no member %s: %w", want.Member, errDigest)
		}
		if err != nil {
			return broken(err)
		}
		if header.Name == want.Member {
			return copyLibrary(w, archive, header, want)
		}
	}
}

// copyLibrary writes the member that the archive stands at.
func copyLibrary(w io.Writer, archive io.Reader, header *tar.Header, want Library) error {
	if header.Typeflag != tar.TypeReg {
		return fmt.Errorf("its member %s is not a plain file: %w", want.Member, errDigest)
	}
	if header.Size != want.Size {
		return fmt.Errorf("its member %s has %d bytes, not the pinned %d: %w", want.Member, header.Size, want.Size, errDigest)
	}
	digest := sha256.New()
	out := &sink{Writer: w}
	if _, err := io.Copy(io.MultiWriter(out, digest), archive); err != nil {
		if out.failed != nil {
			return writeError{out.failed}
		}
		return broken(err)
	}
	if got := hex.EncodeToString(digest.Sum(nil)); got != want.SHA256 {
		return fmt.Errorf("its member %s has SHA-256 %s, not the pinned %s: %w", want.Member, got, want.SHA256, errDigest)
	}
	return nil
}

// sink remembers that writing, not reading, has failed.
type sink struct {
	io.Writer
	failed error
}

func (s *sink) Write(p []byte) (int, error) {
	n, err := s.Writer.Write(p)
	s.failed = err
	return n, err
}

// writeError is a failure to write what was unpacked.
type writeError struct{ error }

func (e writeError) Unwrap() error { return e.error }

// broken says what an error of unpacking means.
func broken(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return errors.New("it ends too early")
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.Is(err, tar.ErrHeader):
		return fmt.Errorf("it is damaged or no npm package (%w)", err)
	}
	return err
}

// bounded is a reader that fails behind left bytes.
type bounded struct {
	io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("it unpacks to more than %d MB", int64(maxUnpacked/1e6))
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.Reader.Read(p)
	b.left -= int64(n)
	return n, err
}
