package nn_test

import (
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/nn/nntest"
)

// The network without knowledge does what every network does.
func TestUniformNetwork(t *testing.T) {
	pos := gametest.NewMNK(3, 3, 3)
	pos.Play(4)
	nntest.CheckNetwork(t, nntest.Subject{
		Network: nn.UniformNetwork{}, Variant: nntest.Toy, Everyone: true, Bits: "83ff548e458fa821",
		Positions: []game.Position{gametest.NewMNK(3, 3, 3), pos},
	})
}
