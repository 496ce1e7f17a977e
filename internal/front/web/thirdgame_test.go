package web

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/engine/games/toygame"
	"github.com/carozero/carozero/internal/front/analysis"
)

// A game that has only what every game has is offered, analysed over a socket, drawn,
// read and written by the server.
func TestAThirdGame(t *testing.T) {
	v := toygame.Add(t)
	s := open(t, analysis.Options{MaxVisits: 30, MaxNodes: 1000, CacheMiB: 1, Version: "v", Workers: 1}, Options{})
	var c Config
	r, err := s.client.Get("http://" + s.addr + "/api/config") // the schema of send has the names of the games that ship
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(c.Games, func(g GameInfo) bool { return g.Name == v.Game })
	if at < 0 {
		t.Fatalf("%+v", c.Games)
	}
	if g := c.Games[at]; g.Board != "cells" || g.DefaultRule != toygame.Rule || g.Sizes != [2]int{toygame.Side, toygame.Side} || len(g.Rules) != 1 || g.Rules[0].Name != toygame.Rule || g.Rules[0].Title == "" {
		t.Errorf("%+v", g)
	}
	p := s.meet()
	p.say(`{"id":"p","action":"query_position","game":"mnk","moves":["b2","a1"]}`)
	if stones := p.hear()["position"].(map[string]any)["stones"].([]any); len(stones) != 2 {
		t.Errorf("%v", stones)
	}
	for _, engine := range []string{"mcts", "alphabeta"} {
		p.say(`{"id":"` + engine + `","game":"mnk","moves":["b2","a1"],"engine":"` + engine + `"}`)
		if m := p.hear(); m["id"] != engine || len(m["moveInfos"].([]any)) == 0 {
			t.Errorf("%v", m)
		}
	}
	const game = `"game":"mnk","rules":"three","moves":["b2","a1"]`
	if r := s.post("/api/export", "application/json", `{"format":"text",`+game+`}`); r.status != http.StatusOK || !strings.Contains(r.body, "b2a1") {
		t.Errorf("%+v", r)
	}
	if r := s.post("/api/export", "application/json", `{"format":"sgf",`+game+`}`); r.status != http.StatusBadRequest || !strings.Contains(r.body, "no form") {
		t.Errorf("%+v", r)
	}
}
