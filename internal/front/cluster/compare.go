package cluster

import (
	"bytes"
	"fmt"
	"math"

	"github.com/carozero/carozero/selfplay/samples"
)

// Tolerances between machines whose networks sum in a different order. Rounding changes the
// last digits of a value; where that changes a choice of the search, the games differ from
// there on and nothing after can be compared.
const (
	netTolerance    = 0.01 // of net_q, the network's own value
	rootTolerance   = 0.1  // of policy targets: half the sum of absolute differences
	policyTolerance = 0.3  // of policy targets, as the half of the sum of differences
)

// same compares a unit with its replay and says what differs, "" if nothing does. exact
// requires equal bytes.
func same(exact bool, got, again []*samples.Record) (why string, diverged bool, err error) {
	if len(got) != len(again) {
		return fmt.Sprintf("%d games, want %d", len(got), len(again)), false, nil
	}
	for i := range got {
		a, err := samples.AppendRecord(nil, got[i])
		if err != nil {
			return "", false, err
		}
		b, err := samples.AppendRecord(nil, again[i])
		if err != nil {
			return "", false, err
		}
		if bytes.Equal(a, b) {
			continue
		}
		if exact {
			return fmt.Sprintf("game %d: played again from its seed it has other bytes: %s", got[i].Game.ID, firstDifference(got[i], again[i])), false, nil
		}
		if why := near(got[i], again[i]); why != "" {
			return fmt.Sprintf("game %d: played again from its seed: %s", got[i].Game.ID, why), true, nil
		}
		diverged = diverged || got[i].Game.Moves != again[i].Game.Moves
	}
	return "", diverged, nil
}

// firstDifference names where two records of a game differ.
func firstDifference(got, again *samples.Record) string {
	if got.Game.Moves != again.Game.Moves {
		return fmt.Sprintf("moves %.40s, want %.40s", got.Game.Moves, again.Game.Moves)
	}
	if got.Rows.Rows != again.Rows.Rows {
		return fmt.Sprintf("%d rows, want %d", got.Rows.Rows, again.Rows.Rows)
	}
	for i := range got.Rows.Rows {
		if got.Rows.RowCRC[i] != again.Rows.RowCRC[i] {
			return fmt.Sprintf("the row of ply %d", got.Rows.Ply[i])
		}
	}
	return "its entry"
}

// near compares two records of a game row by row up to the first different move. Which plies have
// rows, and which searches are full ones, follows from the seed: games with the same moves have
// rows of the same positions.
func near(got, again *samples.Record) string {
	if got.Game.From != again.Game.From {
		return fmt.Sprintf("it begins with %.40s, want %.40s", got.Game.From, again.Game.From)
	}
	compared := 0
	for compared < min(got.Rows.Rows, again.Rows.Rows) {
		a, b := got.Rows.Row(compared), again.Rows.Row(compared)
		if a.Ply != b.Ply || !bytes.Equal(a.Planes, b.Planes) {
			break
		}
		compared++
		if a.FullSearch != b.FullSearch {
			return fmt.Sprintf("full_search of ply %d is %d, want %d", a.Ply, a.FullSearch, b.FullSearch)
		}
		for _, c := range []struct {
			what      string
			got, want float32
			most      float64
		}{{"net_q", a.NetQ, b.NetQ, netTolerance}, {"root_q", a.RootQ, b.RootQ, rootTolerance}} {
			if d := math.Abs(float64(c.got) - float64(c.want)); d > c.most {
				return fmt.Sprintf("%s of ply %d is %.3f, want %.3f within %v", c.what, a.Ply, c.got, c.want, c.most)
			}
		}
		if d := distance(&a, &b); d > policyTolerance {
			return fmt.Sprintf("the policy target of ply %d is %.2f away, want at most %v", a.Ply, d, policyTolerance)
		}
	}
	if got.Game.Moves == again.Game.Moves && compared < max(got.Rows.Rows, again.Rows.Rows) {
		return fmt.Sprintf("%d of its rows are of the same positions, want all %d", compared, again.Rows.Rows)
	}
	return ""
}

// distance returns the total variation between the targets of two rows.
func distance(a, b *samples.Row) float64 {
	sum, i, j := 0.0, 0, 0
	for i < len(a.Actions) || j < len(b.Actions) {
		switch {
		case j == len(b.Actions) || i < len(a.Actions) && a.Actions[i] < b.Actions[j]:
			sum += float64(a.Target[i])
			i++
		case i == len(a.Actions) || b.Actions[j] < a.Actions[i]:
			sum += float64(b.Target[j])
			j++
		default:
			sum += math.Abs(float64(a.Target[i]) - float64(b.Target[j]))
			i, j = i+1, j+1
		}
	}
	return sum / 2
}
