package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/board"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/games"
)

// reviews are the files that are open for review. They are read when somebody
// looks: of each its list of games is kept until the file changes, and of one at a
// time what is costly to read again.
type reviews struct {
	fallback games.VariantOptions // of games that name no rules
	files    []*reviewFile        // none is added once there are requests

	mu   sync.Mutex       // of the files' lists, and
	warm *gamefiles.Shard // the shard that was read last
}

// reviewFile is one file.
type reviewFile struct {
	path, kind string
	games      []Listed
	failed     error        // of listing
	state      os.FileInfo  // of the file that was listed; nil: none was
	count      atomic.Int64 // of the games; -1 until they were listed
}

// Listed is an entry in the list of a file's games.
type Listed struct {
	N      int    `json:"n"`
	Rules  string `json:"rules"`
	Size   int    `json:"size"`
	Plies  int    `json:"plies"`
	Result string `json:"result,omitempty"`
	Reason string `json:"reason,omitempty"`
	Title  string `json:"title,omitempty"`
}

// mostListed bounds the games of one file that can be looked at.
const mostListed = 100_000

// openReviews looks at files and folders, as package gamefiles takes them, and rows of
// a cross-check. Games that name no rules are of the fallback.
func openReviews(paths []string, fallback games.VariantOptions) (*reviews, error) {
	r := &reviews{fallback: fallback}
	for _, path := range paths {
		files, err := gamefiles.Expand(path)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			f := &reviewFile{path: file}
			if f.kind, err = kindOf(file); err != nil {
				return nil, err
			}
			f.count.Store(-1)
			r.files = append(r.files, f)
		}
	}
	return r, nil
}

// infos describes the files, also while one is being read.
func (r *reviews) infos() []board.FileInfo {
	infos := []board.FileInfo{}
	for i, f := range r.files {
		infos = append(infos, board.FileInfo{ID: i, Path: f.path, Kind: f.kind, Games: int(f.count.Load())})
	}
	return infos
}

// file returns the file that a request names.
func (r *reviews) file(req *http.Request) (*reviewFile, *board.Problem) {
	id, err := strconv.Atoi(req.PathValue("id"))
	if err != nil || id < 0 || id >= len(r.files) {
		return nil, board.Refusal(http.StatusNotFound, "there is no file %s", analysis.Shown(req.PathValue("id"))).In("id")
	}
	return r.files[id], nil
}

// look lists the games of a file, again if it has changed since it was listed, or could
// not be read then.
func (r *reviews) look(f *reviewFile) *board.Problem {
	now, err := os.Stat(f.path)
	if f.state == nil || err != nil || !sameState(f.state, now) {
		if r.warm != nil && r.warm.Path == f.path {
			r.warm = nil
		}
		f.games, f.failed = r.list(f)
		f.count.Store(int64(len(f.games)))
		f.state = now
		if _, unread := errors.AsType[syscall.Errno](f.failed); unread || err != nil {
			f.state = nil
		}
	}
	if f.failed != nil && len(f.games) == 0 {
		return board.Refusal(http.StatusBadRequest, "%s", board.OneLine(f.failed)).As(codeOf(f.failed))
	}
	return nil
}

// list returns the games of a file, as far as it can be read.
func (r *reviews) list(f *reviewFile) (list []Listed, err error) {
	full := false
	err = r.each(f, func(g *fileGame) bool {
		if full = len(list) == mostListed; !full {
			list = append(list, g.listed(len(list)))
		}
		return !full
	})
	if full {
		err = fmt.Errorf("%w: the first %d", errMore, mostListed)
	}
	return list, err
}

// game returns the n-th game of a file.
func (r *reviews) game(f *reviewFile, n int) (g *board.Game, err error) {
	err = errors.New("the file has changed: it is shorter now")
	failed := r.each(f, func(found *fileGame) bool {
		if n--; n < 0 {
			g, err = found.show()
		}
		return n >= 0
	})
	return g, cmp.Or(failed, err)
}

// sameState reports whether a file is as it was.
func sameState(was, now os.FileInfo) bool {
	return os.SameFile(was, now) && was.Size() == now.Size() && was.ModTime().Equal(now.ModTime())
}

// listing is a part of the list of a file's games.
type listing struct {
	Total int      `json:"total"`
	Games []Listed `json:"games"`
	Error string   `json:"error,omitempty"` // why the file could not be read to its end

	Code analysis.Code `json:"code,omitempty"` // of that
}

// mostOnAPage bounds the games of one answer.
const mostOnAPage = 500

// listGames answers /api/review/{id}.
func (s *Server) listGames(r *http.Request, _ []byte) (*board.Reply, *board.Problem) {
	from, count := 0, 100
	for name, into := range map[string]*int{"from": &from, "count": &count} {
		text := r.URL.Query().Get(name)
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || name == "count" && n > mostOnAPage {
			return nil, board.Invalid(name, "want a whole number, at most %d games", mostOnAPage)
		}
		*into = n
	}
	s.reviews.mu.Lock()
	defer s.reviews.mu.Unlock()
	f, p := s.reviews.file(r)
	if p == nil {
		p = s.reviews.look(f)
	}
	if p != nil {
		return nil, p
	}
	l := listing{Total: len(f.games), Games: []Listed{}}
	if from < len(f.games) {
		l.Games = f.games[from:min(len(f.games), from+count)]
	}
	if f.failed != nil {
		l.Error, l.Code = board.OneLine(f.failed), codeOf(f.failed)
	}
	return board.JSON(http.StatusOK, l), nil
}

// showGame answers /api/review/{id}/{n}, unless the file has another game there than when
// it was listed.
func (s *Server) showGame(r *http.Request, _ []byte) (*board.Reply, *board.Problem) {
	s.reviews.mu.Lock()
	defer s.reviews.mu.Unlock()
	f, p := s.reviews.file(r)
	if p != nil {
		return nil, p
	}
	listed := f.games
	if p := s.reviews.look(f); p != nil {
		return nil, p
	}
	n, err := strconv.Atoi(r.PathValue("n"))
	if err == nil && 0 <= n && n < len(listed) && (n >= len(f.games) || listed[n] != f.games[n]) {
		return nil, board.Refusal(http.StatusConflict,
			"%s has changed: its game %d is another now; ask for the list again", f.path, n).In("n")
	}
	if err != nil || n < 0 || n >= len(f.games) {
		return nil, board.Refusal(http.StatusNotFound, "there is no game %s: the file has %d, from 0",
			analysis.Shown(r.PathValue("n")), len(f.games)).In("n")
	}
	g, err := s.reviews.game(f, n)
	if err != nil {
		return nil, board.Refusal(http.StatusBadRequest, "%s: game %d: %s", f.path, n, board.OneLine(err)).As(codeOf(err))
	}
	return board.JSON(http.StatusOK, g), nil
}

// errMore says that a file has more games than are listed.
var errMore = errors.New("the file has more games than are listed")

// codeOf returns the code of an error of reading a file.
func codeOf(err error) analysis.Code {
	if errors.Is(err, errMore) {
		return analysis.TooBig
	}
	return board.CodeOf(err)
}
