package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/record"
)

// Bounds of an import: a page has to hold what comes of it.
const (
	mostImported = 1_000
	mostNodes    = 100_000
	mostMarks    = 1_000_000 // a few bytes are many marks
)

// body reads the body of a request, of one of the media types, unless too many are being read.
func (s *Server) body(w http.ResponseWriter, r *http.Request, kinds []string) ([]byte, *problem) {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	known := false
	for _, k := range kinds {
		known = known || err == nil && kind == k
	}
	if !known {
		return nil, refusal(http.StatusUnsupportedMediaType, "want a Content-Type of %s", strings.Join(kinds, " or "))
	}
	select {
	case s.reading <- struct{}{}:
		defer func() { <-s.reading }()
	default:
		return nil, refusal(http.StatusTooManyRequests, "%d bodies are being read, which is the most: try again soon",
			cap(s.reading)).because("work")
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(s.limits.Body)))
	var big *http.MaxBytesError
	switch {
	case errors.As(err, &big):
		return nil, refusal(http.StatusRequestEntityTooLarge, "want at most %d bytes", s.limits.Body).because("body")
	case err != nil:
		return nil, refusal(http.StatusBadRequest, "the body does not come").as(analysis.Malformed)
	}
	return data, nil
}

// withBody reads the body of a request, of one of the media types, and then runs a handler as
// atWork does: who sends slowly keeps nobody else from work.
func (s *Server) withBody(
	handle func(http.ResponseWriter, *http.Request, []byte) *problem, kinds ...string,
) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		data, p := s.body(w, r, kinds)
		if p != nil {
			s.refuse(w, r, p)
			return
		}
		s.atWork(func(w http.ResponseWriter, r *http.Request) *problem { return handle(w, r, data) })(w, r)
	}
}

