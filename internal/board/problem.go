// Package board answers what a page with a board asks beside the dialogue of package analysis:
// what there is to play ([Config]), games read from files ([Defaults.Import]) and written to them
// ([Export]). A [Reply] and a [Problem] are in the words of HTTP, and need no server: package web
// sends them from one, cmd/board hands them out within a browser.
package board

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"syscall"

	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/record"
)

// Problem is what is said of a request that is not done, in one line, with the path of
// the field at fault where there is one.
type Problem struct {
	Status int `json:"-"` // of HTTP

	Error string        `json:"error"`
	Code  analysis.Code `json:"code"`
	Field string        `json:"field,omitempty"`
}

// Statuses of HTTP.
const (
	ok          = 200
	badRequest  = 400
	notFound    = 404
	tooLarge    = 413
	broken      = 500
	unavailable = 503
)

// Codes are those of the statuses of refusals. A status with several has the usual one
// here; see [Problem.As].
var Codes = map[int]analysis.Code{
	badRequest:  analysis.Invalid,
	401:         analysis.NoToken,
	403:         analysis.NotAllowed,
	notFound:    analysis.NotFound,
	405:         analysis.WrongMethod,
	409:         analysis.Changed,
	tooLarge:    analysis.TooBig,
	415:         analysis.WrongType,
	426:         analysis.NoUpgrade,
	429:         analysis.Busy,
	broken:      analysis.Internal,
	unavailable: analysis.Busy,
}

// Refusal returns a problem with a status and the status's code.
func Refusal(status int, format string, args ...any) *Problem {
	return &Problem{Status: status, Code: Codes[status], Error: fmt.Sprintf(format, args...)}
}

// Invalid returns the refusal of a field.
func Invalid(field, format string, args ...any) *Problem {
	p := Refusal(badRequest, format, args...)
	p.Field = field
	return p
}

// As gives a refusal another code than its status has.
func (p *Problem) As(code analysis.Code) *Problem {
	p.Code = code
	return p
}

// ProblemOf returns the refusal of a request whose fields of a query are wrong.
func ProblemOf(wrong *analysis.Problem) *Problem {
	status := badRequest
	if wrong.Code == analysis.TooBig {
		status = tooLarge
	}
	return Refusal(status, "%s", wrong.Error).As(wrong.Code).In(wrong.Field)
}

// CodeOf returns the code of an error of reading games.
func CodeOf(err error) analysis.Code {
	_, illegal := errors.AsType[*record.IllegalError](err)
	_, setup := errors.AsType[*games.SetupError](err)
	_, unread := errors.AsType[syscall.Errno](err)
	switch {
	case unread:
		return analysis.Failed
	case illegal || setup:
		return analysis.Illegal
	case isTooBig(err):
		return analysis.TooBig
	}
	return analysis.Malformed
}

// isTooBig reports whether an error is about a game, a file or a line beyond its bound.
func isTooBig(err error) bool {
	return errors.Is(err, record.ErrTooBig) || errors.Is(err, disk.ErrTooLarge)
}

// In names the field at fault.
func (p *Problem) In(field string) *Problem {
	p.Field = field
	return p
}

// Reply is what is said to a request, in the words of HTTP.
type Reply struct {
	Status int
	Type   string // media type
	Header map[string]string
	Body   []byte
}

// JSON returns a value as a reply.
func JSON(status int, v any) *Reply {
	return &Reply{Status: status, Type: "application/json", Body: analysis.Line(v)}
}

// Reply returns the problem as a reply.
func (p *Problem) Reply() *Reply {
	r := JSON(p.Status, p)
	if p.Status == unavailable || p.Status == 429 {
		r.Header = map[string]string{"Retry-After": "1"}
	}
	return r
}

// typeNames are how people call what the fields of an export are.
var typeNames = map[reflect.Kind]string{
	reflect.Bool: "true or false", reflect.Int: "a whole number", reflect.Float64: "a number", reflect.String: "a text",
	reflect.Slice: "a list", reflect.Array: "a list", reflect.Struct: "an object", reflect.Map: "an object",
}

// Decode reads a JSON object into fields, and returns it by name too. It has no others but
// those that say what a query's game is.
func Decode(data []byte, fields any) (of map[string]json.RawMessage, p *Problem) {
	err := json.Unmarshal(data, &of)
	if err == nil {
		err = json.Unmarshal(data, fields)
	}
	if err == nil {
		known := slices.Clone(analysis.GameFields)
		for f := range reflect.TypeOf(fields).Elem().Fields() {
			known = append(known, f.Tag.Get("json"))
		}
		for _, name := range slices.Sorted(maps.Keys(of)) {
			if !slices.Contains(known, name) {
				return nil, Invalid(strings.Trim(analysis.Shown(name), "\""),
					"unknown field: want one of %s", strings.Join(known, ", "))
			}
		}
		return of, nil
	}
	kind, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok:
		return nil, Refusal(badRequest, "want a JSON object: %s", OneLine(err)).As(analysis.Malformed)
	case kind.Field == "":
		return nil, Refusal(badRequest, "want a JSON object, found %s", kind.Value).As(analysis.Malformed)
	}
	return nil, Invalid(kind.Field, "want %s, found %s", typeNames[kind.Type.Kind()], kind.Value)
}

// OneLine returns the text of an error without line ends.
func OneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
