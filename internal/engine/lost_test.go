package engine_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/enginetest"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/mcts"
)

// small are the options of a tree of 16 MiB with solvers.
var small = engine.TreeOptions{Solvers: games.DefaultSolvers(), Search: mcts.Options{Memory: 1 << 24}}

// What follows judges lost positions by the rules alone, without patterns and
// without a search.

// fives returns where a side, were it to move, would make its five.
func fives(b *gomoku.Board, side game.Side) []game.Move { return b.AppendWinsFor(side, nil) }

// fours returns where a side, were it to move, would make a five point that it has
// not got.
func fours(b *gomoku.Board, side game.Side) (list []game.Move) {
	if b.Outcome() != game.Undecided || b.Pending() {
		return nil
	}
	have := fives(b, side)
	if b.ToMove() != side {
		b.Pass()
		defer b.Pass()
	}
	for _, m := range b.Moves(nil) {
		b.Play(m)
		if b.Outcome() == game.Undecided && slices.ContainsFunc(fives(b, side),
			func(c game.Move) bool { return !slices.Contains(have, c) }) {
			list = append(list, m)
		}
		b.Undo()
	}
	return list
}

// fewer reports whether something of before is missing in after.
func fewer(before, after []game.Move) bool {
	return slices.ContainsFunc(before, func(m game.Move) bool { return !slices.Contains(after, m) })
}

// loses reports whether m loses before or by the opponent's next move.
func loses(b *gomoku.Board, m game.Move) bool {
	opp := b.ToMove().Other()
	b.Play(m)
	defer b.Undo()
	return b.Outcome() == game.WinFor(opp) || b.Outcome() == game.Undecided && len(b.Wins(nil)) > 0
}

// losesByFour reports whether m, which does not lose at once, lets the opponent make
// a four after which every move does.
func losesByFour(b *gomoku.Board, m game.Move) bool {
	opp := b.ToMove().Other()
	b.Play(m)
	defer b.Undo()
	if b.Outcome() != game.Undecided {
		return false
	}
	for _, four := range b.Moves(nil) {
		b.Play(four)
		won := b.Outcome() == game.WinFor(opp)
		if b.Outcome() == game.Undecided && len(fives(b, opp)) > 0 && len(b.Wins(nil)) == 0 {
			won = !slices.ContainsFunc(b.Moves(nil), func(reply game.Move) bool { return !loses(b, reply) })
		}
		b.Undo()
		if won {
			return true
		}
	}
	return false
}

// best returns the moves to choose from where all lose: the last to lose, as far as
// plies tells, and among them those that take a five point away, else a four point,
// else all.
func best(b *gomoku.Board, plies int) []game.Move {
	opp := b.ToMove().Other()
	last := slices.DeleteFunc(b.Moves(nil), func(m game.Move) bool { return loses(b, m) })
	if len(last) == 0 {
		last = b.Moves(nil)
	} else if plies < 4 {
		return last
	} else if rest := slices.DeleteFunc(slices.Clone(last), func(m game.Move) bool {
		return losesByFour(b,
			m)
	}); len(rest) > 0 {
		return rest
	}
	for _, points := range []func(*gomoku.Board, game.Side) []game.Move{fives, fours} {
		before := points(b, opp)
		if len(before) == 0 {
			continue
		}
		take := slices.DeleteFunc(slices.Clone(last), func(m game.Move) bool {
			b.Play(m)
			defer b.Undo()
			return b.Outcome() != game.Undecided || !fewer(before, points(b, opp))
		})
		if len(take) > 0 {
			return take
		}
	}
	return last
}

// lostPosition is a drawn position in which the side to move, X where it is First,
// has lost against best play.
type lostPosition struct {
	name   string
	rules  []string
	toMove game.Side
	text   string
}

