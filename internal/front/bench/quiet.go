package bench

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
)

//go:embed quiet.txt
var quietText string

// quietSize is the side length of the boards of the quiet positions.
const quietSize = 15

// quietPositions returns the positions of quiet.txt under a variant's rules, or
// the random ones that other measurements use where the game, its rules or another
// size do not allow them.
func quietPositions(v games.Variant) (texts []string, list []game.Position, err error) {
	if v.Size == quietSize {
		for _, line := range strings.Split(quietText, "\n") {
			if line == "" || line[0] == '#' {
				continue
			}
			pos, err := v.Parse(line)
			if err != nil || pos.Outcome() != game.Undecided {
				list = nil
				break
			}
			texts, list = append(texts, line), append(list, pos)
		}
	}
	if len(list) > 0 {
		return texts, list, nil
	}
	if list, err = positions(v); err != nil {
		return nil, nil, err
	}
	texts = make([]string, len(list))
	for i := range texts {
		texts[i] = fmt.Sprintf("random %d", i+1)
	}
	return texts, list, nil
}
