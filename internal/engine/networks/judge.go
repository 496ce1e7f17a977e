package networks

import (
	"github.com/carozero/carozero/internal/engine/games"

	"github.com/carozero/carozero/nn"
)

// NoNetwork names, where a network that judges may be named, that none does.
const NoNetwork = "none"

// Judge returns who judges for a classical search by the name that a user gave: a
// shipped network that judges or the path of one, NoNetwork for the fitted weights, ""
// for BestWeights.
func Judge(name string) (games.Weights, nn.IncrementalNetwork, error) {
	switch name {
	case "":
		return games.BestWeights, nil, nil
	case NoNetwork:
		return games.FittedWeights, nil, nil
	}
	n, err := LoadJudge(name)
	return games.FittedWeights, n, err
}

// LoadJudge loads a network that judges: a shipped one by its name, or a file.
func LoadJudge(model string) (nn.IncrementalNetwork, error) {
	n, _, err := judging().load(model, "")
	if err != nil {
		return nil, err
	}
	return n.(nn.IncrementalNetwork), nil
}
