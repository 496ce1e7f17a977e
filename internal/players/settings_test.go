package players

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/mcts"
)

// unset are the fields of the options of a tree search that no user sets: the clock
// steers nothing, and what resists in a lost position the game knows.
var unset = []string{"Clock", "Resistance"}

// Every other field has its setting.
func TestEveryConstantHasASetting(t *testing.T) {
	fields := reflect.TypeFor[mcts.Options]()
	if got, want := len(mcts.Settings), fields.NumField()-len(unset); got != want {
		t.Errorf("%d settings for %d fields", got, want)
	}
	touched := map[int]string{}
	for _, s := range mcts.Settings {
		before, after := mcts.Options{}.WithDefaults(), mcts.Options{}.WithDefaults()
		text := "1"
		if s.Name() == "early-stop" {
			text = "true"
		}
		if err := s.Set(&after, text); err != nil {
			t.Errorf("%s: %v", s.Name(), err)
			continue
		}
		for i := range fields.NumField() {
			a, b := reflect.ValueOf(before).Field(i), reflect.ValueOf(after).Field(i)
			if slices.Contains(unset, fields.Field(i).Name) || a.Interface() == b.Interface() {
				continue
			}
			if other, twice := touched[i]; twice {
				t.Errorf("%s and %s both set %s", other, s.Name(), fields.Field(i).Name)
			}
			touched[i] = s.Name()
		}
	}
	if len(touched) != len(mcts.Settings) {
		t.Errorf("%d settings set %d fields: %v", len(mcts.Settings), len(touched), touched)
	}
}

// The defaults that the settings name are those of a search.
func TestDefaultsOfConstants(t *testing.T) {
	o := mcts.Options{}.WithDefaults()
	for _, s := range mcts.Settings {
		if want := option.DefaultOf(s.Option); want != "" && want != s.Text(&o) {
			t.Errorf("%s: the search has %s, its setting says %s", s.Name(), s.Text(&o), want)
		}
	}
}

// fixed reads the settings of a fixed tree search.
func fixed(t *testing.T, text string) (Tree, error) {
	t.Helper()
	spec, err := ParseSpec("mcts:" + text)
	if err != nil {
		t.Fatal(err)
	}
	return ParseFixedTree(spec)
}

// A setting's earlier names are read as the setting itself, and not beside it.
func TestEarlierNames(t *testing.T) {
	now, err := fixed(t, "solver-leaf=7,solver-root=8,solver-replies=9,policy-temperature=1.5")
	if err != nil {
		t.Fatal(err)
	}
	before, err := fixed(t, "solver=7,vct=8,parries=9,ptemp=1.5")
	if err != nil || option.Format(fixedTree, &now) != option.Format(fixedTree, &before) {
		t.Errorf("%v: %+v, want %+v", err, before, now)
	}
	if _, err := fixed(t, "solver=7,solver-leaf=7"); err == nil {
		t.Error("a setting was given under two names")
	}
}

func TestSetTechniques(t *testing.T) {
	o := alphabeta.Options{Threads: 2}
	if err := engine.SetTechniques(&o, "rfp=off,aspiration=17,history=on"); err != nil ||
		!reflect.DeepEqual(o, alphabeta.Options{
			Threads: 2, ReverseFutility: alphabeta.Off, Aspiration: 17, History: option.On,
		}) {
		t.Errorf("%+v, %v", o, err)
	}
	for list, want := range map[string]string{
		"xx=off":   "want scout, aspiration",
		"rfp=off,": "unknown technique \"\"",
		"lmr=-3":   "lmr=-3: want 1..1000000, on or off",
	} {
		if err := engine.SetTechniques(&o, list); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", list, err, want)
		}
	}
}
