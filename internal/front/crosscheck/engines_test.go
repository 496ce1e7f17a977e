package crosscheck

import (
	"testing"

	"github.com/carozero/carozero/internal/engine/games"
)

// Alpha-beta is not judged by the network unless a setting says so.
func TestParseSetupJudges(t *testing.T) {
	for text, want := range map[string]games.Weights{
		"nodes=100": games.FittedWeights, "net=none": games.FittedWeights, "weights=fitted": games.FittedWeights,
		"weights=hand": games.HandWeights, "weights=best": games.BestWeights,
	} {
		s, err := ParseSetup("playouts=10", text)
		if err != nil || s.classical.Weights != want || s.classical.Judge != nil {
			t.Errorf("%s: weights %v, %v; want %v", text, s.classical.Weights, err, want)
		}
	}
	if s, err := ParseSetup("", "net=taught7-line16"); err != nil || s.classical.Judge == nil {
		t.Errorf("a network that was named: %v, %v", s.classical.Judge, err)
	}
}
