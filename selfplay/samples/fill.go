package samples

import (
	"fmt"
	"math"
	"reflect"
	"slices"
)

// Fill sets the exported fields of the struct that v points to from f, the inverse of
// FieldsOf, and returns the fields that the struct has no place for. A missing one or
// one of another kind is an error.
func (f Fields) Fill(v any) (rest Fields, err error) {
	p := reflect.ValueOf(v)
	if p.Kind() != reflect.Pointer || p.Elem().Kind() != reflect.Struct {
		return nil, fmt.Errorf("samples: filling %T: want a pointer to a struct", v)
	}
	rest = slices.Clone(f)
	return rest, fillStruct(p.Elem(), &rest)
}

// fillStruct sets the fields of r and takes what it used out of f.
func fillStruct(r reflect.Value, f *Fields) error {
	for i := range r.NumField() {
		t := r.Type().Field(i)
		if !t.IsExported() || t.Tag.Get("sample") == "-" || t.Type.Kind() == reflect.Func {
			continue
		}
		key := snake(t.Name)
		at := slices.IndexFunc(*f, func(e Field) bool { return e.Key == key })
		if at < 0 {
			return fmt.Errorf("%s is missing", key)
		}
		if err := fillValue(r.Field(i), (*f)[at].Value); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		*f = slices.Delete(*f, at, at+1)
	}
	return nil
}

// fillValue sets v to x, one of the types that Field names.
func fillValue(v reflect.Value, x any) error {
	switch x := x.(type) {
	case bool:
		if v.Kind() == reflect.Bool {
			v.SetBool(x)
			return nil
		}
	case int64:
		if v.CanInt() && !v.OverflowInt(x) {
			v.SetInt(x)
			return nil
		}
		if v.CanUint() && x >= 0 && !v.OverflowUint(uint64(x)) {
			v.SetUint(uint64(x))
			return nil
		}
	case uint64:
		if v.CanUint() && !v.OverflowUint(x) {
			v.SetUint(x)
			return nil
		}
	case float64:
		if v.CanFloat() && (v.Kind() == reflect.Float64 || !math.IsInf(float64(float32(x)), 0)) {
			v.SetFloat(x)
			return nil
		}
	case string:
		if v.Kind() == reflect.String {
			v.SetString(x)
			return nil
		}
	case Fields:
		if v.Kind() == reflect.Struct {
			rest := slices.Clone(x)
			err := fillStruct(v, &rest)
			if err == nil && len(rest) > 0 {
				err = fmt.Errorf("%s is unknown", rest[0].Key)
			}
			return err
		}
	}
	return fmt.Errorf("%v of type %T, want a %s", x, x, v.Kind())
}
