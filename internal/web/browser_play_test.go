package web_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/games"
)

// begin begins a game with the form of Play.
func (p *tab) begin(rules, size, level string) {
	p.Helper()
	p.choose("play-rules", rules)
	if size != "" {
		p.choose("play-size", size)
	}
	p.click(`#view-play [data-value="` + level + `"]`)
	p.click(id("start"))
	p.wait(`by("status").textContent.startsWith("Your move")`)
}

// answered waits until the user is to move again, or the game is over.
func (p *tab) answered(stones int) {
	p.Helper()
	p.wait(fmt.Sprintf(`($$(".board .stone").length >= %d && by("status").textContent.startsWith("Your move"))
		|| /wins|Draw/.test(by("status").textContent)`, stones))
}

// wholeGame plays by clicks until the page says how the game ended, which the
// rules must say of the same moves.
func wholeGame(t *testing.T, browser context.Context, h *host) {
	p := h.open(t, browser, 1280, 860, "")
	p.begin("gomoku/freestyle", "7", "easy")
	v, err := games.NewVariant(games.VariantOptions{Rule: "freestyle", Size: 7})
	if err != nil {
		t.Fatal(err)
	}
	pos := p.playOut(v)
	if got := len(p.stones()); got != pos.Ply() {
		t.Errorf("%d stones are on the board: want %d", got, pos.Ply())
	}
	if pos.Outcome() != game.Draw && value[int](p, `$$("circle.won").length`) < 5 {
		t.Error("the winning line is not shown")
	}

	// What is over can be taken back.
	last := p.moves()
	p.click(id("undo"))
	p.wait(`by("status").textContent.startsWith("Your move")`)
	if got := p.moves(); len(got) >= len(last) || !slices.Equal(got, last[:len(got)]) {
		t.Errorf("after taking back %v the moves are %v", last, got)
	}
	p.click(id("resign"))
	p.wait(`by("status").textContent === "White wins: Black resigned."`)
}

// playOut plays random moves by clicks until the game is over, as the page says it and the
// rules do.
func (p *tab) playOut(v games.Variant) game.Position {
	p.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	for turn := 1; !strings.Contains(p.text("status"), "wins") && !strings.Contains(p.text("status"), "Draw"); turn++ {
		pos := p.replay(v, p.moves())
		legal := pos.Moves(nil)
		p.point(v.Notation().FormatMove(legal[rng.IntN(len(legal))]))
		p.answered(2 * turn)
	}
	pos := p.replay(v, p.moves())
	want := map[game.Outcome]string{
		game.FirstWins: "Black wins", game.SecondWins: "White wins", game.Draw: "Draw",
	}[pos.Outcome()]
	if got := p.text("status"); want == "" || !strings.HasPrefix(got, want) {
		p.Errorf("the page says %q where the rules say %v", got, pos.Outcome())
	}
	return pos
}

// replay plays moves by the rules.
func (p *tab) replay(v games.Variant, moves []string) game.Position {
	p.Helper()
	pos, err := v.Parse(strings.Join(moves, ""))
	if err != nil {
		p.Fatal(err)
	}
	return pos
}

// keyboardGame plays without a mouse: the focus is on the board.
func keyboardGame(t *testing.T, browser context.Context, h *host) {
	p := h.open(t, browser, 1280, 860, "")
	p.begin("gomoku/standard", "9", "easy")
	if got := value[string](p, `document.activeElement.dataset.point || ""`); got != "" {
		t.Errorf("the focus is on %q after a click: arrows would not go through the game", got)
	}
	p.key("g")
	if got := value[string](p, `document.activeElement.dataset.point`); got != "e5" {
		t.Fatalf("the focus is on %q: want the middle of the board", got)
	}
	p.key(kb.ArrowRight)
	p.key(kb.ArrowUp)
	if got := value[string](p, `document.activeElement.getAttribute("aria-label")`); got != "f6, empty" {
		t.Errorf("the focus is on %q: want f6", got)
	}
	p.key(kb.Enter)
	p.answered(2)
	if got := p.stones()["f6"]; got != "Black, move 1" {
		t.Errorf("f6 is %q after Enter", got)
	}
	if got, want := p.text("live"), "Black to move."; !strings.HasPrefix(got, "White ") || !strings.HasSuffix(got, want) {
		t.Errorf("the live region says %q: want White's move and %q", got, want)
	}
	p.key("h")
	p.wait(`$("circle.hint")`)
	p.key(" ")
	p.answered(4)
	p.key(kb.Escape)
	p.key(kb.ArrowLeft)
	p.wait(`by("turn").textContent === "3 / 4"`)
	p.key(kb.Home)
	p.wait(`by("turn").textContent === "0 / 4"`)
	p.key(kb.End)
	p.key("u")
	p.wait(`by("turn").textContent === "2 / 2"`)
	p.key("n")
	p.wait(`!$(".board .stone text")`)
	p.key("?")
	p.wait(`by("help").open`)
	p.key(kb.Escape)
	p.wait(`!by("help")`)
}

// onitamaGame plays a move of Onitama by clicks, and sees the cards go round.
func onitamaGame(t *testing.T, browser context.Context, h *host) {
	p := h.open(t, browser, 1280, 860, "#v=onitama&deal=Tiger,Crab/Monkey,Crane/Dragon&view=play")
	cards := func() []string {
		return value[[]string](p, `[...$$("[data-card]")].map((c) => c.dataset.card)`)
	}
	p.wait(`$$("[data-card]").length === 5`)
	if got, want := cards(), []string{"crane", "monkey", "dragon", "crab", "tiger"}; !slices.Equal(got, want) {
		t.Errorf("the cards are %v: want %v", got, want)
	}
	p.point("c1")
	p.wait(`$$(".target").length > 0`)
	p.click(`[data-card="tiger"]`)
	p.wait(`$$(".target").length === 1`)
	p.point("c3")
	p.wait(`by("status").textContent.startsWith("White to move")`)
	if got := p.moves(); !slices.Equal(got, []string{"tiger c1c3"}) {
		t.Errorf("the moves are %v: want tiger c1c3", got)
	}
	if got, want := cards(), []string{"crane", "monkey", "tiger", "crab", "dragon"}; !slices.Equal(got, want) {
		t.Errorf("the cards are %v after the move: want %v", got, want)
	}
	// The cards stay what they are while other things are drawn anew, so that no click
	// on one is lost.
	value[bool](p, `(window.card = $("[data-card]"), true)`)
	p.key("n")
	if !value[bool](p, `window.card.isConnected`) {
		t.Error("the cards were drawn anew without a change")
	}
	p.begin("onitama/onitama", "", "easy")
	move := value[string](p,
		`(() => { const c = $('.board [role="gridcell"][data-point="a1"]'); return c.getAttribute("aria-label"); })()`)
	if move != "a1, Black student" {
		t.Errorf("a1 is labelled %q", move)
	}
	for _, from := range []string{"a1", "b1", "c1", "d1", "e1"} {
		p.point(from)
		if value[int](p, `$$(".target").length`) > 0 {
			break
		}
	}
	p.click(`.board [data-point][aria-label$="can be moved to"]`)
	if value[bool](p, `$$(".moves .move").length === 0`) { // two cards lead there
		p.click(`.card.mine`)
	}
	p.wait(`$$(".moves .move").length === 2 && by("status").textContent.startsWith("Your move")`)
}
