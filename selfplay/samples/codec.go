package samples

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"

	"github.com/klauspost/compress/zstd"
	"github.com/vmihailenco/msgpack/v5"

	"github.com/carozero/carozero/internal/disk"
)

// ErrShard is wrapped by every error about the content of a shard.
var ErrShard = errors.New("not a valid shard")

// maxUnpacked bounds what a shard unpacks to, in bytes: several times what the default
// number of games on the largest board takes.
const maxUnpacked = 2 << 30

// level and windows of the zstd frames. The first two are part of a shard's bytes.
const (
	level     = zstd.SpeedBetterCompression
	window    = 1 << 20
	maxWindow = 8 << 20 // the most that its decoders are asked to know
)

// Shard is a shard in memory.
type Shard struct {
	Header  Header
	Columns *Columns
}

// wireHeader is the header as a shard has it.
type wireHeader struct {
	Format  string `msgpack:"format"`
	Version int    `msgpack:"version"`
	Header  `msgpack:",inline"`
}

// wireColumn is a column as a shard has it.
type wireColumn struct {
	DType string `msgpack:"dtype"`
	Shape []int  `msgpack:"shape"`
	Data  blob   `msgpack:"data"`
}

// blob is bytes that are allocated as they arrive.
type blob []byte

// DecodeMsgpack implements [msgpack.CustomDecoder].
func (b *blob) DecodeMsgpack(d *msgpack.Decoder) error {
	const most = 1 << 20
	n, err := d.DecodeBytesLen()
	for len(*b) < n && err == nil {
		from := len(*b)
		more := min(n-from, most)
		*b = slices.Grow(*b, more)[:from+more]
		err = d.ReadFull((*b)[from:])
	}
	return err
}

// newEncoder returns an encoder whose integers take as few bytes as they can.
func newEncoder(w io.Writer) *msgpack.Encoder {
	e := msgpack.NewEncoder(w)
	e.UseCompactInts(true)
	return e
}

// WriteShard writes a shard, which is a pure function of h and c. h.Rows must be c.Rows,
// and c sealed.
func WriteShard(w io.Writer, h *Header, c *Columns) error {
	z, err := zstd.NewWriter(w,
		zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(level), zstd.WithEncoderCRC(true), zstd.WithWindowSize(window))
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(z, 64<<10)
	e := newEncoder(buffered)
	if err = h.encode(e); err == nil {
		err = c.encode(e)
	}
	if err == nil {
		err = buffered.Flush()
	}
	return errors.Join(err, z.Close())
}

// encode writes the header. Lists that are nil are written as empty ones.
func (h *Header) encode(e *msgpack.Encoder) error {
	w := wireHeader{Format, Version, *h}
	w.Rule, w.Search = append(OrderedMap{}, h.Rule...), append(OrderedMap{}, h.Search...)
	w.Globals, w.Games = append([]string{}, h.Globals...), append([]Game{}, h.Games...)
	w.Planes.Names = append([]string{}, h.Planes.Names...)
	return e.Encode(&w)
}

// encode writes the columns as a map of {dtype, shape, data}.
func (c *Columns) encode(e *msgpack.Encoder) error {
	table := c.table()
	if err := e.EncodeMapLen(len(table)); err != nil {
		return err
	}
	for i := range table {
		col := &table[i]
		if n := col.data.Len() * col.size(); n > math.MaxUint32 {
			return fmt.Errorf("column %s has %d bytes, more than msgpack can hold: use fewer games per shard", col.name, n)
		}
		w := &wireColumn{col.dtype, col.shape(c.Rows, len(c.VisitActions)), col.bytes()}
		if err := errors.Join(e.EncodeString(col.name), e.Encode(w)); err != nil {
			return err
		}
	}
	return nil
}

// ReadShard reads a shard that unpacks to at most so many bytes, 0 meaning 2 GiB. It checks
// everything that does not need the rules: the schema, the shapes, and Columns.Check.
func ReadShard(r io.Reader, most int64) (*Shard, error) {
	s, err := decodeShard(r, cmp.Or(most, maxUnpacked), true)
	if err != nil {
		return nil, err
	}
	return s, s.check()
}

