package samples

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/nn"
)

// Kit is what a shard's games are replayed with.
type Kit struct {
	// Parse reads a game: the position that it began at and its moves, of which
	// it checks the form only. Format writes one.
	Parse  func(text string) (start game.Position, moves []game.Move, err error)
	Format func(start game.Position, moves []game.Move) string

	Notation game.Notation // of single moves
	Encoder  nn.Encoder
}

// Opener makes the Kit for a header. It refuses a header whose game, rule or
// size it does not know, or whose rule parameters are not those of the name.
type Opener func(h *Header) (Kit, error)

// Report is what Verify found.
type Report struct {
	Shards   int       `json:"shards"`
	Games    int       `json:"games"`
	Rows     int       `json:"rows"`
	Problems []Problem `json:"problems"` // at most the limit, in the order of files and rows
	Bad      int       `json:"bad"`      // number of problems
}

// Verify checks runs and shards. A path is a run's directory, whose finished
// shards are checked, or a shard's file, which is checked against the manifest
// beside it if there is one.
//
// Every game is replayed through the rules and every row rebuilt from its
// moves; what only the search knew is checked for consistency and against the
// row's checksum. What is wrong with the files is in the Report, which lists
// at most limit problems; the error is for paths that are no samples at all and
// for the context's end.
func Verify(ctx context.Context, files FS, open Opener, limit int, paths ...string) (Report, error) {
	v := &verifier{ctx: ctx, files: files, open: open, limit: limit}
	for _, path := range paths {
		if err := v.path(path); err != nil {
			return v.report, err
		}
	}
	return v.report, nil
}

// verifier checks one path after the other.
type verifier struct {
	ctx    context.Context
	files  FS
	open   Opener
	limit  int
	report Report
}

// add enters the problems of a file, ordered by row.
func (v *verifier) add(file string, found []Problem) {
	slices.SortStableFunc(found, func(a, b Problem) int { return cmp.Compare(a.Row, b.Row) })
	for _, p := range found {
		p.File = file
		if len(v.report.Problems) < v.limit {
			v.report.Problems = append(v.report.Problems, p)
		}
		v.report.Bad++
	}
}

// path checks a directory or a file.
func (v *verifier) path(path string) error {
	dir, name := path, ""
	if _, ok := shardNumber(filepath.Base(path)); ok {
		dir, name = filepath.Split(path)
		dir = filepath.Clean(dir)
	}
	entries, err := ReadManifest(v.files, dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && name != "":
		return v.shard(path, nil, nil)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: want a run's directory, with a %s, or a shard's file", path, ManifestName)
	case err != nil:
		v.add(filepath.Join(dir, ManifestName), []Problem{{Row: -1, What: err.Error()}})
		return nil
	}
	run, err := readAll(v.files, filepath.Join(dir, RunName), 1<<24)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	listed := false
	for i := range entries {
		e := &entries[i]
		if name != "" && e.File != name {
			continue
		}
		listed = true
		if err := v.shard(filepath.Join(dir, e.File), e, run); err != nil {
			return err
		}
	}
	if name != "" && !listed {
		v.add(path, []Problem{{Row: -1, What: "not in the manifest: the shard was never finished"}})
	}
	return nil
}

// shard checks one shard, against its manifest entry and the text of run.json
// where there are any. An error is the context's or the disk's.
func (v *verifier) shard(path string, e *Entry, run []byte) error {
	if err := v.ctx.Err(); err != nil {
		return err
	}
	f, err := v.files.Open(path)
	if errors.Is(err, fs.ErrNotExist) && e != nil {
		v.add(path, []Problem{{Row: -1, What: "the manifest lists it, but there is no such file"}})
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	sum := &summer{Reader: f, hash: sha256.New()}
	s, err := decodeShard(sum, Limits{})
	if _, copied := io.Copy(io.Discard, sum); copied != nil {
		return copied
	}
	var found problems
	if e != nil {
		sum.compare(e, &found)
	}
	if err != nil {
		found.add(-1, "", "%v", err)
		v.add(path, found)
		return nil
	}
	if e != nil {
		compareEntry(e, &s.Header, &found)
	}
	if run != nil {
		compareRun(run, s, &found)
	}
	v.report.Shards++
	v.report.Games += len(s.Header.Games)
	v.report.Rows += s.Header.Rows
	if s.Columns.RowCRC == nil && s.Header.Rows > 0 {
		found.add(-1, crcColumn, "missing: changes of what only the search knew cannot be seen")
	}
	found = append(found, s.Columns.Check(len(s.Header.Games))...)
	kit, err := v.open(&s.Header)
	if err != nil {
		found.add(-1, "", "%v", err)
	} else {
		found = append(found, s.replay(kit)...)
	}
	v.add(path, found)
	return nil
}

// summer counts and sums the bytes of a file.
type summer struct {
	io.Reader
	hash hash.Hash
	n    int64
}

func (s *summer) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	s.hash.Write(b[:n])
	s.n += int64(n)
	return n, err
}

// compare checks the bytes against the manifest.
func (s *summer) compare(e *Entry, p *problems) {
	if s.n != e.Bytes {
		p.add(-1, "", "%d bytes, the manifest says %d", s.n, e.Bytes)
	}
	if sum := hex.EncodeToString(s.hash.Sum(nil)); sum != e.SHA256 {
		p.add(-1, "", "sha256 %s, the manifest says %s", sum, e.SHA256)
	}
}

// compareEntry checks the counts of the manifest.
func compareEntry(e *Entry, h *Header, p *problems) {
	if e.Rows != h.Rows || e.Games != len(h.Games) || e.ModelSHA256 != h.ModelSHA256 {
		p.add(-1, "", "%d rows, %d games, model %.80q; the manifest says %d, %d, %q",
			h.Rows, len(h.Games), h.ModelSHA256, e.Rows, e.Games, e.ModelSHA256)
	}
}

// compareRun checks the header against the run's options.
func compareRun(text []byte, s *Shard, p *problems) {
	var sizes struct {
		Games         int `json:"games"`
		GamesPerShard int `json:"games_per_shard"`
	}
	if err := json.Unmarshal(text, &sizes); err != nil {
		p.add(-1, "", "%s: %v", RunName, err)
		return
	}
	r := Run{Header: s.Header, Layout: s.Columns.Layout, Games: sizes.Games, GamesPerShard: sizes.GamesPerShard}
	if err := r.same(text); err != nil {
		p.add(-1, "", "header: %v", err)
	}
}
