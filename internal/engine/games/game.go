package games

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
)

// Game describes one game to the rest of the program: whatever is asked about a
// game outside its own packages is a field here. Each game has a file of its own
// with one such value, which stands in the list games.
//
// The functions get a Variant that check has returned. A field that is nil stands
// for what its comment says.
type Game struct {
	Name      string
	RuleSets  []string // names of its rule sets
	MoveLimit int      // moves after which a match is drawn, as positions can recur; 0: none
	Untrained bool     // no network ships for it: without --model it is played without knowledge
	SGF       int      // number of the game in SGF's property GM; 0: it has no SGF form

	// Inputs names the network's inputs, as samples record them.
	Inputs Inputs

	// check fills in defaults and refuses what the game does not have.
	check func(o VariantOptions) (Variant, error)

	// parameters returns the rule set as samples record it: a struct with a field
	// "name" among others, see samples.FieldsOf.
	parameters func(v Variant) any

	// start returns the position that a game begins at: the usual one for a nil
	// rng, else one that rng draws, where games begin differently.
	start func(v Variant, rng *rand.Rand) (game.Position, error)

	// position reads a position as its moves, which must be legal; "" is the start.
	position func(v Variant, text string) (game.Position, error)

	// parse reads a game: the position that it began at, and its moves, whose
	// form alone is checked. format writes one.
	parse  func(v Variant, text string) (game.Position, []game.Move, error)
	format func(v Variant, start game.Position, moves []game.Move) string

	// diagram reads a drawing, drawnSize only the size of its board; nil: boards
	// of the game have one size.
	diagram   func(v Variant, d Diagram) (game.Position, error)
	drawnSize func(text string) (int, error)

	notation  func(v Variant) game.Notation
	encoder   func(v Variant) (nn.Encoder, error)
	classical func(v Variant, o ClassicalOptions) alphabeta.Game

	// weights returns the SHA-256 of weights of the evaluation, in hexadecimal
	// digits, and scale the score at which the odds of winning are e to 1; nil: there
	// are no such weights, and the usual scale.
	weights func(v Variant, w Weights) string
	scale   func(v Variant) float64

	// columns is the width of a board whose moves are its cells, 0 for others.
	columns func(v Variant) int

	// stones and forbidden are Variant.Stones and Variant.Forbidden; nil: the game
	// has no such cells.
	stones    func(pos game.Position) []Stone
	forbidden func(pos game.Position) []Forbidden

	// display and step are Variant.Display and Variant.Step.
	display func(v Variant, pos game.Position) Display
	step    func(m game.Move) Step

	// threats and symmetries are Variant.Threats and Variant.Symmetries; nil: the
	// game has none.
	threats    func(pos game.Position) [2]Threats
	symmetries func(pos game.Position) []func(game.Move) game.Move

	// about is Variant.About; nil: there is nothing to tell.
	about func(v Variant) About

	// text is Variant.Text; nil: no position has one.
	text func(v Variant, pos game.Position) string

	// candidates appends the moves that random openings are made of; nil: all.
	candidates func(pos game.Position, buf []game.Move) []game.Move

	// form returns a copy of a position on which solvers are fastest; nil:
	// there is but one form.
	form func(pos game.Position) game.Position

	// solvers prove wins in trees, prover in single positions; nil: there is none.
	solvers func(n SolverNodes) mcts.Solver
	prover  func(tableBytes int) Prover

	// resistance is mcts.Options.Resistance, for positions in any form; nil: all lost
	// moves of the same length are alike.
	resistance func(pos game.Position, moves []game.Move, ranks []int8)

	// proofShare says that one of so many parts of a classical search's budget
	// goes to the prover, where there is one.
	proofShare func(v Variant) int64
}

// Inputs names the inputs of a game's networks.
type Inputs struct {
	Version         string
	Planes, Globals []string
}

// HasProver reports whether forced wins can be proven in the game.
func (g *Game) HasProver() bool { return g.prover != nil }

// games are all games, the usual one first.
var games = []*Game{&gomokuGame, &onitamaGame}

// GameNames returns the names of the games, the usual one first.
func GameNames() []string {
	names := make([]string, len(games))
	for i, g := range games {
		names[i] = g.Name
	}
	return names
}

// lookup returns the game of that name, the usual one for "".
func lookup(name string) (*Game, error) {
	if name == "" {
		return games[0], nil
	}
	for _, g := range games {
		if g.Name == name {
			return g, nil
		}
	}
	return nil, fmt.Errorf("unknown game %q: the games are %s", name, strings.Join(GameNames(), ", "))
}
