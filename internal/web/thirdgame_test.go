package web

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/board"
	"github.com/carozero/carozero/internal/enginetest"
)

// A game that has only what every game has is offered, read and written by the server.
func TestAThirdGame(t *testing.T) {
	v := enginetest.AddToyGame(t)
	s := open(t, analysis.Options{MaxVisits: 30, MaxNodes: 1000, CacheMiB: 1, Version: "v", Workers: 1}, Options{})
	var c board.Config
	r, err := s.client.Get("http://" + s.addr + "/api/config") // the schema of send has the names of the games that ship
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(c.Games, func(g board.GameInfo) bool { return g.Name == v.Game })
	if at < 0 {
		t.Fatalf("%+v", c.Games)
	}
	if g := c.Games[at]; g.Board != "cells" || g.DefaultRule != enginetest.ToyRule ||
		g.Sizes != [2]int{enginetest.ToySide, enginetest.ToySide} || len(g.Rules) != 1 ||
		g.Rules[0].Name != enginetest.ToyRule || g.Rules[0].Title == "" {
		t.Errorf("%+v", g)
	}
	const game = `"game":"mnk","rules":"three","moves":["b2","a1"]`
	if r := s.post("/api/export", "application/json", `{"format":"text",`+game+`}`); r.status != http.StatusOK ||
		!strings.Contains(r.body, "b2a1") {
		t.Errorf("%+v", r)
	}
	read := func(query, body string) (got board.Imported) {
		r, err := s.client.Post("http://"+s.addr+"/api/import?"+query, "text/plain", strings.NewReader(body)) // as above
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil || r.StatusCode != http.StatusOK || len(got.Games) != 1 {
			t.Fatalf("%s: %d, %+v, %v", query, r.StatusCode, got, err)
		}
		return got
	}
	for _, query := range []string{"game=mnk", "game=mnk&rules=three&size=4"} {
		if g := read(query, "b2a1").Games[0]; g.Game != v.Game || g.Rules != enginetest.ToyRule ||
			g.Size != enginetest.ToySide || !slices.Equal(g.Moves, []string{"b2", "a1"}) {
			t.Errorf("%s: %+v", query, g)
		}
		if g := read(query, "(;GM[4]SZ[15];B[hh])").Games[0]; g.Game != "gomoku" || g.Rules != "caro" || g.Size != 15 {
			t.Errorf("a record of another game beside one of %s: %+v", query, g)
		}
	}
	for query, field := range map[string]string{
		"game=mnk&size=5": "size", "game=mnk&rules=caro": "rules", "game=chess": "game", "size=4": "size", "size=x": "size",
	} {
		got := s.post("/api/import?"+query, "text/plain", "b2a1")
		if _, code, at := errorOf(t, got); got.status != http.StatusBadRequest || code != analysis.Invalid || at != field {
			t.Errorf("%s: %d %s, want one about %s", query, got.status, got.body, field)
		}
	}
	if r := s.post("/api/export", "application/json", `{"format":"sgf",`+game+`}`); r.status != http.StatusBadRequest ||
		!strings.Contains(r.body, "no form") {
		t.Errorf("%+v", r)
	}
}
