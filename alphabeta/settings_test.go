package alphabeta_test

import (
	"reflect"
	"strconv"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/internal/option"
)

// Every field of the options is a technique with a key of its own, or one of the
// resources that are listed here. Its key switches that field off and on, where a game
// leaves it out too, and sets its number; its default is what zero stands for.
func TestEveryTechniqueHasASetting(t *testing.T) {
	known := map[string]bool{"Threads": true, "TableMiB": true, "Clock": true}
	for _, s := range alphabeta.Techniques {
		var o alphabeta.Options
		if err := s.Set(&o, "off"); err != nil {
			t.Fatal(err)
		}
		field := ""
		v := reflect.ValueOf(o)
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				field += v.Type().Field(i).Name
			}
		}
		if _, exists := v.Type().FieldByName(field); !exists || known[field] {
			t.Fatalf("%s sets %q, which is no field or has a key already", s.Name(), field)
		}
		known[field] = true
		if got := v.FieldByName(field).Int(); got != alphabeta.Off || s.Text(&o) != "off" {
			t.Errorf("%s=off gives %d, %q", s.Name(), got, s.Text(&o))
		}
		err := s.Set(&o, "on")
		if got := reflect.ValueOf(o).FieldByName(field).Int(); err != nil || got <= 0 || s.Text(&o) != "on" {
			t.Errorf("%s=on gives %d, %v", s.Name(), got, err)
		}
		if want, got := specimens(t, alphabeta.Options{}), specimens(t, o); !reflect.DeepEqual(got, want) {
			t.Errorf("%s=on is another search than the usual one", s.Name())
		}
		def := option.DefaultOf(s.Option)
		n, err := strconv.Atoi(def)
		if err != nil {
			continue // on
		}
		if err := s.Set(&o, def); err != nil || reflect.ValueOf(o).FieldByName(field).Int() != int64(n) {
			t.Errorf("%s=%s gives %+v, %v", s.Name(), def, o, err)
		}
		if want, got := specimens(t, alphabeta.Options{}), specimens(t, o); !reflect.DeepEqual(got, want) {
			t.Errorf("%s=%s, the default, is another search", s.Name(), def)
		}
	}
	for i := range reflect.TypeFor[alphabeta.Options]().NumField() {
		if name := reflect.TypeFor[alphabeta.Options]().Field(i).Name; !known[name] {
			t.Errorf("Options.%s has no key", name)
		}
	}
}
