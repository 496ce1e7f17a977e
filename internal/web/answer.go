package web

import (
	"net/http"
	"strconv"

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

// answerJSON writes a value.
func answerJSON(w http.ResponseWriter, r *http.Request, status int, v any) {
	send(w, r, board.JSON(status, v))
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
	if r.Method != http.MethodHead {
		_, _ = w.Write(reply.Body) // whoever asked may be gone, which is no concern of ours
	}
}

// refuse writes a problem.
func refuse(w http.ResponseWriter, r *http.Request, p *board.Problem) { send(w, r, p.Reply()) }

// config answers /api/config.
func (s *Server) config(w http.ResponseWriter, r *http.Request) {
	c := s.opts.Config
	c.Limits.Line, c.Limits.Body = s.line, s.limits.Body
	c.Page, c.Scale = s.page, review.NewScale()
	c.Review, c.Book = s.reviews.infos(), s.bookInfo()
	answerJSON(w, r, http.StatusOK, c)
}

// importGames answers /api/import.
func (s *Server) importGames(w http.ResponseWriter, r *http.Request, data []byte) *board.Problem {
	reply, p := s.opts.Config.Defaults.Import(r.Context(), r.URL.Query().Get, data)
	if p == nil {
		send(w, r, reply)
	}
	return p
}

// exportGame answers /api/export.
func (s *Server) exportGame(w http.ResponseWriter, r *http.Request, data []byte) *board.Problem {
	reply, p := board.Export(s.service, data)
	if p == nil {
		send(w, r, reply)
	}
	return p
}
