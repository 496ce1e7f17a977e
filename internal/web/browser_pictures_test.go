package web_test

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// pictures takes those of docs/board.md.
func pictures(t *testing.T, browser context.Context) {
	var files []string
	if *pictured != "" {
		files = append(files, *pictured)
	}
	h := newHost(t, files...)
	h.stop()
	h.model = ""
	h.start()
	const game = "#v=caro&s=15&m=h8i9j8i7i8g8k9j7h7k10j11l8l10g6a1m11&turn=8&view=analyse"
	p := h.open(t, browser, 1280, 860, game)
	p.prefer(map[string]any{"visits": 400, "nodes": 20000, "sweepVisits": 30, "live": true})
	p.wait(`/differ|play|loses|misses/.test($(".verdict").textContent) && the("sweep").textContent === "" &&
		!$('[aria-busy="true"]')`)
	p.shoot("analysis")
	p.click(id("pvs") + ` .pv.tree button:nth-child(5)`)
	p.scheme("dark")
	p.shoot("dark")
	p.scheme("light")
	p.click(id("preview-close"))
	p.do(chromedp.EmulateViewport(360, 740))
	p.wait(`document.documentElement.clientWidth === 360`)
	value[bool](p, `(scrollTo(0, 0), document.activeElement.blur(), true)`)
	p.shoot("phone")

	p = h.open(t, browser, 1280, 860, "")
	p.begin("gomoku/renju", "15", "medium")
	for i, point := range []string{"h8", "j8", "g9"} {
		if p.stones()[point] == "" {
			p.point(point)
			p.answered(2*i + 2)
		}
	}
	p.click(id("hint"))
	p.wait(`$("circle.hint")`)
	p.shoot("play")

	p = h.open(t, browser, 1280, 860, "#v=onitama&deal=Tiger,Crab/Monkey,Crane/Dragon&view=play")
	p.wait(`$$("[data-card]").length === 5`)
	p.point("c1")
	p.wait(`$$(".target").length > 0`)
	p.shoot("onitama")
	if *pictured == "" {
		return
	}
	p = h.open(t, browser, 1280, 860, "#view=review")
	p.wait(`$('[data-testid="review-games"] button')`)
	value[bool](p, `([...$$('[data-testid="review-games"] button')].sort((a,
		b) => b.textContent.includes("blunder") - a.textContent.includes("blunder"))[0].click(), true)`)
	p.wait(`$('[data-testid="review-notes"] .verdict')`)
	value[bool](p, `[...$$(".move")].some((m) => { m.click(); return $('[data-testid="review-notes"] .blunder'); })`)
	p.settled()
	p.shoot("review")
}

// scheme sets what the system prefers.
func (p *tab) scheme(name string) {
	p.Helper()
	if _, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}},
	}); err != nil {
		p.Fatal(err)
	}
}
