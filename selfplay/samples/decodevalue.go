package samples

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// natural reads an integer in 0..limit.
func (d *decoder) natural(limit int) (int, error) {
	n, err := d.unsigned()
	if err == nil && n > uint64(limit) {
		err = fmt.Errorf("%d, want an integer in 0..%d", n, limit)
	}
	return int(n), err
}

// unsigned reads an integer from 0.
func (d *decoder) unsigned() (uint64, error) {
	c, err := d.PeekCode()
	if err != nil {
		return 0, err
	}
	if !msgpcode.IsFixedNum(c) && c != msgpcode.Uint64 && !slices.Contains(intCodes, c) {
		return 0, fmt.Errorf("msgpack code %#x, want an integer", c)
	}
	v, err := d.value(0)
	switch n := v.(type) {
	case uint64:
		return n, err
	case int64:
		if n >= 0 {
			return uint64(n), err
		}
	}
	return 0, cmp.Or(err, fmt.Errorf("%v, want an integer from 0", v))
}

// value reads what Field names, nested depth deep at most.
func (d *decoder) value(depth int) (any, error) {
	c, err := d.PeekCode()
	if err != nil {
		return nil, err
	}
	switch {
	case c == msgpcode.True || c == msgpcode.False:
		return d.DecodeBool()
	case c == msgpcode.Uint64:
		n, err := d.DecodeUint64()
		return integer(n), err
	case msgpcode.IsFixedNum(c) || slices.Contains(intCodes, c):
		return d.DecodeInt64()
	case c == msgpcode.Float || c == msgpcode.Double:
		return d.DecodeFloat64()
	case msgpcode.IsString(c):
		return d.text()
	case depth == 0:
		return nil, errors.New("nested too deep")
	case msgpcode.IsFixedArray(c) || c == msgpcode.Array16 || c == msgpcode.Array32:
		list := []any{}
		err := d.list(maxNames, func() error {
			if err := d.budget.take(valueCost); err != nil {
				return err
			}
			v, err := d.value(depth - 1)
			list = append(list, v)
			return err
		})
		return list, err
	case msgpcode.IsFixedMap(c) || c == msgpcode.Map16 || c == msgpcode.Map32:
		return d.fields(depth - 1)
	}
	return nil, fmt.Errorf("msgpack code %#x is no value of this format", c)
}

var intCodes = []byte{
	msgpcode.Uint8, msgpcode.Uint16, msgpcode.Uint32,
	msgpcode.Int8, msgpcode.Int16, msgpcode.Int32, msgpcode.Int64,
}

func (d *decoder) fields(depth int) (Fields, error) {
	f := Fields{}
	err := d.object(func(key string) error {
		v, err := d.value(depth)
		f = append(f, Field{key, v})
		return err
	})
	return f, err
}
