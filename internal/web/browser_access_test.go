package web_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// views are the four views.
var views = []string{"play", "analyse", "review", "share"}

// phone looks at every view on a screen of 360 pixels, and plays by touch.
func phone(t *testing.T, browser context.Context, h *host) {
	p := h.open(t, browser, 360, 740, "")
	p.prefer(map[string]any{"visits": 50, "nodes": 2000, "sweepVisits": 10})
	touch := true
	if _, err := chromedp.Call(p.ctx, emulation.SetTouchEmulationEnabled,
		emulation.SetTouchEmulationEnabledParams{Enabled: touch}); err != nil {
		t.Fatal(err)
	}
	for _, view := range views {
		p.click(id("view-" + view))
		p.wait(`document.body.dataset.view === "` + view + `"`)
		p.narrow(view)
	}
	p.click(id("view-play"))
	p.begin("gomoku/freestyle", "15", "easy")

	// So small a point is tapped twice: first it is aimed at.
	at := p.place(`.board [data-point="h8"]`)
	p.do(chromedp.TapXY(at[0], at[1]))
	p.wait(`$("circle.shadow").getAttribute("visibility") === "visible"`)
	if got := len(p.stones()); got != 0 {
		t.Errorf("%d stones after the first tap: want none", got)
	}
	p.do(chromedp.TapXY(at[0], at[1]))
	p.answered(2)
	p.click(id("view-analyse"))
	p.wait(`$(".verdict").textContent.includes("differ")`)
	p.narrow("an analysis")
}

// narrow fails for what stands out of a narrow screen.
func (p *tab) narrow(where string) {
	p.Helper()
	const wide = `[...$$("body *")].filter((e) => e.getClientRects().length &&
		!e.closest(".off, svg, .skip, .moves") && (e.getBoundingClientRect().right > innerWidth + 1 ||
			e.getBoundingClientRect().left < -1))
		.map((e) => e.tagName + "." + e.className + " " + e.getBoundingClientRect().right)`
	if got := value[[]string](p, wide); len(got) > 0 {
		p.Errorf("%s: these stand out of the screen: %v", where, got)
	}
	if got := value[int](p, `document.documentElement.scrollWidth - innerWidth`); got > 0 {
		p.Errorf("%s: the page is %d pixels too wide", where, got)
	}
}

// everyControlHasAName asks the browser what a screen reader would be told, in
// every view, in the help and in the dialog of a new board.
func everyControlHasAName(t *testing.T, browser context.Context, h *host) {
	p := h.open(t, browser, 1280, 900, "#v=caro&s=9&m=e5e6f5&view=play")
	for _, view := range views {
		p.click(id("view-" + view))
		p.wait(`document.body.dataset.view === "` + view + `"`)
		p.named(view)
	}
	p.click(id("view-analyse"))
	p.click(id("new-board"))
	p.wait(`$("dialog[open]")`)
	p.named("dialog")
	p.choose("fresh-rules", "onitama/onitama")
	p.click(id("fresh-ok"))
	p.wait(`$$("[data-card]").length === 5`)
	p.named("onitama")
	p.click("#tool-help")
	p.wait(`by("help").open`)
	p.named("help")
}

// named fails for every control without a name.
func (p *tab) named(where string) {
	p.Helper()
	controls := []string{
		"button", "combobox", "textbox", "checkbox", "switch", "slider", "spinbutton", "gridcell", "grid", "link", "timer",
		"dialog", "listbox", "menuitem", "radio",
	}
	tree, err := chromedp.Call(p.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		p.Fatal(err)
	}
	count := 0
	for _, node := range tree.Nodes {
		if node.Ignored || node.Role == nil {
			continue
		}
		role := strings.Trim(string(node.Role.Value), `"`)
		if !slices.Contains(controls, role) {
			continue
		}
		count++
		if node.Name == nil || strings.Trim(string(node.Name.Value), `" `) == "" {
			p.Errorf("%s: a %s has no name: %s", where, role, fmt.Sprint(node.BackendDOMNodeID))
		}
	}
	if count < 2 {
		p.Errorf("%s: only %d controls were found", where, count)
	}
}

// lostConnection ends the server in the middle of a game and starts it again on its
// port: the page says so, comes back and goes on with what it had asked.
func lostConnection(t *testing.T, browser context.Context, h *host) {
	p := h.open(t, browser, 1280, 860, "")
	p.begin("gomoku/freestyle", "9", "easy")
	p.away(true)
	h.stop()
	p.wait(`!by("connection").hidden && $("#connection").textContent.includes("lost")`)
	p.point("e5")
	p.wait(`$$(".board .stone").length === 1`)
	h.start()
	p.answered(2)
	p.wait(`by("connection").hidden`)
	p.away(false)
	if got := p.moves(); len(got) != 2 || got[0] != "e5" {
		t.Errorf("the moves are %v: want e5 and an answer", got)
	}
}
