package crosscheck

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
)

var (
	convictions = flag.Int("convictions", 2, "convictions of each kind that are asked again, of as many rule sets at most")
	standSeed   = flag.Uint64("standseed", 1, "of the games that they are taken from")
	standNodes  = flag.Int("standnodes", leastDoubt,
		"alpha-beta's nodes, at least, where a conviction that is asked again is at stake")
)

// The weak engines whose moves are judged, the budgets with which they are judged,
// and by how much more is asked again.
const (
	weakPlayouts = 8
	weakNodes    = 100
	judgeNodes   = 500
	weakSolver   = 2_500
	again        = 40
)

// weakEngines returns a tree search without knowledge or solvers and an alpha-beta
// that sees little, so that blunders are common.
func weakEngines(t testing.TB, v games.Variant) Engines {
	t.Helper()
	s, err := ParseSetup(fmt.Sprintf("playouts=%d,solver-leaf=0,solver-root=0,solver-replies=0", weakPlayouts),
		fmt.Sprintf("nodes=%d,table=1", weakNodes))
	if err != nil {
		t.Fatal(err)
	}
	net, err := new(networks.Loader).Open(v, networks.Uniform)
	if err != nil {
		t.Fatal(err)
	}
	e, err := s.Builder(net, 1, nil)()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(e.close(), net.Close()); err != nil {
			t.Error(err)
		}
	})
	return e
}

// bench is what positions of one rule set are judged with.
type bench struct {
	v             games.Variant
	engines       Engines
	judge, closer *Judge
	prover        *prover // of what is shown, with the larger budget and a table of its own
}

func newBench(t testing.TB, rule string) *bench {
	t.Helper()
	v := variant(t, rule, 15)
	e := weakEngines(t, v)
	judge := func(times int) *Judge {
		j := NewJudge(v, e, Options{Playouts: times * weakPlayouts, Nodes: times * judgeNodes,
			SolverNodes: times * weakSolver})
		j.examiner.prover.least = 0 // so that the search for a reply gets so many times as much, too
		return j
	}
	b := &bench{v, e, judge(1), judge(again), newProver(v, again*weakSolver)}
	b.closer.examiner.closely = *standNodes
	return b
}

// play plays a game of the engines, from an opening that was drawn and with moves
// drawn in between, and calls visit with the answers to every position in which
// something may be proven.
func (b *bench) play(t testing.TB, rng *rand.Rand, visit func(pos game.Position, mcts, alphaBeta *engine.Answer)) {
	t.Helper()
	const opening, most = 6, 60
	pos, err := b.v.Start()
	if err != nil {
		t.Fatal(err)
	}
	drawn := 2 + rng.IntN(5) // one move in so many is drawn
	for pos.Outcome() == game.Undecided && pos.Ply() < most {
		near := b.v.Candidates()(pos, nil)
		if len(near) == 0 {
			return
		}
		m := near[rng.IntN(len(near))]
		if pos.Ply() >= opening {
			b.engines.MCTS.Forget()
			b.engines.AlphaBeta.Forget()
			mcts, err := think(t.Context(), b.engines.MCTS, pos, weakPlayouts)
			if err != nil {
				t.Fatal(err)
			}
			alphaBeta, err := think(t.Context(), b.engines.AlphaBeta, pos, weakNodes)
			if err != nil {
				t.Fatal(err)
			}
			if mcts.Move != alphaBeta.Move {
				visit(pos, mcts, alphaBeta)
			}
			if rng.IntN(drawn) > 0 {
				m = alphaBeta.Move
			}
		}
		pos.Play(m)
	}
}

// side is what a row says of one engine's move.
type side struct {
	blunder
	reply string // that a conviction rests on: it leaves no win; "" for none
}

// sides returns what a row says of both moves.
func sides(r *Row) (s [2]side) {
	j := judgementOf(r)
	s[0].blunder, s[1].blunder = j.mcts, j.alphaBeta
	if r.Deeper == nil {
		return s
	}
	for i, v := range []*MoveView{r.Deeper.OfMCTS, r.Deeper.OfAlpha} {
		switch {
		case s[i].kind == Misses && v.Left != nil:
			s[i].reply = v.Left.Reply
		case s[i].kind == Loses && r.Win == nil && r.Deeper.Holds != nil:
			s[i].reply = r.Deeper.Holds.Reply
		}
	}
	return s
}

// refuted returns a win, replayed by the rules, after the reply that a conviction
// of the move m rests on, "" if none is found.
func (b *bench) refuted(t testing.TB, pos game.Position, m game.Move, s side) string {
	t.Helper()
	if s.reply == "" {
		return ""
	}
	if s.kind == Misses {
		pos.Play(m)
		defer pos.Undo()
	}
	pos.Play(move(t, b.v, s.reply))
	defer pos.Undo()
	if pos.Outcome() != game.Undecided {
		return ""
	}
	w := b.prover.prove(t.Context(), pos)
	if w == nil {
		return ""
	}
	return b.v.Notation().FormatMoves(w.Line)
}

