package arena

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
)

// margin is how far a clock may be overstepped: how late a busy machine may wake a player.
const margin = 500 * time.Millisecond

// table is a game in progress. The referee trusts none of the players.
type table struct {
	*Options
	pos      game.Position
	players  [2]Player // by side, as the rest
	controls [2]TimeControl
	left     [2]time.Duration
	result   Result
}

// referee plays a game between the players, which come by entrant. It returns an error only
// when ctx ends before the game does.
func (m *Match) referee(ctx context.Context, j job, players [2]Player) (*Result, error) {
	t := &table{
		Options: &m.opts, pos: j.pos.Clone(),
		result: Result{Game: j.game, Players: seats(j.game), Opening: len(j.opening), Moves: slices.Clone(j.opening)},
	}
	for side, entrant := range t.result.Players {
		t.players[side], t.controls[side] = players[entrant], m.opts.Entrants[entrant].Control
		t.left[side] = t.controls[side].Base
	}
	for side := range t.players {
		if t.result.Outcome == game.Undecided {
			t.begin(ctx, game.Side(side))
		}
	}
	for t.result.Outcome == game.Undecided && ctx.Err() == nil {
		if t.MaxPlies > 0 && len(t.result.Moves) >= t.MaxPlies {
			t.end(game.Draw, game.MoveLimit)
			break
		}
		t.turn(ctx)
	}
	return &t.result, ctx.Err()
}

// begin announces the game to one player.
func (t *table) begin(ctx context.Context, side game.Side) {
	start := Start{Game: t.result.Game, Seed: gameSeed(t.Seed, t.result.Game, int(side))}
	limited, cancel := t.limit(ctx, t.HangLimit)
	defer cancel()
	began := t.Time.Now()
	err := t.players[side].NewGame(limited, start)
	t.judge(side, err, limited, t.Time.Now().Sub(began), t.HangLimit, "starting the game")
}

// turn has the side to move make one move.
func (t *table) turn(ctx context.Context) {
	side := t.pos.ToMove()
	control := t.controls[side]
	clock := engine.Clock{
		Turn: control.Turn, Increment: control.Increment,
		Moves: (len(t.result.Moves) - t.result.Opening) / 2, Timekeeper: engine.Referee,
	}
	if control.timed() {
		clock.Left = max(t.left[side], 1)
	}
	allowed := t.HangLimit
	limit, timed := clock.Limit()
	if timed {
		allowed = limit + margin
	}
	limited, cancel := t.limit(ctx, allowed)
	defer cancel()
	began := t.Time.Now()
	found, err := t.players[side].Think(limited, t.pos.Clone(), engine.Limits{Clock: clock})
	took := t.Time.Now().Sub(began)
	if timed {
		t.result.Timing[side].note(took, limit)
	}
	what := fmt.Sprintf("move %d", len(t.result.Moves)+1)
	if !t.judge(side, err, limited, took, allowed, what) {
		return
	}
	m := game.NoMove
	if found != nil {
		m = found.Move
	}
	if !t.pos.Legal(m) {
		name := "no move"
		if m != game.NoMove {
			name = t.Notation.FormatMove(m)
		}
		t.forfeit(side, Illegal, fmt.Sprintf("%s, %s, is illegal", what, name))
		return
	}
	if control.timed() {
		t.left[side] = max(t.left[side]-took, 0) + clock.Increment
	}
	t.pos.Play(m)
	t.result.Moves = append(t.result.Moves, m)
	t.end(t.pos.Outcome(), t.pos.Reason())
}

// limit returns ctx with a time limit, 0 for no limit.
func (t *table) limit(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d == 0 {
		return context.WithCancel(ctx)
	}
	return t.Time.WithDeadline(ctx, t.Time.Now().Add(d))
}

// judge forfeits the game if a call of side's player failed or took longer
// than allowed (0: no limit); otherwise it returns true. Calls that failed
// because the match was interrupted are judged too, but play drops their game.
func (t *table) judge(
	side game.Side, err error, limited context.Context, took, allowed time.Duration, what string,
) bool {
	switch {
	case allowed > 0 && (took > allowed || err != nil && limited.Err() != nil):
		t.forfeit(side, Timeout, fmt.Sprintf("%s took %v, allowed %v", what, max(took, allowed), allowed))
	case err != nil:
		t.forfeit(side, Failed, fmt.Sprintf("%s: %v", what, err))
	default:
		return true
	}
	return false
}

func (t *table) forfeit(side game.Side, fault Fault, text string) {
	text = strings.Join(strings.Fields(text), " ")
	t.result.Forfeit = &Forfeit{Side: side, Fault: fault, Text: text}
	t.end(game.WinFor(side.Other()), game.Forfeit)
}

func (t *table) end(outcome game.Outcome, reason game.Reason) {
	t.result.Outcome, t.result.Reason = outcome, reason
}

// TimeControl limits the time of one player. The zero value sets no limit.
type TimeControl struct {
	Turn      time.Duration // for each move; 0: no limit of its own
	Base      time.Duration // for the game; 0 with no increment: no limit
	Increment time.Duration // added after each move
}

// maxSeconds bounds the parts of a time control, about eleven days.
const maxSeconds = 1e6

