package samples

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// parseJSON returns a JSON value whose numbers are as they are written.
func parseJSON(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return v, d.Decode(&v)
}

// Difference returns the dotted path of the first difference between two maps, "" if there
// is none, and what is there in each.
func Difference(a, b Fields) (path, inA, inB string, err error) {
	var values [2]any
	for i, f := range []Fields{a, b} {
		text, err := f.MarshalJSON()
		if err == nil {
			values[i], err = parseJSON(text)
		}
		if err != nil {
			return "", "", "", err
		}
	}
	path, inA, inB, _ = difference(values[0], values[1])
	return path, inA, inB, nil
}

// absent stands for a missing value.
type absent struct{}

// difference returns the dotted path of the first difference between two JSON
// values, keys in alphabetical order, and what is there in each. It takes
// little memory whatever the values are.
func difference(a, b any) (path, inA, inB string, differ bool) {
	switch x := a.(type) {
	case map[string]any:
		y, ok := b.(map[string]any)
		if !ok {
			break
		}
		keys := slices.AppendSeq(slices.Collect(maps.Keys(x)), maps.Keys(y))
		slices.Sort(keys)
		for _, k := range slices.Compact(keys) {
			if path, inA, inB, differ = difference(member(x, k), member(y, k)); differ {
				return join(k, path), inA, inB, true
			}
		}
		return "", "", "", false
	case []any:
		y, ok := b.([]any)
		if !ok {
			break
		}
		for i := range max(len(x), len(y)) {
			if path, inA, inB, differ = difference(element(x, i), element(y, i)); differ {
				return join(strconv.Itoa(i), path), inA, inB, true
			}
		}
		return "", "", "", false
	default:
		if !composed(b) && a == b {
			return "", "", "", false
		}
	}
	return "", inWords(a), inWords(b), true
}

func member(m map[string]any, key string) any {
	if v, ok := m[key]; ok {
		return v
	}
	return absent{}
}

func element(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return absent{}
}

// composed reports whether v is a map or a list, which cannot be compared.
func composed(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return true
	}
	return false
}

// mostPath bounds the path that is shown, in bytes.
const mostPath = 200

func join(key, path string) string {
	if path != "" {
		key += "." + path
	}
	if len(key) > mostPath {
		key = strings.ToValidUTF8(key[:mostPath], "") + "..."
	}
	return key
}

// inWords formats a value for a message.
func inWords(v any) string {
	switch v := v.(type) {
	case absent:
		return "absent"
	case map[string]any:
		return "a map"
	case []any:
		return "a list"
	case string:
		return fmt.Sprintf("%.80q", v)
	case json.Number:
		return fmt.Sprintf("%.80s", v.String())
	}
	return fmt.Sprint(v)
}

// printable returns a text unchanged, or quoted if it is not safe to print on a terminal.
func printable(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}
