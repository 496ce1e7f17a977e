package analysis

import (
	"fmt"
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

// Both searches as one engine say who decided, within one budget, and say the same to a
// second query.
func TestTogether(t *testing.T) {
	query := `{"id":"a","rules":"freestyle","moves":["h8","i9","j8"],"engine":"both","maxVisits":60,"includePVVisits":true}`
	m := one(t, small(), query)
	info := m.RootInfo
	if info.Halves == nil || info.Engine != Both || info.Nodes > 60 {
		t.Fatalf("%s", m.text)
	}
	if h := info.Halves; h.Playouts < 10 || h.Nodes < 20 || h.Text == "" || h.Decided != "mcts" && h.Decided != "alphabeta" {
		t.Errorf("%+v", h)
	}
	if again := one(t, small(), query); again.text != m.text {
		t.Errorf("%s, then %s", m.text, again.text)
	}
}

// The rate of the move that both searches come to is that of the answer: where the classical
// one has decided its own, not the mean of the tree's playouts.
func TestRateOfBoth(t *testing.T) {
	e := &engines{nets: ownNets()}
	defer e.close()
	o := small()
	unvisited, visited := 0, 0
	for _, rule := range []string{"freestyle", "renju", "caro"} {
		for _, moves := range []string{`"h8","i9","j8"`, `"j7","j8","h10","f9"`, `"i8","i6","e8","g10"`} {
			q := mustParse(t, &o, fmt.Sprintf(`{"id":"a","rules":%q,"moves":[%s],"engine":"both"}`, rule, moves))
			both, net, err := e.forBoth(q)
			if err != nil {
				t.Fatal(err)
			}
			pos := q.At(len(q.Moves))
			for _, nodes := range []int64{40, 200} {
				both.Forget()
				a, err := both.Think(t.Context(), pos, engine.Limits{Nodes: nodes})
				if err != nil {
					t.Fatal(err)
				}
				info := q.newView(pos, nil, nil).opinion(Both, net, a).MoveInfos[0]
				if want := (a.Value + 1) / 2; info.Move != q.notation.FormatMove(a.Move) || a.Proof.Result == engine.Unknown && info.Winrate != want {
					t.Errorf("%s, %s, %d: %+v, want %v of %+v", rule, moves, nodes, info, want, a.Halves)
				}
				switch own := a.Moves[0].Value == a.Value; {
				case own && info.LCB == info.Winrate && info.Visits > 1 && info.Proven == nil && info.Claim == nil:
					t.Errorf("%s, %s, %d: the tree's error is lost: %+v", rule, moves, nodes, info)
				case own:
				case info.LCB != info.Winrate:
					t.Errorf("%s, %s, %d: the tree's error stands beside another value: %+v", rule, moves, nodes, info)
				case info.Visits == 0:
					unvisited++
				default:
					visited++
				}
			}
		}
	}
	if unvisited == 0 || visited == 0 {
		t.Errorf("the classical search never decided: %d moves without visits, %d with some", unvisited, visited)
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

// Where the classical half's line stands for a move, its first visits are the move's.
func TestVisitsOfBothLines(t *testing.T) {
	for _, rule := range []string{"freestyle", "caro"} {
		m := one(t, small(), `{"id":"a","rules":"`+rule+`","moves":["h8","i9","j8"],"engine":"both","maxVisits":60,"includePVVisits":true}`)
		for _, info := range m.MoveInfos {
			if len(info.PVVisits) != len(info.PV) || info.PVVisits[0] != info.Visits {
				t.Errorf("%+v", info)
			}
		}
	}
}
