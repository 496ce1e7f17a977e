package brain

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/gomocup"
)

// newClassical returns a brain with a small table, ready for a rule and size.
func newClassical(t testing.TB, rule string, size int) *Classical {
	t.Helper()
	c := NewClassical(ClassicalOptions{TableMiB: 1})
	if err := c.Configure(gomocup.Settings{Rule: rule, Size: size}); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestTheClassicalBrainWinsAtOnce(t *testing.T) {
	for _, rule := range []string{"freestyle", "standard", "renju", "caro", "caro-overline"} {
		c := newClassical(t, rule, 15)
		for _, nodes := range []int{1, 100} {
			found, err := c.Think(t.Context(), position(t, rule, 15, "h8h9i8i9j8j9k8k9"), gomocup.Limits{Nodes: nodes})
			if err != nil {
				t.Fatal(err)
			}
			got := (gomoku.Notation{Size: 15}).FormatMove(found.Move)
			if got != "g8" && got != "l8" || found.Mate != 1 && nodes > 1 {
				t.Errorf("%s: played %s, mate %d", rule, got, found.Mate)
			}
		}
	}
}

// With a fixed budget the moves of a game are a function of the game alone.
func TestClassicalGamesAreReproducible(t *testing.T) {
	var games [2][]game.Move
	c := newClassical(t, "caro", 15)
	for i := range games {
		c.Forget()
		board := position(t, "caro", 15, "h8i9")
		for board.Outcome() == game.Undecided && board.Ply() < 10 {
			found, err := c.Think(t.Context(), board.Clone().(*gomoku.Board), gomocup.Limits{Nodes: 700})
			if err != nil || found.Nodes > 700 {
				t.Fatalf("%d nodes, %v", found.Nodes, err)
			}
			board.Play(found.Move)
			games[i] = append(games[i], found.Move)
		}
	}
	if !slices.Equal(games[0], games[1]) {
		t.Errorf("%v and %v", games[0], games[1])
	}
}

func TestClassicalReports(t *testing.T) {
	c := newClassical(t, "freestyle", 15)
	depth := 0
	report := func(f *gomocup.Thought) {
		if f.Depth != depth+1 || len(f.Line) == 0 || f.Line[0] != f.Move || len(f.Choices) != 3 {
			t.Errorf("after depth %d: %+v", depth, f)
		}
		depth = f.Depth
	}
	found, err := c.Think(t.Context(), position(t, "freestyle", 15, "h8i9"), gomocup.Limits{Nodes: 1 << 30, Depth: 4, Choices: 3, Report: report})
	if err != nil || found.Depth != 4 || depth != 4 || len(found.Choices) != 3 {
		t.Errorf("%d reports, %+v, %v", depth, found, err)
	}
	for _, choice := range found.Choices {
		if choice.Move != choice.Line[0] || choice.Value > found.Value {
			t.Errorf("%+v is better than the best", choice)
		}
	}
}

// Whatever the clock says, there is a legal move.
func TestClassicalClocks(t *testing.T) {
	c := newClassical(t, "freestyle", 15)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, clock := range []gomocup.Clock{{Turn: 1}, {Left: 1}, {Turn: 20 * time.Millisecond}, {Left: 1, Increment: time.Nanosecond, Moves: 90}, {}} {
		for _, ctx := range []context.Context{t.Context(), ended} {
			if clock == (gomocup.Clock{}) && ctx != ended {
				continue // nothing would end it
			}
			board := position(t, "freestyle", 15, "h8i9")
			found, err := c.Think(ctx, board, gomocup.Limits{Clock: clock})
			if err != nil || !board.Legal(found.Move) {
				t.Errorf("%+v: %+v, %v", clock, found, err)
			}
		}
	}
}

func TestClassicalSettings(t *testing.T) {
	c := newClassical(t, "freestyle", 15)
	first := c.engine
	for _, s := range []gomocup.Settings{
		{Rule: "freestyle", Size: 15, Table: 2 << 20},
		{Rule: "freestyle", Size: 15, Table: 2<<20 + 5},
		{Rule: "freestyle", Size: 15, Memory: 8 << 20},
		{Rule: "freestyle", Size: 15, Memory: 1},
	} {
		if err := c.Configure(s); err != nil || c.engine != first {
			t.Errorf("%+v: %v; another search was set up", s, err)
		}
	}
	for _, s := range []gomocup.Settings{
		{Rule: "renju", Size: 15}, {Rule: "renju", Size: 22}, {Rule: "renju", Size: 22, Threads: 2},
	} {
		before := c.engine
		if err := c.Configure(s); err != nil || (c.engine == before) != (s.Threads == 0) {
			t.Errorf("%+v: %v; another engine %t", s, err, c.engine != before)
		}
		if _, err := c.Think(t.Context(), position(t, s.Rule, s.Size, "h8i9"), gomocup.Limits{Nodes: 50}); err != nil {
			t.Error(err)
		}
	}
	for _, s := range []gomocup.Settings{{Rule: "nonsense", Size: 15}, {Rule: "renju", Size: 22, Threads: 2, Table: 1 << 60}} {
		if err := c.Configure(s); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v", s, err)
		}
	}
	if err := NewClassical(ClassicalOptions{}).Configure(gomocup.Settings{Rule: "caro", Size: 15, Table: 1 << 60}); err == nil {
		t.Error("a table of an exbibyte is set up")
	}
	if _, err := NewClassical(ClassicalOptions{}).Think(t.Context(), position(t, "caro", 15, ""), gomocup.Limits{Nodes: 1}); err == nil {
		t.Error("there is a move before any settings")
	}
}

