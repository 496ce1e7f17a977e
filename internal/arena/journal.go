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
	finished := map[int]*Result{}
	for {
		var r row
		there, err := j.Next(&r)
		if err == nil && !there {
			return j, finished, nil
		}
		if err == nil {
			if err = m.read(&r, finished); err != nil {
				err = j.Refuse(err)
			}
		}
		if err != nil {
			return nil, nil, fmt.Errorf("journal %w", errors.Join(err, j.Close()))
		}
	}
}

// read checks a row by the rules and adds its game to the finished ones, unless the match
// ends before.
func (m *Match) read(r *row, finished map[int]*Result) error {
	result, err := r.result(m.opts.Notation)
	if err != nil || r.Game >= m.opts.Games {
		return err
	}
	if _, twice := finished[r.Game]; twice || r.Game < 0 || r.Players != seats(r.Game) {
		return fmt.Errorf("game %d is there twice, is none, or has other players", r.Game)
	}
	start, err := m.start(r.Game / 2)
	if err != nil {
		return err
	}
	if err := result.verify(start, m.opts.MaxPlies); err != nil {
		return fmt.Errorf("game %d: %w", r.Game, err)
	}
	finished[r.Game] = result
	return nil
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
		Game: r.Game, Players: r.Players, Opening: len(opening), Moves: append(opening, rest...), Reason: r.Reason,
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
		if f.Side == game.Second.String() {
			result.Forfeit.Side = game.Second
		}
	}
	return result, nil
}
