package web

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"

	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/board"
)

// body reads the body of a request, of one of the media types, unless too many are being read.
func (s *Server) body(w http.ResponseWriter, r *http.Request, kinds []string) ([]byte, *board.Problem) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	known := false
	for _, k := range kinds {
		known = known || err == nil && kind == k
	}
	if !known {
		return nil, board.Refusal(http.StatusUnsupportedMediaType, "want a Content-Type of %s", strings.Join(kinds, " or "))
	}
	select {
	case s.reading <- struct{}{}:
		defer func() { <-s.reading }()
	default:
		return nil, board.Refusal(http.StatusTooManyRequests, "%d bodies are being read, which is the most: try again soon",
			cap(s.reading))
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(s.limits.Body)))
	var big *http.MaxBytesError
	switch {
	case errors.As(err, &big):
		return nil, board.Refusal(http.StatusRequestEntityTooLarge, "want at most %d bytes", s.limits.Body)
	case err != nil:
		return nil, board.Refusal(http.StatusBadRequest, "the body does not come").As(analysis.Malformed)
	}
	return data, nil
}

// withBody reads the body of a request, of one of the media types, and then runs a handler as
// atWork does: who sends slowly keeps nobody else from work.
func (s *Server) withBody(
	handle func(http.ResponseWriter, *http.Request, []byte) *board.Problem, kinds ...string,
) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		data, p := s.body(w, r, kinds)
		if p != nil {
			refuse(w, r, p)
			return
		}
		s.atWork(func(w http.ResponseWriter, r *http.Request) *board.Problem { return handle(w, r, data) })(w, r)
	}
}

// atWork runs a handler that takes memory or time, unless too many are under way. Its
// answer is sent when it has ended: who reads slowly keeps nobody else from work, unless
// too much waits to be read.
func (s *Server) atWork(handle func(http.ResponseWriter, *http.Request) *board.Problem) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case s.working <- struct{}{}:
		default:
			p := board.Refusal(http.StatusTooManyRequests, "%d requests are under way, which is the most: try again soon",
				cap(s.working))
			refuse(w, r, p)
			return
		}
		done := sync.OnceFunc(func() { <-s.working })
		defer done()
		kept := &keptAnswer{ResponseWriter: w, status: http.StatusOK}
		if p := handle(kept, r); p != nil {
			refuse(kept, r, p)
		}
		size := int64(len(kept.body))
		defer s.unsent.Add(-size)
		if s.unsent.Add(size) <= int64(s.limits.Unsent) {
			done()
		}
		kept.send()
	}
}

// keptAnswer keeps an answer until it is sent.
type keptAnswer struct {
	http.ResponseWriter
	status int
	body   []byte
}

// WriteHeader implements [http.ResponseWriter].
func (k *keptAnswer) WriteHeader(status int) { k.status = status }

// Write implements [http.ResponseWriter].
func (k *keptAnswer) Write(data []byte) (int, error) {
	k.body = append(k.body, data...)
	return len(data), nil
}

// send writes what was kept.
func (k *keptAnswer) send() {
	k.ResponseWriter.WriteHeader(k.status)
	_, _ = k.ResponseWriter.Write(k.body) // whoever asked may be gone, which is no concern of ours
}
