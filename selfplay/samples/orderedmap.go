package samples

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// Field is one named parameter. Its value is a bool, int64, uint64 (only above
// the range of int64), float64, string, []any of these, or OrderedMap.
type Field struct {
	Key   string
	Value any
}

// OrderedMap is a map that keeps the order of its keys, so that its encodings are
// a function of its content.
type OrderedMap []Field

// Get returns the value of the first field named key.
func (f OrderedMap) Get(key string) (any, bool) {
	for _, e := range f {
		if e.Key == key {
			return e.Value, true
		}
	}
	return nil, false
}

// FieldsOf returns the exported fields of the struct v in their order, named
// in lower case with underscores: InFlight becomes in_flight. Nested structs
// become OrderedMap. Functions and fields tagged `sample:"-"` are left out, and those
// tagged `sample:"omitzero"` where they are zero; any other kind of value than Field names
// is an error. With tags only the fields with one of these are returned.
func FieldsOf(v any, tags ...string) (OrderedMap, error) {
	r := reflect.ValueOf(v)
	if r.Kind() != reflect.Struct {
		return nil, fmt.Errorf("samples: fields of %T: want a struct", v)
	}
	var out OrderedMap
	for i := range r.NumField() {
		f := r.Type().Field(i)
		tag := f.Tag.Get("sample")
		if len(tags) > 0 && !slices.Contains(tags, tag) {
			continue
		}
		if !f.IsExported() || tag == "-" || f.Type.Kind() == reflect.Func || tag == "omitzero" && r.Field(i).IsZero() {
			continue
		}
		value, err := fieldValue(r.Field(i))
		if err != nil {
			return nil, fmt.Errorf("samples: field %s of %T: %w", f.Name, v, err)
		}
		out = append(out, Field{snake(f.Name), value})
	}
	return out, nil
}

// fieldValue brings v to one of the types that Field names. A float32 becomes
// the float64 of its shortest decimal, so that 0.1 stays 0.1.
func fieldValue(v reflect.Value) (any, error) {
	switch v.Kind() {
	case reflect.Bool:
		return v.Bool(), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return v.Int(), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return integer(v.Uint()), nil
	case reflect.Float32:
		return strconv.ParseFloat(strconv.FormatFloat(v.Float(), 'g', -1, 32), 64)
	case reflect.Float64:
		return v.Float(), nil
	case reflect.String:
		return v.String(), nil
	case reflect.Array, reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			e, err := fieldValue(v.Index(i))
			if err != nil {
				return nil, err
			}
			list[i] = e
		}
		return list, nil
	case reflect.Struct:
		return FieldsOf(v.Interface())
	}
	return nil, fmt.Errorf("a %s cannot be recorded", v.Kind())
}

// integer returns n as an int64 where it fits, as the decoder does.
func integer(n uint64) any {
	if int64(n) >= 0 {
		return int64(n)
	}
	return n
}

// snake turns a Go name into lower case with underscores.
func snake(name string) string {
	var b strings.Builder
	rs := []rune(name)
	for i, r := range rs {
		if unicode.IsUpper(r) && i > 0 {
			after := i+1 < len(rs) && unicode.IsLower(rs[i+1])
			if !unicode.IsUpper(rs[i-1]) || after {
				b.WriteByte('_')
			}
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// EncodeMsgpack implements [msgpack.CustomEncoder].
func (f OrderedMap) EncodeMsgpack(e *msgpack.Encoder) error {
	if err := e.EncodeMapLen(len(f)); err != nil {
		return err
	}
	for _, x := range f {
		if err := errors.Join(e.EncodeString(x.Key), e.Encode(x.Value)); err != nil {
			return fmt.Errorf("%s: %w", x.Key, err)
		}
	}
	return nil
}

// DecodeMsgpack implements [msgpack.CustomDecoder].
func (f *OrderedMap) DecodeMsgpack(d *msgpack.Decoder) error {
	n, err := d.DecodeMapLen()
	*f = OrderedMap{}
	for i := 0; i < n && err == nil; i++ {
		var x Field
		if x.Key, err = d.DecodeString(); err == nil {
			x.Value, err = decodeValue(d)
		}
		*f = append(*f, x)
	}
	return err
}

// decodeValue reads what Field names.
func decodeValue(d *msgpack.Decoder) (any, error) {
	c, err := d.PeekCode()
	switch {
	case err != nil:
		return nil, err
	case msgpcode.IsFixedMap(c) || c == msgpcode.Map16 || c == msgpcode.Map32:
		var f OrderedMap
		err := f.DecodeMsgpack(d)
		return f, err
	case msgpcode.IsFixedArray(c) || c == msgpcode.Array16 || c == msgpcode.Array32:
		n, err := d.DecodeArrayLen()
		list := []any{}
		for i := 0; i < n && err == nil; i++ {
			var v any
			v, err = decodeValue(d)
			list = append(list, v)
		}
		return list, err
	}
	switch v, err := d.DecodeInterfaceLoose(); v := v.(type) {
	case bool, int64, float64, string:
		return v, err
	case uint64:
		return integer(v), err
	default:
		return nil, errors.Join(err, fmt.Errorf("a value of type %T", v))
	}
}

// MarshalJSON implements [json.Marshaler], keys in order.
func (f OrderedMap) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, x := range f {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := json.Marshal(x.Value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", x.Key, err)
		}
		key, _ := json.Marshal(x.Key)
		b.Write(append(append(key, ':'), value...))
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}
