package engine

import (
	"reflect"
	"strings"
	"testing"

	"github.com/carozero/carozero/alphabeta"
)

// Every technique of the search can be switched off by a key of its own; what
// is not a technique is listed here.
func TestEveryTechniqueHasAKey(t *testing.T) {
	known := map[string]bool{"Threads": true, "TableMiB": true, "Clock": true}
	var all alphabeta.Options
	v := reflect.ValueOf(&all).Elem()
	for _, tech := range techniques {
		field := reflect.ValueOf(tech.field(&all)).Pointer()
		found := ""
		for i := range v.NumField() {
			if v.Field(i).Addr().Pointer() == field {
				found = v.Type().Field(i).Name
			}
		}
		if found == "" || known[found] {
			t.Errorf("%s sets %q, which is no field or has a key already", tech.key, found)
		}
		known[found] = true
	}
	for i := range v.NumField() {
		if name := v.Type().Field(i).Name; !known[name] {
			t.Errorf("Options.%s has no key", name)
		}
	}
}

func TestTechniquesAreRead(t *testing.T) {
	for _, tech := range techniques {
		spec, err := ParseSpec("alphabeta:nodes=10," + tech.key + "=off")
		if err != nil {
			t.Fatal(err)
		}
		setup, err := parseClassical(spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := reflect.ValueOf(tech.field(&setup.engine.Search)).Elem().Int(); got != alphabeta.Off {
			t.Errorf("%s=off gives %d", tech.key, got)
		}
	}
	spec, err := ParseSpec("alphabeta:depth=4,rfp=3,aspiration=17,history=on")
	if err != nil {
		t.Fatal(err)
	}
	setup, err := parseClassical(spec)
	if o := setup.engine.Search; err != nil || o.ReverseFutility != 3 || o.Aspiration != 17 || o.History != 0 {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestSetTechniques(t *testing.T) {
	o := alphabeta.Options{Threads: 2}
	if err := SetTechniques(&o, "rfp=off,aspiration=17,history=on"); err != nil || !reflect.DeepEqual(o, alphabeta.Options{Threads: 2, ReverseFutility: alphabeta.Off, Aspiration: 17}) {
		t.Errorf("%+v, %v", o, err)
	}
	for list, want := range map[string]string{
		"":         "unknown technique",
		"xx=off":   "want scout, aspiration",
		"rfp":      "rfp=: want a whole number",
		"rfp=off,": "unknown technique \"\"",
		"scout=2":  "want on or off",
		"lmr=-3":   "lmr=-3: want 1..1000000, on or off",
	} {
		if err := SetTechniques(&o, list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", list, err, want)
		}
	}
}
