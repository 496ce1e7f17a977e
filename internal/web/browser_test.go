package web_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"net"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/carozero/carozero/internal/fetch"

	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/board"
	"github.com/carozero/carozero/internal/book"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/internal/web"
)

var everyPart = flag.Bool("parts", false, "drive every part of the page, not only the core of them")

// patience bounds every wait for the browser; nothing waits that long when all is
// well.
const patience = 30 * time.Second

// treeOf returns settings of the tree search.
func treeOf(text string) engine.TreeSettings {
	spec, err := players.ParseSpec("mcts:" + text)
	if err != nil {
		panic(err)
	}
	s, err := players.ParseFixedTree(spec)
	if err != nil {
		panic(err)
	}
	return s.TreeSettings
}

// startBrowser starts a browser without a tab of its own, which ends with the
// test.
func startBrowser(t *testing.T) context.Context {
	t.Helper()
	path, err := fetch.FindChromium()
	if err != nil {
		t.Fatal(err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update",
			true), chromedp.Flag("hide-scrollbars", true))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // the sandbox refuses root
	}
	allocator, end := chromedp.NewExecAllocator(context.Background(), options...)
	tabless, done := chromedp.NewContext(allocator)
	t.Cleanup(func() {
		_ = chromedp.Cancel(tabless)
		done()
		end()
	})
	if err := chromedp.Do(tabless, chromedp.Navigate("about:blank")); err != nil {
		t.Fatal(err)
	}
	return tabless
}

// host is a server that can be ended and started again.
type host struct {
	t      *testing.T
	addr   string
	review []string
	book   *book.Book // nil: none; with one the token is "secret"
	stop   func()

	endgames games.Endgames // nil: none
}

// newHost returns a running server on a free port, with files to review.
func newHost(t *testing.T, review ...string) *host {
	t.Helper()
	h := &host{t: t, addr: "127.0.0.1:0", review: review}
	h.start()
	t.Cleanup(func() { h.stop() })
	return h
}

// start begins to serve, on the port of the last time if there was one. The
// engines are as fast as they can be: a network without knowledge, solvers off.
func (h *host) start() {
	h.t.Helper()
	nets := networks.NewNets(networks.NewLoader(networks.LoaderOptions{Threads: 1}), networks.Uniform)
	o := analysis.Options{
		MaxVisits: 30, MaxNodes: 1000, Tree: treeOf("memory=16,solver-leaf=0,solver-root=0,solver-replies=0"),
		Classical: players.NewAlphabeta(1), CacheMiB: 1, Version: "test", Workers: 2,
	}
	token := ""
	if h.book != nil {
		o.Book, token = h.book, "secret"
	}
	o.Tree.Endgames = h.endgames
	o.Classical.Endgames = h.endgames
	service, err := analysis.New(nets, o)
	if err != nil {
		h.t.Fatal(err)
	}
	server, err := web.New(service, web.Options{Addr: h.addr, Token: token, Book: h.book, EditBook: h.book != nil,
		Config: board.Config{
			Version: "test", Games: board.Games(), Levels: board.Levels(), Models: []string{networks.Uniform},
			Engines:  []string{"mcts", "alphabeta", "each"},
			Defaults: board.Defaults{Game: "gomoku", Rule: "caro", Size: 15, Engine: "mcts", MaxVisits: 30, MaxNodes: 1000},
			Limits:   board.Bounds{MaxVisits: 1_000_000, MaxNodes: 1_000_000, ReportEvery: 0.1}, Review: []board.FileInfo{},
		}, Paths: h.review})
	if err != nil {
		h.t.Fatal(err)
	}
	listener, err := net.Listen("tcp", h.addr)
	if err != nil {
		h.t.Fatal(err)
	}
	h.addr = listener.Addr().String()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- server.Run(ctx, listener) }()
	h.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			h.t.Error(err)
		}
		if err := nets.Close(); err != nil {
			h.t.Error(err)
		}
	})
}

// tab is a page in a window of its own, with storage of its own.
type tab struct {
	*testing.T
	ctx  context.Context
	host *host

	mu       sync.Mutex
	lost     bool     // whether the server may be away, so that failed requests are no fault
	problems []string // errors of the console, and requests to elsewhere
}

// open opens the page at a fragment, and waits until it is there.
func (h *host) open(t *testing.T, browser context.Context, width, height int64, fragment string) *tab {
	t.Helper()
	p := h.visit(t, browser, width, height, fragment)
	p.ready()
	return p
}

