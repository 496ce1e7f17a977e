package samples

import (
	"math"
	"slices"

	"github.com/carozero/carozero/game"
)

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

// weights checks that the weights of a game's rows of full searches sum to their number,
// if they are distributed by surprise.
func (r *replayer) weights(g *Game, rows []int) {
	if r.surprise <= 0 || r.header.Filter != "" {
		return // rows that were left out have a part of it
	}
	sum, n, first := 0.0, 0, -1
	for _, i := range rows {
		if r.columns.FullSearch[i] != 1 {
			continue
		}
		w := float64(r.columns.Weight[i])
		if w < 1-r.surprise-1e-5 {
			r.add(i, "weight", "%v, want at least %v", w, 1-r.surprise)
		}
		if first < 0 {
			first = i
		}
		sum, n = sum+w, n+1
	}
	if n > 0 && math.Abs(sum-float64(n)) > 1e-4*float64(n) {
		r.add(first, "weight", "game %d: the weights of its %d full rows sum to %v", g.ID, n, sum)
	}
}

// fork checks that a game which forks from the one before it has that game's moves up to
// the fork.
func (r *replayer) fork(g *Game, rows []int, moves []game.Move) {
	if g.Fork == nil {
		return
	}
	if r.header.Filter != "" && (r.before == nil || r.before.ID < g.Fork.Of) {
		return // that game was left out
	}
	if r.before == nil || r.before.ID != g.Fork.Of || g.Fork.Of+1 != g.ID {
		r.gameProblem(g, rows, "it forks from game %d, want the one before it", g.Fork.Of)
		return
	}
	_, other, err := r.codec.Parse(r.before.Moves)
	if err != nil {
		return // said of that game
	}
	at := g.Fork.Ply
	if at < 0 || at >= len(moves) || at >= len(other) || !slices.Equal(moves[:at], other[:at]) || moves[at] == other[at] {
		r.gameProblem(g, rows, "it forks from game %d after %d moves, but the two do not part there", g.Fork.Of, at)
	}
}
