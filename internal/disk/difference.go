package disk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Difference returns the path of the first value that differs between two JSON texts, "" if
// none does, and the values there in words: players[1].name, "a" and "b". Keys are in
// alphabetical order.
func Difference(a, b []byte) (path, inA, inB string, err error) {
	var values [2]any
	for i, text := range [][]byte{a, b} {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&values[i]); err != nil {
			return "", "", "", err
		}
	}
	path, x, y := difference("", values[0], values[1])
	return shown(path, maxCommand), valueText(x), valueText(y), nil
}

// absent stands for a missing value.
type absent struct{}

// difference returns the path of the first difference between two values at a path, and
// what is there in each.
func difference(path string, a, b any) (at string, inA, inB any) {
	x, y := members(a), members(b)
	if x == nil || y == nil {
		if reflect.DeepEqual(a, b) {
			return "", nil, nil
		}
		return path, a, b
	}
	keys := slices.AppendSeq(slices.Collect(maps.Keys(x)), maps.Keys(y))
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		at, inA, inB = difference(strings.TrimPrefix(path+key, "."), member(x, key), member(y, key))
		if at != "" {
			break
		}
	}
	return at, inA, inB
}

// members returns what a map or list holds by the step that leads there, nil for other values.
func members(v any) (m map[string]any) {
	switch v := v.(type) {
	case map[string]any:
		m = map[string]any{}
		for key, value := range v {
			m["."+key] = value
		}
	case []any:
		m = map[string]any{}
		for i, value := range v {
			m[fmt.Sprintf("[%d]", i)] = value
		}
	}
	return m
}

func member(m map[string]any, key string) any {
	if v, ok := m[key]; ok {
		return v
	}
	return absent{}
}

// valueText returns a value as a message shows it.
func valueText(v any) string {
	switch v := v.(type) {
	case absent:
		return "absent"
	case string:
		return fmt.Sprintf("%.80q", v)
	}
	text, _ := json.Marshal(v) // it comes from JSON
	return shown(string(text), maxCommand)
}