// An engine that has played by other rules, on other boards and with another
// table plays as a new one does.
func TestClassicalEnginesAreReused(t *testing.T) {
	c := NewClassical(ClassicalOptions{TableMiB: 1})
	used := 0
	for _, s := range []gomocup.Settings{
		{Rule: "freestyle", Size: 15}, {Rule: "renju", Size: 15}, {Rule: "caro", Size: 22}, {Rule: "standard", Size: 9}, {Rule: "freestyle", Size: 20},
		{Rule: "freestyle", Size: 20, Table: 3 << 20}, {Rule: "caro-overline", Size: 11},
	} {
		before := c.engine
		if err := c.Configure(s); err != nil {
			t.Fatal(err)
		}
		if c.engine == before {
			used++
		}
		c.Forget()
		fresh := NewClassical(ClassicalOptions{TableMiB: 1})
		if err := fresh.Configure(s); err != nil {
			t.Fatal(err)
		}
		board := position(t, s.Rule, s.Size, "e5f6e6e7")
		for range 3 {
			want, err := fresh.Think(t.Context(), board.Clone().(*gomoku.Board), gomocup.Limits{Nodes: 900})
			if err != nil {
				t.Fatal(err)
			}
			got, err := c.Think(t.Context(), board.Clone().(*gomoku.Board), gomocup.Limits{Nodes: 900})
			if err != nil || got.Move != want.Move || got.Value != want.Value || got.Nodes != want.Nodes {
				t.Fatalf("%+v: %+v, %v; a new engine has %+v", s, got, err, want)
			}
			board.Play(want.Move)
		}
	}
	if used < 6 {
		t.Errorf("%d times the engine was used again", used)
	}
}

// Pondering on the expected reply leaves its work to the next search, and a
// position that nobody expected is not pondered on.
func TestClassicalPondering(t *testing.T) {
	c := newClassical(t, "freestyle", 15)
	board := position(t, "freestyle", 15, "h8i9")
	found, err := c.Think(t.Context(), board, gomocup.Limits{Nodes: 1 << 30, Depth: 4})
	if err != nil || len(found.Line) < 2 {
		t.Fatalf("%+v, %v", found, err)
	}
	c.Ponder(t.Context(), position(t, "freestyle", 15, "a1")) // returns at once
	board.Play(found.Move)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		c.Ponder(ctx, board)
		close(done)
	}()
	cancel()
	<-done
	board.Play(found.Line[1])
	if again, err := c.Think(t.Context(), board, gomocup.Limits{Nodes: 100}); err != nil || !board.Legal(again.Move) {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestClassicalLevels(t *testing.T) {
	level, err := engine.ParseLevel("easy")
	if err != nil {
		t.Fatal(err)
	}
	c := NewClassical(ClassicalOptions{TableMiB: 1, Level: level})
	if err := c.Configure(gomocup.Settings{Rule: "caro", Size: 15}); err != nil {
		t.Fatal(err)
	}
	found, err := c.Think(t.Context(), position(t, "caro", 15, "h8i9"), gomocup.Limits{Nodes: 1 << 30})
	if err != nil || int64(found.Nodes) > level.Nodes {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestClaimsAreMates(t *testing.T) {
	for score, want := range map[alphabeta.Score]int{alphabeta.WinIn(5): 5, alphabeta.LossIn(4): -4, 0: 0, -300: 0} {
		if got := claimed(score); got != want {
			t.Errorf("%v is a mate in %d, want %d", score, got, want)
		}
	}
}
