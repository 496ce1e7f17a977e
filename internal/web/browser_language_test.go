package web_test

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/carozero/carozero/internal/board"
)

// languages changes the language on the page: everything keeps a name and its place on a
// narrow screen, the game goes on, and the choice is kept.
func languages(t *testing.T, browser context.Context, h *host) {
	p := h.open(t, browser, 1280, 900, "#v=renju&s=9&m=e5e6f5f6&view=play")
	p.prefer(map[string]any{"live": false, "sweep": false}) // so that nothing changes by itself
	p.speak("vi")
	p.do(chromedp.EmulateViewport(360, 740))
	for _, view := range views {
		p.click(id("view-" + view))
		p.wait(`document.body.dataset.view === "` + view + `"`)
		p.named(view)
		p.narrow(view)
	}
	p.click(id("view-play"))
	p.click(id("play-explain"))
	p.wait(`$("dialog[open] figure")`)
	p.named("the rules with pictures")
	p.narrow("the rules with pictures")
	p.key("\x1b")
	if got := p.moves(); strings.Join(got, "") != "e5e6f5f6" {
		t.Errorf("the moves are %v", got)
	}
	other := h.open(t, browser, 1280, 900, "")
	if got := value[string](other, `document.documentElement.lang`); got != "en" {
		t.Errorf("another browser is spoken to in %q", got)
	}
	p.do(chromedp.Reload())
	p.wait(`document.documentElement.lang === "vi" && document.body.dataset.ready === "true"`)
}

// speak changes the language by the button, which loads the page anew; while it does, the
// browser answers nothing.
func (p *tab) speak(language string) {
	p.Helper()
	p.click("#tool-language")
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	spoken := chromedp.Evaluate[bool](`document.documentElement.lang === "` + language + `" &&
		document.body.dataset.ready === "true" &&
		document.body.dataset.connection === "open" && document.getElementById("status").textContent.length > 5`)
	for {
		if ok, err := chromedp.Run(ctx, spoken); err == nil && ok {
			return
		}
		select {
		case <-ctx.Done():
			p.Fatalf("the page does not speak %q", language)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// TestVietnameseNamesEveryRule holds the page's words for rule sets to those that there are.
func TestVietnameseNamesEveryRule(t *testing.T) {
	text, err := os.ReadFile("page/messages/vi.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range board.Games() {
		for _, r := range g.Rules {
			if !regexp.MustCompile(`(?m)^\s+"?` + regexp.QuoteMeta(r.Name) + `"?: \{ title: "`).Match(text) {
				t.Errorf("rule set %s of %s has no Vietnamese title", r.Name, g.Name)
			}
		}
	}
}