// atWork runs a handler that takes memory or time, unless too many are under way. Its
// answer is sent when it has ended: who reads slowly keeps nobody else from work, unless
// too much waits to be read.
func (s *Server) atWork(handle func(http.ResponseWriter, *http.Request) *problem) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case s.working <- struct{}{}:
		default:
			p := refusal(http.StatusTooManyRequests, "%d requests are under way, which is the most: try again soon",
				cap(s.working)).because("work")
			s.refuse(w, r, p)
			return
		}
		done := sync.OnceFunc(func() { <-s.working })
		defer done()
		kept := &keptAnswer{ResponseWriter: w, status: http.StatusOK}
		if p := handle(kept, r); p != nil {
			s.refuse(kept, r, p)
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

// imported is the answer to an import.
type imported struct {
	Format string  `json:"format"` // sgf, psq, lib, text or diagram
	Games  []*Game `json:"games"`
}

// importGames answers /api/import.
func (s *Server) importGames(w http.ResponseWriter, r *http.Request, data []byte) *problem {
	fallback, p := s.fallback(r)
	if p != nil {
		return p
	}
	found, err := parseGames(r.Context(), data, fallback)
	switch {
	case r.Context().Err() != nil:
		return refusal(http.StatusServiceUnavailable, "whoever asked is gone")
	case isTooBig(err):
		return refusal(http.StatusRequestEntityTooLarge, "%v", oneLine(err)).because("tree")
	case err != nil:
		return refusal(http.StatusBadRequest, "%v", oneLine(err)).because("import").as(gamesCode(err))
	}
	answerJSON(w, r, http.StatusOK, found)
	return nil
}

// fallback returns the variant of games that name none: the server's own, with what the
// query names instead. Of another game than the server's nothing is kept.
func (s *Server) fallback(r *http.Request) (games.VariantOptions, *problem) {
	d := s.opts.Config.Defaults
	o := games.VariantOptions{Game: d.Game, Rule: d.Rule, Size: d.Size}
	query := r.URL.Query()
	if name := query.Get("game"); name != "" && name != d.Game {
		o = games.VariantOptions{Game: name}
	}
	if rules := query.Get("rules"); rules != "" {
		o.Rule = rules
	}
	if size := query.Get("size"); size != "" {
		n, err := strconv.ParseInt(size, 10, 32)
		if err != nil || n < 1 {
			return o, invalid("size", "%s: want the columns of a board", shown(size))
		}
		o.Size = int(n)
	}
	if _, err := games.NewVariant(o); err != nil {
		return o, invalid(wrongParameter(o), "%v", oneLine(err))
	}
	return o, nil
}

// drawing tells a diagram: rows of points and stones alone.
var drawing = regexp.MustCompile(`^[.XxOo \t\r\n]*\.[.XxOo \t\r\n]*\n[.XxOo \t\r\n]*$`)

// cardDrawing tells a diagram of a game with cards: a line names the one that nobody holds.
var cardDrawing = regexp.MustCompile(`(?im)^[ \t]*side[ \t]*:`)

// parseGames reads whatever form a game has, until ctx ends.
func parseGames(ctx context.Context, data []byte, fallback games.VariantOptions) (*imported, error) {
	if text := strings.TrimPrefix(string(data), "\ufeff"); drawing.MatchString(text) {
		g, err := parseDiagram(text, fallback)
		return &imported{Format: "diagram", Games: []*Game{g}}, err
	} else if cardDrawing.MatchString(text) {
		g, err := parseCardDiagram(text)
		return &imported{Format: "diagram", Games: []*Game{g}}, err
	} else if gamefiles.Dealt(data[:min(len(data), record.HeadBytes)]) {
		fallback = games.VariantOptions{Game: games.GameOf(false)}
	}
	v, err := games.NewVariant(fallback)
	if err != nil {
		return nil, err
	}
	o := gamefiles.ReadOptions(v)
	o.MaxGames, o.MaxNodes, o.MaxMarks = mostImported, mostNodes, mostMarks
	trees, format, err := record.Parse(data, o)
	if err != nil {
		return nil, err
	}
	found := &imported{Format: format.String(), Games: []*Game{}}
	for i, t := range trees {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g, err := gameOf(t, fallback)
		if err != nil && len(trees) > 1 {
			err = fmt.Errorf("game %d: %w", i+1, err)
		}
		if err != nil {
			return nil, err
		}
		found.Games = append(found.Games, g)
	}
	return found, nil
}

// parseCardDiagram reads a drawing of a game with cards.
func parseCardDiagram(text string) (*Game, error) {
	v, err := games.NewVariant(games.VariantOptions{Game: games.GameOf(false)})
	if err != nil {
		return nil, err
	}
	pos, err := v.ParseDiagram(games.Diagram{Text: text})
	if err != nil {
		return nil, err
	}
	g := newGame(v)
	g.InitialPosition = v.FormatGame(pos, nil)
	return g, nil
}

// parseDiagram reads a drawing as stones that are set up.
func parseDiagram(text string, o games.VariantOptions) (*Game, error) {
	v, err := games.NewVariant(o)
	if err == nil && v.Lines() == nil {
		v, err = games.NewVariant(games.VariantOptions{Game: games.GameOf(true)})
	}
	if err != nil {
		return nil, err
	}
	o = v.Options()
	rows, err := v.Lines().DrawnSize(text)
	if err != nil {
		return nil, err
	}
	o.Size = rows
	if v, err = games.NewVariant(o); err != nil {
		return nil, err
	}
	pos, err := v.ParseDiagram(games.Diagram{Text: text})
	if err != nil {
		return nil, err
	}
	g, n := newGame(v), v.Notation()
	for cell, stone := range v.Stones(pos) {
		if stone != games.NoStone {
			g.InitialStones = append(g.InitialStones, [2]string{
				analysis.PlayerOf(game.Side(stone - games.FirstStone)), n.FormatMove(game.Move(cell)),
			})
		}
	}
	g.InitialPlayer = analysis.PlayerOf(pos.ToMove())
	return g, nil
}

// oneLine returns the text of an error without line ends.
func oneLine(err error) string { return strings.Join(strings.Fields(err.Error()), " ") }
