package web_test

import (
	"context"
	"strings"
	"testing"
)

// thinkingEnds has the engine think for longer than anybody waits: the page shows
// how far it is, and ends it when asked to.
func thinkingEnds(t *testing.T, browser context.Context, h *host) {
	p := h.open(t, browser, 360, 640, "")
	p.prefer(map[string]any{
		"level": "custom", "custom": "alphabeta", "abnodes": 1_000_000_000, "rules": "freestyle", "size": 15,
	})
	p.click(id("start"))
	p.wait(`by("status").textContent.startsWith("Your move")`)
	for turn, way := range []func(){
		func() { p.click(id("move-now")) },
		func() { p.key("g"); p.key(" "); p.key("e") },
	} {
		p.point([]string{"h8", "f6"}[turn])
		p.wait(`the("think").value > 0 && the("move-now").checkVisibility({visibilityProperty: true})`)
		if got := p.text("status"); !strings.HasPrefix(got, "The engine thinks") {
			t.Errorf("the status is %q while the engine thinks", got)
		}
		p.narrow("thinking")
		if !value[bool](p,
			`the("move-now").getBoundingClientRect().bottom <= by("views").getBoundingClientRect().top`) {
			t.Error("the button that ends the search is out of view")
		}
		value[bool](p, `(document.activeElement.blur(), true)`)
		way()
		p.answered(2*turn + 2)
	}
	if value[bool](p,
		`[...$$('[data-testid="move-now"], [data-testid="think"]')].some((e) =>
			e.checkVisibility({visibilityProperty: true}))`) {
		t.Error("the progress is shown while nobody thinks")
	}

	// The engine is asked again after a reload, and a search is left by taking back.
	p.point("j10")
	p.wait(`the("think").value > 0`)
	p.reload()
	p.wait(`the("think").value > 0`)
	p.click(id("undo"))
	p.wait(`by("status").textContent === "Your move: Black." && $$(".board .stone").length === 4`)

	// A move that comes while the user looks elsewhere is taken in, and moves nothing.
	p.point("j10")
	p.wait(`the("think").value > 0`)
	p.click(id("view-analyse"))
	p.key("e")
	p.wait(`by("turn").textContent === "5 / 6"`)
	p.click(id("view-play"))
	p.answered(6)
}
