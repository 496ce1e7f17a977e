package report

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// Compared is what "bitbase compare" prints.
type Compared struct {
	File      string           `json:"file"`
	Seed      uint64           `json:"seed"`
	MinPlies  int              `json:"min_plies"` // of decided positions
	Positions int              `json:"positions"`
	Wins      int              `json:"wins"` // of the side to move
	Draws     int              `json:"draws"`
	Losses    int              `json:"losses"`
	Choices   int              `json:"choices"` // positions with a move that loses value
	Players   []ComparedPlayer `json:"players"`
}

// ComparedPlayer says in how many positions a player was wrong.
type ComparedPlayer struct {
	Player      string  `json:"player"`
	LetGo       int     `json:"let_go"`       // won positions in which its move does not win
	Lost        int     `json:"lost"`         // drawn positions in which its move loses
	WrongSign   int     `json:"wrong_sign"`   // decided positions of which its value has not the sign
	FalseClaims int     `json:"false_claims"` // positions of which it claims another result
	Seconds     float64 `json:"seconds"`
}

// Text implements [Report].
func (r *Compared) Text(w io.Writer) {
	fmt.Fprintf(w, "%s: %d positions of seed %d, decided in %d plies or more: %d won, %d drawn, %d lost; a move can lose value in %d\n\n",
		r.File, r.Positions, r.Seed, r.MinPlies, r.Wins, r.Draws, r.Losses, r.Choices)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "player\twins let go\tdraws lost\twrong sign\tfalse claims\tseconds")
	for _, p := range r.Players {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%.1f\n", p.Player, p.LetGo, p.Lost, p.WrongSign, p.FalseClaims, p.Seconds)
	}
	t.Flush()
}