// lostPositions are tried under six rule sets where they name none.
var lostPositions = []lostPosition{
	{"open four", nil, game.First, `
		...........
		...........
		.....X.....
		...X.......
		...OOOO....
		....XX.....
		...........
		...........
		...........
		...........
		...........`},
	{"two fours", nil, game.First, `
		...........
		..XOOOO....
		........X..
		....X......
		......X..O.
		.........O.
		...X.....O.
		.........O.
		.........X.
		...........
		...........`},
	{"a four and an open three elsewhere", nil, game.First, `
		...........
		..XOOOO....
		........X..
		....X......
		......X....
		...........
		...OOO.....
		.........X.
		...........
		..X........
		...........`},
	{"a four whose five point is forbidden", []string{"renju"}, game.First, `
		...........
		.....X.....
		.....X.....
		...........
		.OOOO......
		X.....X....
		...........
		...X.......
		..X........
		...........
		...........`},
	{"an open four that a capture breaks", []string{"school42"}, game.First, `
		...........
		...........
		......X....
		...........
		...OOOO....
		...O.......
		...X.......
		...........
		...........
		...........
		.........X.`},
}

// board returns the position under a rule set.
func (l *lostPosition) board(t *testing.T, rule string) (games.Variant, *gomoku.Board) {
	t.Helper()
	v := enginetest.Variant(t, games.VariantOptions{Rule: rule, Size: 11})
	pos, err := v.ParseDiagram(games.Diagram{Text: l.text, ToMove: &l.toMove})
	if err != nil {
		t.Fatalf("%s, %s: %v", l.name, rule, err)
	}
	return v, pos.(*gomoku.Board)
}

// classicalFor returns a classical search of a level, or the zero one, without a
// line network.
func classicalFor(t *testing.T, v games.Variant, level engine.Level) *engine.Classical {
	t.Helper()
	c, err := engine.NewClassical(v, engine.ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}, Level: level})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// misplaced returns a lost move and a better one that stands behind it, nil if there
// are none: one that loses later, or that takes a five away where both lose to one.
func misplaced(b *gomoku.Board, moves []engine.Opinion) (before, after *engine.Opinion) {
	opp := b.ToMove().Other()
	have := fives(b, opp)
	takes := func(m game.Move) bool {
		b.Play(m)
		defer b.Undo()
		return b.Outcome() == game.Undecided && fewer(have, fives(b, opp))
	}
	for i := 1; i < len(moves); i++ {
		x, y := &moves[i-1], &moves[i]
		if x.Proof.Result != game.Lost || y.Proof.Result != game.Lost {
			continue
		}
		if x.Proof.Plies < y.Proof.Plies || x.Proof.Plies == 2 && y.Proof.Plies == 2 && !takes(x.Move) && takes(y.Move) {
			return x, y
		}
	}
	return nil, nil
}

