package arena

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/carozero/carozero/game"
)

// journal is a file of JSON lines: a header that tells which match it belongs
// to, then one line a finished game in the order in which they ended, each
// synced before it is counted. A last line without its end was cut off by a
// crash and is dropped. The zero value keeps nothing.
type journal struct {
	file     *os.File
	notation game.Notation
}

// journalFormat and journalVersion mark the header.
const (
	journalFormat  = "carozero-match"
	journalVersion = 1
)

// header holds what must be equal for games to belong to the same match. The
// openings are compared game by game.
type header struct {
	Format   string   `json:"format"`
	Version  int      `json:"version"`
	Players  []string `json:"players"`
	Controls []string `json:"controls"`
	Seed     uint64   `json:"seed"`
	MaxPlies int      `json:"max_plies"`
	Setting  string   `json:"setting"`
	Start    string   `json:"start"` // hash of the start position
}

func (m *Match) header() header {
	h := header{
		Format:   journalFormat,
		Version:  journalVersion,
		Seed:     m.opts.Seed,
		MaxPlies: m.opts.MaxPlies,
		Setting:  m.opts.Setting,
		Start:    fmt.Sprintf("%016x", m.opts.Start.Hash()),
	}
	for _, e := range m.opts.Entrants {
		h.Players = append(h.Players, e.Name)
		h.Controls = append(h.Controls, e.Control.String())
	}
	return h
}

// differs returns the first field in which found is not h, "" if there is
// none.
func (h header) differs(found header) string {
	players := strings.Join(h.Players, ", ") != strings.Join(found.Players, ", ")
	controls := strings.Join(h.Controls, "; ") != strings.Join(found.Controls, "; ")
	switch {
	case found.Format != h.Format || found.Version != h.Version:
		return fmt.Sprintf("it is %s version %d: want %s version %d", found.Format, found.Version, h.Format, h.Version)
	case players:
		return fmt.Sprintf("players %q, here %q", found.Players, h.Players)
	case controls:
		return fmt.Sprintf("time controls %q, here %q", found.Controls, h.Controls)
	case found.Seed != h.Seed:
		return fmt.Sprintf("seed %d, here %d", found.Seed, h.Seed)
	case found.MaxPlies != h.MaxPlies:
		return fmt.Sprintf("move limit %d, here %d", found.MaxPlies, h.MaxPlies)
	case found.Setting != h.Setting:
		return fmt.Sprintf("setting %q, here %q", found.Setting, h.Setting)
	case found.Start != h.Start:
		return "another start position"
	}
	return ""
}

// openJournal opens or creates the match's journal and returns the games in
// it by number.
func (m *Match) openJournal() (*journal, map[int]*Result, error) {
	path := m.opts.Journal
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, nil, fmt.Errorf("journal: %w", err)
	}
	j := &journal{file: file, notation: m.opts.Notation}
	finished, err := j.load(m)
	if err != nil {
		j.close()
		return nil, nil, fmt.Errorf("journal %s: %w", path, err)
	}
	return j, finished, nil
}

// load reads the file, cuts off a torn last line, writes the header if there
// is none, and leaves the file at its end.
func (j *journal) load(m *Match) (map[int]*Result, error) {
	data, err := io.ReadAll(j.file)
	if err != nil {
		return nil, err
	}
	whole := bytes.LastIndexByte(data, '\n') + 1
	finished := map[int]*Result{}
	for number, line := range bytes.Split(data[:whole], []byte("\n")) {
		switch {
		case number == 0 && whole > 0:
			err = checkHeader(line, m.header())
		case len(line) > 0:
			err = j.read(line, m, finished)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number+1, err)
		}
	}
	if err := j.file.Truncate(int64(whole)); err != nil {
		return nil, err
	}
	if _, err := j.file.Seek(int64(whole), io.SeekStart); err != nil {
		return nil, err
	}
	if whole > 0 {
		return finished, nil
	}
	if err := j.write(m.header()); err != nil {
		return nil, err
	}
	return finished, syncFolder(filepath.Dir(j.file.Name()))
}

func checkHeader(line []byte, want header) error {
	var found header
	if err := json.Unmarshal(line, &found); err != nil {
		return fmt.Errorf("not the journal of a match: %w", err)
	}
	if d := want.differs(found); d != "" {
		return fmt.Errorf("the journal of another match: %s", d)
	}
	return nil
}

// read checks one game by the schedule and the rules, and enters it in
// finished unless it lies beyond the match's end.
func (j *journal) read(line []byte, m *Match, finished map[int]*Result) error {
	var r row
	if err := json.Unmarshal(line, &r); err != nil {
		return err
	}
	result, err := r.result(j.notation)
	if err != nil {
		return err
	}
	if r.Game >= m.schedule.total() {
		return nil
	}
	if _, twice := finished[r.Game]; twice || r.Game < 0 {
		return fmt.Errorf("game %d is there twice, or is none", r.Game)
	}
	if want := m.schedule.at(r.Game).players; r.Players != want {
		return fmt.Errorf("game %d has the players %v, here %v", r.Game, r.Players, want)
	}
	if err := result.verify(m.opts.Start); err != nil {
		return fmt.Errorf("game %d: %w", r.Game, err)
	}
	finished[r.Game] = result
	return nil
}

// append writes a finished game and syncs it.
func (j *journal) append(result *Result) error {
	if j.file == nil {
		return nil
	}
	if err := j.write(newRow(result, j.notation)); err != nil {
		return fmt.Errorf("journal %s: %w", j.file.Name(), err)
	}
	return nil
}

func (j *journal) write(value any) error {
	line, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return err
	}
	return j.file.Sync()
}

func (j *journal) close() {
	if j.file != nil {
		j.file.Close()
	}
}
