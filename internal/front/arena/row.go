package arena

import (
	"errors"
	"fmt"
	"time"

	"github.com/carozero/carozero/game"
)

// row is a finished game as a line of the journal.
type row struct {
	Game    int         `json:"game"`
	Players [2]int      `json:"players"` // entrants by side
	Opening string      `json:"opening"`
	Moves   string      `json:"moves"` // those after the opening
	Result  string      `json:"result"`
	Reason  game.Reason `json:"reason"`
	Forfeit *rowForfeit `json:"forfeit,omitempty"`
	Slowest *[2]int64   `json:"slowest_ms,omitempty"` // of sides with a clock
	Late    *[2]int     `json:"late,omitempty"`
}

type rowForfeit struct {
	Side  string `json:"side"`
	Fault Fault  `json:"fault"`
	Text  string `json:"text"`
}

// newRow returns the row of a game.
func newRow(result *Result, notation game.Notation) row {
	r := row{
		Game:    result.Game,
		Players: result.Players,
		Opening: notation.FormatMoves(result.Moves[:result.Opening]),
		Moves:   notation.FormatMoves(result.Moves[result.Opening:]),
		Result:  result.Outcome.String(),
		Reason:  result.Reason,
	}
	if t := result.Timing; t != [2]Timing{} {
		r.Slowest = &[2]int64{t[0].Slowest.Milliseconds(), t[1].Slowest.Milliseconds()}
		r.Late = &[2]int{t[0].Late, t[1].Late}
	}
	if f := result.Forfeit; f != nil {
		r.Forfeit = &rowForfeit{Side: f.Side.String(), Fault: f.Fault, Text: f.Text}
	}
	return r
}

// result returns the game that the row describes.
func (r *row) result(notation game.Notation) (*Result, error) {
	opening, err := notation.ParseMoves(r.Opening)
	if err != nil {
		return nil, fmt.Errorf("opening: %w", err)
	}
	rest, err := notation.ParseMoves(r.Moves)
	if err != nil {
		return nil, fmt.Errorf("moves: %w", err)
	}
	result := &Result{
		Game:    r.Game,
		Players: r.Players,
		Opening: len(opening),
		Moves:   append(opening, rest...),
		Reason:  r.Reason,
	}
	for side := range result.Timing {
		if r.Slowest != nil {
			result.Timing[side].Slowest = time.Duration(r.Slowest[side]) * time.Millisecond
		}
		if r.Late != nil {
			result.Timing[side].Late = r.Late[side]
		}
	}
	for _, o := range []game.Outcome{game.FirstWins, game.SecondWins, game.Draw} {
		if o.String() == r.Result {
			result.Outcome = o
		}
	}
	if result.Outcome == game.Undecided {
		return nil, fmt.Errorf("result %q: want first, second or draw", r.Result)
	}
	if f := r.Forfeit; f != nil {
		result.Forfeit = &Forfeit{Side: game.First, Fault: f.Fault, Text: f.Text}
		switch f.Side {
		case game.First.String():
		case game.Second.String():
			result.Forfeit.Side = game.Second
		default:
			return nil, errors.New("forfeit: want the side first or second")
		}
	}
	return result, nil
}
