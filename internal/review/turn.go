package review

import "github.com/carozero/carozero/internal/analysis"

// TurnOf returns what an answer of a service says of its turn, the winrate being of the side
// to move; false if it says nothing. What is proven counts before the winrate.
func TurnOf(a *analysis.Answer) (Turn, bool) {
	if a.Opinion == nil || len(a.MoveInfos) == 0 {
		return Turn{}, false
	}
	best := &a.MoveInfos[0]
	t := Turn{TurnNumber: a.TurnNumber, Value: float64(a.RootInfo.Winrate), Best: best.Move, Line: best.PV}
	if p := a.RootInfo.Proven; p != nil {
		t.Proven = &Proof{Result: p.Result, Plies: p.Plies}
		t.Value = map[string]float64{"win": 1, "draw": 0.5}[p.Result]
		if len(p.Line) > 0 && p.Line[0] == best.Move {
			t.Line = p.Line
		}
	}
	if a.RootInfo.CurrentPlayer == "W" {
		t.Value = 1 - t.Value
	}
	t.Value = max(0, min(1, t.Value))
	return t, true
}
