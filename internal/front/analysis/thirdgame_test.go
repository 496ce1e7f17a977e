package analysis

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/games/toygame"
)

// The schema names the games that there are, wherever it names games.
func TestTheSchemaHasEveryGame(t *testing.T) {
	var document any
	if err := json.Unmarshal(Schema(), &document); err != nil {
		t.Fatal(err)
	}
	lists := 0
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, element := range v {
				walk(element)
			}
		case map[string]any:
			if of, ok := v["game"].(map[string]any); ok {
				lists++
				text, _ := json.Marshal(of["enum"])
				want, _ := json.Marshal(games.GameNames())
				if string(text) != string(want) {
					t.Errorf("the games of the schema are %s, want %s", text, want)
				}
			}
			for _, member := range v {
				walk(member)
			}
		}
	}
	if walk(document); lists != 6 {
		t.Errorf("the schema names the games %d times", lists)
	}
}

// A game that has only what every game has is analysed by both engines, and played.
func TestAThirdGame(t *testing.T) {
	toygame.Add(t)
	const game = `"id":"q","game":"mnk","boardXSize":4,"boardYSize":4,"initialPosition":"b2","moves":["a1"]`
	for _, engine := range []string{"mcts", "alphabeta"} {
		m := talk(t, small(), `{`+game+`,"engine":"`+engine+`"}`)
		if len(m) != 1 || len(m[0].MoveInfos) == 0 || m[0].RootInfo.CurrentPlayer != "B" || m[0].RootInfo.Winrate < 0.6 {
			t.Errorf("%s: %+v", engine, m)
		}
	}
	at := func(moves string) *Position {
		m := talk(t, small(), `{"id":"p","action":"query_position","game":"mnk","moves":[`+moves+`]}`)
		var echo struct{ Position *Position }
		if len(m) != 1 || json.Unmarshal([]byte(m[0].text), &echo) != nil || echo.Position == nil {
			t.Fatalf("%s: %+v", moves, m)
		}
		return echo.Position
	}
	p := at(`"b2","a1","c3"`)
	if len(p.Stones) != 3 || p.Stones[2] != [2]string{"B", "c3"} || !slices.Equal(p.Numbers, []int{1, 2, 3}) || p.LastMove != "c3" ||
		p.Legal != nil || p.Cards != nil || p.Pieces != nil || p.Captured != nil || p.Outcome != nil {
		t.Errorf("%+v", p)
	}
	p = at(`"b2","a1","c3","b1","d4"`)
	if p.Outcome == nil || p.Outcome.Winner != "B" || p.Legal == nil || len(p.Legal) != 0 {
		t.Errorf("%+v", p)
	}
	for _, c := range []struct {
		query       string
		code        Code
		field, want string
	}{
		{`"game":"mnk","moves":["b2","b2"]`, Illegal, "moves[1]", "b2"},
		{`"game":"mnk","rules":"caro","moves":[]`, Invalid, "rules", "three"},
		{`"game":"mnk","boardXSize":9,"moves":[]`, Invalid, "boardXSize", "4"},
		{`"game":"mnk","boardYSize":9,"moves":[]`, Invalid, "boardYSize", "4"},
		{`"game":"mnk","boardXSize":3,"moves":[]`, Invalid, "boardXSize", "4 to 22"},
		{`"game":"mnk","moves":["a1"],"includeThreats":true`, Invalid, "includeThreats", "no such points"},
	} {
		m := talk(t, small(), `{"id":"q",`+c.query+`}`)
		if len(m) != 1 || m[0].Code != c.code || m[0].Field != c.field || !strings.Contains(m[0].Error, c.want) {
			t.Errorf("%s: %+v", c.query, m)
		}
	}
}
