package samples

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/disk"
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
func Verify(ctx context.Context, open CodecFunc, limit int, paths ...string) (Report, error) {
	v := &verifier{ctx: ctx, codecOf: open, limit: limit, report: Report{Problems: []Problem{}}}
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
	codecOf CodecFunc
	limit   int
	report  Report
}

// add enters the problems of a file, ordered by row.
func (v *verifier) add(file string, found problems) {
	slices.SortStableFunc(found, func(a, b Problem) int { return cmp.Compare(a.Row, b.Row) })
	v.report.Bad += len(found)
	for _, p := range found[:min(len(found), v.limit-len(v.report.Problems))] {
		p.File = file
		v.report.Problems = append(v.report.Problems, p)
	}
}

// wrong enters one problem of a file.
func (v *verifier) wrong(file, format string, args ...any) {
	var p problems
	p.add(-1, "", format, args...)
	v.add(file, p)
}

// path checks a directory or a file.
func (v *verifier) path(path string) error {
	_, file := shardNumber(filepath.Base(path))
	dir := path
	if file {
		dir = filepath.Dir(path)
	} else if who, held := disk.DirHolder(dir); held {
		v.report.UnderWay = append(v.report.UnderWay, fmt.Sprintf("%s: %v", dir, who))
	}
	// List the files before reading the manifest: a shard's line is written before its
	// journal is removed, so a shard with neither is really missing.
	names, _ := listDir(dir)
	r, err := v.run(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && file:
		return v.shard(Source{Path: path}, nil)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: want a run's directory, with a %s, or a shard's file", dir, ManifestName)
	case err != nil:
		v.wrong(filepath.Join(dir, ManifestName), "%v", err)
		return nil
	}
	if !file {
		v.copies(dir, r.networks)
	}
	found := false
	for i := range r.entries {
		source := Source{filepath.Join(dir, r.entries[i].File), &r.entries[i]}
		if file && source.Entry.File != filepath.Base(path) {
			continue
		}
		found = true
		if err := v.shard(source, r); err != nil {
			return err
		}
	}
	if !file {
		return v.complete(dir, names, r)
	}
	if !found {
		v.wrong(path, "not in the manifest: the shard was never finished")
	}
	return nil
}

// verifiedRun is a run's manifest, options and networks.
type verifiedRun struct {
	entries  []Entry
	text     []byte     // run.json
	plan     *Run       // what run.json says, nil where it says nothing
	networks []PlayedBy // by shard, nil where they do not change
}

// run reads the manifest and the options of the run in dir. The error is about the manifest.
func (v *verifier) run(dir string) (r *verifiedRun, err error) {
	r = &verifiedRun{}
	if r.entries, _, err = readManifest(dir); err != nil {
		return nil, err
	}
	var plan Run
	if r.text, err = readFile(filepath.Join(dir, RunName)); err == nil {
		plan, err = ParseRun(r.text)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r, nil
	case err != nil:
		v.wrong(filepath.Join(dir, RunName), "%v", err)
		return r, nil
	}
	r.plan = &plan
	if r.networks, _, err = readNetworks(dir, plan.GamesPerShard); err != nil {
		v.wrong(filepath.Join(dir, NetworksName), "%v", err)
	}
	return r, nil
}

// copies checks that the copies of a run's networks exist and have their digests.
func (v *verifier) copies(dir string, list []PlayedBy) {
	checked := map[string]bool{"": true}
	for _, p := range list {
		if checked[p.SHA256] {
			continue
		}
		checked[p.SHA256] = true
		path := filepath.Join(dir, NetworkName(p.SHA256))
		if sum, err := disk.SHA256(path); err != nil {
			v.wrong(path, "game %d was played with it: %v", p.FromGame, disk.Cause(err))
		} else if sum != p.SHA256 {
			v.wrong(path, "its sha256 is %s", sum)
		}
	}
}

// shard checks one shard, against its manifest entry and the run where there
// are any. An error is the context's or the disk's.
func (v *verifier) shard(source Source, run *verifiedRun) error {
	if err := v.ctx.Err(); err != nil {
		return err
	}
	s, e, err := source.decode(true)
	switch {
	case errors.Is(err, fs.ErrNotExist) && source.Entry != nil:
		v.wrong(source.Path, "the manifest lists it, but there is no such file")
		return nil
	case err != nil && !errors.Is(err, ErrShard):
		return fmt.Errorf("%s: %w", source.Path, err)
	case err != nil:
		v.wrong(source.Path, "%v", err)
		return nil
	}
	var found problems
	if _, err := source.compare(e); err != nil {
		found.add(-1, "", "%v", err)
	}
	h := &s.Header
	if run != nil && run.plan != nil {
		run.compare(e.File, s, &found)
	}
	v.report.Shards++
	v.report.Games += e.Games
	v.report.Rows += e.Rows
	if s.Columns.RowCRC == nil && h.Rows > 0 {
		found.add(-1, crcColumn, "missing: changes of what only the search knew cannot be seen")
	}
	s.Columns.check(len(h.Games), &found)
	codec, err := v.codecOf(h)
	if err != nil {
		found.add(-1, "", "%v", err)
	} else {
		s.replay(codec, &found)
	}
	v.add(source.Path, found)
	return nil
}

// compare checks a shard against the run's options, the record of its networks, and the
// games that belong into it.
func (r *verifiedRun) compare(file string, s *Shard, p *problems) {
	run := Run{Header: s.Header, Layout: s.Columns.Layout, Games: r.plan.Games, GamesPerShard: r.plan.GamesPerShard}
	k, _ := shardNumber(file)
	if h := &run.Header; r.networks != nil {
		var by PlayedBy
		if k < len(r.networks) {
			by = r.networks[k]
		}
		if by.Model != h.Model || by.SHA256 != h.ModelSHA256 {
			p.add(-1, "", "network %.80q %.70q, %s says %q %q", h.Model, h.ModelSHA256, NetworksName, by.Model, by.SHA256)
		}
		h.Model, h.ModelSHA256 = r.plan.Header.Model, r.plan.Header.ModelSHA256
	}
	if err := run.Same(r.text); err != nil {
		p.add(-1, "", "header: %v", err)
	}
	if k >= run.Shards() {
		p.add(-1, "", "the run has %d shards only", run.Shards())
		return
	}
	from, to := run.gamesOf(k)
	whole := len(s.Header.Games) == to-from
	for i := range s.Header.Games {
		whole = whole && s.Header.Games[i].ID == uint64(from+i)
	}
	if !whole {
		p.add(-1, "", "%d games: want the games %d to %d in order", len(s.Header.Games), from, to-1)
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
	planned := ""
	if r.plan != nil {
		v.report.Planned += r.plan.Games
		planned = fmt.Sprintf(" of %d", r.plan.Games)
		last = min(last, r.plan.Shards()-1)
	}
	first, absent := -1, 0
	for k := last; k >= 0; k-- {
		if !listed[k] {
			first, absent = k, absent+1
		}
	}
	if absent > 0 {
		v.wrong(filepath.Join(dir, ManifestName), "%d%s games: no line for %d shards, %s the first", games, planned, absent,
			ShardName(first))
	}
	for _, name := range names {
		k, ok := journalNumber(name)
		if !ok || listed[k] || r.plan == nil {
			continue
		}
		if err := v.ctx.Err(); err != nil {
			return err
		}
		path := filepath.Join(dir, name)
		records, _, err := readJournal(path, r.plan.Layout)
		v.report.Waiting += len(records)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // its shard was finished meanwhile
			v.wrong(path, "%v", err)
		}
	}
	return nil
}
