package web_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A game with a variation, comments and names.
const annotated = `(;GM[4]SZ[15]RU[freestyle]PB[Ann]PW[Bob]C[A short game.];B[hh]C[The middle.];` +
	`W[ig];B[ih](;W[gh];B[jh])(;W[jh]C[Blocks the other side.];B[gh]))`

// importAndExport reads a game from pasted text and from a file, and gives it back.
func importAndExport(t *testing.T, browser context.Context, h *host) {
	p := h.open(t, browser, 1280, 900, "#v=caro&s=15&view=share")
	p.do(chromedp.SendKeys(chromedp.CSS(id("import-text")), annotated))
	p.click(id("import"))
	p.wait(`by("turn").textContent === "5 / 5"`)
	p.wait(`by("status").textContent === "White to move · Ann - Bob"`)
	link := until[string](p, `(the("share-link") || {}).value`)
	if !strings.HasSuffix(link, "#v=freestyle&s=15&m=h8i9i8g8j8&view=analyse") {
		t.Errorf("the link is %q", link)
	}
	text := until[string](p,
		`the("share-sgf").value.includes("Ann") && the("share-sgf").value`)
	for _, part := range []string{"PB[Ann]", "C[Blocks the other side.]", "C[A short game.]"} {
		if !strings.Contains(text, part) {
			t.Errorf("the SGF has no %s:\n%s", part, text)
		}
	}
	p.click(id("view-analyse"))
	if got, want := p.moves(), []string{
		"h8", "i9", "i8", "g8", "j8", "g8", "j8",
	}; len(got) != len(want) || !slices.Contains(got, "g8") {
		t.Errorf("the moves and variations are %v: want those of %v", got, want)
	}
	p.key(kb.Home)
	p.wait(`by("turn").textContent === "0 / 5"`)
	p.key(kb.ArrowRight)
	p.wait(`$(".comment").textContent === "The middle."`)

	// What is no game is told, and changes nothing. The browser notes the refusal.
	p.away(true)
	p.click(id("view-share"))
	p.do(chromedp.SetValue(chromedp.CSS(id("import-text")), "(;GM["))
	p.click(id("import"))
	p.wait(`by("notice").textContent.includes("line 1") && !by("notice").hidden`)
	p.wait(`by("turn").textContent === "1 / 5"`)
	p.away(false)

	// A file, and markup in its comments, which stays text.
	file := filepath.Join(t.TempDir(), "game.sgf")
	hostile := strings.Replace(annotated, "The middle.", `<img src=x onerror=alert(1)>`, 1)
	if err := os.WriteFile(file, []byte(hostile), 0o644); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.SetUploadFiles(chromedp.CSS(id("import-file")), []string{file}))
	p.wait(`by("turn").textContent === "5 / 5"`)
	p.click(id("view-review"))
	p.key(kb.Home)
	p.key(kb.ArrowRight)
	p.wait(`$(".comment").textContent === "<img src=x onerror=alert(1)>"`)

	// A picture is what it says it is.
	p.click(id("view-share"))
	value[bool](p, `(window.saved = null, URL.createObjectURL = (blob) =>
		{ blob.arrayBuffer().then((b) => { window.saved = [...new Uint8Array(b.slice(0, 8))]; }); return "#"; }, true)`)
	p.click(id("save-png"))
	if got := until[[]byte](p, `window.saved && btoa(String.fromCharCode(...window.saved))`); !bytes.Equal(got,
		[]byte("\x89PNG\r\n\x1a\n")) {
		t.Errorf("the picture begins with %q", got)
	}
}

// reviewed looks through a file that the server was started with: its games, and
// what stands beside the moves.
func reviewed(t *testing.T, browser context.Context, _ *host) {
	file := filepath.Join(t.TempDir(), "games.sgf")
	values := `(;GM[4]SZ[15]RU[freestyle]PB[Cid]PW[Dora];B[hh]V[0.2];W[ig]V[-0.6];B[ih]V[0.5])`
	if err := os.WriteFile(file, []byte(annotated+"\n"+values), 0o644); err != nil {
		t.Fatal(err)
	}
	h := newHost(t, file)
	p := h.open(t, browser, 1280, 900, "#view=review")
	p.wait(`$$('[data-testid="review-games"] button').length === 2`)
	p.click(id("review-games") + ` li:nth-child(2) button`)
	p.wait(`$("#seat-b .who").textContent.includes("Cid")`)
	p.key(kb.End)
	p.wait(`by("turn").textContent === "3 / 3"`)
	if got := value[string](p,
		`the("graph").getAttribute("aria-valuetext")`); !strings.Contains(got, "Black") {
		t.Errorf("the curve says %q of the last turn: want Black's chances", got)
	}
	p.reload()
	p.wait(`by("turn").textContent === "3 / 3" &&
		$('[data-testid="review-games"] [aria-current]').textContent.startsWith("2")`)
	p.click(`button[aria-label="Previous game"]`)
	p.wait(`$("#seat-b .who").textContent.includes("Ann")`)
}
