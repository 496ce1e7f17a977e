package samples

import (
	"fmt"
	"math"
	"slices"
)

// maxWidth bounds the bytes of a plane and of the legal actions.
const maxWidth = 1 << 13

// columns reads the columns for the given numbers of planes, globals and rows. It skips
// unknown columns; row_crc may be missing.
func (d *decoder) columns(planes, globals, rows int) (*Columns, error) {
	c := &Columns{Layout: Layout{Planes: planes, PlaneBytes: -1, Globals: globals, LegalBytes: -1}, Rows: rows}
	return c, d.fill(c)
}

// gameColumns reads the columns of one game. It takes the number of rows from the first
// column, since there is no header.
func (d *decoder) gameColumns(l Layout) (*Columns, error) {
	c := &Columns{Layout: l, Rows: -1}
	if err := d.fill(c); err != nil {
		return nil, err
	}
	if c.Layout != l {
		return nil, fmt.Errorf("columns: layout %v, want %v", c.Layout, l)
	}
	return c, nil
}

// fill reads the columns' map into c.
func (d *decoder) fill(c *Columns) error {
	seen := map[string]bool{}
	visits := -1
	err := d.object(func(name string) error {
		seen[name] = true
		return d.column(c, name, &visits)
	})
	if err != nil {
		return fmt.Errorf("columns: %w", err)
	}
	for _, col := range c.table() {
		if !seen[col.name] && col.name != crcColumn {
			return fmt.Errorf("columns: no column %q", col.name)
		}
	}
	return nil
}

// column reads one column's map, in which dtype and shape must precede data.
// visits is the length of the sparse columns, -1 until one is read.
func (d *decoder) column(c *Columns, name string, visits *int) error {
	var dtype string
	var shape []int
	done := false
	err := d.object(func(key string) (err error) {
		switch key {
		case "dtype":
			dtype, err = d.text()
		case "shape":
			err = d.list(8, func() error {
				n, err := d.natural(math.MaxUint32)
				shape = append(shape, n)
				return err
			})
		case "data":
			if dtype == "" || shape == nil {
				return fmt.Errorf("before dtype and shape")
			}
			done = true
			err = d.data(c, name, dtype, shape, visits)
		default:
			err = d.skip()
		}
		return err
	})
	if err == nil && !done {
		return fmt.Errorf("no data")
	}
	return err
}

// data reads the bytes of column name after checking that dtype and shape are
// those that its name asks for.
func (d *decoder) data(c *Columns, name, dtype string, shape []int, visits *int) error {
	if c.Rows < 0 && len(shape) > 0 {
		c.Rows = shape[0]
	}
	learnWidths(c, name, shape)
	i := slices.IndexFunc(c.table(), func(col column) bool { return col.name == name })
	bytes, err := d.DecodeBytesLen()
	if err != nil {
		return err
	}
	if i < 0 {
		return d.discard(int64(bytes))
	}
	col := c.table()[i]
	if col.kind == sparse && *visits < 0 && len(shape) == 1 {
		*visits = shape[0]
	}
	want := col.shape(c.Rows, *visits)
	if dtype != col.dtype || !slices.Equal(shape, want) {
		return fmt.Errorf("%.10q %v, want %q %v", dtype, shape, col.dtype, want)
	}
	n := col.data.item()
	for _, s := range shape {
		n *= s // at most 2^31 rows of 2^12 planes of 2^13 bytes
	}
	if bytes != n {
		return fmt.Errorf("%d bytes, want %d", bytes, n)
	}
	return d.blocks(bytes, col.data.read)
}

// learnWidths takes the widths that are not in the header from the shapes of columns.
func learnWidths(c *Columns, name string, shape []int) {
	if len(shape) == 0 || shape[len(shape)-1] > maxWidth {
		return
	}
	switch name {
	case "planes":
		c.Layout.PlaneBytes = shape[len(shape)-1]
	case "legal":
		c.Layout.LegalBytes = shape[len(shape)-1]
	}
}

// blocks reads n bytes and hands them out in pieces, whose length is a
// multiple of every item's size.
func (d *decoder) blocks(n int, use func([]byte)) error {
	if n <= 0 {
		return nil
	}
	buf := make([]byte, min(n, chunk))
	for n > 0 {
		buf = buf[:min(n, chunk)]
		if err := d.ReadFull(buf); err != nil {
			return err
		}
		use(buf)
		n -= len(buf)
	}
	return nil
}
