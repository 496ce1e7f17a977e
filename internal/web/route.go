package web

import (
	_ "embed"
	"net/http"
	"slices"
	"strings"

	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/board"
)

// routes returns the handlers by path.
func (s *Server) routes(assets map[string]asset) http.Handler {
	mux := http.NewServeMux()
	for path, m := range s.paths() {
		mux.Handle(path, m)
	}
	for path, a := range assets {
		if path == "/" {
			path = "/{$}"
		}
		mux.Handle(path, methods{http.MethodGet: a.ServeHTTP})
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		refuse(w, r, board.Refusal(http.StatusNotFound, "there is nothing here"))
	})
	return mux
}

// paths are the handlers beside the page's own files.
func (s *Server) paths() map[string]methods {
	return map[string]methods{
		"/ws":                  {http.MethodGet: s.socket},
		"/api/config":          {http.MethodGet: s.config},
		"/api/review/{id}":     {http.MethodGet: s.atWork(s.listGames)},
		"/api/review/{id}/{n}": {http.MethodGet: s.atWork(s.showGame)},
		"/api/import": {http.MethodPost: s.atWork(s.importGames, "application/octet-stream", "application/json",
			"text/plain")},
		"/api/book":     {http.MethodPost: s.atWork(s.annotateBook, "application/json")},
		"/api/export":   {http.MethodPost: s.atWork(s.exportGame, "application/json")},
		"/healthz":      {http.MethodGet: fixed("text/plain; charset=utf-8", "no-store", []byte("ok\n"))},
		"/openapi.json": {http.MethodGet: fixed("application/json", "no-cache", openAPI)},
		"/schema.json":  {http.MethodGet: fixed("application/json", "no-cache", analysis.Schema())},
	}
}

// methods are the handlers of one path by method. HEAD is GET without a body.
type methods map[string]http.HandlerFunc

// ServeHTTP implements [http.Handler].
func (m methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := r.Method
	if name == http.MethodHead {
		name = http.MethodGet
	}
	if handle, ok := m[name]; ok {
		handle(w, r)
		return
	}
	var allowed []string
	for name := range m {
		allowed = append(allowed, name)
		if name == http.MethodGet {
			allowed = append(allowed, http.MethodHead)
		}
	}
	slices.Sort(allowed)
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	refuse(w, r, board.Refusal(http.StatusMethodNotAllowed, "want %s", strings.Join(allowed, " or ")))
}

//go:embed openapi.json
var openAPI []byte

// OpenAPI returns the description of everything that a server answers, as OpenAPI 3.1
// has it.
func OpenAPI() []byte { return openAPI }

// fixed answers with what does not change.
func fixed(kind, cache string, data []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", cache)
		answer(w, r, data)
	}
}
