package samples

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

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
