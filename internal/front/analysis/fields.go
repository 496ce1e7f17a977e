package analysis

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// fields are those of a JSON object that a peer has sent, of which one after the
// other is read. The first that is wrong is kept, and everything read after it has
// no meaning.
type fields struct {
	of    map[string]json.RawMessage
	wrong *Problem
}

// fail notes that a field is wrong, which a path names.
func (f *fields) fail(path, format string, args ...any) { f.failAs(Invalid, path, format, args...) }

// failAs is fail with a code.
func (f *fields) failAs(code Code, path, format string, args ...any) {
	if f.wrong == nil {
		f.wrong = &Problem{Error: fmt.Sprintf(format, args...), Code: code, Field: path}
	}
}

// has reports whether a field is there; null is as good as none.
func (f *fields) has(name string) bool {
	raw, ok := f.of[name]
	return ok && string(raw) != "null"
}

// text reads a string, if the field is there.
func (f *fields) text(name string, into *string) {
	if f.has(name) && !isText(f.of[name], into) {
		f.fail(name, "want a string, found %s", found(f.of[name]))
	}
}

// truth reads true or false, if the field is there.
func (f *fields) truth(name string, into *bool) {
	if !f.has(name) {
		return
	}
	switch string(f.of[name]) {
	case "true", "false":
		*into = f.of[name][0] == 't'
	default:
		f.fail(name, "want true or false, found %s", found(f.of[name]))
	}
}

// whole reads a whole number in a range, if the field is there.
func (f *fields) whole(name string, least, most int64, into *int64) {
	if !f.has(name) {
		return
	}
	n, ok := isWhole(f.of[name])
	if !ok || n < least || n > most {
		f.fail(name, "want a whole number from %d to %d, found %s", least, most, found(f.of[name]))
		return
	}
	*into = n
}

// number reads whole for an int.
func (f *fields) number(name string, least, most int64, into *int) {
	n := int64(*into)
	f.whole(name, least, most, &n)
	*into = int(n)
}

// decimal reads a number in a range, if the field is there; what says what is wanted, as
// in "number of seconds".
func (f *fields) decimal(name, what string, least, most float64, into *float64) {
	if !f.has(name) {
		return
	}
	x, err := strconv.ParseFloat(string(f.of[name]), 64)
	if err != nil || !(x >= least && x <= most) {
		f.fail(name, "want a %s from %v to %v, found %s", what, least, most, found(f.of[name]))
		return
	}
	*into = x
}

// list returns the elements of a list, none if the field is not there.
func (f *fields) list(name string, what string) []json.RawMessage {
	if !f.has(name) {
		return nil
	}
	list, ok := isList(f.of[name])
	if !ok {
		f.fail(name, "want a list of %s, found %s", what, found(f.of[name]))
	}
	return list
}

// wholes reads a list of whole numbers in a range.
func (f *fields) wholes(name string, least, most int64) []int64 {
	what := fmt.Sprintf("whole numbers from %d to %d", least, most)
	var list []int64
	for i, raw := range f.list(name, what) {
		n, ok := isWhole(raw)
		if !ok || n < least || n > most {
			f.fail(entry(name, i), "want a list of %s, found %s in it", what, found(raw))
			return nil
		}
		list = append(list, n)
	}
	return list
}

// isText reads a JSON string.
func isText(raw json.RawMessage, into *string) bool {
	return len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, into) == nil
}

// isWhole reads a JSON number without fraction and exponent that fits 64 bits.
func isWhole(raw json.RawMessage) (int64, bool) {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil
}

// isList reads the elements of a JSON list.
func isList(raw json.RawMessage) (list []json.RawMessage, ok bool) {
	return list, len(raw) > 0 && raw[0] == '[' && json.Unmarshal(raw, &list) == nil
}

// isObject reads the fields of a JSON object.
func isObject(raw json.RawMessage) (of map[string]json.RawMessage, ok bool) {
	return of, len(raw) > 0 && raw[0] == '{' && json.Unmarshal(raw, &of) == nil
}

// found returns a piece of JSON as messages show it.
func found(raw json.RawMessage) string {
	const most = 40
	if len(raw) > most {
		return string(bytes.ToValidUTF8(raw[:most], nil)) + "..."
	}
	return string(raw)
}

// finite returns x, and 0 in the place of what JSON has no form for. Networks
// whose outputs are not finite are errors long before.
func finite(x float32) float32 {
	if y := float64(x); math.IsNaN(y) || math.IsInf(y, 0) {
		return 0
	}
	return x
}
