package nn

import (
	"errors"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestParseMetadata(t *testing.T) {
	for _, c := range []struct {
		rules, sizes string
		wantRules    []string
		wantSizes    []int
	}{
		{"caro", "15", []string{"caro"}, []int{15}},
		{"caro, renju", "9-11,15", []string{"caro", "renju"}, []int{9, 10, 11, 15}},
		{"caro renju", "15 9-10 9", []string{"caro", "renju"}, []int{9, 10, 15}},
		{"", "", nil, nil},
	} {
		m, err := ParseMetadata(map[string]string{
			"carozero.planes": "gomoku-1", "carozero.rules": c.rules, "carozero.sizes": c.sizes, "carozero.run": "r",
		})
		if err != nil {
			t.Errorf("%+v: %v", c, err)
			continue
		}
		if m.Planes != "gomoku-1" || m.Run != "r" || !slices.Equal(m.Rules, c.wantRules) ||
			!slices.Equal(m.Sizes, c.wantSizes) {
			t.Errorf("%+v: got %+v", c, m)
		}
	}
	for text, want := range map[string]float32{"": 1, "1.5": 1.5, "0.05": 0.05, "2e1": 20} {
		properties := map[string]string{"carozero.planes": "p"}
		if text != "" {
			properties["carozero.temperature"] = text
		}
		if m, err := ParseMetadata(properties); err != nil || m.Temperature != want {
			t.Errorf("temperature %q: %v, %v", text, m.Temperature, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "0.04", "20.1", "nan", "inf", "1e999", "warm", "1 5",
		strings.Repeat("1", 400)} {
		_, err := ParseMetadata(map[string]string{"carozero.planes": "p", "carozero.temperature": text})
		if !errors.Is(err, ErrModel) || !strings.Contains(err.Error(), "want 0.05 to 20") || len(err.Error()) > 200 {
			t.Errorf("temperature %q: %v", text, err)
		}
	}
	for _, bad := range []map[string]string{
		{}, {"carozero.planes": " "},
		{"carozero.planes": "p", "carozero.sizes": "x"},
		{"carozero.planes": "p", "carozero.sizes": "9-"},
		{"carozero.planes": "p", "carozero.sizes": "15-9"},
		{"carozero.planes": "p", "carozero.sizes": "0"},
		{"carozero.planes": "p", "carozero.sizes": "1-1000000000"},
	} {
		if _, err := ParseMetadata(bad); !errors.Is(err, ErrModel) {
			t.Errorf("%v: error %v", bad, err)
		}
	}
}

func FuzzParseMetadata(f *testing.F) {
	for _, sizes := range []string{"", "15", "9-15,19", "5-22", "3 4 5", "-", "9-8", "1-999", "+9", "0x9-15"} {
		f.Add("gomoku-1", "caro,renju", sizes, "{}")
	}
	f.Add(" ", "a b,,c", "9", "a\nb")
	f.Fuzz(func(t *testing.T, planes, rules, sizes, run string) {
		m, err := ParseMetadata(map[string]string{
			"carozero.planes": planes, "carozero.rules": rules, "carozero.sizes": sizes, "carozero.run": run,
		})
		if err != nil {
			if !errors.Is(err, ErrModel) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %q", err)
			}
			return
		}
		again, err := ParseMetadata(map[string]string{
			"carozero.planes": m.Planes, "carozero.rules": strings.Join(m.Rules, ","),
			"carozero.sizes": FormatSizes(m.Sizes), "carozero.run": m.Run,
			"carozero.temperature": strconv.FormatFloat(float64(m.Temperature), 'g', -1, 32),
		})
		if err != nil || !reflect.DeepEqual(m, again) {
			t.Fatalf("%q, %q, %q is read as %+v and again as %+v, %v", planes, rules, sizes, m, again, err)
		}
		for i, size := range m.Sizes {
			if size < 1 || size > maxSize || i > 0 && size <= m.Sizes[i-1] {
				t.Fatalf("sizes %v", m.Sizes)
			}
		}
	})
}
