package web_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/board"
	"github.com/carozero/carozero/internal/games"
)

var siteFolder = flag.String("site", "", "folder that `make site` wrote; the board in it is not driven without one")

// fileServer serves a folder below a path, as any server of files does.
type fileServer struct {
	*httptest.Server
	held chan struct{} // until it is closed, the program does not come

	mu   sync.Mutex
	dir  string
	away bool           // nothing comes
	cut  map[string]int // how many answers of a file are cut yet, by the beginning of its name
}

const below = "/some/path/"

func newFileServer(t *testing.T, dir string) *fileServer {
	s := &fileServer{dir: dir, held: make(chan struct{}), cut: map[string]int{"board-": 1, "taught7-": 1}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// ServeHTTP implements [http.Handler].
func (s *fileServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := filepath.Base(r.URL.Path)
	if strings.HasPrefix(name, "board-") {
		select {
		case <-s.held:
		case <-r.Context().Done():
			return
		}
	}
	s.mu.Lock()
	dir, away := s.dir, s.away
	for begins, n := range s.cut {
		if n > 0 && strings.HasPrefix(name, begins) {
			s.cut[begins]--
			w = &cutAnswer{ResponseWriter: w}
		}
	}
	s.mu.Unlock()
	if away {
		panic(http.ErrAbortHandler)
	}
	http.StripPrefix(strings.TrimSuffix(below, "/"), http.FileServer(http.Dir(dir))).ServeHTTP(w, r)
}

// set changes what the server does.
func (s *fileServer) set(dir string, away bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dir, s.away = dir, away
}

// cutAnswer ends an answer early, so that it looks whole.
type cutAnswer struct {
	http.ResponseWriter
}

// WriteHeader implements [http.ResponseWriter].
func (c *cutAnswer) WriteHeader(status int) {
	c.Header().Del("Content-Length")
	c.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter].
func (c *cutAnswer) Write(data []byte) (int, error) {
	_, err := c.ResponseWriter.Write(data[:len(data)/2])
	return len(data), err
}

// nextSite returns a copy of a site with another title: a new version.
func nextSite(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	change := func(name string, from, with []byte) {
		data, err := os.ReadFile(filepath.Join(to, name))
		if err == nil && bytes.Count(data, from) == 1 {
			err = os.WriteFile(filepath.Join(to, name), bytes.Replace(data, from, with, 1), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	told := func() []byte {
		data, err := os.ReadFile(filepath.Join(to, "index.html"))
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		return fmt.Appendf(nil, `"bytes":%d,"sha256":"%s"`, len(data), hex.EncodeToString(sum[:]))
	}
	before := told()
	change("index.html", []byte(`<html lang="en"`), []byte(`<html lang="en" data-version="next"`))
	change("sw.js", before, told())
	return to
}

// native returns what the program itself says to a query, with the options of the site's.
func native(t *testing.T, query string) *analysis.Answer {
	t.Helper()
	config, err := board.Offline("test")
	if err != nil {
		t.Fatal(err)
	}
	service, err := config.Service(nil)
	if err != nil {
		t.Fatal(err)
	}
	return ask(t, service, query)
}

// TestBrowserSite drives the board without a server: it comes from below a path, with files
// that do not arrive whole at first; then the network is cut, and all goes on, also in a second
// visit, until a new version is there.
func TestBrowserSite(t *testing.T) {
	if *siteFolder == "" {
		return // make test-browser writes it
	}
	server := newFileServer(t, *siteFolder)
	h := &host{addr: strings.TrimPrefix(server.URL, "http://")}
	p := h.visit(t, startBrowser(t), 1280, 860, strings.TrimPrefix(below, "/"))
	p.wait(`document.body.dataset.ready === "true" && $$(".board [data-point]").length > 100`)
	p.wait(`/of \d\.\d MB/.test(the("connection").textContent)`)
	close(server.held)
	p.ready()
	p.wait(`navigator.serviceWorker.controller`) // it has all files
	server.set(*siteFolder, true)
	p.away(true)

	v, err := games.NewVariant(games.VariantOptions{Rule: "freestyle", Size: 7})
	if err != nil {
		t.Fatal(err)
	}
	p.begin("gomoku/freestyle", "7", "easy")
	p.playOut(v)
	p.prefer(map[string]any{"visits": 100, "nodes": 5000, "engine": "each"})
	p.analysed(t)
	p.exchanged(t)

	problems, err := chromedp.Call(p.ctx, page.GetInstallabilityErrors, struct{}{})
	if err != nil || len(problems.InstallabilityErrors) > 0 {
		t.Errorf("it cannot be installed: %+v, %v", problems, err)
	}

	// A new version comes as a whole, when the user wants it.
	server.set(nextSite(t, *siteFolder), false)
	value[bool](p, `navigator.serviceWorker.getRegistration().then((r) => r.update()).then(() => true)`)
	p.click(id("reload"))
	p.wait(`document.documentElement.dataset.version === "next"`)
	p.ready()
	if got := p.moves(); !slices.Equal(got, []string{"h8", "i9", "i8", "j8"}) {
		t.Errorf("after the update the moves are %v", got)
	}
}

// analysed holds that both engines say what they say natively, also if one dies at first.
func (p *tab) analysed(t *testing.T) {
	value[bool](p, `window.Worker = class extends Worker {
		constructor(script) { super(script); window.engine ||= this; }
	}, true`)
	p.do(chromedp.Navigate("http://" + p.host.addr + below + "#v=caro&s=15&m=h8i9i8&view=analyse"))
	p.wait(`window.engine`)
	value[bool](p, `engine.postMessage({ module: "none" }), true`)
	p.wait(`/has ended/.test(the("notice").textContent)`)
	p.ready()
	p.wait(`$$('.engine[aria-busy="false"]').length === 2 && the("engine-mcts").textContent.includes("100 visits")`)
	want := native(t, `{"id":"a","rules":"caro","moves":["h8","i9","i8"],"engine":"each","maxVisits":100,`+
		`"maxNodes":5000,"lines":5}`)
	rows := value[[]string](p,
		`[...$$('[data-testid="top-moves"] tbody tr')].map((r) => [...r.cells].map((c) => c.textContent).join(" "))`)
	for engine, o := range map[string]*analysis.Opinion{"mcts": want.Opinion, "alphabeta": want.AlphaBeta} {
		for _, m := range o.MoveInfos[:3] {
			rate := fmt.Sprintf("%.1f%%", 100*m.Winrate)
			if !slices.ContainsFunc(rows, func(row string) bool {
				return strings.HasPrefix(row, m.Move+" ") && strings.Contains(row, rate)
			}) {
				t.Errorf("%s: the page says %q, the program %s for %s", engine, rows, rate, m.Move)
			}
		}
	}
}

// exchanged reads a game and saves it.
func (p *tab) exchanged(t *testing.T) {
	p.click(id("view-share"))
	p.do(chromedp.SetValue(chromedp.CSS(id("import-text")), "(;GM[4]SZ[15]RU[freestyle];B[hh];W[ig];B[ih];W[jh])"))
	p.click(id("import"))
	p.wait(`by("turn").textContent === "4 / 4"`)
	if got := p.saved("save-sgf"); !strings.Contains(got, ";B[hh];W[ig];B[ih];W[jh]") {
		t.Errorf("the game is saved as %q", got)
	}
}
