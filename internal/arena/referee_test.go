package arena

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
)

// hang ignores everything but its context, which ends after the time passes.
func hang(clock *fakeTime, d time.Duration) moveFunc {
	return func(ctx context.Context, _ *scripted, _ game.Position, _ engine.Clock) (game.Move, error) {
		clock.pass(d)
		<-ctx.Done()
		return game.NoMove, ctx.Err()
	}
}

// slow plays the lowest move after d.
func slow(clock *fakeTime, d time.Duration) moveFunc {
	return func(ctx context.Context, s *scripted, pos game.Position, c engine.Clock) (game.Move, error) {
		clock.pass(d)
		return firstMove(ctx, s, pos, c)
	}
}

// play answers the same always.
func play(m game.Move, err error) moveFunc {
	return func(context.Context, *scripted, game.Position, engine.Clock) (game.Move, error) { return m, err }
}

func TestForfeits(t *testing.T) {
	turn := TimeControl{Turn: time.Second}
	total := TimeControl{Base: 5 * time.Second, Increment: time.Second}
	for _, c := range []struct {
		name    string
		move    func(*fakeTime) moveFunc
		control TimeControl
		hang    time.Duration
		fault   Fault // "" for none
		text    string
	}{
		{name: "taken cell", move: func(*fakeTime) moveFunc { return play(0, nil) }, fault: Illegal,
			text: "move 3, a1, is illegal"},
		{name: "no move", move: func(*fakeTime) moveFunc { return play(game.NoMove, nil) }, fault: Illegal,
			text: "move 1, no move, is illegal"},
		{name: "off the board", move: func(*fakeTime) moveFunc { return play(77, nil) }, fault: Illegal,
			text: "move 1, c26, is illegal"},
		{name: "error", move: func(*fakeTime) moveFunc { return play(0, errBroken) }, fault: Failed, text: "move 1: broken"},
		{name: "late within the turn", move: func(f *fakeTime) moveFunc { return slow(f, time.Second+margin) },
			control: turn},
		{name: "late in the turn", move: func(f *fakeTime) moveFunc { return slow(f, time.Second+margin+1) },
			control: turn, fault: Timeout, text: "move 1 took 1.500000001s, allowed 1.5s"},
		{name: "hang in the turn", move: func(f *fakeTime) moveFunc { return hang(f, time.Hour) }, control: turn,
			fault: Timeout, text: "move 1 took 1h0m0s"},
		{name: "late in the game", move: func(f *fakeTime) moveFunc { return slow(f, 4*time.Second) }, control: total,
			fault: Timeout, text: "move 3 took 4s, allowed 2.5s"},
		{name: "hang in the game", move: func(f *fakeTime) moveFunc { return hang(f, 5500*time.Millisecond) },
			control: total, fault: Timeout, text: "move 1 took 5.5s, allowed 5.5s"},
		{name: "hang without a clock", move: func(f *fakeTime) moveFunc { return hang(f, time.Minute) }, hang: time.Minute,
			fault: Timeout, text: "allowed 1m0s"},
		{name: "slow without a clock", move: func(f *fakeTime) moveFunc { return slow(f, time.Hour) }},
	} {
		clock := &fakeTime{}
		bad, open, made := counted(entrant("bad", c.move(clock)))
		bad.Control = c.control
		opts := options(1, bad, entrant("good", firstMove))
		opts.Time, opts.HangLimit = clock, c.hang
		results, report := run(t, opts)
		f := results[0].Forfeit
		if c.fault == "" {
			if f != nil {
				t.Errorf("%s: forfeit %+v", c.name, f)
			}
			continue
		}
		if f == nil || f.Fault != c.fault || f.Side != game.First || !strings.Contains(f.Text, c.text) {
			t.Errorf("%s: forfeit %+v, want %s with %q", c.name, f, c.fault, c.text)
			continue
		}
		s := report
		if results[0].Outcome != game.SecondWins || s.BWins != 1 || s.Forfeits != 1 || s.AForfeits != 1 || s.BForfeits != 0 {
			t.Errorf("%s: %+v, summary %+v", c.name, results[0], s)
		}
		if open.Load() != 0 || made.Load() != 1 {
			t.Errorf("%s: %d players open of %d", c.name, open.Load(), made.Load())
		}
		if err := results[0].verify(opts.Start, opts.MaxPlies); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestForfeitAtTheStart(t *testing.T) {
	failing := Entrant{Name: "bad", New: func() (Player, error) {
		return &scripted{move: firstMove, begin: func(context.Context, Start) error { return errBroken }}, nil
	}}
	results, report := run(t, options(2, entrant("good", firstMove), failing))
	if s := report; s.AWins != 2 || s.BForfeits != 2 || s.AForfeits != 0 {
		t.Errorf("summary %+v", s)
	}
	if f := results[0].Forfeit; f == nil || f.Side != game.Second || f.Text != "starting the game: broken" {
		t.Errorf("forfeit %+v", f)
	}
}

// The real clock cuts a player off too.
func TestHangUnderTheSystemTime(t *testing.T) {
	wait := func(ctx context.Context, _ *scripted, _ game.Position, _ engine.Clock) (game.Move, error) {
		<-ctx.Done()
		return game.NoMove, ctx.Err()
	}
	opts := options(2, entrant("a", wait), entrant("b", wait))
	opts.HangLimit = time.Millisecond
	results, _ := run(t, opts)
	for _, r := range results {
		if r.Forfeit == nil || r.Forfeit.Fault != Timeout || r.Forfeit.Side != game.First {
			t.Errorf("game %+v", r)
		}
	}
}

// A player that forfeited is replaced by a new one.
func TestForfeitingPlayerIsReplaced(t *testing.T) {
	broken := func(_ context.Context, s *scripted, pos game.Position, _ engine.Clock) (game.Move, error) {
		if s.start.Game == 0 {
			return game.NoMove, errBroken
		}
		return pos.Moves(nil)[0], nil
	}
	a, open, made := counted(entrant("a", broken))
	_, report := run(t, options(4, a, entrant("b", firstMove)))
	if s := report; s.Forfeits != 1 || made.Load() != 2 || open.Load() != 0 {
		t.Errorf("%+v; %d players made, %d open", s, made.Load(), open.Load())
	}
}

func TestClockRuns(t *testing.T) {
	clock := &fakeTime{}
	var told []engine.Clock
	a := entrant("a", func(ctx context.Context, s *scripted, pos game.Position, c engine.Clock) (game.Move, error) {
		told = append(told, c)
		clock.pass(3 * time.Second)
		return firstMove(ctx, s, pos, c)
	})
	a.Control = TimeControl{Base: 10 * time.Second, Increment: time.Second}
	b := entrant("b", slow(clock, 2*time.Second))
	b.Control = TimeControl{Base: time.Minute}
	opts := options(1, a, b)
	opts.Time = clock
	run(t, opts)
	clockOf := func(left time.Duration, moves int) engine.Clock {
		return engine.Clock{Left: left * time.Second, Increment: time.Second, Moves: moves, Timekeeper: engine.Referee}
	}
	want := []engine.Clock{clockOf(10, 0), clockOf(8, 1), clockOf(6, 2), clockOf(4, 3)}
	for i, c := range told {
		if i >= len(want) || c != want[i] {
			t.Errorf("move %d was told %+v", i+1, c)
		}
	}
	if len(told) != len(want) {
		t.Errorf("%d moves", len(told))
	}
}

// A player may do what it likes with the position that it is given.
func TestPlayersCannotTouchTheGame(t *testing.T) {
	vandal := func(_ context.Context, _ *scripted, pos game.Position, _ engine.Clock) (game.Move, error) {
		m := pos.Moves(nil)[0]
		for pos.Outcome() == game.Undecided {
			pos.Play(pos.Moves(nil)[0])
		}
		return m, nil
	}
	results, _ := run(t, options(2, entrant("a", vandal), entrant("b", vandal)))
	for _, r := range results {
		if len(r.Moves) != 7 || r.Forfeit != nil {
			t.Errorf("game %+v", r)
		}
	}
}