// visit opens a path or a fragment in a new window. Problems that the browser tells of fail
// the test at its end.
func (h *host) visit(t *testing.T, browser context.Context, width, height int64, path string) *tab {
	t.Helper()
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	p := &tab{T: t, ctx: ctx, host: h}
	t.Cleanup(func() {
		_ = chromedp.Cancel(ctx)
		cancel()
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, problem := range p.problems {
			t.Error(problem)
		}
	})
	// The first step opens the window, which ends with the context of that step.
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, height)); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Listen(ctx, p.hear); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, log.Enable, struct{}{}); err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.Navigate("http://" + h.addr + "/" + path))
	return p
}

// hear notes what ought not to happen.
func (p *tab) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	note := func(format string, values ...any) { p.problems = append(p.problems, fmt.Sprintf(format, values...)) }
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		note("exception: %s %v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception)
	case *runtime.EventConsoleAPICalled:
		note("console: %s", e.Type)
	case *log.EventEntryAdded:
		if !p.lost {
			note("log: %s: %s %v", e.Entry.Level, e.Entry.Text, e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		if u := e.Request.URL; !strings.HasPrefix(u, "http://"+p.host.addr+"/") && !strings.HasPrefix(u, "blob:") &&
			!strings.HasPrefix(u, "data:") {
			note("request to elsewhere: %s", u)
		}
	}
}

// away says whether the server may be away from now on.
func (p *tab) away(lost bool) {
	p.mu.Lock()
	p.lost = lost
	p.mu.Unlock()
}

func (p *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.Fatal(err)
	}
}

// value returns what an expression is in the page; a promise is waited for.
func value[T any](p *tab, expression string) T {
	p.Helper()
	v, err := evaluate[T](p, expression)
	if err != nil {
		p.Fatalf("%s: %v", expression, err)
	}
	return v
}

func evaluate[T any](p *tab, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T]("{"+short+expression+"}", chromedp.EvalAwaitPromise))
}

// short is what expressions name elements by: selectors, what is marked for tests, and ids.
const short = `const $ = (s) => document.querySelector(s), $$ = (s) => document.querySelectorAll(s),
	the = (name) => $('[data-testid="' + name + '"]'), by = (id) => document.getElementById(id); `

// wait returns when an expression holds in the page. The page's policy forbids
// what chromedp's own polling does, so that a promise does it.
func (p *tab) wait(expression string) {
	p.Helper()
	until[any](p, expression)
}

// reloading is what Chromium says of a promise whose page was left.
var reloading = regexp.MustCompile(`navigated or closed|context was destroyed`)

// until waits until an expression is true or something, and returns that. A page that
// reloads takes the promise along with it: the next one is asked again.
func until[T any](p *tab, expression string) T {
	p.Helper()
	const script = `new Promise((done) => { const end = Date.now() + %d;
		const look = () => { let ok = false; try { ok = %s; } catch {}
		if (ok) done({value: ok}); else if (Date.now() > end) done({}); else setTimeout(look, 8); }; look(); })`
	poll := fmt.Sprintf(script, (patience - 10*time.Second).Milliseconds(), expression)
	found, err := evaluate[struct{ Value *T }](p, poll)
	for again := 3; again > 0 && err != nil && reloading.MatchString(err.Error()); again-- {
		found, err = evaluate[struct{ Value *T }](p, poll)
	}
	if err != nil {
		p.Fatalf("%s: %v", expression, err)
	}
	if found.Value == nil {
		p.Fatalf("waited in vain for %s; the status is %q, the notice %q", expression, p.text("status"),
			value[string](p, `by("notice").textContent`))
	}
	return *found.Value
}

func (p *tab) ready() {
	p.Helper()
	p.wait(`document.body.dataset.ready === "true" && document.body.dataset.connection === "open"`)
	p.settled()
}

// settled waits until the server has told what the position is.
func (p *tab) settled() {
	p.Helper()
	p.wait(`/to move|wins|Draw|move|engine/.test(by("status").textContent)`)
}

// id returns the selector of what is marked for tests.
func id(name string) string { return `[data-testid="` + name + `"]` }

// text returns the text of what is marked for tests.
func (p *tab) text(name string) string {
	p.Helper()
	return value[string](p, `$(`+quoted(id(name))+`).textContent.trim()`)
}

func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// click clicks with the mouse in the middle of the first element of a selector,
// which must be what lies there.
func (p *tab) click(selector string) {
	p.Helper()
	at := p.place(selector)
	p.do(chromedp.MouseClickXY(at[0], at[1]))
}

