package analysis

import (
	"testing"
	"time"

	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/nn"
)

// A query with a clock finds its network set up: positions were evaluated before the
// search begins. One without evaluates nothing but what it searches.
func TestNetworksAreSetUpBeforeTheClockRuns(t *testing.T) {
	loader := networks.NewLoader(networks.LoaderOptions{Threads: 1})
	for _, c := range []struct {
		line string
		want bool
	}{
		{`{"id":"a","rules":"freestyle","maxVisits":10}`, false},
		{`{"id":"a","rules":"freestyle","maxVisits":10,"overrideSettings":{"maxTime":5}}`, true},
	} {
		nets := networks.NewNets(loader, "first-b4c32")
		e := &engines{nets: nets, cache: nn.NewCacheTable(1<<20, 225)}
		q := mustParse(t, &Options{}, c.line)
		if _, _, err := e.forTree(q); err != nil {
			t.Fatal(err)
		}
		asked, _ := e.cache.Uses()
		if (asked > 0) != c.want {
			t.Errorf("%s: %d positions were evaluated before the search", c.line, asked)
		}
		if err := e.close(); err != nil {
			t.Error(err)
		}
		if err := nets.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A verdict has the time of a search, and says nothing when that is over.
func TestVerdictIsBounded(t *testing.T) {
	e := &engines{nets: ownNets()}
	defer e.close()
	o := small()
	for _, c := range []struct {
		fields string
		limit  time.Duration
		want   bool
	}{{`"maxNodes":100`, 0, true}, {`"maxNodes":100`, time.Nanosecond, false}} {
		q := mustParse(t, &o, `{"id":"a","rules":"renju","moves":["i8","i6","e8","g10"],"engine":"each","maxVisits":4,`+c.fields+`}`)
		q.MaxTime = c.limit
		if _, _, err := e.forTree(q); err != nil {
			t.Fatal(err)
		}
		if _, err := e.forClassical(q); err != nil {
			t.Fatal(err)
		}
		answer := func(move string) *engine.Answer {
			moves, err := q.notation.ParseMoves(move)
			if err != nil {
				t.Fatal(err)
			}
			return &engine.Answer{Move: moves[0], Line: moves}
		}
		v, err := e.verdict(t.Context(), q, q.At(4), answer("h8"), answer("a1"))
		if err != nil || (v != nil) != c.want {
			t.Errorf("%v: %+v, %v", c.limit, v, err)
		}
	}
}
