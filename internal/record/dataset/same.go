package dataset

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/carozero/carozero/selfplay/samples"
)

// sameness holds shards to the first one.
type sameness struct {
	fields func(*samples.Header) samples.Fields // what must be equal
	path   string
	first  samples.Fields
	layout samples.Layout
}

// columnsOf are the fields that say what the columns hold.
func columnsOf(h *samples.Header) samples.Fields {
	names := func(list []string) []any {
		out := make([]any, len(list))
		for i, name := range list {
			out[i] = name
		}
		return out
	}
	return samples.Fields{
		{Key: "game", Value: h.Game}, {Key: "size", Value: int64(h.Size)},
		{Key: "planes.version", Value: h.Planes.Version}, {Key: "planes.names", Value: names(h.Planes.Names)},
		{Key: "globals", Value: names(h.Globals)},
	}
}

// targets are the options that decide what the policy target of a row means.
var targets = []string{samples.TargetKey, "player", "score_scale", "target_temperature"}

// loose are the fields without which rows of two runs mean different things.
func loose(h *samples.Header) samples.Fields {
	list := append(columnsOf(h), samples.Field{Key: "rule", Value: h.Rule})
	for _, key := range targets {
		if value, ok := h.Search.Get(key); ok {
			list = append(list, samples.Field{Key: "search." + key, Value: value})
		}
	}
	return list
}

// strict are all fields but those by which runs differ that share their options:
// seeds, the network, and the program's build.
func strict(h *samples.Header) samples.Fields {
	search := slices.DeleteFunc(slices.Clone(h.Search), func(f samples.Field) bool { return strings.HasSuffix(f.Key, "seed") })
	return append(append(columnsOf(h), samples.Field{Key: "rule", Value: h.Rule}),
		samples.Field{Key: "search", Value: search}, samples.Field{Key: "filter", Value: h.Filter})
}

// check compares a shard with the first that it saw, and names the first field that
// differs.
func (s *sameness) check(path string, shard *samples.Shard) error {
	fields := s.fields(&shard.Header)
	if s.path == "" {
		s.path, s.first, s.layout = path, fields, shard.Columns.Layout
		return nil
	}
	key, now, was, err := differing(fields, s.first)
	if err != nil {
		return err
	}
	if key == "" && shard.Columns.Layout != s.layout {
		key, now, was = "layout", fmt.Sprint(shard.Columns.Layout), fmt.Sprint(s.layout)
	}
	if key != "" {
		return fmt.Errorf("%s: %s is %s, in %s it is %s: these do not go together", path, key, now, s.path, was)
	}
	return nil
}

// plain returns a value as JSON.
func plain(v any) (string, error) {
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return strings.TrimSuffix(text.String(), "\n"), err
}

// differing returns the first field in which two headers differ, "" for none, and its
// values.
func differing(a, b samples.Fields) (key, inA, inB string, err error) {
	for _, pair := range [][2]samples.Fields{{a, b}, {b, a}} {
		for _, field := range pair[0] {
			other, there := pair[1].Get(field.Key)
			if !there {
				other = "absent"
			}
			if x, ok := field.Value.(samples.Fields); ok && there {
				if y, ok := other.(samples.Fields); ok {
					if key, inA, inB, err = differing(x, y); key != "" || err != nil {
						return field.Key + "." + key, inA, inB, err
					}
					continue
				}
			}
			one, err := plain(field.Value)
			if err != nil {
				return "", "", "", err
			}
			two, err := plain(other)
			if err != nil {
				return "", "", "", err
			}
			if one != two {
				if &pair[0][0] != &a[0] {
					one, two = two, one
				}
				return field.Key, fmt.Sprintf("%.80s", one), fmt.Sprintf("%.80s", two), nil
			}
		}
	}
	return "", "", "", nil
}
