package players

import (
	"reflect"
	"strings"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/support/option"
)

// Every key of a technique is read in a player's description.
func TestTechniquesAreRead(t *testing.T) {
	for _, tech := range alphabeta.Techniques {
		spec, err := ParseSpec("alphabeta:nodes=10," + tech.Name() + "=off")
		if err != nil {
			t.Fatal(err)
		}
		setup, err := parseClassical(spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := tech.Text(&setup.engine.Search); got != "off" {
			t.Errorf("%s=off gives %s", tech.Name(), got)
		}
	}
	spec, err := ParseSpec("alphabeta:depth=4,rfp=3,aspiration=17,history=on")
	if err != nil {
		t.Fatal(err)
	}
	setup, err := parseClassical(spec)
	if o := setup.engine.Search; err != nil || o.ReverseFutility != 3 || o.Aspiration != 17 || o.History != option.On {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestSetTechniques(t *testing.T) {
	o := alphabeta.Options{Threads: 2}
	if err := search.SetTechniques(&o, "rfp=off,aspiration=17,history=on"); err != nil || !reflect.DeepEqual(o, alphabeta.Options{Threads: 2, ReverseFutility: alphabeta.Off, Aspiration: 17, History: option.On}) {
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
		if err := search.SetTechniques(&o, list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", list, err, want)
		}
	}
}
