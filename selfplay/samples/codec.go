package samples

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// ErrShard is wrapped by every error about the content of a shard.
var ErrShard = errors.New("not a valid shard")

// Limits bounds what reading a shard may take. The zero value means 2 GiB, several times
// what the default number of games on the largest board takes.
type Limits struct {
	Bytes int64 // unpacked
}

const maxUnpacked = 2 << 30

// level and windows of the zstd frames. The first two are part of a shard's bytes.
const (
	level     = zstd.SpeedBetterCompression
	window    = 1 << 20
	maxWindow = 8 << 20 // the most that its decoders are asked to know
)

// Bounds on values of the header, against files from outside.
const (
	maxElements = 1 << 12 // of a list or map of options
	maxDepth    = 6       // nesting of options
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
	Data  []byte `msgpack:"data"`
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
	w.Rule, w.Search = append(Fields{}, h.Rule...), append(Fields{}, h.Search...)
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
		if n := col.data.len() * col.data.item(); n > math.MaxUint32 {
			return fmt.Errorf("column %s has %d bytes, more than msgpack can hold: use fewer games per shard", col.name, n)
		}
		data := col.data.bytes([]byte{}, 0, col.data.len())
		if err := e.EncodeString(col.name); err != nil {
			return err
		}
		if err := e.Encode(&wireColumn{col.dtype, col.shape(c.Rows, len(c.VisitActions)), data}); err != nil {
			return err
		}
	}
	return nil
}

// ReadShard reads a shard and checks everything that does not need the rules: the schema,
// the shapes, and Columns.Check. The input is untrusted: memory is bounded by a multiple of
// the limit, and allocated only as data arrives.
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

// decodeShard reads a shard whose columns have the right shapes and any content.
func decodeShard(r io.Reader, limits Limits) (*Shard, error) {
	most := limits.Bytes
	if most == 0 {
		most = maxUnpacked
	}
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(uint64(most)))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrShard, err)
	}
	defer z.Close()
	s, err := decodeStream(&cappedReader{z, most, most})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrShard, err)
	}
	return s, nil
}

// cappedReader fails after most bytes.
type cappedReader struct {
	io.Reader
	left, most int64
}

func (c *cappedReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.left -= int64(n); c.left < 0 {
		return 0, fmt.Errorf("it unpacks to more than %d bytes", c.most)
	}
	return n, err
}

// decodeStream reads the msgpack objects of a shard.
func decodeStream(r io.Reader) (*Shard, error) {
	d := msgpack.NewDecoder(bufio.NewReader(r))
	s := &Shard{}
	if err := s.Header.decode(d); err != nil {
		return nil, err
	}
	s.Columns = &Columns{Layout: Layout{Planes: len(s.Header.Planes.Names), Globals: len(s.Header.Globals)}, Rows: s.Header.Rows}
	if err := s.Columns.decode(d); err != nil {
		return nil, err
	}
	return s, decodeEnd(d)
}

// decodeBytes returns a decoder of what is in memory.
func decodeBytes(data []byte) *msgpack.Decoder { return msgpack.NewDecoder(bytes.NewReader(data)) }

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

func (h *Header) decode(d *msgpack.Decoder) error {
	var w wireHeader
	err := decodeStruct(d, reflect.ValueOf(&w).Elem())
	switch {
	case err != nil:
		return fmt.Errorf("header: %w", err)
	case w.Format != Format || w.Version != Version:
		return fmt.Errorf("header: %.40q version %d, want %q version %d", w.Format, w.Version, Format, Version)
	}
	*h = w.Header
	return nil
}

func (g *Game) decode(d *msgpack.Decoder) error { return decodeStruct(d, reflect.ValueOf(g).Elem()) }

// decode reads the columns. Their number of rows is c.Rows, or that of the file if c.Rows is
// negative; the widths that c.Layout lacks are the file's. It skips unknown columns;
// row_crc may be missing.
func (c *Columns) decode(d *msgpack.Decoder) error {
	found := map[string]*wireColumn{}
	err := decodeMap(d, func(name string) error {
		w := &wireColumn{}
		found[name] = w
		return decodeStruct(d, reflect.ValueOf(w).Elem())
	})
	if err != nil {
		return fmt.Errorf("columns: %w", err)
	}
	width := func(name string, set *int) {
		if w := found[name]; w != nil && len(w.Shape) > 0 {
			*set = w.Shape[len(w.Shape)-1]
		}
	}
	width("planes", &c.Layout.PlaneBytes)
	width("legal", &c.Layout.LegalBytes)
	if c.Rows < 0 {
		width("outcome", &c.Rows)
	}
	visits := 0
	width("visit_actions", &visits)
	for _, col := range c.table() {
		w := found[col.name]
		if w == nil && col.name == crcColumn {
			continue
		}
		if w == nil {
			return fmt.Errorf("columns: no column %q", col.name)
		}
		want := col.shape(c.Rows, visits)
		if w.DType != col.dtype || !slices.Equal(w.Shape, want) {
			return fmt.Errorf("columns: %q: %.10q %v, want %q %v", col.name, w.DType, w.Shape, col.dtype, want)
		}
		n := float64(col.data.item()) // which cannot overflow
		for _, s := range want {
			n *= float64(s)
		}
		if float64(len(w.Data)) != n {
			return fmt.Errorf("columns: %q: %d bytes, want %.0f", col.name, len(w.Data), n)
		}
		col.data.read(w.Data)
		w.Data = nil
	}
	return nil
}

