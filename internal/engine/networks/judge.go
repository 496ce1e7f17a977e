package networks

import (
	"github.com/carozero/carozero/internal/engine/games"

	"github.com/carozero/carozero/nn"
)

// NoNetwork is the name for "no network" where a judging network may be named.
const NoNetwork = "none"

// Judge returns what evaluates positions for a classical search, by the name that a user
// gave: a network (shipped or a path), NoNetwork for the fitted weights, or "" for
// BestWeights.
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

// LoadJudge loads a network for the classical search: a shipped one by its name, or a file.
func LoadJudge(model string) (nn.IncrementalNetwork, error) {
	n, _, err := judging().load(model, "")
	if err != nil {
		return nil, err
	}
	return n.(nn.IncrementalNetwork), nil
}
