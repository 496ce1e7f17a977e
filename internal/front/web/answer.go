package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// problem is what is said of a request that is not done, in one line, with the
// field at fault where there is one.
type problem struct {
	status int
	cause  string // for metrics; "": the status

	Error string `json:"error"`
	Field string `json:"field,omitempty"`
}

// refusal returns a problem.
func refusal(status int, format string, args ...any) *problem {
	return &problem{status: status, Error: fmt.Sprintf(format, args...)}
}

// because names the cause of a refusal for metrics.
func (p *problem) because(cause string) *problem {
	p.cause = cause
	return p
}

// in names the field at fault.
func (p *problem) in(field string) *problem {
	p.Field = field
	return p
}

// answer writes a whole body, none for HEAD.
func answer(w http.ResponseWriter, r *http.Request, data []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(data) // whoever asked may be gone, which is no concern of ours
	}
}

// answerJSON writes a value.
func answerJSON(w http.ResponseWriter, r *http.Request, status int, v any) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		b.Reset()
		status = http.StatusInternalServerError
		_ = json.NewEncoder(&b).Encode(problem{Error: "internal error: " + err.Error()})
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(b.Bytes())
	}
}

// refuse writes a problem.
func refuse(w http.ResponseWriter, r *http.Request, p *problem) {
	if p.status == http.StatusServiceUnavailable || p.status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1")
	}
	answerJSON(w, r, p.status, p)
}
