package web_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// listen has the page note every text of the status from now on; heard returns
// them.
func (p *tab) listen() {
	p.Helper()
	value[bool](p, `(window.statuses = [], new MutationObserver(() => window.statuses.push(by("status").textContent))
		.observe(by("status"), {childList: true, characterData: true, subtree: true}), true)`)
}

func (p *tab) heard() []string {
	p.Helper()
	return value[[]string](p, `window.statuses`)
}

// playedAgain comes to positions that the page has seen before: in a second game and after
// moves that were taken back. The engine goes on from all of them.
func playedAgain(t *testing.T, browser context.Context, h *host) {
	p := h.open(t, browser, 1280, 860, "")
	p.listen()
	for range 2 {
		p.begin("gomoku/freestyle", "7", "medium")
		p.point("d4")
		p.answered(2)
		if got := p.moves(); len(got) != 2 || got[0] != "d4" {
			t.Fatalf("the moves are %v: want d4 and an answer", got)
		}
		first := p.moves()
		for range 2 {
			p.click(id("undo"))
			p.wait(`$$(".board .stone").length === 0 && by("status").textContent === "Your move: Black."`)
			p.point("d4")
			p.answered(2)
			if got := p.moves(); !slices.Equal(got, first) {
				t.Fatalf("the moves are %v after taking back: want %v", got, first)
			}
		}
		p.click(id("resign"))
		p.click(id("again"))
	}
	for _, text := range p.heard() {
		if strings.Contains(text, "earlier move") {
			t.Errorf("the page says %q while the game goes on at its last move", text)
			break
		}
	}
}

// badLinks follows links that say nonsense: the page says what is wrong with them,
// and goes on with what it has.
func badLinks(t *testing.T, browser context.Context, h *host) {
	p := h.open(t, browser, 1280, 860, "#v=caro&s=15.5&m=h8")
	for fragment, want := range map[string]string{
		"#v=caro&s=99": "size", "#v=onitama&deal=Foo,Bar/Baz,Qux/Quux": "no card",
		"#v=caro&s=15&m=h8h8": "no legal move", "#v=caro&s=9&m=e5<script>alert(1)</script>": "This link is damaged: m=",
	} {
		value[bool](p, `(by("notice").textContent = "", location.hash = `+quoted(fragment)+`, true)`)
		p.wait(`by("notice").textContent.includes(` + quoted(want) + `)`)
		p.wait(`by("status").textContent.includes("to move")`)
	}
	value[bool](p, `(Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); }, true)`)
	p.key("n")
	p.wait(`by("notice").textContent.startsWith("The browser keeps nothing")`)
}

// goesOn opens links with moves in Play: the form shows their rules, and a game
// goes on from the position, unless a new one is asked for.
func goesOn(t *testing.T, browser context.Context, h *host) {
	p := h.open(t, browser, 1280, 860, "#v=renju&s=13&m=g7h8h7&view=play")
	form := func() [3]string {
		return value[[3]string](p,
			`["play-rules", "play-size", "play-opening"].map((n) => $('[data-testid="' + n + '"]').value)`)
	}
	if got, want := form(), [3]string{"gomoku/renju", "13", "here"}; got != want {
		t.Errorf("the form has %v: want %v", got, want)
	}
	if got := p.text("start"); got != "Play from here" {
		t.Errorf("the button says %q", got)
	}
	p.click(`#view-play [data-value="W"]`)
	p.click(`#view-play [data-value="easy"]`)
	p.click(id("start"))
	p.wait(`by("status").textContent === "Your move: White."`)
	p.point("g8")
	p.wait(`$$(".moves .move").length === 5 && by("status").textContent === "Your move: White."`)
	if got := p.moves(); !slices.Equal(got[:4], []string{"g7", "h8", "h7", "g8"}) {
		t.Errorf("the moves are %v: want those of the link and g8 first", got)
	}
	// A new game after it is a new one.
	p.click(id("resign"))
	p.click(id("again"))
	if got, want := form(), [3]string{"gomoku/renju", "13", "empty"}; got != want {
		t.Errorf("the form of a new game has %v: want %v", got, want)
	}
	// What is over is not gone on with; other rules begin anew.
	q := h.open(t, browser, 1280, 860, "#v=freestyle&s=9&m=a1b1a2b2a3b3a4b4a5&view=play")
	q.wait(`by("status").textContent.startsWith("Black wins")`)
	if got := value[string](q, `the("play-opening").value`); got != "empty" {
		t.Errorf("from a game that is over the form offers %q", got)
	}
	q.choose("play-rules", "gomoku/caro")
	q.begin("gomoku/caro", "9", "easy")
	if got := q.moves(); len(got) != 0 {
		t.Errorf("a new game begins with %v", got)
	}

	// Onitama goes on with the cards of the link.
	o := h.open(t, browser, 1280, 860, "#v=onitama&deal=Tiger,Crab/Monkey,Crane/Dragon&m=tiger-c1c3&view=play")
	o.wait(`$$("[data-card]").length === 5`)
	o.click(`#view-play [data-value="easy"]`)
	o.click(id("start"))
	o.wait(`$$(".moves .move").length === 2 && by("status").textContent === "Your move: Black."`)
	if got := o.moves()[0]; got != "tiger c1c3" {
		t.Errorf("the first move is %q", got)
	}
}

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
		func() { p.clickSlowly(id("move-now"), `the("think").value`) },
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

// clickSlowly clicks in the middle of an element and keeps the button down until an
// expression has changed: what is redrawn meanwhile must not swallow the click.
func (p *tab) clickSlowly(selector, changes string) {
	p.Helper()
	at, before := p.place(selector), value[float64](p, changes)
	press := input.DispatchMouseEventParams{
		Type: chromedp.MousePressed, X: at[0], Y: at[1], Button: input.MouseButtonLeft, ClickCount: 1,
	}
	if _, err := chromedp.Call(p.ctx, input.DispatchMouseEvent, press); err != nil {
		p.Fatal(err)
	}
	p.wait(fmt.Sprintf("%s !== %v", changes, before))
	press.Type = chromedp.MouseReleased
	if _, err := chromedp.Call(p.ctx, input.DispatchMouseEvent, press); err != nil {
		p.Fatal(err)
	}
}

// seenByAll holds that a hint, which screen readers are told, can be read by all, and
// that the end of a game is told in words.
func seenByAll(t *testing.T, browser context.Context, h *host) {
	p := h.open(t, browser, 1280, 860, "")
	p.begin("gomoku/freestyle", "9", "easy")
	p.click(id("hint"))
	p.wait(`$("circle.hint")`)
	if got := p.text("status"); !strings.HasPrefix(got, "Hint: ") || !strings.HasSuffix(got, "%") {
		t.Errorf("the status is %q: want the hint", got)
	}
	p.key(kb.Escape)

	q := h.open(t, browser, 1280, 860, "#v=freestyle&s=9&m=a1b1a2b2a3b3a4b4a5&view=analyse")
	q.wait(`by("status").textContent === "Black wins: five in a row." &&
		$(".verdict").textContent === "Black wins: five in a row."`)
}
