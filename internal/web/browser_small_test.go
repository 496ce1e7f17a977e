package web_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// wholeBoard begins games on small screens, by a button that is in view: the board and both
// seats are, wherever the page was scrolled to, and on its side a phone has a board as high.
func wholeBoard(t *testing.T, browser context.Context, h *host) {
	const inView = `(() => { const of = (s) => $(s).getBoundingClientRect(), low = of("#views").top;
		return of("#seat-w").top >= 0 && of("#board-place").left >= 0 && of("#board-place").right <= innerWidth &&
			of("#seat-b").bottom <= low && of(".steps").bottom <= low
			? "" : "seats from " + of("#seat-w").top + " to " + of("#seat-b").bottom +
				", moves to " + of(".steps").bottom + " of " + low; })()`
	p := h.open(t, browser, 360, 640, "")
	for _, screen := range [][2]int64{{320, 568}, {360, 640}, {360, 740}} {
		for _, rules := range []string{"gomoku/caro", "onitama/onitama"} {
			where := fmt.Sprintf("%s at %dx%d", rules, screen[0], screen[1])
			p.do(chromedp.EmulateViewport(screen[0], screen[1]))
			value[bool](p, `(scrollTo(0, 0), true)`)
			const button = `the("start").getBoundingClientRect().bottom <= innerHeight`
			if !value[bool](p, button) && screen[1] > 700 {
				t.Errorf("%s: the button that begins a game is out of view", where)
			}
			p.begin(rules, "", "easy")
			if got := value[string](p, inView); got != "" {
				t.Errorf("%s: %s", where, got)
			}
			p.narrow(where)
			value[bool](p, `(scrollTo(0, document.documentElement.scrollHeight), document.activeElement.blur(), true)`)
			p.key("g")
			if got := value[string](p, inView); got != "" {
				t.Errorf("%s after going to the board by key: %s", where, got)
			}
			p.click(id("again"))
			const covered = `(() => { scrollTo(0, 0);
				const n = by("notice"), of = (e) => e.getBoundingClientRect();
				return n.hidden || of(n).bottom > of($(".steps")).top; })()`
			if value[bool](p, covered) {
				t.Errorf("%s: nothing says that the game is put away, or it covers buttons", where)
			}
			p.click(id("notice-close"))
			p.wait(`by("notice").hidden`)
		}
	}
	p.do(chromedp.EmulateViewport(844, 390))
	if got := value[float64](p, `by("board-place").getBoundingClientRect().height`); got < 320 {
		t.Errorf("on a phone on its side the board is %.0f pixels high", got)
	}
	p.narrow("a phone on its side")
	p.do(chromedp.EmulateViewport(1440, 900))
	if got := value[int](p, `document.documentElement.scrollHeight - innerHeight`); got > 0 {
		t.Errorf("on a desktop the page is %d pixels too high", got)
	}
}
