package dataset

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/carozero/carozero/selfplay/samples"
)

// Keys of the metadata of a Parquet file of rows or games.
const (
	headerKey = "carozero.header" // the shard's header as JSON, without its games
	shardKey  = "carozero.shard"  // its number in the export
)

// writerOptions are those of every file: nothing in them depends on the build.
func (t *table) writerOptions() ([]parquet.WriterOption, error) {
	header, err := json.Marshal(&t.shard.Header)
	return []parquet.WriterOption{
		parquet.CreatedBy("carozero", fmt.Sprint(exportVersion), ""),
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault, Concurrency: 1}),
		parquet.MaxRowsPerRowGroup(1 << 16),
		parquet.KeyValueMetadata(headerKey, string(header)),
		parquet.KeyValueMetadata(shardKey, fmt.Sprint(t.number)),
	}, err
}

// gamesParquet writes the games.
func (t *table) gamesParquet(w io.Writer) error {
	options, err := t.writerOptions()
	if err != nil {
		return err
	}
	out := parquet.NewGenericWriter[gameEntry](w, options...)
	if _, err := out.Write(t.games()); err != nil {
		return err
	}
	return out.Close()
}

// field is a column of a Parquet file of rows: what it holds of row i.
type field struct {
	name   string
	node   parquet.Node
	list   bool
	values func(dst []parquet.Value, i int) []parquet.Value
}

// parquet writes the rows: a column for each of the shard's, the sparse ones and the
// scalar inputs as lists, planes and legal actions as bytes of fixed length, and the
// number of the shard.
func (t *table) parquet(w io.Writer) error {
	fields := []field{{name: "shard", node: parquet.Uint(32), values: func(dst []parquet.Value, _ int) []parquet.Value {
		return append(dst, parquet.Int32Value(int32(t.number)))
	}}}
	for _, a := range t.arrays {
		if a.Name != offsets {
			fields = append(fields, t.field(a))
		}
	}
	options, err := t.writerOptions()
	if err != nil {
		return err
	}
	out := parquet.NewWriter(w, append(options, schema(fields))...)
	var row parquet.Row
	var values []parquet.Value
	for i := range t.shard.Columns.Rows {
		row = row[:0]
		for column := range fields {
			values = fields[column].values(values[:0], i)
			row = fields[column].appendTo(row, values, column)
		}
		if _, err := out.WriteRows([]parquet.Row{row}); err != nil {
			return err
		}
	}
	return out.Close()
}

// appendTo adds the values of a column to a row, with the levels that lists have.
func (f *field) appendTo(row parquet.Row, values []parquet.Value, column int) parquet.Row {
	if !f.list {
		return append(row, values[0].Level(0, 0, column))
	}
	if len(values) == 0 {
		return append(row, parquet.Value{}.Level(0, 0, column))
	}
	for k, v := range values {
		row = append(row, v.Level(min(k, 1), 1, column))
	}
	return row
}

// field returns how a column is written.
func (t *table) field(a samples.Array) field {
	f := field{name: a.Name}
	switch data := a.Data.(type) {
	case []uint8:
		f.bytes(data, a)
	case []int8:
		f.node, f.values = parquet.Int(8), each(t, a, data, func(v int8) parquet.Value { return parquet.Int32Value(int32(v)) })
	case []uint16:
		f.node, f.values = parquet.Uint(16), each(t, a, data, func(v uint16) parquet.Value { return parquet.Int32Value(int32(v)) })
	case []uint32:
		f.node, f.values = parquet.Uint(32), each(t, a, data, func(v uint32) parquet.Value { return parquet.Int32Value(int32(v)) })
	case []float32:
		f.node, f.values = parquet.Leaf(parquet.FloatType), each(t, a, data, parquet.FloatValue)
	}
	if f.list = sparse(a.Name) || a.Name == "globals"; f.list {
		f.node = parquet.List(f.node)
	}
	return f
}

// bytes makes a field of bytes: as they are, of one length, or a number where a row
// has one.
func (f *field) bytes(data []uint8, a samples.Array) {
	width := 1
	for _, n := range a.Shape[1:] {
		width *= n
	}
	if len(a.Shape) == 1 {
		f.node, f.values = parquet.Uint(8), func(dst []parquet.Value, i int) []parquet.Value {
			return append(dst, parquet.Int32Value(int32(data[i])))
		}
		return
	}
	f.node, f.values = parquet.Leaf(parquet.FixedLenByteArrayType(width)), func(dst []parquet.Value, i int) []parquet.Value {
		return append(dst, parquet.FixedLenByteArrayValue(data[i*width:][:width]))
	}
}

// each returns the values of a row of a column of numbers.
func each[T any](t *table, a samples.Array, data []T, value func(T) parquet.Value) func([]parquet.Value, int) []parquet.Value {
	width := 1
	for _, n := range a.Shape[1:] {
		width *= n
	}
	return func(dst []parquet.Value, i int) []parquet.Value {
		lo, hi := i*width, (i+1)*width
		if sparse(a.Name) {
			lo, hi = int(t.shard.Columns.VisitOffsets[i]), int(t.shard.Columns.VisitOffsets[i+1])
		}
		for _, v := range data[lo:hi] {
			dst = append(dst, value(v))
		}
		return dst
	}
}

// ordered is a group whose fields keep their order, where parquet.Group sorts them.
type ordered struct {
	parquet.Group
	names []string
}

// Fields implements [parquet.Node].
func (o ordered) Fields() []parquet.Field {
	fields := o.Group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int {
		return slices.Index(o.names, a.Name()) - slices.Index(o.names, b.Name())
	})
	return fields
}

func schema(fields []field) *parquet.Schema {
	o := ordered{Group: parquet.Group{}}
	for _, f := range fields {
		o.Group[f.name] = f.node
		o.names = append(o.names, f.name)
	}
	return parquet.NewSchema("samples", o)
}
