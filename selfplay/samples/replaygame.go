package samples

import "github.com/carozero/carozero/game"

// option returns an option of the run, of one type.
func option[T any](h *Header, key string) (value T, ok bool) {
	v, there := h.Search.Get(key)
	if there {
		value, ok = v.(T)
	}
	return value, ok
}

// audited checks a game's resignation audit: whether its seed selects it for one, and
// which side would have resigned. rows are those of the game.
func (r *replayer) audited(g *Game, rows []int, plies int) {
	want := r.audit > 0 && Audited(g.Seed, r.audit)
	switch {
	case want != (g.Audit != nil):
		r.gameProblem(g, rows, "audited is %v, its seed says %v", g.Audit != nil, want)
		return
	case g.Audit == nil:
		return
	case g.Reason == game.Resigned:
		r.gameProblem(g, rows, "it ended by resignation, although it is audited")
	}
	a := g.Audit
	if a.Resigns == Nobody {
		return
	}
	if a.Resigns != game.First.String() && a.Resigns != game.Second.String() || a.Ply >= plies {
		r.gameProblem(g, rows, "audit: %.20q resigns after %d moves of %d, want first, second or none, before the end", a.Resigns, a.Ply, plies)
		return
	}
	for _, i := range rows {
		if int(r.columns.Ply[i]) == a.Ply && float64(r.columns.RootQ[i]) > -r.resignAt {
			r.add(i, "root_q", "game %d: %v, and %s would have resigned here, at %v", g.ID, r.columns.RootQ[i], a.Resigns, -r.resignAt)
		}
	}
}