// certified checks that convictions have certificates, of their position and winner, unless the
// move ends the game.
func (b *bench) certified(t testing.TB, pos game.Position, list []conviction) {
	t.Helper()
	for _, c := range list {
		if c.proof.Certificate != nil {
			checkConviction(t, b.v, pos, c)
			continue
		}
		if pos.Play(c.move); pos.Outcome() == game.Undecided || c.kind == Misses {
			t.Errorf("%s: no certificate that %s %s\n%v", b.v.Rule(), b.v.Notation().FormatMove(c.move), c.kind, pos)
		}
		pos.Undo()
	}
}

// asked counts convictions of a kind that were asked again.
type asked struct {
	stood   int
	doubted int // unproven with the larger budget: no move is shown to hold any more
	turned  int
}

func (a *asked) add(b *asked) {
	a.stood += b.stood
	a.doubted += b.doubted
	a.turned += b.turned
}

// ask takes convictions from games until there are share of each kind, and asks
// each again.
func (b *bench) ask(t testing.TB, seed uint64, share int) (of map[string]*asked) {
	t.Helper()
	const mostGames, perGame = 2_000, 3
	of = map[string]*asked{Loses: {}, Misses: {}}
	for g := uint64(0); of[Loses].stood < share || of[Misses].stood < share; g++ {
		if g == mostGames || t.Failed() && g > 50 {
			t.Fatalf("%d games: %+v, %+v, want %d of each", g, of[Loses], of[Misses], share)
		}
		left := map[string]int{}
		for kind, a := range of {
			left[kind] = min(perGame, share-a.stood)
		}
		b.play(t, rand.New(rand.NewPCG(seed, g)), func(pos game.Position, mcts, alphaBeta *engine.Answer) {
			if left[Loses] <= 0 && (left[Misses] <= 0 || b.judge.examiner.prover.prove(t.Context(), pos) == nil) {
				return
			}
			r, err := b.judge.Row(t.Context(), pos, mcts, alphaBeta)
			if err != nil {
				t.Fatal(err)
			}
			first := sides(&r)
			if !slices.ContainsFunc(first[:], func(s side) bool { return s.shown && left[s.kind] > 0 }) {
				return
			}
			b.certified(t, pos, convictionsOf(&r, mcts, alphaBeta))
			b.engines.AlphaBeta.Forget() // what it saw when the judge asked
			closer, err := b.closer.Row(t.Context(), pos, mcts, alphaBeta)
			if err != nil {
				t.Fatal(err)
			}
			second := sides(&closer)
			for i, m := range []game.Move{mcts.Move, alphaBeta.Move} {
				one, two := first[i], second[i]
				if !one.shown {
					continue
				}
				// A win that was missed may prove to be one for the opponent besides.
				win := b.refuted(t, pos, m, one)
				switch same := two.kind == one.kind || two.kind == Loses; {
				case win != "" || !same:
					of[one.kind].turned++
					t.Errorf("game %d, ply %d, %s: %+v, with %d times the budget %+v, a win after the reply: %q\n%s", g, pos.Ply(),
						b.v.Notation().FormatMove(m), one, again, two, win, pos)
					continue
				case !two.shown:
					of[one.kind].doubted++
					t.Logf("game %d, ply %d, %s: %+v, with %d times the budget %+v\n%s", g, pos.Ply(), b.v.Notation().FormatMove(m),
						one, again, two, pos)
					continue
				}
				of[one.kind].stood++
				left[one.kind]--
			}
		})
	}
	return of
}

// No conviction of any kind, taken from many games under all rule sets, turns round
// when the solvers and the tree have forty times their budgets and alpha-beta has
// -standnodes where it had leastDoubt: the move is not acquitted, and after the reply
// that leaves no win a prover of its own finds none. Each has a certificate. At most two in a hundred are
// doubted, which is where alpha-beta then claims a win without fours and threes.
func TestConvictionsStand(t *testing.T) {
	rules := gomoku.Names()
	if *convictions < len(rules) { // renju and caro come first
		rules = rules[2:min(len(rules), 2+*convictions)]
	}
	all := map[string]*asked{Loses: {}, Misses: {}}
	for _, rule := range rules {
		t.Run(rule, func(t *testing.T) {
			for kind, a := range newBench(t, rule).ask(t, *standSeed, (*convictions+len(rules)-1)/len(rules)) {
				t.Logf("%s: %+v", kind, *a)
				all[kind].add(a)
			}
		})
	}
	for kind, a := range all {
		t.Logf("%s: %+v", kind, *a)
		if n := a.stood + a.doubted; n >= 100 && 100*a.doubted > 2*n {
			t.Errorf("%s: %d of %d convictions are doubted with %d times the budget, want 2%%", kind, a.doubted, n, again)
		}
	}
}
