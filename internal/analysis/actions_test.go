package analysis

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
)

// finals returns what is said to lines, without what is on the way.
func finals(t *testing.T, o Options, lines ...string) map[string]map[string]json.RawMessage {
	t.Helper()
	of := map[string]map[string]json.RawMessage{}
	for _, m := range talk(t, o, lines...) {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal([]byte(m.text), &fields); err != nil {
			t.Fatal(err)
		}
		var id string
		_ = json.Unmarshal(fields["id"], &id)
		if of[id] != nil {
			t.Errorf("%s is answered twice", id)
		}
		of[id] = fields
	}
	return of
}

// Openings are legal, different, within the tolerance by a search of their own, and
// a function of the seed.
func TestOpenings(t *testing.T) {
	const ask = `{"id":%q,"action":"query_opening","rules":"freestyle","moves":["h8"],"count":4,"plies":[1,4],` +
		`"tolerance":0.4,"seed":%d}`
	said := finals(t, small(), fmt.Sprintf(ask, "a", 5), fmt.Sprintf(ask, "b", 5), fmt.Sprintf(ask, "c", 6))
	if a, b, c := string(said["a"]["openings"]), string(said["b"]["openings"]), string(said["c"]["openings"]); a != b ||
		a == c {
		t.Errorf("%s, %s, %s", a, b, c)
	}
	var list []Opening
	if err := json.Unmarshal(said["a"]["openings"], &list); err != nil || len(list) != 4 {
		t.Fatalf("%s: %v", said["a"]["openings"], err)
	}
	v, err := games.NewVariant(games.VariantOptions{Rule: "freestyle"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := engine.NewClassical(v, engine.ClassicalOptions{Search: alphabeta.Options{TableMiB: 1, Threads: 1}})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, o := range list {
		text := strings.Join(o.Moves, "")
		pos, err := v.Parse("h8" + text)
		if err != nil || len(o.Moves) < 1 || len(o.Moves) > 4 || seen[text] {
			t.Errorf("%v: %v", o, err)
			continue
		}
		seen[text] = true
		c.Forget()
		a, err := c.Think(context.Background(), pos, engine.Limits{Nodes: 2000})
		if err != nil || math.Abs(float64(o.Value)) > 0.4 || math.Abs(float64(a.Value-o.Value)) > 1e-6 {
			t.Errorf("%v: the engine says %v, %v", o, a.Value, err)
		}
	}
}

// What the engine offers under swap2 is one of its openings,
// and it chooses the side that stands better.
func TestSwap2(t *testing.T) {
	said := finals(t, small(),
		`{"id":"offer","action":"query_swap2","maxNodes":600}`,
		`{"id":"strong","action":"query_swap2","rules":"freestyle","moves":["h8","a1","i8"],"maxNodes":2000}`,
		`{"id":"weak","action":"query_swap2","rules":"freestyle","moves":["h8","i9","a1","h10","a15"],"maxNodes":2000}`,
		`{"id":"full","action":"query_swap2","boardXSize":5,"maxNodes":600}`,
	)
	for _, id := range []string{"offer", "full"} {
		var moves []string
		if err := json.Unmarshal(said[id]["moves"], &moves); err != nil || !offered(t, moves, map[string]int{"full": 5}[id]) {
			t.Errorf("%s: %s", id, said[id]["moves"])
		}
	}
	if strong, weak := said["strong"], said["weak"]; string(strong["choice"]) != `"black"` || strong["move"] != nil ||
		string(weak["choice"]) != `"white"` || weak["move"] == nil {
		t.Errorf("%s, %s", strong, weak)
	}
}

// offered reports whether three stones are one of the offers.
func offered(t *testing.T, moves []string, size int) bool {
	if size == 0 {
		size = 15
	}
	list, err := gomoku.Notation{Size: size}.ParseMoves(strings.Join(moves, ""))
	if err != nil {
		t.Error(err)
	}
	return slices.ContainsFunc(gomoku.Offers[:], func(o gomoku.Offer) bool {
		cells, fits := o.On(size)
		return fits && slices.Equal(list, cells[:])
	})
}