// check returns the first problem of the columns.
func (s *Shard) check() error {
	if p := s.Columns.Check(len(s.Header.Games)); len(p) > 0 {
		return fmt.Errorf("%w: %v", ErrShard, p[0])
	}
	return nil
}

// decodeShard reads a shard whose columns have the right shapes and any content, or its header
// alone.
func decodeShard(r io.Reader, most int64, columns bool) (*Shard, error) {
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrShard, err)
	}
	defer z.Close()
	s, err := decodeStream(disk.Limit(z, most), columns)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrShard, err)
	}
	return s, nil
}

// decodeStream reads the msgpack objects of a shard.
func decodeStream(r io.Reader, columns bool) (*Shard, error) {
	d := msgpack.NewDecoder(bufio.NewReader(r))
	s := &Shard{Columns: &Columns{}}
	if err := s.Header.decode(d); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	if !columns {
		return s, nil
	}
	if err := s.Columns.decode(d); err != nil {
		return nil, fmt.Errorf("columns: %w", err)
	}
	h, c := &s.Header, s.Columns
	if h.Rows != c.Rows || len(h.Planes.Names) != c.Layout.Planes || len(h.Globals) != c.Layout.Globals {
		return nil, fmt.Errorf("header: %d rows of %d planes and %d globals, the columns have %d of %d and %d",
			h.Rows, len(h.Planes.Names), len(h.Globals), c.Rows, c.Layout.Planes, c.Layout.Globals)
	}
	return s, decodeEnd(d)
}

// decodeEnd checks that nothing follows.
func decodeEnd(d *msgpack.Decoder) error {
	switch _, err := d.PeekCode(); {
	case err == nil:
		return errors.New("data after the end")
	case errors.Is(err, io.EOF):
		return nil
	default:
		return err
	}
}

// decode reads a header. It must have the keys that an empty one is written with.
func (h *Header) decode(d *msgpack.Decoder) error {
	var empty bytes.Buffer
	var required, found map[string]msgpack.RawMessage
	raw, err := d.DecodeRaw()
	if err == nil {
		err = errors.Join(msgpack.Unmarshal(raw, &found), (&Header{}).encode(msgpack.NewEncoder(&empty)),
			msgpack.Unmarshal(empty.Bytes(), &required))
	}
	for _, key := range slices.Sorted(maps.Keys(required)) {
		if err == nil && found[key] == nil {
			err = fmt.Errorf("no key %q", key)
		}
	}
	var w wireHeader
	if err == nil {
		err = msgpack.Unmarshal(raw, &w)
	}
	if err == nil && (w.Format != Format || w.Version != Version) {
		err = fmt.Errorf("%.40q version %d, want %q version %d", w.Format, w.Version, Format, Version)
	}
	*h = w.Header
	if len(h.Globals) == 0 { // a list that is empty is nil, as those who write it have it
		h.Globals = nil
	}
	return err
}

// decode reads the columns. It skips unknown ones; row_crc may be missing.
func (c *Columns) decode(d *msgpack.Decoder) error {
	var found map[string]*wireColumn
	if err := d.Decode(&found); err != nil {
		return err
	}
	size := func(name string, axis int) int {
		if w := found[name]; w != nil && axis < len(w.Shape) {
			return w.Shape[axis]
		}
		return 0
	}
	c.Rows = size("outcome", 0)
	c.Layout = Layout{size("planes", 1), size("planes", 2), size("globals", 1), size("legal", 1)}
	for _, col := range c.table() {
		w := found[col.name]
		if w == nil && col.name == crcColumn {
			continue
		}
		if w == nil {
			return fmt.Errorf("no column %q", col.name)
		}
		want := col.shape(c.Rows, size("visit_actions", 0))
		if w.DType != col.dtype || !slices.Equal(w.Shape, want) {
			return fmt.Errorf("%q: %.10q %v, want %q %v", col.name, w.DType, w.Shape, col.dtype, want)
		}
		n := float64(col.size()) // which cannot overflow
		for _, s := range want {
			n *= float64(s)
		}
		if float64(len(w.Data)) != n {
			return fmt.Errorf("%q: %d bytes, want %.0f", col.name, len(w.Data), n)
		}
		col.set(w.Data)
		w.Data = nil
	}
	return nil
}