// ParseTimeControl reads a game's time and its increment in seconds, as in
// "60+0.5" or "300".
func ParseTimeControl(text string) (TimeControl, error) {
	base, increment, both := strings.Cut(text, "+")
	c := TimeControl{}
	var err error
	if c.Base, err = parseSeconds(base); err == nil && both {
		c.Increment, err = parseSeconds(increment)
	}
	if err != nil || c.Base == 0 {
		return TimeControl{}, fmt.Errorf("time control %q: want seconds and an increment, as in 60+0.5", text)
	}
	return c, nil
}

func parseSeconds(text string) (time.Duration, error) {
	s, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, err
	}
	if !(s >= 0 && s <= maxSeconds) {
		return 0, strconv.ErrRange
	}
	return time.Duration(math.Round(s * float64(time.Second))), nil
}

// timed reports whether the game as a whole is limited.
func (c TimeControl) timed() bool { return c.Base > 0 || c.Increment > 0 }

// Limited reports whether there is any limit.
func (c TimeControl) Limited() bool { return c.timed() || c.Turn > 0 }

// String returns the control in words, "none" for no limit.
func (c TimeControl) String() string {
	var parts []string
	if c.timed() {
		parts = append(parts, fmt.Sprintf("%g+%g s a game", c.Base.Seconds(), c.Increment.Seconds()))
	}
	if c.Turn > 0 {
		parts = append(parts, fmt.Sprintf("%g s a move", c.Turn.Seconds()))
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// Start describes a new game to one of its players.
type Start struct {
	Game int    // the game's number in the match, from 0
	Seed uint64 // a function of the match's seed, Game and the player's side
}

// Player plays one game at a time. It belongs to one goroutine at a time. All
// methods must return soon after their context ends, because the referee
// cannot stop them otherwise.
type Player interface {
	// NewGame prepares for a game. Earlier games must not influence this one.
	// An error forfeits the game.
	NewGame(ctx context.Context, start Start) error

	// Think answers for pos, which is undecided and a copy that the player may
	// change and keep, as a [engine.Engine] does. Of limits only the clock is
	// given. The context ends when the player has overstepped its time. An
	// illegal move and any error forfeit the game.
	Think(ctx context.Context, pos game.Position, limits engine.Limits) (*engine.Answer, error)

	// Close ends the player and frees what it holds.
	Close() error
}

// Entrant is one participant of a match.
type Entrant struct {
	// Name names the entrant in records and summaries.
	Name string

	// Description is the player's full description, and Parts returns the
	// files that it uses, nil for none. A match resumes from a journal only if
	// both are unchanged.
	Description string
	Parts       func() ([]Part, error)

	// New makes a player. Each worker makes its own, and makes another in
	// place of one that forfeited. It is called by several goroutines at once.
	New func() (Player, error)

	// Control limits the entrant's time. The zero value sets no limit.
	Control TimeControl
}

// Result is a finished game.
type Result struct {
	Game    int         // its number in the match, from 0
	Players [2]int      // the entrants by side
	Opening int         // how many of Moves are the opening
	Moves   []game.Move // from the match's start; an illegal move is not among them
	Outcome game.Outcome
	Reason  game.Reason
	Forfeit *Forfeit // how the loser forfeited, nil if it did not

	Timing [2]Timing
}

// Timing is how a side used its clock; the zero value for one without a clock.
type Timing struct {
	Slowest time.Duration // its longest move, in whole milliseconds
	Late    int           // moves that exceeded the limit, even within the margin
}

// note counts a move by its time and limit.
func (t *Timing) note(took, allowed time.Duration) {
	t.Slowest = max(t.Slowest, took.Truncate(time.Millisecond))
	if took > allowed {
		t.Late++
	}
}

// Fault is a way to forfeit a game.
type Fault string

// The faults.
const (
	Illegal Fault = "illegal" // a move that the rules do not allow
	Failed  Fault = "error"   // the player returned an error
	Timeout Fault = "timeout" // it overstepped its time
)

// Forfeit says how a player lost a game other than on the board.
type Forfeit struct {
	Side  game.Side
	Fault Fault
	Text  string // one line that explains it
}

// verify replays the game from start and returns an error if its result does not follow from
// the rules and the limit of moves, 0 for none.
func (r *Result) verify(start game.Position, maxPlies int) error {
	pos := start.Clone()
	for i, m := range r.Moves {
		if !pos.Legal(m) {
			return fmt.Errorf("move %d is illegal", i+1)
		}
		pos.Play(m)
	}
	outcome, reason := pos.Outcome(), pos.Reason()
	if outcome == game.Undecided {
		switch reason = r.Reason; {
		case reason == game.Forfeit && r.Forfeit != nil:
			outcome = game.WinFor(r.Forfeit.Side.Other())
		case reason == game.MoveLimit && maxPlies > 0 && len(r.Moves) >= maxPlies:
			outcome = game.Draw
		}
	}
	if outcome == game.Undecided || r.Outcome != outcome || r.Reason != reason {
		return fmt.Errorf("the result %s by %q does not follow from the moves, which give %s by %q", r.Outcome, r.Reason,
			outcome, reason)
	}
	return nil
}
