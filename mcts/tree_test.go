package mcts

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"pgregory.net/rapid"
)

// genPriors draws the priors of up to 400 moves, many of them equal.
func genPriors(t *rapid.T) ([]float32, *rand.Rand) {
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	n := rapid.SampledFrom([]int{1, 3, 4, 5, 15, 16, 17, 18, 40, 225, 361, 400}).Draw(t, "moves")
	levels := rapid.SampledFrom([]int{1, 2, 10, 1000, 1 << 20}).Draw(t, "levels")
	priors := make([]float32, n)
	for i := range priors {
		priors[i] = float32(rng.IntN(levels+1)) / float32(levels)
	}
	return priors, rng
}

func ascending(n int) []game.Move {
	moves := make([]game.Move, n)
	for i := range moves {
		moves[i] = game.Move(3 * i)
	}
	return moves
}

func TestEdgesAreVisitedInPriorOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		priors, rng := genPriors(t)
		moves := ascending(len(priors))
		byPrior := make([]int, len(priors))
		for i := range byPrior {
			byPrior[i] = i
		}
		slices.SortStableFunc(byPrior, func(a, b int) int {
			return int(math.Float32bits(priors[b])) - int(math.Float32bits(priors[a]))
		})
		tr := tree{bound: 1 << 30}
		tr.reset()
		tr.expand(0, moves, priors, 0)
		for visited, i := range byPrior {
			e := int(tr.nodes[0].edges) + visited
			if tr.moves[e] != moves[i] || tr.priors[e] != priors[i] {
				t.Fatalf("edge %d is move %d, prior %v; want %d, %v", visited, tr.moves[e], tr.priors[e], moves[i], priors[i])
			}
			tr.addKid(0, 0)
			if rng.IntN(10) == 0 {
				tr.dropKid(0)
				tr.addKid(0, 0)
			}
		}
	})
}

// chooseBrute is choose by the definition, over all edges.
func chooseBrute(t *tree, nd *node, visits uint32, q, reduction float32, x *exploration) int {
	var mass float32
	for i := range nd.nKids {
		mass += t.priors[nd.edges+uint32(i)]
	}
	best, edge := float32(math.Inf(-1)), -1
	for i := range uint32(t.kept(nd)) {
		value, n := q-float32(reduction*float32(math.Sqrt(float64(mass)))), uint32(0)
		if i < uint32(nd.nKids) {
			value, n = t.kids[nd.kids+i].q, t.kids[nd.kids+i].visits
		}
		score := value + float32(x.width(nd)*x.scale(visits)*t.priors[nd.edges+i])/float32(1+n)
		if score > best {
			best, edge = score, int(i)
		}
	}
	return edge
}

func TestChooseIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		options := Options{Spread: rapid.SampledFrom([]float32{-1, 0.5, 1}).Draw(t, "spread")}.withDefaults()
		x := newExploration(&options)
		priors, rng := genPriors(t)
		tr := tree{bound: 1 << 30}
		tr.reset()
		tr.expand(0, ascending(len(priors)), priors, 0)
		visits := uint32(1)
		for i := range rng.IntN(len(priors) + 1) {
			tr.addKid(0, 0)
			k := &tr.kids[tr.nodes[0].kids+uint32(i)]
			k.q = 2*rng.Float32() - 1
			if rng.IntN(10) == 0 {
				k.q = forbidden
			}
			k.visits = 1 + rng.Uint32N(50)
			visits += k.visits
		}
		q := 2*rng.Float32() - 1
		nd := &tr.nodes[0]
		nd.visits = visits
		for range visits {
			nd.addSquare(rng.Float32())
		}
		got := tr.choose(nd, visits, q, 0.2, &x, true).edge
		if want := chooseBrute(&tr, nd, visits, q, 0.2, &x); got != want {
			t.Fatalf("edge %d, want %d", got, want)
		}
		if got := tr.choose(nd, visits, q, 0.2, &x, false).edge; got >= int(nd.nKids) {
			t.Fatalf("unvisited edge %d followed without growing", got)
		}
	})
}

// Exploration grows with the spread of the values that arrive, computed here from
// the values themselves, and not at all if that is off or the node is proven.
func TestWidthByDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spread := rapid.Float32Range(0.01, 1).Draw(t, "spread")
		o := Options{Spread: spread}.withDefaults()
		off := Options{Spread: -1}.withDefaults()
		x, none := newExploration(&o), newExploration(&off)
		var nd node
		mean, squares := 0.0, 2*0.16
		values := rapid.SliceOfN(rapid.Float32Range(-1, 1), 1, 50).Draw(t, "values")
		for _, v := range values {
			nd.visits++
			nd.sum += fixed(v)
			nd.addSquare(v * v)
			mean += float64(v) / float64(len(values))
		}
		for _, v := range values {
			squares += (float64(v) - mean) * (float64(v) - mean)
		}
		deviation := math.Sqrt(squares / float64(len(values)+2))
		want := 1 + float64(spread)*(deviation/0.4-1)
		if got := float64(x.width(&nd)); math.Abs(got-want) > 1e-4 {
			t.Fatalf("%v, want %v", got, want)
		}
		if got := none.width(&nd); got != 1 {
			t.Fatalf("%v without", got)
		}
		nd.setProof(game.Won, 3)
		if got := x.width(&nd); got != 1 {
			t.Fatalf("%v for a proven node", got)
		}
	})
}
