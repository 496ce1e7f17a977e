package samples

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Where selects rows by conditions separated by commas, all of which must hold.
//
//	ply>=10, result=first|second, full_search, games=0..0.9, repeats<=2
//
// A condition is a key, an operator (<, <=, >, >=, =, !=) and a value: a number; for
// keys of words one word or several separated by |; for shares a share, or a range of
// shares. Boolean keys may stand alone.
type Where struct {
	text    string
	tests   []rowTest
	repeats int // rows of one position at most; 0: any number
}

// rowTest reports whether a row of a game is wanted.
type rowTest func(h *Header, g *Game, r *Row) bool

// maxWhere bounds the text of a Where, in bytes.
const maxWhere = 4096

// ParseWhere reads conditions. The error says which is wrong and what it may be.
func ParseWhere(text string) (*Where, error) {
	if len(text) > maxWhere {
		return nil, fmt.Errorf("conditions of %d bytes, at most %d are possible", len(text), maxWhere)
	}
	w := &Where{}
	var parts []string
	for _, part := range strings.Split(text, ",") {
		part = strings.Join(strings.Fields(part), "")
		if part == "" {
			return nil, errors.New("an empty condition: want some like ply>=10, with commas between them")
		}
		if err := w.parse(part); err != nil {
			return nil, fmt.Errorf("%.60q: %w", part, err)
		}
		parts = append(parts, part)
	}
	w.text = strings.Join(parts, ", ")
	return w, nil
}

// String returns the conditions in one form.
func (w *Where) String() string { return w.text }

// Match reports whether a row is wanted, whatever other rows there are.
func (w *Where) Match(h *Header, g *Game, r *Row) bool {
	for _, test := range w.tests {
		if !test(h, g, r) {
			return false
		}
	}
	return true
}

// Counter counts positions that repeat, in all shards together. It remembers a hash
// of each position's input.
type Counter struct {
	most int
	seen map[uint64]uint16
}

// NewCounter returns a counter of no rows.
func (w *Where) NewCounter() *Counter { return &Counter{w.repeats, map[uint64]uint16{}} }

// Keep counts the row and reports whether its position has not occurred too often.
func (c *Counter) Keep(r *Row) bool {
	if c.most == 0 {
		return true
	}
	sum := r.inputSum()
	if int(c.seen[sum]) >= c.most {
		return false
	}
	c.seen[sum]++
	return true
}

// operators, the longer ones first.
var operators = []string{"<=", ">=", "!=", "<", ">", "="}

func (w *Where) parse(part string) error {
	key, op, value := part, "", ""
	for _, o := range operators {
		if i := strings.Index(part, o); i >= 0 && (op == "" || i < len(key)) {
			key, op, value = part[:i], o, part[i+len(o):]
		}
	}
	if number, ok := numberKeys[key]; ok {
		return w.number(number, op, value)
	}
	if word, ok := wordKeys[key]; ok {
		return w.word(word, op, value)
	}
	switch key {
	case "share", "games":
		return w.share(key, op, value)
	case "unique":
		if op != "" {
			return errors.New("unique stands alone")
		}
		return w.repeat("<=", "1")
	case "repeats":
		return w.repeat(op, value)
	}
	return fmt.Errorf("no such key: want one of %s", strings.Join(WhereKeys(), ", "))
}

// WhereKeys returns the keys of conditions, sorted.
func WhereKeys() []string {
	keys := []string{"share", "games", "unique", "repeats"}
	for k := range numberKeys {
		keys = append(keys, k)
	}
	for k := range wordKeys {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// number adds a comparison.
func (w *Where) number(get func(*Game, *Row) float64, op, value string) error {
	want, err := strconv.ParseFloat(value, 64)
	if op == "" || err != nil || math.IsNaN(want) {
		return errors.New("want an operator and a number, as in ply>=10")
	}
	holds := map[string]func(c int) bool{
		"<": func(c int) bool { return c < 0 }, "<=": func(c int) bool { return c <= 0 },
		">": func(c int) bool { return c > 0 }, ">=": func(c int) bool { return c >= 0 },
		"=": func(c int) bool { return c == 0 }, "!=": func(c int) bool { return c != 0 },
	}[op]
	w.tests = append(w.tests, func(_ *Header, g *Game, r *Row) bool { return holds(cmp.Compare(get(g, r), want)) })
	return nil
}

// word adds a comparison with words.
func (w *Where) word(k wordKey, op, value string) error {
	if op == "" && slices.Contains(k.words, yes) {
		op, value = "=", yes
	}
	words := strings.Split(value, "|")
	if op != "=" && op != "!=" || value == "" {
		return fmt.Errorf("want = or != and %s", k.choices())
	}
	for _, word := range words {
		if k.words != nil && !slices.Contains(k.words, word) {
			return fmt.Errorf("%.40q: want %s", word, k.choices())
		}
	}
	w.tests = append(w.tests, func(h *Header, g *Game, r *Row) bool {
		return slices.Contains(words, k.get(h, g, r)) == (op == "=")
	})
	return nil
}

// share adds a condition on a share of the rows or games, chosen by their seed and ply
// only.
func (w *Where) share(key, op, value string) error {
	low, high, ranged := strings.Cut(value, "..")
	if !ranged {
		low, high = "0", value
	}
	from, err := strconv.ParseFloat(low, 64)
	to, err2 := strconv.ParseFloat(high, 64)
	if op != "=" || err != nil || err2 != nil || !(from >= 0 && from < to && to <= 1) {
		return fmt.Errorf("want a share, as in %s=0.1, or a range of shares, as in %s=0.9..1", key, key)
	}
	w.tests = append(w.tests, func(h *Header, g *Game, r *Row) bool {
		seed, n := g.Seed^shareStream, uint64(r.Ply)
		if key == "games" {
			seed, n = g.Seed^gamesStream, 0
		}
		u := float64(GameSeed(seed, n)>>11) / (1 << 53)
		return u >= from && u < to
	})
	return nil
}

// Streams separate shares from other uses of a seed.
const (
	shareStream = 0x7368617265
	gamesStream = 0x67616d6573
)

// repeat bounds the rows of one position.
func (w *Where) repeat(op, value string) error {
	n, err := strconv.ParseUint(value, 10, 15)
	if op != "<=" || err != nil || n < 1 {
		return errors.New("want repeats<=N, N from 1 to 32767")
	}
	if w.repeats == 0 || int(n) < w.repeats {
		w.repeats = int(n)
	}
	return nil
}

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
