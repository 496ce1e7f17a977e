package report

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/arena"
)

// Match is what "match" prints: the first pairing, and all pairings if there are more.
type Match struct {
	Rule string `json:"rule"`
	Size int    `json:"size"`
	arena.Summary
	Pairings  []arena.Summary  `json:"pairings,omitempty"`
	Standings []arena.Standing `json:"standings,omitempty"`

	Forfeited []arena.Forfeited `json:"forfeited"`
}

// NewMatch returns the report of a match.
func NewMatch(v games.Variant, r *arena.Report) *Match {
	m := &Match{Rule: v.Rule(), Size: v.Size, Summary: r.Summary(), Forfeited: r.Forfeits}
	if m.Forfeited == nil {
		m.Forfeited = []arena.Forfeited{}
	}
	if len(r.Names) > 2 {
		m.Pairings, m.Standings = r.Summaries(), r.Standings()
	}
	return m
}

// Text implements [Report].
func (m *Match) Text(w io.Writer) {
	list := m.Pairings
	if list == nil {
		list = []arena.Summary{m.Summary}
	}
	for i := range list {
		m.pairing(w, &list[i])
	}
	for i, f := range m.Forfeited {
		if i == shownForfeits {
			fmt.Fprintf(w, "and %d more forfeits\n", len(m.Forfeited)-i)
			break
		}
		fmt.Fprintf(w, "game %d: %s forfeits (%s): %s\n", f.Game, f.Player, f.Fault, single(f.Text))
	}
	if m.Standings == nil {
		return
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for i, s := range m.Standings {
		fmt.Fprintf(t, "%d\t%s\t%g/%d\n", i+1, s.Name, s.Points, s.Games)
	}
	t.Flush()
}

// shownForfeits is how many forfeits the text explains.
const shownForfeits = 10

// pairing shows the record of two players.
func (m *Match) pairing(w io.Writer, s *arena.Summary) {
	fmt.Fprintf(w, "%s against %s (%s %dx%d): %d games, +%d =%d -%d, Elo %+.0f +- %.0f\n",
		s.A, s.B, m.Rule, m.Size, m.Size, s.Games, s.AWins, s.Draws, s.BWins, s.Elo, s.EloError)
	fmt.Fprintf(w, "first player won %d; forfeits %d", s.FirstWins, s.Forfeits)
	if s.SPRT != arena.NoTest {
		fmt.Fprintf(w, "; SPRT %s, LLR %.2f", s.SPRT, s.LLR)
	}
	if s.Repeats > 0 {
		fmt.Fprintf(w, "; %d games equal an earlier one: more openings would tell more", s.Repeats)
	}
	fmt.Fprintln(w)
	if s.ASlowestMS+s.BSlowestMS > 0 {
		fmt.Fprintf(w, "slowest move %d and %d ms; moves over the limit %d and %d\n", s.ASlowestMS, s.BSlowestMS, s.ALate, s.BLate)
	}
}
