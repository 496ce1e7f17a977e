package web_test

import (
	"context"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// loading opens the page over a slow line, and where its program does not come.
func loading(t *testing.T, browser context.Context, h *host) {
	p := h.open(t, browser, 1280, 860, "")
	call(p, network.Enable, network.EnableParams{})
	call(p, network.SetCacheDisabled, network.SetCacheDisabledParams{CacheDisabled: true})
	const latency, rate, most = 0.4, 50_000, 2.5
	p.line(1000*latency, rate)
	began := time.Now()
	p.do(chromedp.Reload())
	p.wait(`document.body.dataset.ready === "true"`)
	took := time.Since(began)
	// What the line alone costs: the page, then at once all that the page names.
	const entries = `performance.getEntriesByType("navigation").concat(performance.getEntriesByType("resource"))`
	bytes := value[float64](p, entries+`
		.filter((e) => !/icon/.test(e.name)).reduce((sum, e) => sum + e.transferSize, 0)`)
	t.Logf("ready after %v, %.0f bytes", took, bytes)
	if got := 2*latency + bytes/rate; got > most {
		t.Errorf("%.1f s for %.0f bytes: want at most %.1f; %v", got, bytes, most,
			value[[][2]string](p, entries+`.map((e) => [e.name, String(e.transferSize)])`))
	}
	later := value[[]string](p, `performance.getEntriesByType("resource").map((e) => e.name)
		.filter((name) => !document.documentElement.outerHTML.includes(name.replace(/^.*?\/(assets|api)/, "$1")))`)
	if len(later) > 0 {
		t.Errorf("these are asked for by what the page names: %v", later)
	}

	p.line(0, -1)
	p.away(true)
	call(p, network.SetBlockedURLs, network.SetBlockedURLsParams{
		URLPatterns: []*network.BlockPattern{{URLPattern: "http://*:*/assets/page.js", Block: true}},
	})
	p.do(chromedp.Reload())
	p.wait(`document.getAnimations().map((a) => a.finish()).length > 0`)
	if got := value[bool](p, `by("failed").checkVisibility({visibilityProperty: true})`); !got {
		t.Error("nothing is said of a program that did not come")
	}
}

// line sets the latency, in milliseconds, and the bytes a second of the line to the server.
func (p *tab) line(latency, rate float64) {
	p.Helper()
	call(p, cdp.Command[map[string]any, cdp.Empty]{Method: "Network.emulateNetworkConditions"}, map[string]any{
		"offline": false, "latency": latency, "downloadThroughput": rate, "uploadThroughput": rate,
	})
}

// call sends a command of the browser's protocol.
func call[P, R any](p *tab, command cdp.Command[P, R], params P) {
	p.Helper()
	if _, err := chromedp.Call(p.ctx, command, params); err != nil {
		p.Fatal(err)
	}
}
