package fetch

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/andybalholm/brotli"
)

// What is read of a package at most, in bytes: as it arrives, and unpacked. The
// largest that is pinned has 86 MB and 240 MB.
const (
	maxPackage  = 256e6
	maxUnpacked = 1e9
)

// errDigest marks a file that is not the pinned one.
var errDigest = errors.New("it is another file than the pinned one")

// unpack writes the wanted files out of the package, each to where open says, and
// reads no further. What was written may be used only if the error is nil.
func unpack(pack io.Reader, want []File, open func(File) io.Writer) error {
	zipped, err := gzip.NewReader(bufio.NewReaderSize(pack, 1<<16))
	if err != nil {
		return broken(err)
	}
	left := slices.Clone(want)
	return walk(&bounded{zipped, maxUnpacked}, func(header *tar.Header, data io.Reader) (bool, error) {
		wanted := func(f File) bool { return f.Member == header.Name }
		var here []File
		for _, f := range left {
			if wanted(f) {
				here = append(here, f)
			}
		}
		if len(here) > 0 {
			if err := unpackMember(header, data, here, open); err != nil {
				return false, err
			}
			left = slices.DeleteFunc(left, wanted)
		}
		return len(left) == 0, nil
	}, func() string { return left[0].Member })
}

// walk calls visit for the members of an archive until it is done. missing names what is
// absent if the archive ends before.
func walk(data io.Reader, visit func(*tar.Header, io.Reader) (done bool, err error), missing func() string) error {
	archive := tar.NewReader(data)
	for {
		header, err := archive.Next()
		if err == io.EOF {
			return fmt.Errorf("it has no member %s: %w", missing(), errDigest)
		}
		if err != nil {
			return broken(err)
		}
		if done, err := visit(header, archive); done || err != nil {
			return err
		}
	}
}

// unpackMember writes the files that a member of the package has.
func unpackMember(header *tar.Header, data io.Reader, want []File, open func(File) io.Writer) error {
	if strings.HasSuffix(header.Name, ".br") {
		if err := plainFile(header); err != nil {
			return err
		}
		data = &bounded{&inflated{brotli.NewReader(data)}, maxUnpacked}
		if want[0].Inside == "" {
			return copyFile(open(want[0]), data, want[0])
		}
	} else if want[0].Inside == "" {
		return copyMember(open(want[0]), data, header, want[0])
	}
	left := slices.Clone(want)
	return walk(data, func(header *tar.Header, data io.Reader) (bool, error) {
		i := slices.IndexFunc(left, func(f File) bool { return f.Inside == header.Name })
		if i < 0 {
			return false, nil
		}
		err := copyMember(open(left[i]), data, header, left[i])
		left = slices.Delete(left, i, i+1)
		return len(left) == 0, err
	}, func() string { return left[0].Inside })
}

// plainFile returns an error for links, devices and the like.
func plainFile(header *tar.Header) error {
	if header.Typeflag != tar.TypeReg {
		return fmt.Errorf("its member %s is not a plain file: %w", header.Name, errDigest)
	}
	return nil
}

// copyMember writes the file that is a member of an archive.
func copyMember(w io.Writer, data io.Reader, header *tar.Header, want File) error {
	if err := plainFile(header); err != nil {
		return err
	}
	if header.Size != want.Size {
		return fmt.Errorf("its member %s has %d bytes, not the pinned %d: %w", header.Name, header.Size, want.Size, errDigest)
	}
	return copyFile(w, data, want)
}

// copyFile writes the file that data has, which must be the pinned one.
func copyFile(w io.Writer, data io.Reader, want File) error {
	digest := sha256.New()
	out := &sink{Writer: w}
	n, err := io.Copy(io.MultiWriter(out, digest), io.LimitReader(data, want.Size+1))
	if err != nil {
		if out.failed != nil {
			return writeError{out.failed}
		}
		return broken(err)
	}
	if n > want.Size {
		return fmt.Errorf("its file %s has more than the pinned %d bytes: %w", want.Name, want.Size, errDigest)
	}
	if got := hex.EncodeToString(digest.Sum(nil)); got != want.SHA256 {
		return fmt.Errorf("its file %s has SHA-256 %s, not the pinned %s: %w", want.Name, got, want.SHA256, errDigest)
	}
	return nil
}

// errInflate is the cause of what brotli finds wrong.
var errInflate = errors.New("brotli")

// inflated marks the errors of the decompression itself.
type inflated struct{ *brotli.Reader }

func (r *inflated) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err != nil && strings.HasPrefix(err.Error(), "brotli: ") {
		err = fmt.Errorf("%w: %s", errInflate, strings.TrimPrefix(err.Error(), "brotli: "))
	}
	return n, err
}

// sink marks errors of writing, to tell them from errors of reading.
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
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.Is(err, tar.ErrHeader), errors.Is(err, errInflate):
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
