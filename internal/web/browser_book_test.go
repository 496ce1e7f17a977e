package web_test

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/book"
)

// bookHost returns a server with a book in which White has an answer to h8, and which
// visitors may change.
func bookHost(t *testing.T) *host {
	b, err := book.Create(filepath.Join(t.TempDir(), "caro.book"), rand.NewChaCha8([32]byte{1}))
	if err != nil {
		t.Fatal(err)
	}
	rules, err := gomoku.Lookup("caro")
	if err != nil {
		t.Fatal(err)
	}
	by := book.Stamp{Author: "t", Time: time.Unix(1e9, 0)}
	if err := b.Update(t.Context(), func(w *book.Writer) error {
		for _, moves := range []string{"h8", "h8i9"} {
			pos, err := gomoku.ParsePosition(rules, 15, moves)
			if err != nil {
				return err
			}
			v := book.Value{Source: book.Source{Engine: "mcts"}, Value: -0.5, Nodes: 1600, Best: game.NoMove, Stamp: by}
			if err := w.SetValue(pos, v); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	h := newHost(t)
	h.stop()
	h.book = b
	h.start()
	t.Cleanup(func() {
		h.stop()
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// bookShown switches the book's layer on, on a large screen and on a telephone, and says
// something of a position from both at once.
func bookShown(t *testing.T, browser context.Context, _ *host) {
	h := bookHost(t)
	const at = "?token=secret#v=caro&s=15&m=h8&view=analyse"
	p := h.open(t, browser, 1280, 900, at)
	phone := h.open(t, browser, 360, 740, at)
	for _, p := range []*tab{p, phone} {
		p.prefer(map[string]any{"live": false, "book": false})
		if got := value[int](p, `$$(".mark .book").length`); got != 0 {
			t.Errorf("%d marks of the book without its layer", got)
		}
		p.click(id("switch-book"))
		p.wait(`$$(".mark .book").length === 4`)
		if got := value[string](p,
			`$('.board [data-point="i9"]').getAttribute("aria-label")`); !strings.Contains(got, "book 75") {
			t.Errorf("i9 is labelled %q", got)
		}
		if got := p.text("book-moves"); !strings.Contains(got, "75.0") || !strings.Contains(got, "1.6k") {
			t.Errorf("the table says %q", got)
		}
		p.narrow("the book")
		p.named("the book")
		p.wait(`!the("book-save").disabled`)
	}

	const rude = `<img src=x onerror="alert(1)">`
	say := func(p *tab, label, comment string) {
		p.choose("book-label", label)
		value[bool](p, `(the("book-comment").value = `+quoted(comment)+`, true)`)
		p.click(id("book-save"))
	}
	say(p, "forced", rude)
	p.wait(`the("book-said").textContent === ` + quoted("Label: forced. "+rude))
	if value[bool](p, `Boolean($("#view-book img"))`) {
		t.Error("a comment was taken for markup")
	}
	phone.away(true) // the browser's log tells of the refusal
	say(phone, "none", "mine")
	phone.wait(`by("notice").textContent.includes("somebody else")`)
	phone.wait(`the("book-said").textContent.includes("onerror")`)
	if got := value[string](phone, `the("book-comment").value`); got != "mine" {
		t.Errorf("the user's own words are %q", got)
	}
	phone.click(id("book-save"))
	phone.wait(`the("book-said").textContent === "Label: forced. mine"`)
	phone.away(false)

	// The engine plays from the book, and the page says so.
	p.click(id("view-play"))
	p.begin("gomoku/caro", "15", "easy")
	p.point("h8")
	p.answered(2)
	p.wait(`by("status").textContent.includes("came from the book")`)
	p.point("a1")
	p.answered(4)
	p.wait(`!by("status").textContent.includes("book")`)
}
