package samples

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/nn"
)

// Codec reads, writes and encodes the games of one shard, so that they can be replayed.
type Codec struct {
	// Parse reads a game's text: its start and its moves, which it does not check for
	// legality. Format writes one.
	Parse  func(text string) (start game.Position, moves []game.Move, err error)
	Format func(start game.Position, moves []game.Move) string

	Notation game.Notation // of single moves
	Encoder  nn.Encoder
}

// CodecFunc returns the Codec for a header. It fails if it does not know the header's
// game, rule or size, or if the rule parameters are not those of the rule's name.
type CodecFunc func(h *Header) (Codec, error)

// Report is what Verify found.
type Report struct {
	Shards   int       `json:"shards"`
	Games    int       `json:"games"`
	Rows     int       `json:"rows"`
	Planned  int       `json:"planned"`             // games that the runs will have when complete; 0: unknown
	Waiting  int       `json:"waiting"`             // finished games in the journals of unfinished shards
	UnderWay []string  `json:"under_way,omitempty"` // runs that a process is writing to, with the process
	Problems []Problem `json:"problems"`            // at most the limit, in the order of files and rows
	Bad      int       `json:"bad"`                 // number of problems
}

// Verify checks runs and shards. A path is a run's directory, whose finished
// shards are checked, or a shard's file, which is checked against the manifest
// beside it if there is one.
//
// Every game is replayed through the rules and every row rebuilt from its
// moves; values that only the search knew are checked for consistency and against
// the row's checksum. A run must have the shards that its options plan, from the
// first on without a gap. An unfinished run is not a problem; the Report counts what
// is missing. A run may be verified while it is played.
//
// Problems with the files are in the Report, which lists at most limit of them. The
// error is for paths that hold no samples, and for the end of ctx.
func Verify(ctx context.Context, files FS, open CodecFunc, limit int, paths ...string) (Report, error) {
	v := &verifier{ctx: ctx, files: files, codecOf: open, limit: limit, report: Report{Problems: []Problem{}}}
	for _, path := range paths {
		if err := v.path(path); err != nil {
			return v.report, err
		}
	}
	return v.report, nil
}

// verifier checks one path after the other.
type verifier struct {
	ctx     context.Context
	files   FS
	codecOf CodecFunc
	limit   int
	report  Report
}

// add enters the problems of a file, ordered by row.
func (v *verifier) add(file string, found problems) {
	slices.SortStableFunc(found.list, func(a, b Problem) int { return cmp.Compare(a.Row, b.Row) })
	for _, p := range found.list {
		p.File = file
		if len(v.report.Problems) < v.limit {
			v.report.Problems = append(v.report.Problems, p)
		}
	}
	v.report.Bad += len(found.list) + found.more
}

// wrong enters one problem of a file.
func (v *verifier) wrong(file, format string, args ...any) {
	var p problems
	p.add(-1, "", format, args...)
	v.add(file, p)
}

// path checks a directory or a file.
func (v *verifier) path(path string) error {
	if _, ok := shardNumber(filepath.Base(path)); !ok {
		return v.directory(path)
	}
	r, err := v.run(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return v.shard(path, nil, nil)
	}
	if err != nil || r == nil {
		return err
	}
	i := slices.IndexFunc(r.entries, func(e Entry) bool { return e.File == filepath.Base(path) })
	if i < 0 {
		v.wrong(path, "not in the manifest: the shard was never finished")
		return nil
	}
	return v.shard(path, &r.entries[i], r)
}

