package brain

import (
	"context"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/gomocup"
	"pgregory.net/rapid"
)

// newBrain returns a brain without knowledge, ready for a rule and size.
func newBrain(t *testing.T, rule string, size int) *Brain {
	t.Helper()
	b := New(engine.NewLoader(engine.LoaderOptions{Threads: 1}), Options{Model: engine.Uniform})
	if err := b.Configure(gomocup.Settings{Rule: rule, Size: size}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func position(t *testing.T, rule string, size int, text string) *gomoku.Board {
	t.Helper()
	rules, err := gomoku.Lookup(rule)
	if err != nil {
		t.Fatal(err)
	}
	b, err := gomoku.ParsePosition(rules, size, text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestItWinsAtOnce(t *testing.T) {
	for _, c := range []struct{ rule, position, want string }{
		{"freestyle", "h8h9i8i9j8j9k8k9", "g8 l8"},
		{"standard", "h8h9i8i9j8j9k8k9", "g8 l8"},
		{"renju", "h8h9i8i9j8j9k8k9", "g8 l8"},
		{"caro", "h8h9i8i9j8j9k8k9", "g8 l8"},
		{"caro-overline", "h8h9i8i9j8j9k8k9", "g8 l8"},
	} {
		b := newBrain(t, c.rule, 15)
		found, err := b.Think(t.Context(), position(t, c.rule, 15, c.position), gomocup.Limits{Nodes: 2000})
		if err != nil {
			t.Fatal(err)
		}
		if got := (gomoku.Notation{Size: 15}).FormatMove(found.Move); !slices.Contains(strings.Fields(c.want), got) {
			t.Errorf("%s %s: played %s, want one of %s", c.rule, c.position, got, c.want)
		}
	}
}

// The budget is exact, whatever the tree has inherited.
func TestTheBudgetIsExact(t *testing.T) {
	b := newBrain(t, "caro", 15)
	board := position(t, "caro", 15, "h8")
	for range 3 {
		found, err := b.Think(t.Context(), board.Clone().(*gomoku.Board), gomocup.Limits{Nodes: 137})
		if err != nil || found.Nodes != 137 {
			t.Fatalf("%d nodes, %v", found.Nodes, err)
		}
		board.Play(found.Move)
		board.Play(found.Line[1])
	}
	if b.result.Visits <= 138 {
		t.Errorf("%d visits after 137 playouts: nothing was inherited", b.result.Visits)
	}
	b.Forget()
	if _, err := b.Think(t.Context(), board.Clone().(*gomoku.Board), gomocup.Limits{Nodes: 137}); err != nil || b.result.Visits != 137 {
		t.Errorf("%d visits after Forget, %v", b.result.Visits, err)
	}
}

// Moves depend on the settings and the game alone.
func TestMovesAreReproducible(t *testing.T) {
	var games [2][]game.Move
	for i := range games {
		b := newBrain(t, "freestyle", 9)
		board := position(t, "freestyle", 9, "e5")
		for board.Outcome() == game.Undecided && board.Ply() < 12 {
			found, err := b.Think(t.Context(), board.Clone().(*gomoku.Board), gomocup.Limits{Nodes: 60})
			if err != nil {
				t.Fatal(err)
			}
			board.Play(found.Move)
			games[i] = append(games[i], found.Move)
		}
	}
	if !slices.Equal(games[0], games[1]) {
		t.Errorf("%v and %v", games[0], games[1])
	}
}

// A context that has ended leaves the network's opinion, a win at once included.
func TestNoTimeAtAll(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b := newBrain(t, "freestyle", 15)
	found, err := b.Think(ctx, position(t, "freestyle", 15, "h8h9i8i9j8j9k8k9"), gomocup.Limits{})
	if err != nil || len(found.Choices) == 0 || found.Mate != 1 {
		t.Errorf("found %+v, %v", found, err)
	}
}

// Once the time is up the solvers do nothing more, neither those of the search
// nor those that check the chosen move; with time for the latter they do.
func TestTheSolversEndWithTheTime(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	b := New(engine.NewLoader(engine.LoaderOptions{}), Options{Model: engine.Uniform, Solver: engine.DefaultSolvers()})
	if err := b.Configure(gomocup.Settings{Rule: "freestyle", Size: 15}); err != nil {
		t.Fatal(err)
	}
	board := position(t, "freestyle", 15, "h8h9i8i10j9j10g7k11")
	think := func(limits gomocup.Limits) int {
		b.Forget()
		if _, err := b.Think(ended, board, limits); err != nil {
			t.Fatal(err)
		}
		return b.result.SolverNodes
	}
	if nodes := think(gomocup.Limits{Last: ended}); nodes != 0 {
		t.Errorf("the solvers played %d moves when no time was left", nodes)
	}
	if nodes := think(gomocup.Limits{}); nodes == 0 {
		t.Error("the solvers were not asked about the move")
	}
}

func TestReports(t *testing.T) {
	b := newBrain(t, "freestyle", 15)
	last, count := 0, 0
	report := func(f *gomocup.Thought) {
		if f.Nodes <= last || len(f.Line) == 0 || f.Line[0] != f.Move {
			t.Errorf("report %d: %d nodes after %d, line %v for %d", count, f.Nodes, last, f.Line, f.Move)
		}
		last = f.Nodes
		count++
	}
	found, err := b.Think(t.Context(), position(t, "freestyle", 15, ""), gomocup.Limits{Nodes: 20000, Report: report})
	if err != nil || found.Nodes != 20000 || count < 2 {
		t.Errorf("%d reports, %d nodes, %v", count, found.Nodes, err)
	}
}

func TestSettings(t *testing.T) {
	b := newBrain(t, "freestyle", 15)
	searcher := b.searcher
	same := gomocup.Settings{Rule: "freestyle", Size: 15}
	if err := b.Configure(same); err != nil || b.searcher != searcher {
		t.Errorf("the same settings made a new searcher; %v", err)
	}
	for _, s := range []gomocup.Settings{
		{Rule: "caro", Size: 15}, {Rule: "caro", Size: 9}, {Rule: "caro", Size: 9, Memory: 1}, {Rule: "caro", Size: 9, Threads: 2},
	} {
		if err := b.Configure(s); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Think(t.Context(), position(t, s.Rule, s.Size, "e5"), gomocup.Limits{Nodes: 10}); err != nil {
			t.Error(err)
		}
	}
	if err := b.Configure(gomocup.Settings{Rule: "nonsense", Size: 15}); err == nil {
		t.Error("an unknown rule is no error")
	}
	if _, err := b.Think(t.Context(), position(t, "caro", 9, "e5"), gomocup.Limits{Nodes: 10}); err == nil {
		t.Error("there is a move without a network")
	}
	if err := b.Configure(same); err != nil {
		t.Error(err)
	}
}

// A client's limit on memory is one on the whole program, and goes with it.
func TestMemoryIsLimited(t *testing.T) {
	b := newBrain(t, "freestyle", 15)
	const total = 350 << 20
	if err := b.Configure(gomocup.Settings{Rule: "freestyle", Size: 15, Memory: total}); err != nil {
		t.Fatal(err)
	}
	if limit := debug.SetMemoryLimit(-1); limit > total {
		t.Errorf("the runtime may use %d bytes of %d", limit, total)
	}
	if tree := b.searcher.Options().Memory; tree > total/2 {
		t.Errorf("the tree may use %d bytes of %d", tree, total)
	}
	if err := b.Configure(gomocup.Settings{Rule: "freestyle", Size: 15}); err != nil {
		t.Fatal(err)
	}
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		t.Errorf("the runtime may use %d bytes when nothing limits it", limit)
	}
}

func TestAMissingNetworkIsNamed(t *testing.T) {
	b := New(engine.NewLoader(engine.LoaderOptions{}), Options{Model: "no-such-net"})
	err := b.Configure(gomocup.Settings{Rule: "caro", Size: 15})
	if err == nil || !strings.Contains(err.Error(), "caro 15x15") {
		t.Errorf("error %v", err)
	}
}

// path finds what was played, and nothing where more happened.
func TestPath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules, err := gomoku.Lookup(rapid.SampledFrom([]string{"freestyle", "renju", "caro"}).Draw(t, "rule"))
		if err != nil {
			t.Fatal(err)
		}
		b, err := gomoku.New(rules, 7)
		if err != nil {
			t.Fatal(err)
		}
		play := func() (game.Move, bool) {
			moves := b.Moves(nil)
			if len(moves) == 0 {
				return game.NoMove, false
			}
			m := rapid.SampledFrom(moves).Draw(t, "move")
			b.Play(m)
			return m, true
		}
		for range rapid.IntRange(0, 12).Draw(t, "before") {
			play()
		}
		from := b.Clone().(*gomoku.Board)
		var played []game.Move
		for range rapid.IntRange(0, 4).Draw(t, "after") {
			if m, ok := play(); ok {
				played = append(played, m)
			}
		}
		moves, ok := path(from, b)
		if ok != (len(played) <= 2) || ok && !slices.Equal(moves, played) {
			t.Fatalf("path %v %t, played %v", moves, ok, played)
		}
		if _, back := path(b, from); back != (len(played) == 0) {
			t.Fatalf("a path back over %d moves", len(played))
		}
	})
}