// place returns the middle of an element, scrolled into view, not covered, and at rest: a
// click on what still moves would miss it.
func (p *tab) place(selector string) [2]float64 {
	p.Helper()
	const find = `(() => { const e = $(%s); if (!e) return null; e.scrollIntoView({block: "center", inline: "nearest"});
		const b = e.getBoundingClientRect(), x = b.left + b.width / 2, y = b.top + b.height / 2;
		const top = document.elementFromPoint(x, y);
		return top && (e.contains(top) || top.contains(e)) ? [x, y] : null; })()`
	at := until[[2]float64](p, fmt.Sprintf(find, quoted(selector)))
	for range stillness {
		value[bool](p, `new Promise((then) => setTimeout(then, 20, true))`) // a frame or more
		now := until[[2]float64](p, fmt.Sprintf(find, quoted(selector)))
		if now == at {
			return at
		}
		at = now
	}
	p.Fatalf("%s never stands still", selector)
	return at
}

// stillness is how often an element may have moved before it is clicked.
const stillness = 500

// point clicks a point of the board, once the user may move.
func (p *tab) point(name string) {
	p.Helper()
	p.wait(`$('#board-place [role="grid"]').getAttribute("aria-readonly") === "false"`)
	p.click(`.board [data-point="` + name + `"]`)
}

// key presses a key as a keyboard does: its text comes with the key that goes down, so a
// page that takes the key gets no text. chromedp.KeyEvent sends the text by itself, and
// the page would scroll by a space that it has taken.
func (p *tab) key(key string) {
	p.Helper()
	for _, r := range key {
		events := kb.Encode(r)
		down, up := events[0], events[len(events)-1]
		if len(events) == 3 {
			down.Text, down.UnmodifiedText = events[1].Text, events[1].UnmodifiedText
		}
		for _, e := range []*input.DispatchKeyEventParams{down, up} {
			if _, err := chromedp.Call(p.ctx, input.DispatchKeyEvent, *e); err != nil {
				p.Fatal(err)
			}
		}
	}
}

// choose sets a select and tells the page of it.
func (p *tab) choose(name, option string) {
	p.Helper()
	got := value[string](p,
		fmt.Sprintf(`(() => { const e = $(%s); e.value = %s;
			e.dispatchEvent(new Event("change", {bubbles: true})); return e.value; })()`,
			quoted(id(name)), quoted(option)))
	if got != option {
		p.Fatalf("%s has no option %q", name, option)
	}
}

// stones returns what is on the board by the labels that screen readers get, as
// "Black, move 1" by point.
func (p *tab) stones() map[string]string {
	p.Helper()
	return value[map[string]string](p, `Object.fromEntries([...$$(".board [data-point]")]
		.map((c) => c.getAttribute("aria-label").split(/, (.*)/))
		.filter(([, what]) => /^(Black|White)/.test(what)).map(([point, what]) => [point, what.replace(", last move", "")]))`)
}

// moves returns the list of moves.
func (p *tab) moves() []string {
	p.Helper()
	return value[[]string](p, `[...$$(".moves .move")].map((m) => m.childNodes[1].textContent)`)
}

// part is a part of TestBrowser.
type part struct {
	name string
	test func(*testing.T, context.Context, *host)
}

// core are the parts that every run of the tests has, others those of `make test-page`.
var (
	core = []part{
		{"WholeGame", wholeGame},
		{"Keyboard", keyboardGame},
		{"Onitama", onitamaGame},
		{"Analysis", bothEngines},
		{"Judged", gameJudged},
		{"Reload", reloadKeeps},
		{"Phone", phone},
		{"Book", bookShown},
		{"Import", importAndExport},
		{"Review", reviewed},
	}
	others = []part{
		{"Languages", languages},
		{"Thinking", thinkingEnds},
		{"Cards", cardsOnAPhone},
		{"ThirdGame", thirdGame},
		{"Captures", capturesAndForbidden},
		{"Names", everyControlHasAName},
		{"Lost", lostConnection},
		{"Stale", stalePage},
	}
)

// TestBrowser drives the page in Chromium: one browser, and a window
// for each part.
func TestBrowser(t *testing.T) {
	browser := startBrowser(t)
	h := newHost(t)
	parts := core
	if *everyPart {
		parts = append(parts, others...)
	}
	for _, part := range parts {
		t.Run(part.name, func(t *testing.T) { part.test(t, browser, h) })
	}
}
