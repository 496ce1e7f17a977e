package samples

import (
	"fmt"
	"math"
	"strings"
)

// numberKeys are what conditions compare with a number.
var numberKeys = map[string]func(*Game, *Row) float64{
	"ply":        func(_ *Game, r *Row) float64 { return float64(r.Ply) },
	"plies_left": func(_ *Game, r *Row) float64 { return float64(r.PliesLeft) },
	"length":     func(g *Game, _ *Row) float64 { return float64(g.Plies) },
	"id":         func(g *Game, _ *Row) float64 { return float64(g.ID) },
	"weight":     func(_ *Game, r *Row) float64 { return float64(r.Weight) },
	"root_q":     func(_ *Game, r *Row) float64 { return float64(r.RootQ) },
	"net_q":      func(_ *Game, r *Row) float64 { return float64(r.NetQ) },
	"surprise":   func(_ *Game, r *Row) float64 { return math.Abs(float64(r.RootQ) - float64(r.NetQ)) },
	"error":      func(_ *Game, r *Row) float64 { return math.Abs(float64(r.RootQ) - float64(r.Outcome)) },
	"visits":     func(_ *Game, r *Row) float64 { return float64(r.visits()) },
	"moves":      func(_ *Game, r *Row) float64 { return float64(len(r.Actions)) },
	"entropy":    func(_ *Game, r *Row) float64 { return r.entropy() },
	"regret":     func(_ *Game, r *Row) float64 { return r.regret() },
}

// visits returns the sum of the counts.
func (r *Row) visits() (sum uint64) {
	for _, n := range r.Counts {
		sum += uint64(n)
	}
	return sum
}

// entropy returns that of the policy target, in nats.
func (r *Row) entropy() (sum float64) {
	for _, p := range r.Target {
		if p > 0 {
			sum -= float64(p) * math.Log(float64(p))
		}
	}
	return sum
}

// regret returns by how much the target's share of the move that was played is below
// the largest share.
func (r *Row) regret() float64 {
	var played, most float32
	for i, a := range r.Actions {
		most = max(most, r.Target[i])
		if a == r.Played {
			played = r.Target[i]
		}
	}
	return float64(most) - float64(played)
}

// wordKey is what conditions compare with words.
type wordKey struct {
	words []string // nil: any
	get   func(*Header, *Game, *Row) string
}

func (k wordKey) choices() string {
	if k.words == nil {
		return "a name, or several with | between them"
	}
	return strings.Join(k.words, ", ") + ", or several with | between them"
}

// yes and no are the words of keys that are true or false.
const (
	yes = "yes"
	no  = "no"
)

func truth(get func(*Game, *Row) bool) wordKey {
	return wordKey{[]string{yes, no}, func(_ *Header, g *Game, r *Row) string {
		if get(g, r) {
			return yes
		}
		return no
	}}
}

var wordKeys = map[string]wordKey{
	"rule": {nil, func(h *Header, _ *Game, _ *Row) string {
		name, _ := h.Rule.Get("name")
		return fmt.Sprint(name)
	}},
	"model":  {nil, func(h *Header, _ *Game, _ *Row) string { return h.Model }},
	"result": {[]string{"first", "second", "draw"}, func(_ *Header, g *Game, _ *Row) string { return g.Result }},
	"reason": {[]string{"line", "capture", "stream", "full", "no-moves", "resign", "limit", "proven"},
		func(_ *Header, g *Game, _ *Row) string { return string(g.Reason) }},
	"outcome":     {outcomes[:3], func(_ *Header, _ *Game, r *Row) string { return outcomes[1+r.Outcome] }},
	"proven":      {outcomes[:], func(_ *Header, _ *Game, r *Row) string { return outcomes[1+r.Proven] }},
	"full_search": truth(func(_ *Game, r *Row) bool { return r.FullSearch == 1 }),
	"audit":       truth(func(g *Game, _ *Row) bool { return g.Audit != nil }),
}

// outcomes are the words for the values -1 to 2 of outcome and proven.
var outcomes = [...]string{"loss", "draw", "win", "unknown"}
