package samples

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
)

// kind says how a column's entries belong to rows.
type kind uint8

const (
	perRow  kind = iota // width entries a row
	offsets             // one entry a row and one more
	sparse              // entries between a row's offsets
)

// column is one column's place in the file.
type column struct {
	name  string
	dtype string // numpy's
	kind  kind
	inner []int // shape after the rows, perRow only
	data  vector
}

// width returns the entries of a row, perRow only.
func (c *column) width() int {
	w := 1
	for _, n := range c.inner {
		w *= n
	}
	return w
}

// shape returns the column's shape for the given numbers of rows and visits.
func (c *column) shape(rows, visits int) []int {
	switch c.kind {
	case offsets:
		return []int{rows + 1}
	case sparse:
		return []int{visits}
	}
	return append([]int{rows}, c.inner...)
}

// crcColumn names the column that covers all others.
const crcColumn = "row_crc"

// table lists the columns in the order of the file, row_crc last. The vectors
// write through to c.
func (c *Columns) table() []column {
	l := c.Layout
	return []column{
		{"planes", "u1", perRow, []int{l.Planes, l.PlaneBytes}, vec(&c.Planes, 1)},
		{"globals", "<f4", perRow, []int{l.Globals}, vec(&c.Globals, 4)},
		{"legal", "u1", perRow, []int{l.LegalBytes}, vec(&c.Legal, 1)},
		{"visit_offsets", "<u4", offsets, nil, vec(&c.VisitOffsets, 4)},
		{"visit_actions", "<u2", sparse, nil, vec(&c.VisitActions, 2)},
		{"visit_counts", "<u4", sparse, nil, vec(&c.VisitCounts, 4)},
		{"policy_target", "<f4", sparse, nil, vec(&c.PolicyTarget, 4)},
		{"outcome", "i1", perRow, nil, vec(&c.Outcome, 1)},
		{"root_q", "<f4", perRow, nil, vec(&c.RootQ, 4)},
		{"net_q", "<f4", perRow, nil, vec(&c.NetQ, 4)},
		{"played", "<u2", perRow, nil, vec(&c.Played, 2)},
		{"reply", "<u2", perRow, nil, vec(&c.Reply, 2)},
		{"game", "<u4", perRow, nil, vec(&c.Game, 4)},
		{"ply", "<u2", perRow, nil, vec(&c.Ply, 2)},
		{"plies_left", "<u2", perRow, nil, vec(&c.PliesLeft, 2)},
		{"full_search", "u1", perRow, nil, vec(&c.FullSearch, 1)},
		{"proven", "i1", perRow, nil, vec(&c.Proven, 1)},
		{"weight", "<f4", perRow, nil, vec(&c.Weight, 4)},
		{crcColumn, "<u4", perRow, nil, vec(&c.RowCRC, 4)},
	}
}

// crcs returns each row's checksum, as the package comment defines it.
func (c *Columns) crcs() []uint32 {
	sums := make([]uint32, c.Rows)
	var buf []byte
	for _, col := range c.table() {
		if col.name == crcColumn {
			continue
		}
		size := col.data.item()
		buf = col.data.bytes(buf[:0], 0, col.data.len())
		w := col.width()
		for i := range sums {
			lo, hi := i*w, (i+1)*w
			switch col.kind {
			case offsets:
				hi = i + 2
			case sparse:
				lo, hi = c.visits(i)
			}
			sums[i] = crc32.Update(sums[i], crc32.IEEETable, buf[lo*size:hi*size])
		}
	}
	return sums
}

// vector is a slice of numbers of some type, read and written as little-endian
// bytes.
type vector interface {
	len() int
	item() int                             // bytes of an entry
	bytes(dst []byte, from, to int) []byte // appends entries from..to-1
	read(src []byte)                       // appends len(src)/item() entries
	appendFrom(other vector)               // appends other's entries, of the same type
	entries() any                          // the slice
}

type number interface {
	uint8 | int8 | uint16 | uint32 | float32
}

type numbers[T number] struct {
	slice *[]T
	size  int
}

func vec[T number](s *[]T, size int) vector { return numbers[T]{s, size} }

func (v numbers[T]) len() int  { return len(*v.slice) }
func (v numbers[T]) item() int { return v.size }

func (v numbers[T]) bytes(dst []byte, from, to int) []byte {
	dst, err := binary.Append(dst, binary.LittleEndian, (*v.slice)[from:to])
	if err != nil {
		panic(err) // numbers have a fixed size
	}
	return dst
}

func (v numbers[T]) read(src []byte) {
	n := len(*v.slice)
	*v.slice = slices.Grow(*v.slice, len(src)/v.size)[:n+len(src)/v.size]
	if _, err := binary.Decode(src, binary.LittleEndian, (*v.slice)[n:]); err != nil {
		panic(err)
	}
}

func (v numbers[T]) entries() any { return *v.slice }

func (v numbers[T]) appendFrom(other vector) {
	*v.slice = append(*v.slice, *other.(numbers[T]).slice...)
}
