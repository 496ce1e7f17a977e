package web

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/analysis"
	"github.com/carozero/carozero/internal/record/gamefiles"
)

// reviews are the files that are open for review. They are read when somebody
// looks: of each its list of games is kept, and of one at a time what is costly to
// read again.
type reviews struct {
	mu    sync.Mutex
	files []*reviewFile
	warm  *shardFile // the shard that was read last
}

// reviewFile is one file.
type reviewFile struct {
	path     string
	kind     string
	fallback games.VariantOptions
	reader   reviewReader
	listed   bool
	games    []Listed
	failed   error // of listing
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

// infos describes the files.
func (r *reviews) infos() []FileInfo {
	r.mu.Lock()
	defer r.mu.Unlock()
	infos := []FileInfo{}
	for i, f := range r.files {
		info := FileInfo{ID: i, Path: f.path, Kind: f.kind, Games: -1}
		if f.listed {
			info.Games = len(f.games)
		}
		infos = append(infos, info)
	}
	return infos
}

// file returns the file that a request names, with its list of games.
func (r *reviews) file(req *http.Request) (*reviewFile, *problem) {
	id, err := strconv.Atoi(req.PathValue("id"))
	if err != nil || id < 0 || id >= len(r.files) {
		return nil, refusal(http.StatusNotFound, "there is no file %s", shown(req.PathValue("id"))).in("id")
	}
	f := r.files[id]
	if !f.listed {
		f.games, f.failed = f.reader.list(f)
		f.listed = true
	}
	if f.failed != nil && len(f.games) == 0 {
		return nil, refusal(http.StatusBadRequest, "%s", oneLine(f.failed)).because("file").as(gamesCode(f.failed))
	}
	return f, nil
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

// showGame answers /api/review/{id}/{n}.
func (s *Server) showGame(w http.ResponseWriter, r *http.Request) *problem {
	s.reviews.mu.Lock()
	defer s.reviews.mu.Unlock()
	f, p := s.reviews.file(r)
	if p != nil {
		return p
	}
	n, err := strconv.Atoi(r.PathValue("n"))
	if err != nil || n < 0 || n >= len(f.games) {
		return refusal(http.StatusNotFound, "there is no game %s: the file has %d, from 0", shown(r.PathValue("n")), len(f.games)).in("n")
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
