package web

import (
	_ "embed"
	"net/http"
)

//go:embed openapi.json
var openAPI []byte

// OpenAPI returns the description of everything that a server answers, as OpenAPI 3.1
// has it.
func OpenAPI() []byte { return openAPI }

// document answers with a JSON document that does not change.
func document(data []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-cache")
		answer(w, r, data)
	}
}
