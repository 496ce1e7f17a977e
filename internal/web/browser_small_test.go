package web_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// wholeBoard begins games on small screens: the board and both seats are in view,
// wherever the page was scrolled to.
func wholeBoard(t *testing.T, browser context.Context, h *host) {
	const inView = `(() => { const of = (s) => document.querySelector(s).getBoundingClientRect(), low = of("#views").top;
		return of("#seat-w").top >= 0 && of("#board-place").left >= 0 && of("#board-place").right <= innerWidth && of("#seat-b").bottom <= low && of(".steps").bottom <= low
			? "" : "seats from " + of("#seat-w").top + " to " + of("#seat-b").bottom + ", moves to " + of(".steps").bottom + " of " + low; })()`
	p := h.open(t, browser, 360, 640, "")
	for _, screen := range [][2]int64{{320, 568}, {360, 640}, {360, 740}} {
		for _, rules := range []string{"gomoku/caro", "onitama/onitama"} {
			where := fmt.Sprintf("%s at %dx%d", rules, screen[0], screen[1])
			p.do(chromedp.EmulateViewport(screen[0], screen[1]))
			p.begin(rules, "", "easy")
			if got := value[string](p, inView); got != "" {
				t.Errorf("%s: %s", where, got)
			}
			if got := value[string](p, `document.activeElement.dataset.point || ""`); got == "" {
				t.Errorf("%s: the focus is not on the board", where)
			}
			p.narrow(where)
			value[bool](p, `(scrollTo(0, document.documentElement.scrollHeight), document.activeElement.blur(), true)`)
			p.key("g")
			if got := value[string](p, inView); got != "" {
				t.Errorf("%s after going to the board by key: %s", where, got)
			}
			p.click(id("again"))
		}
	}
}
