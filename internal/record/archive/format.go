package archive

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/carozero/carozero/selfplay/samples"
)

// magic begins an archive. Its first byte is no text, and its line feed is lost where
// a transfer mistakes the file for one.
const magic = "\x89CZPACK\n"

// version is that of the format.
const version = 1

// Kind says what an archive holds.
type Kind uint8

// Kinds of archives.
const (
	Games   Kind = iota // moves, from which the runs are played again
	Columns             // what only the searches knew as well
)

// String returns the kind's name.
func (k Kind) String() string {
	if k == Columns {
		return "columns"
	}
	return "games"
}

const (
	headBytes = len(magic) + 2 // and version, kind
	tailBytes = 4 + sha256.Size
	mostBlock = 1 << 30 // bytes of a block
)

// ErrArchive is wrapped by every error about the content of an archive.
var ErrArchive = errors.New("not a whole archive of samples")

// invalid returns an error about the content of an archive.
func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrArchive, fmt.Errorf(format, args...))
}

// archiveWriter writes an archive: its head, blocks, and its end.
type archiveWriter struct {
	to    io.Writer
	sum   hash.Hash
	bytes int64
}

func newWriter(to io.Writer, kind Kind) (*archiveWriter, error) {
	w := &archiveWriter{to: to, sum: sha256.New()}
	return w, w.write(append([]byte(magic), version, byte(kind)))
}

func (w *archiveWriter) write(b []byte) error {
	w.sum.Write(b)
	w.bytes += int64(len(b))
	_, err := w.to.Write(b)
	return err
}

// block writes a block of some parts that are not empty together.
func (w *archiveWriter) block(parts ...[]byte) error {
	n := 0
	for _, p := range parts {
		n += len(p)
	}
	if n > mostBlock {
		return fmt.Errorf("a block of %d bytes is more than an archive can hold: use fewer games per shard", n)
	}
	if err := w.write(binary.LittleEndian.AppendUint32(nil, uint32(n))); err != nil {
		return err
	}
	for _, p := range parts {
		if err := w.write(p); err != nil {
			return err
		}
	}
	return nil
}

// end writes the archive's end.
func (w *archiveWriter) end() error {
	if err := w.write(make([]byte, 4)); err != nil {
		return err
	}
	return w.write(w.sum.Sum(nil))
}

// check reads a whole archive and holds it to its digest, which it returns.
func check(ctx context.Context, files samples.FS, path string) (digest [sha256.Size]byte, err error) {
	size, err := files.Size(path)
	if err != nil {
		return digest, err
	}
	r, err := openReader(files, path)
	if err != nil {
		return digest, err
	}
	defer r.close()
	if size < int64(headBytes+tailBytes) {
		return digest, invalid("%d bytes: the end is missing", size)
	}
	sum := sha256.New()
	sum.Write(r.head[:])
	for left := size - int64(headBytes+sha256.Size); left > 0; left -= chunk {
		if err := ctx.Err(); err != nil {
			return digest, err
		}
		if _, err := io.CopyN(sum, r.in, min(left, chunk)); err != nil {
			return digest, err
		}
	}
	if _, err := io.ReadFull(r.in, digest[:]); err != nil {
		return digest, err
	}
	if [sha256.Size]byte(sum.Sum(nil)) != digest {
		return digest, invalid("its content has another digest than its end says: it was changed or cut off")
	}
	return digest, nil
}

// chunk is how much is read between looks at the context.
const chunk = 1 << 20

// archiveReader reads the blocks of an archive.
type archiveReader struct {
	file io.Closer
	in   *bufio.Reader
	head [headBytes]byte
	kind Kind
}

// openReader opens an archive and reads its head.
func openReader(files samples.FS, path string) (*archiveReader, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, err
	}
	r := &archiveReader{file: f, in: bufio.NewReaderSize(f, 1<<16)}
	if err := r.begin(); err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

func (r *archiveReader) begin() error {
	_, err := io.ReadFull(r.in, r.head[:])
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err // a folder, or the disk's
	}
	v, kind := r.head[len(magic)], r.head[len(magic)+1]
	switch {
	case err != nil || string(r.head[:len(magic)]) != magic:
		return invalid("it does not begin as one")
	case v != version:
		return invalid("its format is version %d, this program reads version %d", v, version)
	case kind > byte(Columns):
		return invalid("it holds %d, want games (%d) or columns (%d)", kind, Games, Columns)
	}
	r.kind = Kind(kind)
	return nil
}

func (r *archiveReader) close() error { return r.file.Close() }

// block returns the next block, nil at the archive's end. Its memory grows only with
// what is there.
func (r *archiveReader) block() ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(r.in, length[:]); err != nil {
		return nil, torn(err)
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n > mostBlock {
		return nil, invalid("a block of %d bytes", n)
	}
	if n == 0 {
		var digest [sha256.Size]byte
		if _, err := io.ReadFull(r.in, digest[:]); err != nil {
			return nil, torn(err)
		}
		if _, err := r.in.ReadByte(); !errors.Is(err, io.EOF) {
			return nil, invalid("something follows its end")
		}
		return nil, nil
	}
	var b bytes.Buffer
	if _, err := io.CopyN(&b, r.in, int64(n)); err != nil {
		return nil, torn(err)
	}
	return b.Bytes(), nil
}

// torn returns the error of a read that must not find the end of the file.
func torn(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return invalid("it is cut off")
	}
	return err
}
