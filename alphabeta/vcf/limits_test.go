package vcf_test

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// positions returns random positions of one rule set in the middle of a game.
func positions(t testing.TB, name string, n int, seed uint64) (boards []*pattern.Board) {
	rng := rand.New(rand.NewPCG(seed, 1))
	for len(boards) < n {
		if b := cluster(rules(t, name), 12, 20+rng.IntN(20), rng); b != nil {
			boards = append(boards, pattern.FromBoard(b))
		}
	}
	return boards
}

func TestBudgets(t *testing.T) {
	for _, name := range gomoku.Names() {
		for _, b := range positions(t, name, 5, 3) {
			full := vcf.New(vcf.Options{}).Solve(context.Background(), b, vcf.VCT, plenty)
			solver := vcf.New(vcf.Options{})
			for _, nodes := range []int{-1, 0, 1, 7, 60, 1000} {
				before := b.Board().Key()
				got := solver.Solve(context.Background(), b, vcf.VCT, nodes)
				if b.Board().Key() != before {
					t.Fatalf("%s: a budget of %d leaves the position changed", name, nodes)
				}
				if got.Nodes > 2*max(nodes, 0) {
					t.Errorf("%s: %d nodes under a budget of %d", name, got.Nodes, nodes)
				}
				if got.Outcome != vcf.Unknown && (got.Outcome != full.Outcome || got.Plies != full.Plies) {
					t.Errorf("%s: %v in %d plies within %d nodes, %v in %d without end", name,
						got.Outcome, got.Plies, nodes, full.Outcome, full.Plies)
				}
				if got.Outcome == vcf.Win && len(got.Line) == 0 {
					t.Errorf("%s: a win without a move", name)
				}
				if bare := vcf.New(vcf.Options{}).Decide(context.Background(), b, vcf.VCT, nodes); bare.Outcome != got.Outcome || bare.Plies != got.Plies ||
					bare.Nodes > max(nodes, 0) || bare.Outcome == vcf.Win && (len(bare.Line) != 1 || bare.Line[0] != got.Line[0]) {
					t.Errorf("%s: without the line %+v, with it %+v", name, bare, got)
				}
				again := vcf.New(vcf.Options{}).Solve(context.Background(), b, vcf.VCT, nodes)
				if again.Outcome != got.Outcome || again.Nodes != got.Nodes || !slices.Equal(again.Line, got.Line) {
					t.Errorf("%s: a solver used before finds %+v, a fresh one %+v", name, got, again)
				}
			}
		}
	}
}

