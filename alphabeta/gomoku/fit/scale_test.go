package fit

import (
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestFitScale draws results by a known scale and wants it back, with bins that
// keep what they promise.
func TestFitScale(t *testing.T) {
	for _, units := range []float64{60, 200, 900} {
		rng := rand.New(rand.NewPCG(7, uint64(units)))
		var list []ScoredPosition
		for game := range 2000 {
			for range 10 {
				score := rng.NormFloat64() * 300
				result := 0.0
				if rng.Float64() < 1/(1+math.Exp(-score/units)) {
					result = 1
				}
				list = append(list, ScoredPosition{Game: game, Score: score, Result: result})
			}
		}
		s, err := FitScale("caro", list)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(s.Units/units-1) > 0.05 || s.Games != 2000 || s.Positions+s.Held != len(list) || s.Held != len(list)/10 {
			t.Errorf("scale %v of %v; %+v", s.Units, units, s)
		}
		if math.Abs(s.Loss[0]-s.Loss[1]) > 0.05 {
			t.Errorf("losses %v", s.Loss)
		}
		for _, b := range s.Bins {
			if b.Positions > 100 && math.Abs(b.Expected-b.Scored) > 4*math.Sqrt(0.25/float64(b.Positions)) {
				t.Errorf("expected %v, scored %v in %d positions", b.Expected, b.Scored, b.Positions)
			}
		}
		source, err := ScaleSource([]Calibration{s, {Rule: "abc", Units: 3}}, []string{"a note"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "scales.go", source, 0); err != nil || !strings.Contains(string(source), `"caro":`) {
			t.Errorf("error %v in\n%s", err, source)
		}
	}
}

func TestFitScaleNeedsGames(t *testing.T) {
	if _, err := FitScale("caro", []ScoredPosition{{Score: 1, Result: 1}}); err == nil || strings.Contains(err.Error(), "\n") {
		t.Errorf("error %v", err)
	}
}
