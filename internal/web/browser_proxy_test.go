package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
)

// proxied opens the page through a proxy that puts it below a path, listens on
// another port, and leaves the port out of the name that it passes on.
func proxied(t *testing.T, browser context.Context, h *host) {
	target, err := url.Parse("http://" + h.addr)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = "localhost"
	}}
	mux := http.NewServeMux()
	mux.Handle("/deep/caro/", http.StripPrefix("/deep/caro", proxy))
	front := httptest.NewServer(mux)
	t.Cleanup(front.Close)
	_, port, _ := strings.Cut(strings.TrimPrefix(front.URL, "http://"), ":")
	through := &host{t: t, addr: "localhost:" + port + "/deep/caro"}

	p := through.open(t, browser, 1280, 860, "")
	p.begin("gomoku/freestyle", "9", "easy")
	p.point("e5")
	p.answered(2)
	p.click(id("view-share"))
	link := until[string](p, `the("share-link").value`)
	if want := "http://localhost:" + port + "/deep/caro/#v=freestyle&s=9&m=e5"; !strings.HasPrefix(link, want) {
		t.Errorf("the link is %s: want it to begin with %s", link, want)
	}
	p.wait(`the("share-sgf").value.includes("SZ[9]")`)
	if !value[bool](p,
		`$(".logo").getBBox().width > 0 && getComputedStyle($("header")).display === "flex"`) {
		t.Error("the picture or the style of the page is missing")
	}
}
