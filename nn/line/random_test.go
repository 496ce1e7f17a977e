package line

import (
	"math/rand/v2"
	"sync"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// randomNetwork returns a network of random weights large enough to reach every clamp.
func randomNetwork(seed uint64, channels int) *Network {
	r := rand.New(rand.NewPCG(seed, uint64(channels)))
	n := &Network{channels: channels, features: make([]int8, tableRows*channels)}
	for i := range n.features {
		n.features[i] = int8(r.IntN(160) - 70)
	}
	clear(n.features[(int(ownCodes)+pattern.Codes)*channels:][:channels])
	clear(n.features[(int(oppCodes)+pattern.Codes)*channels:][:channels])
	weights := func(count, most int) []int16 {
		w := make([]int16, count)
		for i := range w {
			w[i] = int16(r.IntN(2*most+1) - most)
		}
		return w
	}
	biases := func(count int) []int32 {
		b := make([]int32, count)
		for i := range b {
			b[i] = int32(r.IntN(1<<24) - 1<<23)
		}
		return b
	}
	all := filters*channels + filters
	n.w1, n.b1 = weights(hidden*valueInputs(channels), 400), biases(hidden)
	n.w2, n.b2 = weights(hidden*hidden, 1500), biases(hidden)
	n.w3, n.b3 = weights(outcomes*hidden, 1500), biases(outcomes)
	n.d, n.db = weights(taps*channels, 26), weights(channels, 2000)
	n.g1, n.gb1 = weights(hidden*contextInputs(channels), 1500), biases(hidden)
	n.g2, n.gb2 = weights(all*hidden, 1500), biases(all)
	n.o = weights(filters, 30000)
	n.pack()
	return n
}

// randomBoard plays random moves, near others as a rule, until so many are played
// or the game is over.
func randomBoard(r *rand.Rand, rule string, size, plies int) *pattern.Board {
	rules, err := gomoku.Lookup(rule)
	if err != nil {
		panic(err)
	}
	b, err := pattern.New(rules, size)
	if err != nil {
		panic(err)
	}
	for range plies {
		if !playAny(r, b) {
			break
		}
	}
	return b
}

// playAny plays a random legal move, if there is any.
func playAny(r *rand.Rand, b *pattern.Board) bool {
	moves := b.Moves(nil)
	if len(moves) == 0 {
		return false
	}
	m := moves[r.IntN(len(moves))]
	near := b.Candidates()
	for try := 0; try < 8 && !near.Has(int(m)); try++ {
		m = moves[r.IntN(len(moves))]
	}
	b.Play(game.Move(m))
	return true
}

// sharedNetwork returns the one random network with so many channels: the tables
// of lines take a while to fill.
func sharedNetwork(channels int) *Network { return shared[channels]() }

var shared = map[int]func() *Network{
	16: sync.OnceValue(func() *Network { return randomNetwork(1, 16) }),
	32: sync.OnceValue(func() *Network { return randomNetwork(2, 32) }),
}