// directory checks a run.
func (v *verifier) directory(dir string) error {
	if who := v.files.Holder(dir); who != "" {
		v.report.UnderWay = append(v.report.UnderWay, dir+": "+who)
	}
	// List the files before reading the manifest: a shard's line is written before its
	// journal is removed, so a shard with neither is really missing.
	names, err := v.files.List(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	r, err := v.run(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: want a run's directory, with a %s, or a shard's file", dir, ManifestName)
	}
	if err != nil || r == nil {
		return err
	}
	if err := v.copies(dir, r.networks); err != nil {
		return err
	}
	for i := range r.entries {
		if err := v.shard(filepath.Join(dir, r.entries[i].File), &r.entries[i], r); err != nil {
			return err
		}
	}
	return v.complete(dir, names, r)
}

// shard checks one shard, against its manifest entry and the run where there
// are any. An error is the context's or the disk's.
func (v *verifier) shard(path string, e *Entry, run *verifiedRun) error {
	if err := v.ctx.Err(); err != nil {
		return err
	}
	f, err := v.files.Open(path)
	if errors.Is(err, fs.ErrNotExist) && e != nil {
		v.wrong(path, "the manifest lists it, but there is no such file")
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	sum := newHashingReader(f)
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
	if run != nil && run.plan != nil {
		run.compare(filepath.Base(path), s, &found)
	}
	v.report.Shards++
	v.report.Games += len(s.Header.Games)
	v.report.Rows += s.Header.Rows
	if s.Columns.RowCRC == nil && s.Header.Rows > 0 {
		found.add(-1, crcColumn, "missing: changes of what only the search knew cannot be seen")
	}
	s.Columns.check(len(s.Header.Games), &found)
	codec, err := v.codecOf(&s.Header)
	if err != nil {
		found.add(-1, "", "%v", err)
	} else {
		s.replay(codec, &found)
	}
	v.add(path, found)
	return nil
}

// hashingReader counts and hashes the bytes read of a file.
type hashingReader struct {
	io.Reader
	hash hash.Hash
	n    int64
}

func newHashingReader(r io.Reader) *hashingReader {
	return &hashingReader{Reader: r, hash: sha256.New()}
}

// digest returns the SHA-256 of what was read.
func (s *hashingReader) digest() string { return hex.EncodeToString(s.hash.Sum(nil)) }

func (s *hashingReader) Read(b []byte) (int, error) {
	n, err := s.Reader.Read(b)
	s.hash.Write(b[:n])
	s.n += int64(n)
	return n, err
}

// compare checks the bytes against the manifest.
func (s *hashingReader) compare(e *Entry, p *problems) {
	if s.n != e.Bytes {
		p.add(-1, "", "%d bytes, the manifest says %d", s.n, e.Bytes)
	}
	if sum := s.digest(); sum != e.SHA256 {
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

// verifiedRun is a run's manifest, options and networks.
type verifiedRun struct {
	entries []Entry
	text    []byte // run.json, nil where there is none
	plan    *plan  // what run.json says, nil where it says nothing

	networks []PlayedBy // by shard, nil where they do not change
}

// run reads the manifest and the options of the run in dir. It returns nil
// after entering what is wrong with the manifest. There being no manifest is an
// error that wraps fs.ErrNotExist.
func (v *verifier) run(dir string) (*verifiedRun, error) {
	entries, err := ReadManifest(v.files, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err != nil {
		v.wrong(filepath.Join(dir, ManifestName), "%v", err)
		return nil, nil
	}
	r := &verifiedRun{entries: entries}
	r.text, err = readAll(v.files, filepath.Join(dir, RunName), maxRunFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r, nil
	case err == nil:
		r.plan, err = parsePlan(r.text)
	}
	if err != nil {
		v.wrong(filepath.Join(dir, RunName), "%v", err)
	}
	return r, v.networks(dir, r)
}

// compare checks a shard against the run's options and the games that belong
// into it.
func (r *verifiedRun) compare(file string, s *Shard, p *problems) {
	run := Run{Header: s.Header, Layout: s.Columns.Layout, Games: r.plan.Games, GamesPerShard: r.plan.GamesPerShard}
	k, _ := shardNumber(file)
	r.sameNetwork(k, &run, p)
	if err := run.same(r.text); err != nil {
		p.add(-1, "", "header: %v", err)
	}
	if k >= run.Shards() {
		p.add(-1, "", "the run has %d shards only", run.Shards())
		return
	}
	from, to := run.gamesOf(k)
	for i := range s.Header.Games {
		if id := s.Header.Games[i].ID; id != uint64(from+i) || from+i >= to {
			p.add(-1, "", "game %d in place %d: want the games %d to %d in order", id, i, from, to-1)
			return
		}
	}
	if len(s.Header.Games) != to-from {
		p.add(-1, "", "%d games: want the games %d to %d", len(s.Header.Games), from, to-1)
	}
}

// complete checks that the manifest has every shard that it must have: all before the last
// one listed, and all whose games are in no journal, by the names in the directory. It
// counts the planned games and those that wait in journals.
func (v *verifier) complete(dir string, names []string, r *verifiedRun) error {
	listed := map[int]bool{}
	last, games := -1, 0
	for _, e := range r.entries {
		k, _ := shardNumber(e.File)
		listed[k] = true
		last, games = max(last, k), games+e.Games
	}
	for _, name := range names {
		if k, ok := shardNumber(name); ok && !slices.Contains(names, journalName(k)) {
			last = max(last, k)
		}
	}
	if r.plan != nil {
		v.report.Planned += r.plan.Games
		last = min(last, r.plan.shards()-1)
	}
	absent := last + 1
	for k := range listed {
		if k <= last {
			absent--
		}
	}
	if absent > 0 {
		var missing []string
		for k := 0; k <= last && len(missing) < shownMissing; k++ {
			if !listed[k] {
				missing = append(missing, ShardName(k))
			}
		}
		text := strings.Join(missing, ", ")
		if absent > len(missing) {
			text += fmt.Sprintf(" and %d more", absent-len(missing))
		}
		v.wrong(filepath.Join(dir, ManifestName), "%s: no line for %s", r.plan.share(games), text)
	}
	return v.countWaiting(dir, names, listed, r.plan)
}

// shownMissing is how many shards a problem names.
const shownMissing = 4

// countWaiting counts the games in journals of shards that are not finished,
// and checks that they can be read.
func (v *verifier) countWaiting(dir string, names []string, listed map[int]bool, p *plan) error {
	for _, name := range names {
		k, ok := journalNumber(name)
		if !ok || listed[k] || p == nil {
			continue
		}
		if err := v.ctx.Err(); err != nil {
			return err
		}
		path := filepath.Join(dir, name)
		if _, err := readJournal(v.files, path, func(payload []byte) error {
			_, err := decodeRecord(payload, p.Layout)
			v.report.Waiting++
			return err
		}); err != nil {
			v.wrong(path, "%v", err)
		}
	}
	return nil
}

// share says in words how many of the planned games there are.
func (p *plan) share(games int) string {
	if p == nil {
		return fmt.Sprintf("%d games", games)
	}
	return fmt.Sprintf("%d of %d games", games, p.Games)
}
