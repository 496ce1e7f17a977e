package web_test

import (
	"context"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// blundered is a game in which White's sixth move is a gross mistake.
const blundered = "#v=freestyle&s=15&m=h8h9i8i9j8a1k8a2l8&turn=0&view=analyse"

// judged opens the game, swept by the classical search.
func (h *host) judged(t *testing.T, browser context.Context) *tab {
	t.Helper()
	p := h.open(t, browser, 1280, 900, "")
	p.prefer(map[string]any{"engine": "alphabeta", "live": false, "sweepVisits": 20})
	value[bool](p, `(location.hash = "`+blundered+`", true)`)
	p.wait(`the("worst").textContent.includes("6. a1") && the("sweep").textContent === ""`)
	return p
}

// saved has the page save something, and returns what it is.
func (p *tab) saved(button string) string {
	p.Helper()
	value[bool](p, `(() => { window.saved = ""; window.made ||= URL.createObjectURL;
		URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; });
			return window.made.call(URL, blob); }; return true; })()`)
	p.click(id(button))
	return until[string](p, `window.saved`)
}

// gameJudged reads how good the moves were, steps through what was better, and saves the
// review; the page and the server judge alike.
func gameJudged(t *testing.T, browser context.Context, h *host) {
	p := h.judged(t, browser)
	accuracy := p.text("accuracy-W")
	if !strings.Contains(accuracy, "accuracy ") || !strings.Contains(accuracy, "blunder") {
		t.Errorf("White's moves are summed up as %q", accuracy)
	}
	if got := value[string](p,
		`[...$$(".move .sign")].map((s) => s.parentNode.textContent).join()`); !strings.Contains(got, "6 a1?") {
		t.Errorf("the signs in the list of moves are %q: want 6 a1?", got)
	}
	if over := value[int](p, `document.documentElement.scrollHeight - innerHeight`); over > 2 {
		t.Errorf("the page is %d pixels higher than the window", over)
	}
	p.click(id("line-6"))
	p.wait(`by("turn").textContent === "5 / 9" && $$(".board .ghost").length === 1`)
	p.key(kb.ArrowRight)
	p.wait(`$$(".board .ghost").length === 2`)
	p.key(kb.Escape)
	page := p.saved("save-review")
	for _, side := range []string{"B", "W"} {
		_, rate, _ := strings.Cut(p.text("accuracy-"+side), "accuracy ")
		rate, _, _ = strings.Cut(rate, " ")
		if !strings.Contains(page, "<td>"+rate+"</td>") {
			t.Errorf("%s's accuracy %s is not in the page that the server wrote: %.600s", side, rate, page)
		}
	}
	if sgf := p.saved("save-review-sgf"); !strings.Contains(sgf, " gives away ") {
		t.Errorf("the SGF has no comment: %s", sgf)
	}

	// After a reload everything is known as before.
	p.reload()
	p.wait(`the("accuracy-W").textContent.trim() === ` + quoted(accuracy))

	// The page that was saved stands alone.
	if strings.Contains(strings.ReplaceAll(page, "http://www.w3.org/2000/svg", ""), "http") ||
		!strings.Contains(page, `<svg id="board"`) {
		t.Error("the page asks others")
	}
}

// stalePage meets a server with another page.
func stalePage(t *testing.T, browser context.Context, h *host) {
	p := h.open(t, browser, 1280, 900, "#v=caro&s=9&m=e5e6&view=analyse")
	p.prefer(map[string]any{"live": false, "sweep": false})
	value[bool](p, `(() => { const old = window.fetch;
		window.fetch = async (...args) => { const answer = await old(...args), body = await answer.json();
			return new Response(JSON.stringify({ ...body, page: "another" }), { headers: answer.headers }); };
		return true; })()`)
	p.away(true)
	h.stop()
	p.wait(`document.body.dataset.connection === "lost"`)
	h.start()
	p.wait(`by("connection").textContent.includes("updated")`)
	p.away(false)
	p.click(id("reload"))
	p.ready()
	if got := strings.Join(p.moves(), ""); got != "e5e6" {
		t.Errorf("after the reload the game is %q", got)
	}
}
