package loop

import (
	"fmt"
	"reflect"
)

// Same returns an error that names the first key in which c differs from the
// configuration that the loop was begun with. Rounds, workers and limits may differ.
func (c *Config) Same(begun *Config) error {
	return differs("", reflect.ValueOf(*c), reflect.ValueOf(*begun))
}

// differs compares two values of one type; key is theirs.
func differs(key string, now, was reflect.Value) error {
	if table, ok := reflect.TypeAssert[Games](now); ok {
		begun, _ := reflect.TypeAssert[Games](was)
		return table.differs(key+".", &begun)
	}
	switch now.Kind() {
	case reflect.Struct:
		return differsStruct(key, now, was)
	case reflect.Slice:
		if now.Type().Elem().Kind() == reflect.Struct && now.Len() == was.Len() {
			for i := range now.Len() {
				if err := differs(fmt.Sprintf("%s[%d]", key, i+1), now.Index(i), was.Index(i)); err != nil {
					return err
				}
			}
			return nil
		}
		if now.Type().Elem().Kind() == reflect.Struct {
			return keyErrorf(key, "%d tables, and %d when the loop began: it goes on only with the same", now.Len(), was.Len())
		}
		if now.Len() == 0 && was.Len() == 0 {
			return nil
		}
	}
	if !reflect.DeepEqual(now.Interface(), was.Interface()) {
		return changed(key, now, was)
	}
	return nil
}

// changed returns the error for a key that had another value when the loop began.
func changed(key string, now, was any) error {
	return keyErrorf(key, "%v, and %v when the loop began: it goes on only with the same, or begin another in another directory", now, was)
}

func differsStruct(key string, now, was reflect.Value) error {
	for i := range now.NumField() {
		field := now.Type().Field(i)
		if field.Tag.Get("loop") == "free" {
			continue
		}
		name := field.Tag.Get("toml")
		switch {
		case field.Type == reflect.TypeFor[[]Games]():
			name = "games"
		case field.Anonymous:
			name = key
		case key != "":
			name = key + "." + name
		}
		if err := differs(name, now.Field(i), was.Field(i)); err != nil {
			return err
		}
	}
	return nil
}
