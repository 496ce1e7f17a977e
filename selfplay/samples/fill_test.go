package samples

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

type filled struct {
	A    bool
	B    int8
	C    uint64
	D    float32
	E    string
	F    struct{ G, H float64 }
	Skip int `sample:"-"`
	Fn   func()
}

// TestFill wants Fill to undo FieldsOf, whatever the values, and to leave the rest.
func TestFill(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := filled{
			A: rapid.Bool().Draw(t, "a"), B: rapid.Int8().Draw(t, "b"), C: rapid.Uint64().Draw(t, "c"),
			D: rapid.Float32().Draw(t, "d"), E: rapid.String().Draw(t, "e"),
		}
		want.F.G, want.F.H = rapid.Float64().Draw(t, "g"), rapid.Float64().Draw(t, "h")
		f, err := FieldsOf(want)
		if err != nil {
			t.Fatal(err)
		}
		more := Field{"more", int64(1)}
		data, err := Header{Search: append(f, more)}.Options()
		if err != nil {
			t.Fatal(err)
		}
		h, err := ParseOptions(data)
		if err != nil {
			t.Fatal(err)
		}
		var got filled
		rest, err := h.Search.Fill(&got)
		if err != nil || !reflect.DeepEqual(got, want) || !reflect.DeepEqual(rest, Fields{more}) {
			t.Fatalf("%+v, %v, %v, want %+v", got, rest, err, want)
		}
	})
}

func TestFillRefuses(t *testing.T) {
	whole, err := FieldsOf(filled{})
	if err != nil {
		t.Fatal(err)
	}
	for want, change := range map[string]func(f Fields) Fields{
		"a is missing":   func(f Fields) Fields { return f[1:] },
		"b: 300":         func(f Fields) Fields { f[1].Value = int64(300); return f },
		"c: -1":          func(f Fields) Fields { f[2].Value = int64(-1); return f },
		"d: 1e+300":      func(f Fields) Fields { f[3].Value = 1e300; return f },
		"e: true":        func(f Fields) Fields { f[4].Value = true; return f },
		"f: h is miss":   func(f Fields) Fields { f[5].Value = f[5].Value.(Fields)[:1]; return f },
		"f: i is unknow": func(f Fields) Fields { f[5].Value = append(f[5].Value.(Fields)[:2:2], Field{"i", true}); return f },
	} {
		f := append(Fields{}, whole...)
		if _, err := change(f).Fill(&filled{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := whole.Fill(filled{}); err == nil {
		t.Error("a struct that cannot be set was filled")
	}
}

// TestPlan wants a plan's numbers, and a header that is another run's to be named.
func TestPlan(t *testing.T) {
	run := testRun(10, 4)
	text, err := run.Text()
	if err != nil {
		t.Fatal(err)
	}
	p, err := ParsePlan(text)
	if err != nil || p.Shards() != 3 || p.FirstGame(2) != 8 || p.GamesOf(2) != 2 || p.GamesOf(0) != 4 || p.Layout != run.Layout {
		t.Fatalf("%+v, %v", p, err)
	}
	h := run.Header
	if err := p.Compare(&h, text, false); err != nil {
		t.Error(err)
	}
	h.ModelSHA256 = "another"
	if err := p.Compare(&h, text, true); err != nil {
		t.Error(err)
	}
	if err := p.Compare(&h, text, false); err == nil || !strings.Contains(err.Error(), "model_sha256") {
		t.Error(err)
	}
	if _, err := ParsePlan(make([]byte, maxRunFile+1)); err == nil {
		t.Error("a plan without bounds was read")
	}
}
