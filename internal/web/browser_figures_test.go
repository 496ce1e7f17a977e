package web_test

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/chromedp/chromedp"
	"golang.org/x/time/rate"
)

var figures = flag.Bool("figures", false, "tell how quick the board of -site is")

// slowLine is a line of some bytes a second, which counts what went over it.
type slowLine struct {
	http.ResponseWriter
	ctx  context.Context
	pace *rate.Limiter
	sent *atomic.Int64
}

// Write implements [http.ResponseWriter].
func (l *slowLine) Write(data []byte) (n int, err error) {
	for n < len(data) && err == nil {
		part := data[n:min(len(data), n+l.pace.Burst())]
		if err = l.pace.WaitN(l.ctx, len(part)); err == nil {
			_, err = l.ResponseWriter.Write(part)
		}
		n += len(part)
		l.sent.Add(int64(len(part)))
	}
	return n, err
}

// tabMemory returns the memory of the browser's largest renderer in MB, shared pages by halves
// and so on: others show no page.
func tabMemory() (mb float64) {
	processes, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range processes {
		command, _ := os.ReadFile(dir + "/cmdline") // a process may have ended
		if !strings.Contains(string(command), "--type=renderer") {
			continue
		}
		rollup, _ := os.ReadFile(dir + "/smaps_rollup")
		for line := range strings.Lines(string(rollup)) {
			var kb float64
			if _, err := fmt.Sscanf(line, "Pss: %f kB", &kb); err == nil {
				mb = max(mb, kb/1024)
			}
		}
	}
	return mb
}

// TestSiteFigures tells how soon the board without a server is there and answers, over a line
// of 10 Mbit/s. Nothing is held against a bound: that is for a quiet machine and one core.
func TestSiteFigures(t *testing.T) {
	if !*figures {
		return
	}
	server := newFileServer(t, *siteFolder)
	close(server.held)
	clear(server.cut)
	var sent atomic.Int64
	pace := rate.NewLimiter(10e6/8, 16<<10)
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		server.ServeHTTP(&slowLine{w, r.Context(), pace, &sent}, r)
	})
	h := &host{addr: strings.TrimPrefix(server.URL, "http://")}
	const analyse = "#v=caro&s=15&m=h8i9i8&view=analyse"
	p := h.visit(t, startBrowser(t), 1280, 860, strings.TrimPrefix(below, "/")+analyse)
	after := func(what, expression string) {
		took := until[float64](p, "("+expression+`) && performance.now()`)
		t.Logf("%-40s %6.0f ms, %4.1f MB sent", what, took, float64(sent.Load())/1e6)
	}
	visit := func(how string) {
		after(how+": the page", `document.body.dataset.ready === "true"`)
		after(how+": the position", `document.body.dataset.connection === "open" && /to move/.test(by("status").textContent)`)
		after(how+": alpha-beta's first answer", `/^[a-o]/.test(the("best-alphabeta").textContent)`)
		after(how+": the tree search's first answer", `/^[a-o]/.test(the("best-mcts").textContent)`)
		after(how+": both have done", `$$('.engine[aria-busy="false"]').length === 2`)
	}
	visit("cold")
	p.wait(`navigator.serviceWorker.controller`)
	t.Logf("%.0f MB in the tab; all files are kept after %.1f MB", tabMemory(), float64(sent.Load())/1e6)
	p.do(chromedp.Reload())
	visit("kept")

	for engine, point := range map[string]string{"alphabeta": "d4", "mcts": "l4", "each": "d12"} {
		p.prefer(map[string]any{"visits": 100_000, "nodes": 100_000_000, "engine": engine})
		p.wait(`[...$$('.engine[aria-busy="true"] b')].some((b) => b.textContent.length > 1)`) // it thinks on
		value[bool](p, `(() => {
			const stones = $$(".board .stone").length, before = by("status").textContent;
			document.addEventListener("pointerdown", ({ timeStamp }) => {
				const look = () => {
					const now = performance.now() - timeStamp;
					if ($$(".board .stone").length > stones) window.drawn ??= now;
					if (by("status").textContent !== before) window.known = now;
					else setTimeout(look);
				};
				setTimeout(look);
			}, { capture: true, once: true });
			return true;
		})()`)
		p.click(`.board [data-point="` + point + `"]`)
		took := until[[2]float64](p, `window.known && [window.drawn, window.known]`)
		t.Logf("a click while %s thinks: drawn after %.0f ms, its position known after %.0f ms", engine, took[0], took[1])
	}
	p.prefer(map[string]any{"byTime": 5, "sweep": false, "engine": "each"})
	p.wait(`$$('.engine[aria-busy="false"]').length === 2`)
	t.Logf("%.0f MB in the tab after 5 s of each engine", tabMemory())

	for _, level := range []string{"easy", "medium", "hard"} {
		p.do(chromedp.Navigate("about:blank"), chromedp.Navigate("http://"+h.addr+below+"#v=caro&s=15&view=play"))
		p.ready()
		p.begin("gomoku/caro", "15", level)
		var times []string
		for turn, point := range []string{"h8", "g7", "k11", "d5", "l4"} {
			if value[bool](p, `Boolean($('.board [data-point="`+point+`"]').getAttribute("aria-label").match(/Black|White/))`) {
				continue
			}
			value[bool](p, `(window.began = performance.now(), true)`)
			p.click(`.board [data-point="` + point + `"]`)
			p.answered(2*turn + 2)
			times = append(times, fmt.Sprintf("%.1f", value[float64](p, `(performance.now() - window.began) / 1000`)))
		}
		t.Logf("%s: %s s a move", level, strings.Join(times, ", "))
		p.click(id("resign"))
	}
}
