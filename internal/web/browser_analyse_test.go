package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/players"
)

// prefer sets preferences, which hold from the next loading on.
func (p *tab) prefer(prefs map[string]any) {
	p.Helper()
	b, err := json.Marshal(prefs)
	if err != nil {
		p.Fatal(err)
	}
	value[bool](p, `(localStorage.setItem("carozero.prefs", `+quoted(string(b))+`), true)`)
	p.reload()
}

// reload loads the page again, after it has kept its state.
func (p *tab) reload() {
	p.Helper()
	p.do(chromedp.Reload())
	p.ready()
}

// asked returns what the engines say of a position when they are asked directly.
func asked(t *testing.T, query string) *analysis.Answer {
	t.Helper()
	nets := networks.NewNets(networks.NewLoader(networks.LoaderOptions{Threads: 1}), networks.Uniform)
	defer nets.Close()
	service, err := analysis.New(nets, analysis.Options{
		Tree:      treeOf("memory=16,solver-leaf=0,solver-root=0,solver-replies=0"),
		Classical: players.NewAlphabeta(1), Workers: 1,
	})
	if err != nil {
		t.Fatal(err)
	}
	return ask(t, service, query)
}

// ask returns a service's last answer to a query.
func ask(t *testing.T, service *analysis.Service, query string) *analysis.Answer {
	t.Helper()
	var out bytes.Buffer
	if err := service.Serve(context.Background(), strings.NewReader(query), &out, analysis.Finish); err != nil {
		t.Fatal(err)
	}
	answer := new(analysis.Answer)
	if err := json.Unmarshal(out.Bytes(), answer); err != nil {
		t.Fatalf("%s: %v", out.Bytes(), err)
	}
	return answer
}

// bothEngines looks at a position in which White has to parry an open three of
// which a network without knowledge knows nothing: the engines differ, and the
// tree search's move provably loses.
func bothEngines(t *testing.T, browser context.Context, h *host) {
	p := h.open(t, browser, 1280, 900, "")
	p.prefer(map[string]any{"visits": 50, "nodes": 5000, "sweepVisits": 10})
	value[bool](p, `(location.hash = "#v=freestyle&s=15&m=h8h9i8i9j8&view=analyse", true)`)
	p.wait(`$(".verdict").textContent.includes("proven")`)
	p.settled()
	want := asked(t, `{"id":"q","rules":"freestyle","moves":["h8","h9","i8","i9","j8"],"engine":"each",`+
		`"maxVisits":50,"maxNodes":5000,"lines":5,"analysisPVLen":14}`)
	m, a := want.MoveInfos[0].Move, want.AlphaBeta.MoveInfos[0].Move
	if got := p.text("best-mcts"); got != m {
		t.Errorf("the tree search's move is %q: want %s", got, m)
	}
	if got := p.text("best-alphabeta"); got != a {
		t.Errorf("alpha-beta's move is %q: want %s", got, a)
	}
	if got := p.text("verdict"); want.Verdict == nil || !strings.Contains(got, m) || !strings.Contains(got, "loses") {
		t.Errorf("the verdict is %q: want %s to lose", got, m)
	}
	for _, sign := range []string{m + "M", a + "A"} {
		point, letter := sign[:len(sign)-1], sign[len(sign)-1:]
		if got := value[string](p,
			`[...$$(".mark .letter")].map((l) => l.textContent).sort().join("")`); got != "AM" {
			t.Errorf("the letters on the board are %q: want A and M", got)
		}
		label := value[string](p, `$('.board [data-point="`+point+`"]').getAttribute("aria-label")`)
		if name := map[string]string{"M": "tree search", "A": "alpha-beta"}[letter]; !strings.Contains(label, name) {
			t.Errorf("%s is labelled %q: want the %s", point, label, name)
		}
	}

	// The proof can be stepped through, and left.
	p.click(id("proof"))
	p.wait(`$$(".board .ghost").length === 1`)
	p.key(kb.ArrowRight)
	p.key(kb.ArrowRight)
	p.wait(`$$(".board .ghost").length === 3`)
	p.key(kb.Escape)
	p.wait(`$$(".board .ghost").length === 0`)

	// A line can be played.
	p.click(id("pvs") + ` .pv.classical button:nth-child(2)`)
	p.wait(`$$(".board .ghost").length === 2`)
	p.click(id("preview-play"))
	p.wait(`by("turn").textContent === "7 / 7"`)
	if got := p.moves()[5]; got != a {
		t.Errorf("after playing alpha-beta's line the sixth move is %s: want %s", got, a)
	}
	p.key("u")
	p.wait(`by("turn").textContent === "6 / 7"`)
	p.click(id("opening"))
	p.wait(`$$(".moves .move").length >= 2 && !the("moves").textContent.includes("h8")
		|| $$(".moves .move").length < 7`)
}

// capturesAndForbidden shows what some rule sets have: stones that were taken, and
// points that cannot be played.
func capturesAndForbidden(t *testing.T, browser context.Context, h *host) {
	p := h.open(t, browser, 1280, 900, "#v=school42&s=19&m=e5e6a1e7e8&view=play")
	p.wait(`$("#seat-b .taken").textContent === "2 captured"`)
	if got := p.stones(); len(got) != 3 || got["e6"] != "" {
		t.Errorf("the stones are %v: want e6 and e7 to be taken", got)
	}
	value[bool](p, `(location.hash = "#v=renju&s=15&m=h8h9i7i9h10i6i11i12&view=play", true)`)
	p.wait(`$$(".board .forbidden").length > 0`)
	if got := value[string](p,
		`$('[data-point="g9"]').getAttribute("aria-label")`); !strings.HasPrefix(got, "g9, forbidden: ") {
		t.Errorf("g9 is labelled %q: want it to be forbidden", got)
	}
	p.point("g9")
	p.wait(`by("notice").textContent.startsWith("g9 is forbidden: ") && !by("notice").hidden`)
	if got := len(p.stones()); got != 8 {
		t.Errorf("%d stones after a click on a forbidden point: want 8", got)
	}
}

// reloadKeeps reloads the page in the middle of a game and of an analysis.
func reloadKeeps(t *testing.T, browser context.Context, h *host) {
	p := h.open(t, browser, 1280, 860, "")
	p.begin("gomoku/caro", "11", "easy")
	p.point("f6")
	p.answered(2)
	p.key("n")
	before, moves := p.stones(), p.moves()
	p.reload()
	p.wait(`by("status").textContent.startsWith("Your move")`)
	if after := p.stones(); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("after reloading the stones are %v: want %v", after, before)
	}
	if value[bool](p, `Boolean($(".board .stone text"))`) {
		t.Error("the numbers are there again after reloading")
	}
	p.key(kb.Escape)
	p.point(map[bool]string{true: "a1", false: "k11"}[before["a1"] == ""])
	p.answered(4)
	if got := p.moves(); len(got) != 4 || got[0] != moves[0] || got[1] != moves[1] {
		t.Errorf("the game goes on with %v: want it to begin with %v", got, moves)
	}

	// The address alone is enough for somebody else.
	p.key(kb.ArrowLeft)
	p.wait(`location.hash.includes("turn=3")`)
	link := value[string](p, `location.hash`)
	q := h.open(t, browser, 1280, 860, strings.Replace(link, "view=play", "view=analyse", 1))
	q.wait(`by("turn").textContent === "3 / 4"`)
	if got := q.moves(); fmt.Sprint(got) != fmt.Sprint(p.moves()) {
		t.Errorf("the link has %v: want %v", got, p.moves())
	}
}
