package samples

import (
	"bufio"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
	"github.com/vmihailenco/msgpack/v5"
)

// chunk is how many bytes of a column are turned into or from little-endian
// bytes at a time.
const chunk = 64 << 10

// level and window of the zstd frames. They are part of a shard's bytes.
const (
	level  = zstd.SpeedBetterCompression
	window = 1 << 20
)

// WriteShard writes a shard, which is a pure function of h and c. h.Rows must
// be c.Rows, and c sealed.
func WriteShard(w io.Writer, h *Header, c *Columns) error {
	z, err := zstd.NewWriter(w,
		zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(level), zstd.WithEncoderCRC(true), zstd.WithWindowSize(window))
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(z, chunk)
	e := &mapEncoder{Encoder: msgpack.NewEncoder(buffered)}
	h.encode(e)
	c.encode(e)
	if e.err != nil {
		z.Close()
		return e.err
	}
	if err := buffered.Flush(); err != nil {
		z.Close()
		return err
	}
	return z.Close()
}

// encode writes the columns as a msgpack map of {dtype, shape, data}.
func (c *Columns) encode(e *mapEncoder) {
	t := c.table()
	e.mapLen(len(t))
	var buf []byte
	for i := range t {
		col := &t[i]
		e.key(col.name)
		e.mapLen(3)
		e.key("dtype")
		e.str(col.dtype)
		e.key("shape")
		shape := col.shape(c.Rows, len(c.VisitActions))
		e.arrayLen(len(shape))
		for _, n := range shape {
			e.int(n)
		}
		e.key("data")
		buf = col.encodeData(e, buf)
	}
}

// encodeData writes the column's bytes, with buf as scratch memory that it
// returns for the next column.
func (c *column) encodeData(e *mapEncoder, buf []byte) []byte {
	n, size := c.data.len(), c.data.item()
	if n*size > math.MaxUint32 {
		e.do(fmt.Errorf("column %s has %d bytes, more than msgpack can hold: use fewer games per shard", c.name, n*size))
		return buf
	}
	e.do(e.EncodeBytesLen(n * size))
	for from := 0; from < n && e.err == nil; from += chunk / size {
		buf = c.data.bytes(buf[:0], from, min(n, from+chunk/size))
		_, err := e.Writer().Write(buf)
		e.do(err)
	}
	return buf
}
