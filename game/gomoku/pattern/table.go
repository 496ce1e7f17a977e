package pattern

import (
	"sync"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// maxArms is the number of contents of an arm of five cells: the sum of 3^k.
const maxArms = 364

// both packs the shapes of the two sides, First's in the low four bits.
type both uint8

// table maps keys to the shapes of both sides. It never changes once it
// is built. half is how far from a changed cell patterns change.
type table struct {
	half   int
	behind [armKeys]uint32 // by raw arm: a multiple of the number of arms
	ahead  [armKeys]uint32
	lines  [maxArms * maxArms]both
	class  [2]*combination

	// split holds, for each raw arm and content, the cells with that content
	// as bits, the lowest first.
	split [armKeys][4]uint8
}

// at returns the patterns of the empty cell with this key.
func (t *table) at(key uint64) both {
	return t.lines[t.behind[key&armMask]+t.ahead[key>>ahead&armMask]]
}

func newTable(rules [2]lineRule) *table {
	half := max(rules[game.First].half(), rules[game.Second].half())
	a := newArms(half)
	t := &table{half: half}
	for key, n := range a.index {
		for i := range reach {
			t.split[key][arm(key).at(i)] |= 1 << i
		}
		if n < 0 {
			continue
		}
		t.ahead[key] = uint32(n)
		t.behind[arm(key).reversed()] = uint32(int(n) * len(a.list))
	}
	swapped := make([]int, len(a.list))
	for i, content := range a.list {
		swapped[i] = int(a.index[content.swapped()])
	}
	first := generate(rules[game.First], a)
	second := first
	if rules[game.Second] != rules[game.First] {
		second = generate(rules[game.Second], a)
	}
	for i := range a.list {
		for j := range a.list {
			own := first[i*len(a.list)+j]
			opp := second[swapped[i]*len(a.list)+swapped[j]]
			t.lines[i*len(a.list)+j] = both(own) | both(opp)<<4
		}
	}
	for s := range t.class {
		t.class[s] = newCombination(rules[s].restricted)
	}
	return t
}

// tables remembers the tables built so far: they are pure functions of the line
// rules of the two sides, and few.
var tables memo

type memo struct {
	mu   sync.Mutex
	made map[[2]lineRule]*table
}

// tableFor returns the table of a rule set. It is safe for concurrent use; the
// first call for a rule set builds the table.
func (m *memo) tableFor(r *gomoku.Rules) *table {
	rules := [2]lineRule{newLineRule(r, game.First), newLineRule(r, game.Second)}
	m.mu.Lock()
	defer m.mu.Unlock()
	t := m.made[rules]
	if t == nil {
		if m.made == nil {
			m.made = map[[2]lineRule]*table{}
		}
		t = newTable(rules)
		m.made[rules] = t
	}
	return t
}
