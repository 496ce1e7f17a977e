package web_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/enginetest"
	"github.com/carozero/carozero/internal/games"
)

// cardsOnAPhone sets up an endgame of Onitama by hand on a narrow screen, sees how it ends
// beside what the engines think, follows the line, reloads, and takes a hint.
func cardsOnAPhone(t *testing.T, browser context.Context, _ *host) {
	h := newHost(t)
	h.stop()
	h.endgames = enginetest.Endgames(t, 3)
	h.start()
	p := h.open(t, browser, 360, 740, "#v=onitama&deal=Monkey,Crane/Tiger,Crab/Dragon&view=analyse")
	p.prefer(map[string]any{"visits": 50, "nodes": 2000, "sweepVisits": 10})
	p.wait(`the("best-mcts").textContent.length > 1`)
	p.narrow("Onitama's analysis")
	if value[bool](p, `the("solved").offsetParent !== null`) {
		t.Error("ten men are said to be solved")
	}
	p.click(id("edit"))
	p.narrow("Onitama's editor")
	p.named("Onitama's editor")
	p.click(id("editor-clear"))
	p.point("c1") // a black student in the place of the master
	p.click(`[data-testid="editor"] [data-value="B-master"]`)
	p.click(id("editor-done"))
	p.wait(`by("notice").textContent === "Black has no master."`)
	p.point("c1")
	p.click(`[data-testid="editor"] [data-value="W-student"]`)
	p.point("b3")
	p.choose("card-0", "Dragon")
	p.click(`[data-testid="editor"] [aria-label="To move"] [data-value="W"]`)
	p.click(id("editor-done"))
	const place = "Dragon,Monkey/Crab,Tiger/Crane 2O2/5/1o3/5/2X2 second"
	v := enginetest.Variant(t, games.VariantOptions{Game: games.Onitama})
	pos := enginetest.Parse(t, v, place)
	_, plies := h.endgames.Probe(pos)
	best := v.Notation().FormatMove(h.endgames.Best(pos))
	p.wait(`the("solved").offsetParent !== null && the("truth-alphabeta").textContent !== ""`)
	if got := p.text("solved"); !strings.HasPrefix(got, "Solved: White wins in ") || !strings.Contains(got, best) ||
		plies < 3 {
		t.Errorf("the page says %q; want a win of White in %d that begins with %s", got, plies, best)
	}
	if got := value[string](p, `decodeURIComponent(location.hash)`); !strings.Contains(got, place) {
		t.Errorf("the address is %q; want it to have %q", got, place)
	}
	p.narrow("a solved endgame")
	p.reload()
	p.wait(`the("solved").offsetParent !== null && $$(".board .stone").length === 3`)
	p.click(id("solved") + " .pv button")
	p.wait(`by("preview").classList.contains("shown")`)
	p.click(id("preview-play"))
	p.wait(`by("turn").textContent === "1 / 1"`)
	if got := p.moves(); !slices.Equal(got, []string{best}) {
		t.Errorf("the line begins with %v: want %s", got, best)
	}

	// The game is played on, with a hint.
	p.click(id("view-analyse"))
	p.click(id("play-here"))
	p.wait(`document.body.dataset.view === "play"`)
	p.click(id("start"))
	p.wait(`by("status").textContent.startsWith("Your move")`)
	p.key("h")
	p.wait(`$(".arrow.hint")`)
}
