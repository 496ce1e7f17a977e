package games

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"

	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
)

// Game describes one game to the rest of the program: whatever is asked about a
// game outside its own packages is a field here. Each game has a file of its own
// with one such value, which stands in the list of games.
//
// The functions get a Variant that NewVariant has made. A field that is nil stands
// for what its comment says.
type Game struct {
	Name      string
	RuleSets  []string // names of its rule sets
	MoveLimit int      // moves after which a match is drawn, as positions can recur; 0: none
	Deals     bool     // games begin differently, with what Start draws
	SGF       int      // number of the game in SGF's property GM; 0: it has no SGF form

	// Inputs are the inputs that networks may read, the usual ones first, which samples
	// record.
	Inputs []Inputs

	// Check fills in defaults and refuses what the game does not have. It returns too
	// what the other functions want to keep of the rules, a comparable value which
	// Variant.Data hands them.
	Check func(o VariantOptions) (settled VariantOptions, data any, err error)

	// Parameters returns the rule set as samples record it: a struct with a field
	// "name" among others, see samples.FieldsOf.
	Parameters func(v Variant) any

	// Start returns the position that a game begins at: the usual one for a nil
	// rng, else one that rng draws, where games begin differently.
	Start func(v Variant, rng *rand.Rand) (game.Position, error)

	// Position reads a position as its moves, which must be legal; "" is the start.
	Position func(v Variant, text string) (game.Position, error)

	// Parse reads a game: the position that it began at, and its moves, whose
	// form alone is checked; Format writes one.
	Parse  func(v Variant, text string) (game.Position, []game.Move, error)
	Format func(v Variant, start game.Position, moves []game.Move) string

	// SetUp is Variant.SetUp; nil: positions are not set up by stones.
	SetUp func(v Variant, s Setup) (game.Position, error)

	// Diagram reads a drawing; nil: the game has none. DrawnSize reads only the size
	// of its board; nil: boards of the game have one size.
	Diagram   func(v Variant, d Diagram) (game.Position, error)
	DrawnSize func(text string) (int, error)

	Notation func(v Variant) game.Notation

	// Classical returns the classical search of the game.
	Classical func(v Variant, o Evaluation) alphabeta.Game

	// Weights returns the SHA-256 of weights of the evaluation, in hexadecimal
	// digits, and Scale the score at which the odds of winning are e to 1; nil: there are no such weights, and the usual scale.
	Weights func(v Variant, w Weights) string
	Scale   func(v Variant) float64

	// Columns is the width of a board whose moves are its cells, 0 for others.
	Columns func(v Variant) int

	// Stones and Forbidden are Variant.Stones and Variant.Forbidden; nil: the game
	// has no such cells.
	Stones    func(pos game.Position) []Stone
	Forbidden func(pos game.Position) []Forbidden

	// Display and Step are Variant.Display and Variant.Step. A nil Display shows what
	// Stones says of a board whose side is the variant's size, without the last move
	// or a line that has won, and a nil Step puts a new piece on the square that the
	// move is: what suits a game whose moves are cells.
	Display func(v Variant, pos game.Position) Display
	Step    func(m game.Move) Step

	// Cards returns all cards that positions may have; nil: the game has none.
	Cards func() []Card

	// Threats and Symmetries are Variant.Threats and Variant.Symmetries; nil: the
	// game has none.
	Threats    func(pos game.Position) [2]Threats
	Symmetries func(pos game.Position) []func(game.Move) game.Move

	// About is Variant.About; nil: there is nothing to tell.
	About func(v Variant) About

	// Played is Variant.Played; nil: the moves that led to a position are not known.
	Played func(pos game.Position) (moves []game.Move, ok bool)

	// Candidates appends the moves that random openings are made of; nil: all.
	Candidates func(pos game.Position, buf []game.Move) []game.Move

	// Form returns a copy of a position on which solvers are fastest; nil:
	// there is but one form.
	Form func(pos game.Position) game.Position

	// Solvers prove wins in trees, Prover in single positions; nil: none.
	Solvers func(n SolverNodes) mcts.Solver
	Prover  func(tableBytes int) Prover

	// QuietProver proves wins with quiet moves; nil: none.
	QuietProver func(o QuietOptions) QuietProver

	// Decider finds out who wins positions; nil: none.
	Decider func(o DecideOptions) Decider

	// WinCertificate is Variant.WinCertificate; nil: none.
	WinCertificate func(ctx context.Context, pos game.Position, winner game.Side, nodes int) ([]byte, error)

	// Endgames opens a file of solved endgames, all of which it reads once; nil: there
	// are no such files.
	Endgames func(ctx context.Context, path string) (Endgames, error)

	// Resistance is mcts.Options.Resistance, for positions in any form; nil: all lost
	// moves of the same length are alike.
	Resistance func(pos game.Position, moves []game.Move, ranks []int8)

	// ProofShare says that one of so many parts of a classical search's budget
	// goes to the prover, where there is one.
	ProofShare func(v Variant) int64
}

// Inputs are one version of the inputs of a game's networks: their names, and what encodes
// positions.
type Inputs struct {
	Version         string
	Planes, Globals []string
	Encoder         func(v Variant) (nn.Encoder, error)
}

// HasProver reports whether forced wins can be proven in the game.
func (g *Game) HasProver() bool { return g.Prover != nil }

// HasDecider reports whether there is a search of all moves for who wins.
func (g *Game) HasDecider() bool { return g.Decider != nil }

// AllCards returns all cards that positions may have, none for games without cards.
func (g *Game) AllCards() []Card {
	if g.Cards == nil {
		return nil
	}
	return g.Cards()
}

// list holds all games, the usual one first.
var list = []*Game{&gomokuGame, &onitamaGame}

// Add makes a further game known, and returns what makes it unknown again. It must
// not be called while others look games up: at the start of a program or a test.
func Add(g *Game) (remove func()) {
	list = append(list, g)
	return func() { list = slices.DeleteFunc(list, func(have *Game) bool { return have == g }) }
}

// GameNames returns the names of the games, the usual one first.
func GameNames() []string {
	names := make([]string, len(list))
	for i, g := range list {
		names[i] = g.Name
	}
	return names
}

// Find returns the game of that name, the usual one for "".
func Find(name string) (*Game, error) {
	if name == "" {
		return list[0], nil
	}
	for _, g := range list {
		if g.Name == name {
			return g, nil
		}
	}
	return nil, fmt.Errorf("unknown game %q: the games are %s", name, strings.Join(GameNames(), ", "))
}
