package alphabeta

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
)

func TestTimeManager(t *testing.T) {
	steady, restless, sinking := timeManager{}, timeManager{}, timeManager{}
	for _, p := range []*timeManager{&steady, &restless, &sinking} {
		p.reset(100)
	}
	for i := range 8 {
		steady.update(1, 50)
		restless.update(game.Move(i), 50)
		sinking.update(1, Score(-150*i))
	}
	s, r, f := steady.factor(), restless.factor(), sinking.factor()
	if s != 0.5 || r < 1.5 || f <= s || f >= r {
		t.Errorf("steady %v, restless %v, sinking %v", s, r, f)
	}
}

func TestTimeManagerStaysInRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p timeManager
		p.reset(Score(rapid.IntRange(-5, 500).Draw(t, "unit")))
		for range rapid.IntRange(0, 40).Draw(t, "iterations") {
			p.update(game.Move(rapid.IntRange(0, 3).Draw(t, "move")),
				Score(rapid.IntRange(-int(Win), int(Win)).Draw(t, "score")))
			if f := p.factor(); f < 0.5 || f > 2.5 {
				t.Fatalf("%v from %+v", f, p)
			}
		}
	})
}
