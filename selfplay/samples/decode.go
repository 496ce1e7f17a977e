package samples

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/vmihailenco/msgpack/v5"
)

// ErrShard is wrapped by every error about the content of a shard.
var ErrShard = errors.New("not a valid shard")

// Limits bounds what reading a shard may take, beside what is allowed for each
// byte of the file. The zero value means 2 GiB.
type Limits struct {
	Bytes int64 // uncompressed, with what values take beside them
}

// defaultLimits is several times what the default number of games on the
// largest board takes.
var defaultLimits = Limits{Bytes: 2 << 30}

// Bounds on parts of the header, against hostile files; real ones stay far below.
const (
	maxText   = 1 << 16 // bytes of a string
	maxNames  = 1 << 12 // planes or globals
	maxFields = 1 << 10 // fields of a map
	maxDepth  = 6       // nesting of a value
	maxGames  = 1 << 24
	maxWindow = 8 << 20 // zstd window, the most that its decoders are asked to know
)

// Shard is a shard in memory.
type Shard struct {
	Header  Header
	Columns *Columns
}

// ReadShard reads a shard and checks everything that does not need the rules: the schema,
// the shapes, and Columns.Check. Memory is bounded by the limits and by the bytes read,
// and allocated only as data arrives.
func ReadShard(r io.Reader, limits Limits) (*Shard, error) {
	s, err := decodeShard(r, limits)
	if err != nil {
		return nil, err
	}
	if p := s.Columns.Check(len(s.Header.Games)); len(p) > 0 {
		return nil, fmt.Errorf("%w: %v", ErrShard, p[0])
	}
	return s, nil
}

// decodeShard reads a shard whose columns have the right shapes and any
// content.
func decodeShard(r io.Reader, limits Limits) (*Shard, error) {
	if limits.Bytes == 0 {
		limits = defaultLimits
	}
	allowed := &budget{most: limits.Bytes}
	z, err := zstd.NewReader(countingReader{r, allowed}, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(uint64(limits.Bytes)))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrShard, err)
	}
	defer z.Close()
	s, err := decodeStream(z, allowed)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrShard, err)
	}
	return s, nil
}

// decodeStream reads the msgpack objects of a shard.
func decodeStream(r io.Reader, allowed *budget) (*Shard, error) {
	d := newDecoder(budgetReader{r, allowed}, allowed)
	s := &Shard{}
	if err := d.header(&s.Header); err != nil {
		return nil, err
	}
	var err error
	s.Columns, err = d.columns(len(s.Header.Planes.Names), len(s.Header.Globals), s.Header.Rows)
	if err != nil {
		return nil, err
	}
	return s, d.end()
}

// decoder is a msgpack decoder that does not allocate by a declared length alone, stays
// within its budget, and limits nesting.
type decoder struct {
	*msgpack.Decoder
	in     *bufio.Reader // what the Decoder reads, without a buffer of its own
	budget *budget
}

func newDecoder(r io.Reader, b *budget) *decoder {
	in := bufio.NewReader(r)
	return &decoder{Decoder: msgpack.NewDecoder(in), in: in, budget: b}
}

// payloadDecoder returns a decoder of a journal's payload, which is in memory
// as it is.
func payloadDecoder(payload []byte) *decoder {
	return newDecoder(bytes.NewReader(payload), &budget{most: defaultLimits.Bytes, read: int64(len(payload))})
}

// end checks that nothing follows.
func (d *decoder) end() error {
	switch _, err := d.PeekCode(); {
	case err == nil:
		return errors.New("data after the columns")
	case errors.Is(err, io.EOF):
		return nil
	default:
		return err
	}
}

// object calls field for each key of a map, which must not repeat one.
func (d *decoder) object(field func(key string) error) error {
	n, err := d.DecodeMapLen()
	if err != nil {
		return err
	}
	if n < 0 || n > maxFields {
		return fmt.Errorf("a map of %d keys", n)
	}
	seen := make(map[string]bool, min(n, 32))
	for range n {
		key, err := d.text()
		if err != nil {
			return err
		}
		if seen[key] {
			return fmt.Errorf("key %.40q twice", key)
		}
		seen[key] = true
		if err := d.budget.take(valueCost); err != nil {
			return err
		}
		if err := field(key); err != nil {
			return fmt.Errorf("%.40q: %w", key, err)
		}
	}
	return nil
}

// list calls element for each of a list's elements, of which there must be at
// most limit.
func (d *decoder) list(limit int, element func() error) error {
	n, err := d.DecodeArrayLen()
	if err != nil {
		return err
	}
	if n < 0 || n > limit {
		return fmt.Errorf("a list of %d elements", n)
	}
	for i := range n {
		if err := element(); err != nil {
			return fmt.Errorf("%d: %w", i, err)
		}
	}
	return nil
}

func (d *decoder) text() (string, error) {
	n, err := d.DecodeBytesLen()
	if err != nil {
		return "", err
	}
	if n < 0 || n > maxText {
		return "", fmt.Errorf("a text of %d bytes", n)
	}
	if err := d.budget.take(textCost + n); err != nil {
		return "", err
	}
	b := make([]byte, n)
	if err := d.ReadFull(b); err != nil {
		return "", err
	}
	return string(b), nil
}

func (d *decoder) texts() (list []string, err error) {
	err = d.list(maxNames, func() error {
		s, err := d.text()
		list = append(list, s)
		return err
	})
	return list, err
}
