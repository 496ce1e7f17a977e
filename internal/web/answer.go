package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"syscall"

	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/record"
)

// problem is what is said of a request that is not done, in one line, with the path of
// the field at fault where there is one.
type problem struct {
	status int
	cause  string // for metrics; "": the status

	Error string        `json:"error"`
	Code  analysis.Code `json:"code"`
	Field string        `json:"field,omitempty"`
}

// codes are those of the statuses of refusals. A status with several has the usual one
// here; see [problem.as].
var codes = map[int]analysis.Code{
	http.StatusBadRequest:            analysis.Invalid,
	http.StatusUnauthorized:          analysis.NoToken,
	http.StatusForbidden:             analysis.NotAllowed,
	http.StatusNotFound:              analysis.NotFound,
	http.StatusMethodNotAllowed:      analysis.WrongMethod,
	http.StatusConflict:              analysis.Changed,
	http.StatusRequestEntityTooLarge: analysis.TooBig,
	http.StatusUnsupportedMediaType:  analysis.WrongType,
	http.StatusUpgradeRequired:       analysis.NoUpgrade,
	http.StatusTooManyRequests:       analysis.Busy,
	http.StatusInternalServerError:   analysis.Internal,
	http.StatusServiceUnavailable:    analysis.Busy,
}

// refusal returns a problem with a status and the status's code.
func refusal(status int, format string, args ...any) *problem {
	return &problem{status: status, Code: codes[status], Error: fmt.Sprintf(format, args...)}
}

// invalid returns the refusal of a field.
func invalid(field, format string, args ...any) *problem {
	p := refusal(http.StatusBadRequest, format, args...)
	p.Field = field
	return p
}

// as gives a refusal another code than its status has.
func (p *problem) as(code analysis.Code) *problem {
	p.Code = code
	return p
}

// problemOf returns the refusal of a request whose fields of a query are wrong.
func problemOf(wrong *analysis.Problem) *problem {
	status := http.StatusBadRequest
	if wrong.Code == analysis.TooBig {
		status = http.StatusRequestEntityTooLarge
	}
	return refusal(status, "%s", wrong.Error).as(wrong.Code).in(wrong.Field)
}

// wrongParameter returns the parameter of an import because of which there is no such
// variant.
func wrongParameter(o games.VariantOptions) string {
	if _, err := games.Find(o.Game); err != nil {
		return "game"
	}
	o.Size = 0
	if _, err := games.NewVariant(o); err == nil {
		return "size"
	}
	return "rules"
}

// gamesCode returns the code of an error of reading games.
func gamesCode(err error) analysis.Code {
	_, illegal := errors.AsType[*record.IllegalError](err)
	_, setup := errors.AsType[*games.SetupError](err)
	_, unread := errors.AsType[syscall.Errno](err)
	switch {
	case unread:
		return analysis.Failed
	case illegal || setup:
		return analysis.Illegal
	case isTooBig(err) || errors.Is(err, errMore):
		return analysis.TooBig
	}
	return analysis.Malformed
}

// isTooBig reports whether an error is about a game, a file or a line beyond its bound.
func isTooBig(err error) bool {
	return errors.Is(err, record.ErrTooBig) || errors.Is(err, disk.ErrTooLarge)
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
		_ = json.NewEncoder(&b).Encode(problem{Code: analysis.Internal, Error: "internal error: " + err.Error()})
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

// refuse counts and writes a problem.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, p *problem) {
	s.metrics.refused(p)
	refuse(w, r, p)
}

// refuse writes a problem.
func refuse(w http.ResponseWriter, r *http.Request, p *problem) {
	if p.status == http.StatusServiceUnavailable || p.status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1")
	}
	answerJSON(w, r, p.status, p)
}
