package arena

import (
	"errors"
	"fmt"
	"time"

	"github.com/carozero/carozero/game"
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
		Name: "the journal of a match", Rows: "games", Format: journalFormat, Version: journalVersion, MaxLine: maxLine,
		Header: want,
	}.Open(m.opts.Journal, true)
	if err != nil {
		return nil, nil, fmt.Errorf("journal %w", err)
	}
	finished, err := m.load(j)
	if err != nil {
		return nil, nil, fmt.Errorf("journal %w", errors.Join(err, j.Close()))
	}
	return j, finished, nil
}

// load returns the games of a journal by number, without those beyond the match's end.
func (m *Match) load(j *disk.Journal) (map[int]*Result, error) {
	finished := map[int]*Result{}
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

// journalFormat and journalVersion mark the header of a journal.
const (
	journalFormat  = "carozero-match"
	journalVersion = 2
)

// header is the first line of a journal: the settings that must be equal to
// resume a match. The openings are compared game by game.
type header struct {
	Format   string         `json:"format"`
	Version  int            `json:"version"`
	Program  string         `json:"program"`
	Players  []headerPlayer `json:"players"`
	Seed     uint64         `json:"seed"`
	MaxPlies int            `json:"max_plies"`
	Setting  string         `json:"setting"`
	Start    string         `json:"start"` // hash of the start position
}

// headerPlayer is an entrant.
type headerPlayer struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Control     string `json:"control"`
	Parts       []Part `json:"parts"`
}

// Part is a file that decides how a player plays: a network or a program.
type Part struct {
	What   string `json:"what"` // in a word
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

func (m *Match) header() (header, error) {
	h := header{
		Format:   journalFormat,
		Version:  journalVersion,
		Program:  m.opts.Program,
		Seed:     m.opts.Seed,
		MaxPlies: m.opts.MaxPlies,
		Setting:  m.opts.Setting,
		Start:    fmt.Sprintf("%016x", m.opts.Start.Hash()),
	}
	for _, e := range m.opts.Entrants {
		p := headerPlayer{Name: e.Name, Description: e.Description, Control: e.Control.String(), Parts: []Part{}}
		if e.Parts != nil {
			parts, err := e.Parts()
			if err != nil {
				return h, fmt.Errorf("player %s: %w", e.Name, err)
			}
			p.Parts = append(p.Parts, parts...)
		}
		h.Players = append(h.Players, p)
	}
	return h, nil
}

// row is a finished game as a line of the journal.
type row struct {
	Game    int         `json:"game"`
	Players [2]int      `json:"players"` // entrants by side
	Opening string      `json:"opening"`
	Moves   string      `json:"moves"` // those after the opening
	Result  string      `json:"result"`
	Reason  game.Reason `json:"reason"`
	Forfeit *rowForfeit `json:"forfeit,omitempty"`
	Slowest *[2]int64   `json:"slowest_ms,omitempty"` // of sides with a clock
	Late    *[2]int     `json:"late,omitempty"`
}

type rowForfeit struct {
	Side  string `json:"side"`
	Fault Fault  `json:"fault"`
	Text  string `json:"text"`
}

// newRow returns the row of a game.
func newRow(result *Result, notation game.Notation) row {
	r := row{
		Game:    result.Game,
		Players: result.Players,
		Opening: notation.FormatMoves(result.Moves[:result.Opening]),
		Moves:   notation.FormatMoves(result.Moves[result.Opening:]),
		Result:  result.Outcome.String(),
		Reason:  result.Reason,
	}
	if t := result.Timing; t != [2]Timing{} {
		r.Slowest = &[2]int64{t[0].Slowest.Milliseconds(), t[1].Slowest.Milliseconds()}
		r.Late = &[2]int{t[0].Late, t[1].Late}
	}
	if f := result.Forfeit; f != nil {
		r.Forfeit = &rowForfeit{Side: f.Side.String(), Fault: f.Fault, Text: f.Text}
	}
	return r
}

// result returns the game that the row describes.
func (r *row) result(notation game.Notation) (*Result, error) {
	opening, err := notation.ParseMoves(r.Opening)
	if err != nil {
		return nil, fmt.Errorf("opening: %w", err)
	}
	rest, err := notation.ParseMoves(r.Moves)
	if err != nil {
		return nil, fmt.Errorf("moves: %w", err)
	}
	result := &Result{
		Game:    r.Game,
		Players: r.Players,
		Opening: len(opening),
		Moves:   append(opening, rest...),
		Reason:  r.Reason,
	}
	for side := range result.Timing {
		if r.Slowest != nil {
			result.Timing[side].Slowest = time.Duration(r.Slowest[side]) * time.Millisecond
		}
		if r.Late != nil {
			result.Timing[side].Late = r.Late[side]
		}
	}
	var ok bool
	if result.Outcome, ok = game.ParseOutcome(r.Result); !ok {
		return nil, fmt.Errorf("result %q: want first, second or draw", r.Result)
	}
	if f := r.Forfeit; f != nil {
		result.Forfeit = &Forfeit{Side: game.First, Fault: f.Fault, Text: f.Text}
		switch f.Side {
		case game.First.String():
		case game.Second.String():
			result.Forfeit.Side = game.Second
		default:
			return nil, errors.New("forfeit: want the side first or second")
		}
	}
	return result, nil
}