// Where everything loses, every level that does not slip, every budget and both searches
// play on: they block the five that can be blocked, and else lose as late as they can. A
// level that slips plays one of the moves that it has judged.
func TestLostPositions(t *testing.T) {
	for _, l := range lostPositions {
		names := l.rules
		if names == nil {
			names = []string{"freestyle", "standard", "renju", "caro", "caro-edge-overline", "school42"}
		}
		for _, rule := range names {
			t.Run(l.name+"/"+rule, func(t *testing.T) {
				t.Parallel()
				v, b := l.board(t, rule)
				wanted := map[int][]game.Move{2: best(b, 2), 4: best(b, 4)}
				judge := func(who string, plies int, pos *gomoku.Board, a *engine.Answer) {
					t.Helper()
					if !slices.Contains(wanted[plies], a.Move) {
						t.Errorf("%s plays %s, want one of %s", who, v.Notation().FormatMove(a.Move),
							v.Notation().FormatMoves(wanted[plies]))
					}
					if a.Moves[0].Move != a.Move {
						t.Errorf("%s plays %s and puts %s first", who, v.Notation().FormatMove(a.Move),
							v.Notation().FormatMove(a.Moves[0].Move))
					}
					if before, after := misplaced(pos, a.Moves); before != nil {
						t.Errorf("%s puts %+v before %+v", who, *before, *after)
					}
				}
				for _, nodes := range []int64{1, 2, 5, 30, 300, 3_000, 200_000} {
					plies := 2
					if nodes >= 3_000 {
						plies = 4
					}
					c := classicalFor(t, v, engine.Level{})
					a := enginetest.Answer(t, c, t.Context(), b, engine.Limits{Nodes: nodes})
					judge(fmt.Sprintf("alpha-beta with %d nodes", nodes), plies, b, a)
					again := enginetest.Answer(t, classicalFor(t, v, engine.Level{}), t.Context(), b, engine.Limits{Nodes: nodes})
					if again.Move != a.Move {
						t.Errorf("%d nodes: %d, and %d the second time", nodes, a.Move, again.Move)
					}
					c.Forget()
					judge(fmt.Sprintf("alpha-beta with 5 lines of %d nodes", nodes), plies, b,
						enginetest.Answer(t, c, t.Context(), b, engine.Limits{Nodes: nodes, Lines: 5}))
				}
				for _, level := range engine.Levels {
					plies := 2
					if level.Nodes >= 20_000 {
						plies = 4
					}
					a := enginetest.Answer(t, classicalFor(t, v, level), t.Context(), b, engine.Limits{Seed: 3})
					if level.Slips == 0 {
						judge("level "+level.Name, plies, b, a)
					} else if !slices.ContainsFunc(a.Moves, func(o engine.Opinion) bool { return o.Move == a.Move }) ||
						!b.Legal(a.Move) {
						t.Errorf("level %s plays %s, which it has not judged", level.Name, v.Notation().FormatMove(a.Move))
					}
				}
				for _, playouts := range []int64{1, 2, 16, 200} {
					for _, model := range []string{networks.Uniform, "taught7-line16"} {
						n, err := networks.NewLoader(networks.LoaderOptions{Threads: 1}).Open(v, model)
						if err != nil {
							t.Fatal(err)
						}
						tree, err := engine.NewTree(n, small)
						if err != nil {
							t.Fatal(err)
						}
						judge(fmt.Sprintf("the tree with %d playouts of %s", playouts, model), 4, b,
							enginetest.Answer(t, tree, t.Context(), b, engine.Limits{Nodes: playouts}))
					}
				}
			})
		}
	}
}

// So it is in positions that chance has drawn, in which the opponent can win at once.
func TestRandomLostPositions(t *testing.T) {
	for rule, positions := range map[string]int{"freestyle": 30, "standard": 30, "renju": 30, "caro": 30, "school42": 12} {
		t.Run(rule, func(t *testing.T) {
			t.Parallel()
			v := enginetest.Variant(t, games.VariantOptions{Rule: rule, Size: 9})
			c := classicalFor(t, v, engine.Level{})
			n, err := networks.NewLoader(networks.LoaderOptions{Threads: 1}).Open(v, networks.Uniform)
			if err != nil {
				t.Fatal(err)
			}
			tree, err := engine.NewTree(n, small)
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(25, 1))
			hopeless := 0
			for seen := 0; seen < positions; {
				pos := enginetest.Parse(t, v, "")
				b := pos.(*gomoku.Board)
				for b.Outcome() == game.Undecided && b.Ply() < 50 {
					moves := b.Moves(nil)
					b.Play(moves[rng.IntN(len(moves))])
					if b.Outcome() != game.Undecided || b.Pending() || len(b.Wins(nil)) > 0 || len(fives(b, b.ToMove().Other())) == 0 {
						continue
					}
					seen++
					wanted := best(b, 2)
					if loses(b, wanted[0]) {
						hopeless++
					}
					for _, nodes := range []int64{1, 40, 400} {
						c.Forget()
						for _, e := range []engine.Engine{c, tree} {
							a := enginetest.Answer(t, e, t.Context(), b, engine.Limits{Nodes: nodes})
							if !slices.Contains(wanted, a.Move) {
								t.Fatalf("%T plays %s with %d nodes, want one of %s in\n%v", e, v.Notation().FormatMove(a.Move), nodes,
									v.Notation().FormatMoves(wanted), b)
							}
						}
					}
					break
				}
			}
			if hopeless == 0 && rule != "school42" { // there something nearly always holds
				t.Error("something held in every position")
			}
		})
	}
}
