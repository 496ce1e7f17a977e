package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/mcts"
)

// Bitbase is what "bitbase" prints of a table that it has built, and "bitbase verify"
// of one that it has checked.
type Bitbase struct {
	File      string         `json:"file"`
	Cards     []string       `json:"cards"`
	Men       int            `json:"men"`
	Positions int64          `json:"positions"`
	Classes   []BitbaseClass `json:"classes"`
	Replayed  *Replayed      `json:"replayed,omitempty"`
	Seconds   float64        `json:"seconds"`
}

// BitbaseClass says what the positions with so many men come to for the side to
// move.
type BitbaseClass struct {
	Own       int   `json:"own"` // men of the side to move, its master included
	Opponent  int   `json:"opponent"`
	Positions int64 `json:"positions"`
	Wins      int64 `json:"wins"`
	Draws     int64 `json:"draws"`
	Losses    int64 `json:"losses"`
	Longest   int   `json:"longest"` // plies
}

// Replayed says which wins stood against every defence.
type Replayed struct {
	Wins      int    `json:"wins"`
	Positions int    `json:"positions"` // with the winner to move, in all lines
	Longest   int    `json:"longest"`   // plies
	Seed      uint64 `json:"seed"`
}

// Text implements [Report].
func (r *Bitbase) Text(w io.Writer) {
	fmt.Fprintf(w, "%s  %s  %d men  %d positions  %.1f s\n\n", r.File, strings.Join(r.Cards, ","), r.Men, r.Positions, r.Seconds)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "own\topponent\tpositions\twins\tdraws\tlosses\tlongest\t")
	for _, c := range r.Classes {
		fmt.Fprintf(t, "%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", c.Own, c.Opponent, c.Positions, c.Wins, c.Draws, c.Losses, c.Longest)
	}
	t.Flush()
	if p := r.Replayed; p != nil {
		fmt.Fprintf(w, "\n%d wins of seed %d replayed against every defence: %d positions, the longest in %d plies\n", p.Wins, p.Seed, p.Positions, p.Longest)
	}
}

// Endgame is what "solve" prints of a position of solved endgames.
type Endgame struct {
	ToMove string   `json:"to_move"`
	Result string   `json:"result"` // of the side to move: win, draw or loss
	Plies  int      `json:"plies"`  // to the end, 0 for a draw
	Line   []string `json:"line"`   // best play to the end; of a draw a move that holds it
}

// NewEndgame returns the report of a position that endgames have.
func NewEndgame(v games.Variant, pos game.Position, result mcts.Proof, plies int, line []game.Move) *Endgame {
	return &Endgame{ToMove: pos.ToMove().String(), Result: result.String(), Plies: plies, Line: formatLine(v.Notation(), line)}
}

// Text implements [Report].
func (r *Endgame) Text(w io.Writer) {
	fmt.Fprintf(w, "%s: %s\n%s\n", r.ToMove, valueIn(r.Result, r.Plies), strings.Join(r.Line, "  "))
}

// valueIn returns "win in 5 plies" or "draw".
func valueIn(value string, plies int) string {
	if plies == 0 {
		return value
	}
	return fmt.Sprintf("%s in %d plies", value, plies)
}