func TestTableSize(t *testing.T) {
	small, large := vcf.New(vcf.Options{TableBytes: 1}), vcf.New(vcf.Options{TableBytes: 1 << 24})
	for _, name := range gomoku.Names() {
		for _, b := range positions(t, name, 10, 5) {
			a := small.Solve(context.Background(), b, vcf.VCF, 20000)
			c := large.Solve(context.Background(), b, vcf.VCF, 20000)
			if a.Outcome != c.Outcome && a.Outcome != vcf.Unknown || a.Outcome == c.Outcome && a.Plies != c.Plies {
				t.Errorf("%s: %v in %d plies with a tiny table, %v in %d with a large one\n%v", name,
					a.Outcome, a.Plies, c.Outcome, c.Plies, b.Board())
			}
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	b := positions(t, "freestyle", 1, 9)[0]
	s := vcf.New(vcf.Options{})
	if r := s.Solve(ctx, b, vcf.VCT, plenty); r.Outcome != vcf.Unknown || r.Nodes != 0 {
		t.Errorf("a cancelled search finds %+v", r)
	}
	if moves, complete := s.Defences(ctx, b, 100, nil); complete || len(moves) > 0 {
		t.Errorf("a cancelled search finds %v, %v", moves, complete)
	}
}

// dying is a context that is done after it was asked a number of times.
type dying struct {
	context.Context
	left int
}

func (d *dying) Err() error {
	if d.left--; d.left < 0 {
		return context.Canceled
	}
	return nil
}

func TestCancelledOnTheWay(t *testing.T) {
	for _, b := range positions(t, "caro", 200, 10) {
		s := vcf.New(vcf.Options{})
		if s.Solve(context.Background(), b, vcf.VCT, 10000).Nodes < 10000 {
			continue
		}
		before := b.Board().Key()
		r := s.Solve(&dying{context.Background(), 3}, b, vcf.VCT, 10000)
		if r.Outcome != vcf.Unknown || r.Nodes >= 10000 || b.Board().Key() != before {
			t.Errorf("cancelled on the way, the search finds %+v", r)
		}
		return
	}
	t.Error("no position keeps the solver busy")
}

// counting is a context that counts how often it is asked.
type counting struct {
	context.Context
	asked int
}

func (c *counting) Err() error {
	c.asked++
	return nil
}

// To ask a context takes longer than a node: it is done once in a thousand of them.
func TestContextIsSeldomAsked(t *testing.T) {
	for _, b := range positions(t, "caro", 200, 10) {
		ctx := &counting{Context: context.Background()}
		if r := vcf.New(vcf.Options{}).Solve(ctx, b, vcf.VCT, 10000); r.Nodes < 10000 {
			continue
		}
		if ctx.asked < 5 || ctx.asked > 15 {
			t.Errorf("the context was asked %d times within 10000 nodes", ctx.asked)
		}
		return
	}
	t.Error("no position keeps the solver busy")
}

func TestDecidedAndEmpty(t *testing.T) {
	s, p := vcf.New(vcf.Options{}), vcf.NewProver(0, vcf.Options{})
	for _, name := range gomoku.Names() {
		empty, err := gomoku.New(rules(t, name), 15)
		if err != nil {
			t.Fatal(err)
		}
		over := diagram(t, name, game.Second, `
. . . . . . .
. . . . . . .
. . . . . . .
. X X X X X .
. . . . . . .
. O O . O O .
. . . . . . .`)
		for _, b := range []*gomoku.Board{empty, over} {
			for _, nodes := range []int{0, 1000} {
				if r := s.Solve(context.Background(), pattern.FromBoard(b), vcf.VCF, nodes); r.Outcome != vcf.None || r.Nodes != 0 {
					t.Errorf("%s, %v, budget %d: %+v", name, b.Outcome(), nodes, r)
				}
			}
			if _, _, ok := p.Prove(b); ok {
				t.Errorf("%s, %v: the prover sees a win", name, b.Outcome())
			}
			if moves, complete := s.Defences(context.Background(), pattern.FromBoard(b), 100, nil); complete || len(moves) > 0 {
				t.Errorf("%s, %v: defences %v, %v", name, b.Outcome(), moves, complete)
			}
		}
	}
}

// allocations returns the stacks of what was allocated in f, every time that it
// was. Counting what the process allocates, as testing.AllocsPerRun does, would
// hold the runtime's own against the solvers.
func allocations(t *testing.T, f func()) (stacks []string) {
	defer func(rate int) { runtime.MemProfileRate = rate }(runtime.MemProfileRate)
	runtime.MemProfileRate = 1
	before := profile(t)
	measured(f)
	after := profile(t)
	for stack, n := range after {
		if n > before[stack] && strings.Contains(stack, ".measured\n") {
			stacks = append(stacks, stack)
		}
	}
	return stacks
}

// measured marks the stacks of what f does.
//
//go:noinline
func measured(f func()) { f() }

// profile returns how many objects each stack has allocated so far.
func profile(t *testing.T) map[string]int64 {
	for range 2 { // the profile tells of what was before the last but one
		runtime.GC()
	}
	var records []runtime.MemProfileRecord
	n, ok := runtime.MemProfile(nil, true)
	for !ok {
		records = make([]runtime.MemProfileRecord, n+50)
		n, ok = runtime.MemProfile(records, true)
	}
	if n == 0 {
		t.Fatal("the profile of memory is empty")
	}
	sums := map[string]int64{}
	for i := range records[:n] {
		var stack strings.Builder
		frames := runtime.CallersFrames(records[i].Stack())
		for {
			frame, more := frames.Next()
			stack.WriteString(frame.Function + "\n")
			if !more {
				break
			}
		}
		sums[stack.String()] += records[i].AllocObjects
	}
	return sums
}

func TestAllocations(t *testing.T) {
	for _, name := range gomoku.Names() {
		boards := positions(t, name, 8, 12)
		s, p := vcf.New(vcf.Options{}), vcf.NewProver(200, vcf.Options{})
		u := vcf.NewUndeepened(vcf.Options{})
		buf := make([]game.Move, 0, 256)
		run := func() {
			for _, b := range boards {
				s.Solve(context.Background(), b, vcf.VCF, 2000)
				s.Solve(context.Background(), b, vcf.VCT, 2000)
				u.Solve(context.Background(), b, vcf.VCF, 2000)
				u.Solve(context.Background(), b, vcf.VCT, 2000)
				s.Defences(context.Background(), b, 50, buf)
				p.Prove(b)
			}
		}
		run()
		for range 2 {
			for _, stack := range allocations(t, run) {
				t.Errorf("%s: allocated by\n%s", name, stack)
			}
		}
	}
	var kept []byte
	if len(allocations(t, func() { kept = make([]byte, 100) })) == 0 || len(kept) == 0 {
		t.Error("an allocation was not seen")
	}
}

// other is a position of no game that the prover knows.
type other struct{ game.Position }

func TestProver(t *testing.T) {
	p, s := vcf.NewProver(5000, vcf.Options{}), vcf.New(vcf.Options{})
	for _, name := range gomoku.Names() {
		for _, b := range positions(t, name, 20, 4) {
			want := s.Solve(context.Background(), b, vcf.VCF, 5000)
			for _, pos := range []game.Position{b, b.Board()} {
				m, plies, ok := p.Prove(pos)
				if ok != (want.Outcome == vcf.Win) || ok && (m != want.Line[0] || plies != want.Plies) {
					t.Errorf("%s: proof %v, %d, %v; the solver says %+v", name, m, plies, ok, want)
				}
			}
			if _, _, ok := p.Prove(other{b}); ok {
				t.Error("a proof for a position of another game")
			}
		}
	}
}
