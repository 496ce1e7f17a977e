package line

import (
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/nn"
	gomokunet "github.com/carozero/carozero/nn/gomoku"
	"github.com/carozero/carozero/nn/nntest"
)

// A line network does what every network does, and has the same bits on every machine.
func TestNetworkIsANetwork(t *testing.T) {
	const size = 9
	rules, err := gomoku.Lookup("caro")
	if err != nil {
		t.Fatal(err)
	}
	n, err := Kind.Load("it", encoded(t, randomNetwork(3, 16).parts(), nil), "")
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(7, 7))
	var positions []game.Position
	for len(positions) < 12 {
		if b := randomBoard(r, "caro", size, r.IntN(40)); b.Outcome() == game.Undecided {
			positions = append(positions, b.Board())
		}
	}
	nntest.CheckNetwork(t, nntest.Subject{
		Network: n, Positions: positions, Bits: "45382add777f1124",
		Variant: nntest.Variant{
			Name:    "caro 9x9",
			From:    func() (game.Position, error) { return gomoku.New(rules, size) },
			Encoded: func() (nn.Encoder, error) { return gomokunet.New(rules, size) },
		},
		Board: func(pos game.Position) game.Position { return pattern.FromBoard(pos.(*gomoku.Board)) },
	})
}
