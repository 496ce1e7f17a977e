package arena

import (
	"errors"
	"fmt"

	"github.com/carozero/carozero/internal/disk"
)

// maxLine bounds a line of the journal, in bytes.
const maxLine = 1 << 20

// openJournal opens or creates the match's journal, a line a finished game in the order in
// which they ended, and returns the games in it by number.
func (m *Match) openJournal() (*disk.Journal, map[int]*Result, error) {
	if m.opts.Journal == "" {
		return &disk.Journal{}, nil, nil
	}
	want, err := m.header()
	if err != nil {
		return nil, nil, err
	}
	j, err := disk.JournalKind{
		Name: "the journal of a match", Rows: "games", Format: journalFormat, Version: journalVersion, MaxLine: maxLine, Header: want,
	}.Open(m.opts.Journal, true)
	if err != nil {
		return nil, nil, fmt.Errorf("journal %w", err)
	}
	finished, err := m.load(j, want)
	if err != nil {
		return nil, nil, fmt.Errorf("journal %w", errors.Join(err, j.Close()))
	}
	return j, finished, nil
}

// load reads a journal, which must have the header of the same match, and returns its
// games by number, without those beyond the match's end.
func (m *Match) load(j *disk.Journal, want header) (map[int]*Result, error) {
	finished := map[int]*Result{}
	var found header
	if there, err := j.Next(&found); err != nil || !there {
		return finished, err
	}
	if d := want.differs(found); d != "" {
		return nil, j.Refuse(fmt.Errorf("the journal of another match: %s; name another file", d))
	}
	for {
		var r row
		if there, err := j.Next(&r); err != nil || !there {
			return finished, err
		}
		result, err := m.known(&r, finished)
		if err != nil {
			return nil, j.Refuse(err)
		}
		if r.Game < m.schedule.total() {
			finished[r.Game] = result
		}
	}
}

// known checks a row by the schedule and the rules and returns its game.
func (m *Match) known(r *row, finished map[int]*Result) (*Result, error) {
	result, err := r.result(m.opts.Notation)
	if err != nil || r.Game >= m.schedule.total() {
		return result, err
	}
	if _, twice := finished[r.Game]; twice || r.Game < 0 {
		return nil, fmt.Errorf("game %d is there twice, or is none", r.Game)
	}
	if want := m.schedule.at(r.Game).players; r.Players != want {
		why := ""
		if len(m.opts.Entrants) > 2 {
			why = "; between more than two players an odd number of games must stay the same"
		}
		return nil, fmt.Errorf("game %d has the players %v, here %v%s", r.Game, r.Players, want, why)
	}
	start, err := m.startOf(m.schedule.at(r.Game).round)
	if err != nil {
		return nil, err
	}
	if err := result.verify(start, m.opts.MaxPlies); err != nil {
		return nil, fmt.Errorf("game %d: %w", r.Game, err)
	}
	return result, nil
}
