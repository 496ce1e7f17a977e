package gomoku

import (
	"fmt"
	"strings"

	"github.com/carozero/carozero/game"
)

// Rules is one rule set of the gomoku family. The board reads these parameters
// and never the name, so a rule set that is not in the table works as well,
// provided that Validate accepts it. Pairs are indexed by [game.Side].
//
// Except under Captures, a move is judged by the maximal runs of own stones
// through it, one in each of the four directions; one winning run is enough.
type Rules struct {
	Name string

	// Exact says that only a run of exactly five wins for the side.
	Exact [2]bool

	// OpponentBlocks says that a run of exactly five does not win if both of
	// its ends are blocked. An opponent's stone blocks; with EdgeBlocks the
	// edge does too. OverlineFree says that longer runs win whatever their ends.
	OpponentBlocks, EdgeBlocks, OverlineFree bool

	// Renju forbids the side overlines, double-fours and double-threes, except
	// by a move that makes exactly five.
	Renju [2]bool

	// DoubleThree forbids both sides a move that makes two free-threes, unless
	// it captures.
	DoubleThree bool

	// Captures takes flanked pairs off the board: ten stones win, and a five
	// that a capture can break does not win yet.
	Captures bool

	// OpenDistance restricts the third stone of a game: it must be at least so
	// many columns or rows away from the first. 0 is no restriction; the usual
	// opening rule is 3.
	OpenDistance int
}

// Limits of the board.
const (
	MinSize  = 5
	MaxSize  = 22
	maxCells = MaxSize * MaxSize
)

// DefaultRule is the name of the rule set used where none is asked for.
const DefaultRule = "caro"

var both = [2]bool{true, true}

// table holds the named rule sets in the order of Names.
var table = [...]Rules{
	{Name: "freestyle"},
	{Name: "standard", Exact: both},
	{Name: "renju", Exact: [2]bool{game.First: true}, Renju: [2]bool{game.First: true}},
	{Name: "caro", Exact: both, OpponentBlocks: true},
	{Name: "caro-overline", OpponentBlocks: true, OverlineFree: true},
	{Name: "caro-edge", Exact: both, OpponentBlocks: true, EdgeBlocks: true},
	{Name: "caro-edge-overline", OpponentBlocks: true, EdgeBlocks: true, OverlineFree: true},
	{Name: "school42", DoubleThree: true, Captures: true},
}

// Names returns the names of the rule sets.
func Names() []string {
	names := make([]string, len(table))
	for i, r := range table {
		names[i] = r.Name
	}
	return names
}

// Lookup returns the rule set of a name. The error wraps ErrRule.
func Lookup(name string) (Rules, error) {
	for _, r := range table {
		if r.Name == name {
			return r, nil
		}
	}
	return Rules{}, fmt.Errorf("%w %q: the rules are %s", ErrRule, name, strings.Join(Names(), ", "))
}

// Validate reports parameters that contradict each other. The error wraps
// ErrRule.
func (r Rules) Validate() error {
	fault := ""
	switch {
	case r.EdgeBlocks && !r.OpponentBlocks:
		fault = "the edge blocks ends only where an opponent's stone does"
	case r.OverlineFree && !r.OpponentBlocks:
		fault = "overlines are freed only from a rule of blocked ends"
	case r.OverlineFree && r.Exact != [2]bool{}:
		fault = "overlines cannot win where only exactly five does"
	case r.OpponentBlocks && !r.OverlineFree && r.Exact != both:
		fault = "with blocked ends a five must be exact, or overlines free"
	case r.Renju[game.First] && !r.Exact[game.First], r.Renju[game.Second] && !r.Exact[game.Second]:
		fault = "the renju restrictions go with exactly five"
	case r.Renju != [2]bool{} && (r.OpponentBlocks || r.DoubleThree):
		fault = "the renju restrictions go with neither blocked ends nor the double-three rule"
	case r.Captures && (r.OpponentBlocks || r.Exact != [2]bool{}):
		fault = "captures go with five or more and ignored ends"
	case r.OpenDistance < 0 || r.OpenDistance > MaxSize:
		fault = fmt.Sprintf("an opening distance is in 0..%d", MaxSize)
	default:
		return nil
	}
	return fmt.Errorf("%w %q: %s", ErrRule, r.Name, fault)
}

// restricts reports whether some empty cell may be closed to side.
func (r Rules) restricts(side game.Side) bool {
	return r.Renju[side] || r.DoubleThree || r.OpenDistance > 0
}
