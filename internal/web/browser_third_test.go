package web_test

import (
	"context"
	"slices"
	"testing"

	"github.com/carozero/carozero/internal/enginetest"
)

// thirdGame plays a game that has only what every game has, from the form to a reload
// and a link: the page knows no game by its name.
func thirdGame(t *testing.T, browser context.Context, _ *host) {
	enginetest.AddToyGame(t)
	h := newHost(t)
	p := h.open(t, browser, 1280, 860, "")
	p.begin(enginetest.ToyName+"/"+enginetest.ToyRule, "", "easy")
	p.point("b2")
	p.answered(2)
	if cells := value[int](p,
		`$$(".board [data-point]").length`); cells != enginetest.ToySide*enginetest.ToySide {
		t.Errorf("%d points on the board", cells)
	}
	moves := p.moves()
	p.reload()
	if got := p.moves(); !slices.Equal(got, moves) {
		t.Errorf("%v after a reload: want %v", got, moves)
	}
	p = h.open(t, browser, 1280, 860, "#v=three&s=4&m=b2a1c3&view=analyse")
	p.wait(`$$(".board .stone").length === 3`)
	if got := p.stones(); len(got) != 3 {
		t.Errorf("the link shows %v", got)
	}
}
