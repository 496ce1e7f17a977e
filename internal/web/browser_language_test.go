package web_test

import (
	"context"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/carozero/carozero/internal/board"
)

// What is the same in every language: moves, names of formats and programs, and words that
// Vietnamese has from elsewhere.
var international = regexp.MustCompile(`^(CaroZero( .*)?|EN|VI|English|Tiếng Việt|SGF|SVG|PNG|` +
	`Swap2|Alpha-beta|alpha-beta.*|Caro|Renju|Onitama|Enter|Esc|Home|End|Delete|carozero serve .*|uniform|` +
	`[a-o]\d+\b.*|\d+ × \d+|https?:.*)$`)

// languages changes the language on the page: nothing that is read in English is read in
// Vietnamese, everything keeps a name and its place on a narrow screen, the game goes on,
// and the choice is kept.
func languages(t *testing.T, browser context.Context, h *host) {
	p := h.open(t, browser, 1280, 900, "#v=renju&s=9&m=e5e6f5f6&view=play")
	p.prefer(map[string]any{"live": false, "sweep": false}) // so that nothing changes by itself
	english := p.words()
	p.speak("vi")
	vietnamese := p.words()
	if len(english) < 150 || len(vietnamese) < 150 {
		t.Fatalf("%d and %d texts: there should be many", len(english), len(vietnamese))
	}
	for _, text := range english {
		if slices.Contains(vietnamese, text) && !international.MatchString(text) {
			t.Errorf("Vietnamese has %q, which is English", text)
		}
	}
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
	p.speak("en")
	for _, text := range p.words() {
		if !slices.Contains(english, text) {
			t.Errorf("back in English the page says %q, which it did not before", text)
		}
	}
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

// words returns every text of the four views and of the dialogs that people can read or
// hear, sorted.
func (p *tab) words() []string {
	p.Helper()
	const collect = `(() => { const out = new Set(), walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		for (let n = walk.nextNode(); n; n = walk.nextNode())
			if (!n.parentElement.closest("noscript, #failed, script, style, kbd, .cards, [aria-hidden=true]"))
				out.add(n.data.trim());
		for (const e of document.body.querySelectorAll("*")) for (const a of ["title", "aria-label", "placeholder",
			"aria-valuetext"]) if (!e.closest(".cards")) out.add((e.getAttribute(a) || "").trim());
		return [...out].filter((text) => /\p{L}{2}/u.test(text)); })()`
	var all []string
	take := func() { all = append(all, value[[]string](p, collect)...) }
	for _, view := range views {
		p.click(id("view-" + view))
		p.wait(`document.body.dataset.view === "` + view + `"`)
		take()
	}
	p.click("#tool-help")
	take()
	p.key("\x1b")
	p.click(id("view-analyse"))
	p.click(id("new-board"))
	take()
	p.key("\x1b")
	p.click(id("view-play"))
	for _, rules := range []string{"gomoku/caro", "gomoku/school42", "onitama/onitama", "gomoku/renju"} {
		p.choose("play-rules", rules)
		p.click(id("play-explain"))
		p.wait(`$$("dialog[open] figure").length > 2`)
		take()
		p.key("\x1b")
		p.wait(`!$("dialog[open]")`)
	}
	value[bool](p, `(location.hash = "#v=renju&s=9&m=e5e6f5f6&view=play", true)`) // the rules that are chosen are put up
	p.wait(`by("turn").textContent === "4 / 4"`)
	slices.Sort(all)
	return slices.Compact(all)
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
