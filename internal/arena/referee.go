package arena

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
)

// referee plays games by the rules. It is immutable and safe for concurrent
// use.
type referee struct {
	start    func(pair int) (game.Position, error)
	notation game.Notation
	controls []TimeControl // by entrant
	seed     uint64
	maxPlies int           // 0: none
	hang     time.Duration // for a call without a limit of its own; 0: none
	margin   time.Duration
	time     engine.Time
}

// table is a game in progress.
type table struct {
	*referee
	pos    game.Position
	seats  [2]Player
	left   [2]time.Duration
	result Result
}

// play plays the game f after the opening, which is legal. It returns an
// error only when there is no start, or when ctx ends before the game does.
func (r *referee) play(ctx context.Context, f fixture, opening []game.Move, seats [2]Player) (Result, error) {
	start, err := r.start(f.round)
	if err != nil {
		return Result{}, err
	}
	t := &table{referee: r, pos: start.Clone(), seats: seats}
	t.result = Result{Game: f.game, Players: f.players, Opening: len(opening)}
	for _, m := range opening {
		t.pos.Play(m)
	}
	t.result.Moves = append(t.result.Moves, opening...)
	for side := range seats {
		t.left[side] = r.controls[f.players[side]].Base
		t.begin(ctx, game.Side(side))
	}
	for t.result.Outcome == game.Undecided && ctx.Err() == nil {
		if r.maxPlies > 0 && len(t.result.Moves) >= r.maxPlies {
			t.end(game.Draw, game.MoveLimit)
			break
		}
		t.turn(ctx)
	}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	return t.result, nil
}

// begin announces the game to one player.
func (t *table) begin(ctx context.Context, side game.Side) {
	if t.result.Outcome != game.Undecided {
		return
	}
	start := Start{Game: t.result.Game, Seed: gameSeed(t.seed, t.result.Game, int(side))}
	limited, cancel := t.limit(ctx, t.hang)
	defer cancel()
	began := t.time.Now()
	err := t.seats[side].NewGame(limited, start)
	t.judge(side, err, limited, t.time.Now().Sub(began), t.hang, "starting the game")
}

// turn has the side to move make one move.
func (t *table) turn(ctx context.Context) {
	side := t.pos.ToMove()
	clock := t.clock(side)
	allowed := t.hang
	limit, timed := clock.Limit()
	if timed {
		allowed = limit + t.margin
	}
	limited, cancel := t.limit(ctx, allowed)
	defer cancel()
	began := t.time.Now()
	found, err := t.seats[side].Think(limited, t.pos.Clone(), engine.Limits{Clock: clock})
	took := t.time.Now().Sub(began)
	if timed {
		t.result.Timing[side].note(took, limit)
	}
	if errors.Is(err, ErrResign) {
		t.end(game.WinFor(side.Other()), game.Resigned)
		return
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
		t.forfeit(side, Illegal, fmt.Sprintf("%s, %s, is illegal", what, t.name(m)))
		return
	}
	if t.controls[t.result.Players[side]].timed() {
		t.left[side] = max(t.left[side]-took, 0) + clock.Increment
	}
	t.pos.Play(m)
	t.result.Moves = append(t.result.Moves, m)
	t.end(t.pos.Outcome(), t.pos.Reason())
}

// clock returns the clock of side, which is to move.
func (t *table) clock(side game.Side) engine.Clock {
	control := t.controls[t.result.Players[side]]
	c := engine.Clock{
		Turn: control.Turn, Increment: control.Increment,
		Moves: (len(t.result.Moves) - t.result.Opening) / 2, Timekeeper: engine.Referee,
	}
	if control.timed() {
		c.Left = max(t.left[side], 1)
	}
	return c
}

// limit returns ctx with a time limit, 0 for no limit.
func (t *table) limit(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	if d == 0 {
		return context.WithCancel(ctx)
	}
	return t.time.WithDeadline(ctx, t.time.Now().Add(d))
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

// name returns the text of a move, which may be NoMove.
func (t *table) name(m game.Move) string {
	if m == game.NoMove {
		return "no move"
	}
	return t.notation.FormatMove(m)
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

// ErrResign is returned by a player's Think to give the game up. It loses the
// game and is no forfeit.
var ErrResign = errors.New("resigned")

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
	// illegal move and any error but [ErrResign] forfeit the game.
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
	New func(ctx context.Context) (Player, error)

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

// add adds another game's timing.
func (t *Timing) add(o Timing) {
	t.Slowest = max(t.Slowest, o.Slowest)
	t.Late += o.Late
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

// verify replays the game from start and returns an error if it breaks the
// rules, or the limit of moves, 0 for none.
func (r *Result) verify(start game.Position, maxPlies int) error {
	pos := start.Clone()
	for i, m := range r.Moves {
		if !pos.Legal(m) {
			return fmt.Errorf("move %d is illegal", i+1)
		}
		pos.Play(m)
	}
	limited := r.Reason == game.MoveLimit
	if limited && (maxPlies == 0 || len(r.Moves) < maxPlies) || !limited && maxPlies > 0 && len(r.Moves) > maxPlies {
		return fmt.Errorf("%d moves, reason %q: the move limit is %d", len(r.Moves), r.Reason, maxPlies)
	}
	var outcome game.Outcome
	switch r.Reason {
	case game.Forfeit:
		if r.Forfeit == nil {
			return fmt.Errorf("a forfeit without its explanation")
		}
		outcome = game.WinFor(r.Forfeit.Side.Other())
	case game.Resigned:
		outcome = game.WinFor(pos.ToMove().Other())
	case game.MoveLimit:
		outcome = game.Draw
	default:
		if pos.Outcome() == game.Undecided || pos.Reason() != r.Reason {
			return fmt.Errorf("reason %q, where the rules say %q", r.Reason, pos.Reason())
		}
		if r.Outcome != pos.Outcome() {
			return fmt.Errorf("result %s, where the rules say %s", r.Outcome, pos.Outcome())
		}
		return nil
	}
	if pos.Outcome() != game.Undecided {
		return fmt.Errorf("reason %q in a game that the rules had ended", r.Reason)
	}
	if r.Outcome != outcome {
		return fmt.Errorf("result %s by %q, which gives %s", r.Outcome, r.Reason, outcome)
	}
	return nil
}
