package vcf_test

import (
	"context"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// trap is a position in which a solver that overlooks one rule is wrong. Most
// have no stone that could be left out.
type trap struct {
	name, rule string
	side       game.Side
	want       vcf.Outcome
	board      string
}

var traps = []trap{
	{"the second defence, beyond a blocked four", "caro", game.First, vcf.None, `
. . . . . . . . .
. X . . . . . . .
. . X . . . . . .
. O . . . . . . .
. . O X . . . . .
. . . . . X . . .
. . . X O . . . .
. . . . . O . . .
. . . . . . . . .`},
	{"the second defence, the other end at the edge", "caro-edge", game.First, vcf.None, `
. . . . . . . . .
. . . . . . . . .
. . X X . . . . .
. . . . . . . . .
X X . . . . . . .
. . X X . O . . .
. . . . . . . . .
O . . . . . . O .
. . . . . X . . .`},
	{"the five would be blocked at both ends", "caro", game.First, vcf.None, `
. . . . . . . . .
. . . . . . . . .
. . . . . . . . O
. . . . . . . . .
. . . . . . X . .
. . . . . . . . .
. . . . X . . . .
. . . X . . . . .
. . . . O . . . .`},
	{"the edge blocks", "caro-edge", game.First, vcf.None, edgeFour},
	{"the edge does not block", "caro", game.First, vcf.Win, edgeFour},
	{"the edge blocks a five, though longer runs win", "caro-edge-overline", game.First, vcf.None, edgeFour},
	{"two fours become an overline", "standard", game.First, vcf.None, overlineFour},
	{"an overline wins", "freestyle", game.First, vcf.Win, overlineFour},
	{"an overline is forbidden", "renju", game.First, vcf.None, overlineFour},
	{"an overline wins whatever its ends", "caro-overline", game.First, vcf.Win, gappedColumn},
	{"the same is no five", "caro", game.First, vcf.None, gappedColumn},
	{"the defender has a five", "freestyle", game.First, vcf.None, `
. . . . . . . . .
. . . X . . . . .
. . . . X . . . .
. . . . . X . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . O O O O . . .
. . . . . . . . .`},
	{"a defence makes a four that wins", "caro-edge-overline", game.Second, vcf.None, `
. O . . . . . . .
. . O . . . . O .
. . . O . . O . .
. O . X . . . . .
X . O . . . . . .
. . . . . X . . .
. . . . O . . . .
. . . . . . . . .
. . . . . . . . .`},
	{"the only defence is forbidden", "renju", game.Second, vcf.Win, forbiddenDefence},
	{"the only defence is allowed", "standard", game.Second, vcf.None, forbiddenDefence},
	{"the attack would be forbidden", "renju", game.First, vcf.None, forbiddenAttack},
	{"the attack is allowed", "standard", game.First, vcf.Win, forbiddenAttack},
	{"a capture breaks the line", "school42", game.First, vcf.None, breakable},
	{"nothing breaks the line", "freestyle", game.First, vcf.Win, breakable},
	{"a capture removes the defence", "school42", game.First, vcf.Win, removing},
	{"the defence stands", "freestyle", game.First, vcf.None, removing},
}

const edgeFour = `
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. X X . X . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .`

const overlineFour = `
. . . . . . . . .
. . . . . . . . .
. . . . . X X . X
. . X . . . . . .
. . . X . . . . .
. . . . . . . . .
. X . . . . . . .
X . . . . . . . .
. . . . . . . . .`

const gappedColumn = `
. . . . . . . . .
. . . . . . . X .
. . . . . . . . .
. . . . . . . X .
. . . . . . . X .
. . . . . . . . .
. . . . . . . X .
. . . . . . . . .
. . . . . . . . .`

const forbiddenDefence = `
. . . . . . . . .
. . . . . . . . .
. . . . . X . . .
. . O . . O O . .
. . . . . X . . .
. . X . . . X X .
. X . . . . . X .
. . . . . . . . .
. . . . . . . . .`

const forbiddenAttack = `
. . . . . . . . .
. . . . . . . . .
. X . . . . . . X
. . . . . . . . .
. . . . . . X . .
. X . . . X . . .
. X O . . . . . .
. . X . X O . . .
. . . . . . . . .`

const breakable = `
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. X . X . . . . .
. . X . . . . . .
. O . . . . . . .
. . . X . . . . .
. . . . . X . . .`

const removing = `
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . . . .
. . . . . . O X .
. . . . . X . O .
. . . . . X . X X
. . . . . . . . .
. . . . . X . X .`

// diagram reads a drawn position.
func diagram(t testing.TB, rule string, side game.Side, board string) *gomoku.Board {
	t.Helper()
	b, err := gomoku.ParseDiagram(rules(t, rule), 0, board, gomoku.DiagramOptions{ToMove: &side})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestTraps(t *testing.T) {
	solver := vcf.New(vcf.Options{})
	for _, tt := range traps {
		t.Run(tt.rule+": "+tt.name, func(t *testing.T) {
			b := diagram(t, tt.rule, tt.side, tt.board)
			r := solver.Solve(context.Background(), pattern.FromBoard(b), vcf.VCF, plenty)
			if r.Outcome != tt.want {
				t.Errorf("got %v, want %v\n%v", r.Outcome, tt.want, b)
			}
			o := &oracle{t: t, kind: vcf.VCF, room: plenty}
			if moves, known := o.solve(b); !known || (moves > 0) != (tt.want == vcf.Win) {
				t.Errorf("the oracle finds a win in %d moves (known: %v), want %v", moves, known, tt.want)
			}
			if r.Outcome == vcf.Win {
				verify(t, b, vcf.VCF, r, solver)
			}
		})
	}
}
