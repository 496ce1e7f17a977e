package nn

import (
	"errors"
	"slices"
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
		if m.Planes != "gomoku-1" || m.Run != "r" || !slices.Equal(m.Rules, c.wantRules) || !slices.Equal(m.Sizes, c.wantSizes) {
			t.Errorf("%+v: got %+v", c, m)
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
	for _, sizes := range []string{"", "15", "9-15,19", "5-22", "3 4 5", "-", "9-8", "1-999"} {
		f.Add(sizes)
	}
	f.Fuzz(func(t *testing.T, sizes string) {
		m, err := ParseMetadata(map[string]string{"carozero.planes": "p", "carozero.sizes": sizes})
		if err != nil {
			return
		}
		again, err := ParseMetadata(map[string]string{"carozero.planes": "p", "carozero.sizes": FormatSizes(m.Sizes)})
		if err != nil || !slices.Equal(m.Sizes, again.Sizes) {
			t.Fatalf("%q gives %v, which is written as %q and read as %v, %v", sizes, m.Sizes, FormatSizes(m.Sizes), again.Sizes, err)
		}
	})
}