// decodeMap calls value for each key of a map, none of which may come twice.
func decodeMap(d *msgpack.Decoder, value func(key string) error) error {
	n, err := d.DecodeMapLen()
	if err != nil {
		return err
	}
	if n < 0 || n > maxElements {
		return fmt.Errorf("a map of %d keys", n)
	}
	seen := map[string]bool{}
	for range n {
		key, err := d.DecodeString()
		if err == nil && seen[key] {
			err = errors.New("the key is there twice")
		}
		if err == nil {
			seen[key] = true
			err = value(key)
		}
		if err != nil {
			return fmt.Errorf("%.40q: %w", key, err)
		}
	}
	return nil
}

// decodeStruct reads a map into the struct v by its msgpack tags. All keys must be there but
// those that may be left out; it skips unknown ones.
func decodeStruct(d *msgpack.Decoder, v reflect.Value) error {
	fields := map[string]reflect.Value{}
	required := addFields(fields, v, nil)
	err := decodeMap(d, func(key string) error {
		field, known := fields[key]
		if !known {
			return skip(d)
		}
		required = slices.DeleteFunc(required, func(name string) bool { return name == key })
		return decodeField(d, field)
	})
	if err == nil && len(required) > 0 {
		err = fmt.Errorf("no key %q", required[0])
	}
	return err
}

// addFields enters the fields of a struct by their names, and appends those of the fields
// that must be there.
func addFields(fields map[string]reflect.Value, v reflect.Value, required []string) []string {
	for i := range v.NumField() {
		name, option, _ := strings.Cut(v.Type().Field(i).Tag.Get("msgpack"), ",")
		switch option {
		case "inline":
			required = addFields(fields, v.Field(i), required)
			continue
		case "":
			required = append(required, name)
		}
		fields[name] = v.Field(i)
	}
	return required
}

// decodeField reads a value into v.
func decodeField(d *msgpack.Decoder, v reflect.Value) (err error) {
	switch p := v.Addr().Interface().(type) {
	case *Fields:
		*p, err = decodeFields(d, maxDepth)
		return err
	case *[]byte:
		*p, err = decodeBlob(d)
		return err
	}
	switch v.Kind() {
	case reflect.Struct:
		return decodeStruct(d, v)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return decodeStruct(d, v.Elem())
	case reflect.String:
		text, err := d.DecodeString()
		v.SetString(text)
		return err
	case reflect.Slice:
		n, err := d.DecodeArrayLen()
		v.SetLen(0)
		for i := 0; i < n && err == nil; i++ {
			v.Grow(1)
			v.SetLen(i + 1)
			err = decodeField(d, v.Index(i))
		}
		return err
	}
	n, err := decodeValue(d, 0)
	switch n := n.(type) {
	case int64:
		if v.CanInt() && n >= 0 {
			v.SetInt(n)
			return nil
		}
		if v.CanUint() && n >= 0 {
			v.SetUint(uint64(n))
			return nil
		}
	case uint64:
		if v.CanUint() {
			v.SetUint(n)
			return nil
		}
	}
	if err == nil {
		err = fmt.Errorf("%v, want an integer from 0", n)
	}
	return err
}

// decodeFields reads a map of options.
func decodeFields(d *msgpack.Decoder, depth int) (Fields, error) {
	f := Fields{}
	return f, decodeMap(d, func(key string) error {
		v, err := decodeValue(d, depth)
		f = append(f, Field{key, v})
		return err
	})
}

// decodeValue reads what Field names, nested depth deep at most.
func decodeValue(d *msgpack.Decoder, depth int) (any, error) {
	c, err := d.PeekCode()
	if err != nil {
		return nil, err
	}
	switch list := isArray(c); {
	case (list || isMap(c)) && depth == 0:
		return nil, errors.New("nested too deep")
	case list:
		n, err := d.DecodeArrayLen()
		if err == nil && n > maxElements {
			err = fmt.Errorf("a list of %d elements", n)
		}
		all := []any{}
		for i := 0; i < n && err == nil; i++ {
			var v any
			v, err = decodeValue(d, depth-1)
			all = append(all, v)
		}
		return all, err
	case isMap(c):
		return decodeFields(d, depth-1)
	}
	if c == msgpcode.Nil || msgpcode.IsBin(c) || msgpcode.IsExt(c) {
		return nil, fmt.Errorf("msgpack code %#x is no value of this format", c)
	}
	v, err := d.DecodeInterfaceLoose()
	if n, ok := v.(uint64); ok {
		v = integer(n)
	}
	return v, err
}

// decodeBlob reads bytes, which are allocated as they arrive.
func decodeBlob(d *msgpack.Decoder) (b []byte, err error) {
	const most = 1 << 20
	n, err := d.DecodeBytesLen()
	for len(b) < n && err == nil {
		from := len(b)
		more := min(n-from, most)
		b = slices.Grow(b, more)[:from+more]
		err = d.ReadFull(b[from:])
	}
	return b, err
}

func isArray(c byte) bool {
	return msgpcode.IsFixedArray(c) || c == msgpcode.Array16 || c == msgpcode.Array32
}

func isMap(c byte) bool {
	return msgpcode.IsFixedMap(c) || c == msgpcode.Map16 || c == msgpcode.Map32
}

// skip reads a value of any kind. It does not call itself, so that no nesting is too deep.
func skip(d *msgpack.Decoder) error {
	for left := 1; left > 0; left-- {
		c, err := d.PeekCode()
		n := 0
		switch {
		case err != nil:
		case isArray(c):
			n, err = d.DecodeArrayLen()
		case isMap(c):
			n, err = d.DecodeMapLen()
			n *= 2
		default:
			err = d.Skip()
		}
		if err != nil {
			return err
		}
		left += n
	}
	return nil
}
