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
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/games"
)

// reviews are the files that are open for review. They are read when somebody
// looks: of each its list of games is kept until the file changes, and of one at a
// time what is costly to read again.
type reviews struct {
	files []*reviewFile // none is added once there are requests

	mu   sync.Mutex // of the files' lists, and
	warm *shardFile // the shard that was read last
}

// reviewFile is one file.
type reviewFile struct {
	path     string
	kind     string
	fallback games.VariantOptions
	reader   reviewReader
	games    []Listed
	failed   error        // of listing
	state    os.FileInfo  // of the file that was listed; nil: none was
	count    atomic.Int64 // of the games; -1 until they were listed
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

	at int64 // where it begins in the file
}

// same reports whether two entries are of one game, wherever it begins.
func (l Listed) same(other Listed) bool {
	l.at = other.at
	return l == other
}

// listRecord returns the entry of a record, the n-th game, which begins at a byte.
func listRecord(r *gamefiles.Record, n int, at int64) Listed {
	t := r.Tree
	_, reason := r.Result()
	return Listed{
		N: n, Rules: r.Variant.Rule(), Size: cmp.Or(r.Variant.Size, t.Size), Plies: len(t.Moves(t.MainLeaf())),
		Result: t.Result, Reason: string(reason), Title: t.Title(), at: at,
	}
}

// mostListed bounds the games of one file that can be looked at.
const mostListed = 100_000

// reviewReader reads the games of one kind of files.
type reviewReader interface {
	list(f *reviewFile) ([]Listed, error)
	game(f *reviewFile, entry Listed) (*Game, error)
}

// openReviews looks at files and folders, as package gamefiles takes them, and rows of
// a cross-check. Games that name no rules are of the fallback.
func (s *Server) openReviews(paths []string, fallback games.VariantOptions) error {
	for _, path := range paths {
		files, err := gamefiles.Expand(path)
		if err != nil {
			return err
		}
		for _, file := range files {
			f, err := s.reviews.open(file, fallback)
			if err != nil {
				return err
			}
			s.reviews.files = append(s.reviews.files, f)
		}
	}
	return nil
}

// infos describes the files, also while one is being read.
func (r *reviews) infos() []FileInfo {
	infos := []FileInfo{}
	for i, f := range r.files {
		infos = append(infos, FileInfo{ID: i, Path: f.path, Kind: f.kind, Games: int(f.count.Load())})
	}
	return infos
}

// file returns the file that a request names.
func (r *reviews) file(req *http.Request) (*reviewFile, *problem) {
	id, err := strconv.Atoi(req.PathValue("id"))
	if err != nil || id < 0 || id >= len(r.files) {
		return nil, refusal(http.StatusNotFound, "there is no file %s", shown(req.PathValue("id"))).in("id")
	}
	return r.files[id], nil
}

// look lists the games of a file, again if it has changed since it was listed, or could
// not be read then.
func (r *reviews) look(f *reviewFile) *problem {
	now, err := os.Stat(f.path)
	if f.state == nil || err != nil || !sameState(f.state, now) {
		if r.warm != nil && r.warm.path == f.path {
			r.warm = nil
		}
		f.games, f.failed = f.reader.list(f)
		f.count.Store(int64(len(f.games)))
		f.state = now
		if _, unread := errors.AsType[syscall.Errno](f.failed); unread || err != nil {
			f.state = nil
		}
	}
	if f.failed != nil && len(f.games) == 0 {
		return refusal(http.StatusBadRequest, "%s", oneLine(f.failed)).because("file").as(gamesCode(f.failed))
	}
	return nil
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
func (s *Server) listGames(w http.ResponseWriter, r *http.Request) *problem {
	from, count := 0, 100
	for name, into := range map[string]*int{"from": &from, "count": &count} {
		text := r.URL.Query().Get(name)
		if text == "" {
			continue
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || name == "count" && n > mostOnAPage {
			return refusal(http.StatusBadRequest, "want a whole number, at most %d games", mostOnAPage).in(name)
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
		return p
	}
	l := listing{Total: len(f.games), Games: []Listed{}}
	if from < len(f.games) {
		l.Games = f.games[from:min(len(f.games), from+count)]
	}
	if f.failed != nil {
		l.Error, l.Code = oneLine(f.failed), gamesCode(f.failed)
	}
	answerJSON(w, r, http.StatusOK, l)
	return nil
}

// showGame answers /api/review/{id}/{n}, unless the file has another game there than when
// it was listed.
func (s *Server) showGame(w http.ResponseWriter, r *http.Request) *problem {
	s.reviews.mu.Lock()
	defer s.reviews.mu.Unlock()
	f, p := s.reviews.file(r)
	if p != nil {
		return p
	}
	listed := f.games
	if p := s.reviews.look(f); p != nil {
		return p
	}
	n, err := strconv.Atoi(r.PathValue("n"))
	if err == nil && 0 <= n && n < len(listed) && (n >= len(f.games) || !listed[n].same(f.games[n])) {
		return refusal(http.StatusConflict, "%s has changed: its game %d is another now; ask for the list again", f.path,
			n).in("n")
	}
	if err != nil || n < 0 || n >= len(f.games) {
		return refusal(http.StatusNotFound, "there is no game %s: the file has %d, from 0", shown(r.PathValue("n")),
			len(f.games)).in("n")
	}
	g, err := f.reader.game(f, f.games[n])
	if err != nil {
		return refusal(http.StatusBadRequest, "%s: game %d: %s", f.path, n, oneLine(err)).because("file").as(gamesCode(err))
	}
	answerJSON(w, r, http.StatusOK, g)
	return nil
}

// errMore says that a file has more games than are listed.
var errMore = errors.New("the file has more games than are listed")

// more returns errMore with the bound.
func more() error { return fmt.Errorf("%w: the first %d", errMore, mostListed) }
