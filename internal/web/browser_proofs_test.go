package web_test

import (
	"context"
	"strings"
	"testing"
)

// proofsInWords looks at a lost position and at a won one: colours, words, and
// cards that show all of it on a small screen.
func proofsInWords(t *testing.T, browser context.Context, h *host) {
	colour := func(p *tab, name string) string {
		return value[string](p,
			`(() => { const e = document.createElement("i"); e.style.color = "var(--`+name+`)"; document.body.append(e);
				const c = getComputedStyle(e).color; e.remove(); return c; })()`)
	}
	p := h.open(t, browser, 360, 740, "")
	p.prefer(map[string]any{"visits": 400, "nodes": 2000, "sweepVisits": 10, "sweep": false})
	for _, c := range []struct{ moves, result, colour string }{
		{"b4a1c4a7d4g1e4", "loss", "bad"}, // White to move cannot parry both ends of a four
		{"b4a1c4a7d4g1", "win", "good"},
	} {
		value[bool](p, `(location.hash = "#v=freestyle&s=7&m=`+c.moves+`&view=analyse", true)`)
		p.wait(`$$(".engine .proof.` + c.result +
			`").length === 2 && !$('[aria-busy="true"]')`)
		for _, engine := range []string{"mcts", "alphabeta"} {
			at := `$('[data-testid="engine-` + engine + `"] .proof')`
			if got := value[string](p, at+`.textContent`); !strings.Contains(got, c.result+" in ") {
				t.Errorf("%s: %s says %q: want a %s", c.moves, engine, got, c.result)
			}
			if got, want := value[string](p, `getComputedStyle(`+at+`).color`), colour(p, c.colour); got != want {
				t.Errorf("%s: the %s of %s is %s: want %s", c.moves, c.result, engine, got, want)
			}
		}
		if got := p.text("verdict"); strings.Contains(got, "nothing is proven") {
			t.Errorf("%s: the verdict is %q beside proofs", c.moves, got)
		}
		p.unclipped(c.moves)
		// The certificate is asked for, and what would be saved is one.
		saved := value[string](p, `(async () => {
			const make = URL.createObjectURL, saved = new Promise((done) =>
				{ URL.createObjectURL = (blob) => { done(blob); return make(blob); }; });
			the("certificate").click();
			const text = await (await saved).text();
			URL.createObjectURL = make;
			return text;
		})()`)
		if !strings.HasPrefix(saved, "carozero certificate 1\nrule freestyle\n") ||
			!strings.Contains(saved, "\nwinner first\n") {
			t.Errorf("%s: %q was saved", c.moves, saved)
		}
	}
	p = h.open(t, browser, 360, 740, "#v=onitama&deal=Elephant,Rooster/Monkey,Mantis/Dragon&view=analyse")
	p.wait(`$(".engine.long") && $(".engine.classical.long")`)
	p.unclipped("onitama")
}

// unclipped fails for text that stands out of the engines' cards.
func (p *tab) unclipped(where string) {
	p.Helper()
	const out = `[...$$(".engine")].flatMap((card) => { const b = card.getBoundingClientRect();
		return [...card.querySelectorAll("b, strong, small, small *")].filter((e) => e.textContent &&
			[...e.getClientRects()].some((r) => r.right > b.right - 3 || r.bottom > b.bottom - 2)).map((e) => e.textContent); })`
	if got := value[[]string](p, out); len(got) > 0 {
		p.Errorf("%s: these are cut off: %q", where, got)
	}
}
