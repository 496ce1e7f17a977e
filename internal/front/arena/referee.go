package arena

import (
	"context"
	"errors"
	"fmt"
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
func (t *table) judge(side game.Side, err error, limited context.Context, took, allowed time.Duration, what string) bool {
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
