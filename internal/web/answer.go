package web

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/board"
	"github.com/carozero/carozero/internal/review"
)

// answer writes a whole body, none for HEAD.
func answer(w http.ResponseWriter, r *http.Request, data []byte) {
	w.Header().Set("Content-Length", strconv.Itoa(len(data)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(data) // whoever asked may be gone, which is no concern of ours
	}
}

// send writes a reply.
func send(w http.ResponseWriter, r *http.Request, reply *board.Reply) {
	h := w.Header()
	h.Set("Content-Type", reply.Type)
	h.Set("Cache-Control", "no-store")
	for name, value := range reply.Header {
		h.Set(name, value)
	}
	h.Set("Content-Length", strconv.Itoa(len(reply.Body)))
	w.WriteHeader(reply.Status)
	answer(w, r, reply.Body)
}

// refuse writes a problem.
func refuse(w http.ResponseWriter, r *http.Request, p *board.Problem) { send(w, r, p.Reply()) }

// handler answers a request with a body, or says why not.
type handler func(r *http.Request, body []byte) (*board.Reply, *board.Problem)

// atWork runs a handler that takes memory or time, unless too many are under way. Its
// answer is sent when it has ended: who reads slowly keeps nobody else from work, unless
// too much waits to be read. Of a body, of one of the media types, nobody else waits for what
// is slow to come.
func (s *Server) atWork(handle handler, kinds ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body []byte
		if len(kinds) > 0 {
			var p *board.Problem
			if body, p = s.body(w, r, kinds); p != nil {
				refuse(w, r, p)
				return
			}
		}
		select {
		case s.working <- struct{}{}:
		default:
			refuse(w, r, board.Refusal(http.StatusTooManyRequests,
				"%d requests are under way, which is the most: try again soon", cap(s.working)))
			return
		}
		done := sync.OnceFunc(func() { <-s.working })
		defer done()
		reply, p := handle(r, body)
		if p != nil {
			reply = p.Reply()
		}
		size := int64(len(reply.Body))
		defer s.unsent.Add(-size)
		if s.unsent.Add(size) <= int64(s.limits.Unsent) {
			done()
		}
		send(w, r, reply)
	}
}

// body reads the body of a request, of one of the media types, unless too many are being read.
func (s *Server) body(w http.ResponseWriter, r *http.Request, kinds []string) ([]byte, *board.Problem) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || !slices.Contains(kinds, kind) {
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

// config answers /api/config.
func (s *Server) config(w http.ResponseWriter, r *http.Request) {
	c := s.opts.Config
	c.Limits.Line, c.Limits.Body = s.opts.Line, s.limits.Body
	c.Page, c.Scale = s.page, review.NewScale()
	c.Review, c.Book = s.reviews.infos(), s.bookInfo()
	send(w, r, board.JSON(http.StatusOK, c))
}

// importGames answers /api/import.
func (s *Server) importGames(r *http.Request, data []byte) (*board.Reply, *board.Problem) {
	return s.opts.Config.Defaults.Import(r.Context(), r.URL.Query().Get, data)
}

// exportGame answers /api/export.
func (s *Server) exportGame(_ *http.Request, data []byte) (*board.Reply, *board.Problem) {
	return board.Export(s.service, data)
}
