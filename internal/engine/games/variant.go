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

// Variant names a game with everything that its rules leave open. Make one
// with NewVariant; it is a value, safe to share, and equal to another of the same
// game, rules and size.
type Variant struct {
	Game     string
	Size     int    // side length of the board
	OpenRule bool   // the third stone at least three columns or rows from the first
	Cards    string // that are dealt from, where the game has some; "": the usual ones

	rule string
	game *Game
	data any // what the game's own functions keep of the rules; comparable
}

// VariantOptions name a variant as a command line does. Empty strings and
// zeros stand for the game's defaults: gomoku, caro, 15, the cards of the base game.
type VariantOptions struct {
	Game, Rule string
	Size       int
	OpenRule   bool
	Cards      string `json:",omitempty"`
}

// NewVariant checks the options. Its errors are about names and numbers that
// the user gave.
func NewVariant(o VariantOptions) (Variant, error) {
	g, err := Find(o.Game)
	if err != nil {
		return Variant{}, err
	}
	o, data, err := g.Check(o)
	if err != nil {
		return Variant{}, err
	}
	return Variant{Game: g.Name, Size: o.Size, OpenRule: o.OpenRule, Cards: o.Cards, rule: o.Rule, game: g, data: data}, nil
}

// Data returns what [Game.Check] has kept of the rules.
func (v Variant) Data() any { return v.data }

// Of returns the description of the variant's game.
func (v Variant) Of() *Game { return v.game }

// Rule returns the name of the rule set.
func (v Variant) Rule() string { return v.rule }

// Options returns what names the variant.
func (v Variant) Options() VariantOptions {
	return VariantOptions{Game: v.Game, Rule: v.rule, Size: v.Size, OpenRule: v.OpenRule, Cards: v.Cards}
}

// String names the variant for a person: "caro 15x15".
func (v Variant) String() string {
	text := v.Game
	if len(v.game.RuleSets) > 1 {
		text = fmt.Sprintf("%s %dx%d", v.rule, v.Size, v.Size)
	}
	if v.OpenRule {
		text += " with the opening rule"
	}
	if v.Cards != "" {
		text += " with the cards " + v.Cards
	}
	return text
}

// Start returns the position that games start from.
func (v Variant) Start() (game.Position, error) { return v.game.Start(v, nil) }

// Deal returns the position that a game of self-play starts from: Start, or where
// Games begin differently one that rng draws.
func (v Variant) Deal(rng *rand.Rand) (game.Position, error) { return v.game.Start(v, rng) }

// RandomStarts returns the positions at which numbered games begin, a function of the seed
// and the number; nil where all games begin alike.
func (v Variant) RandomStarts(seed uint64) func(number int) (game.Position, error) {
	if !v.game.Deals {
		return nil
	}
	return func(number int) (game.Position, error) { return v.Deal(rand.New(rand.NewPCG(^seed, uint64(number)))) }
}

// ParseGame reads a game in the variant's notation: the position that it began
// at and its moves, whose form alone is checked. FormatGame writes what it reads.
func (v Variant) ParseGame(text string) (start game.Position, moves []game.Move, err error) {
	return v.game.Parse(v, text)
}

// FormatGame returns the text of a game that began at start.
func (v Variant) FormatGame(start game.Position, moves []game.Move) string {
	return v.game.Format(v, start, moves)
}

// Parse reads a position in the variant's notation: gomoku's moves from the
// empty board, or Onitama's deal and moves. "" is the start of the game.
func (v Variant) Parse(text string) (game.Position, error) { return v.game.Position(v, text) }

// MaxInFlight bounds the playouts that one search may have in flight.
const MaxInFlight = 256

// DefaultInFlight is what a search uses where nothing else is asked for.
const DefaultInFlight = 2

// Notation returns the text form of the variant's moves.
func (v Variant) Notation() game.Notation { return v.game.Notation(v) }

// Encoder implements [nn.Variant]: it returns a new encoder of a version of the network's
// inputs, the usual one for "".
func (v Variant) Encoder(version string) (nn.Encoder, error) {
	inputs := v.game.Inputs
	if version == "" {
		return inputs[0].Encoder(v)
	}
	var have []string
	for _, in := range inputs {
		if in.Version == version {
			return in.Encoder(v)
		}
		have = append(have, in.Version)
	}
	return nil, fmt.Errorf("%w: it reads input planes %.40q, needed are %s for %s", nn.ErrModel, version, strings.Join(have, " or "), v.Game)
}

// Columns returns the width of a board whose moves are its cells, counted row by
// row, 0 where moves are no cells.
func (v Variant) Columns() int { return v.game.Columns(v) }

// Candidates returns the moves that random openings are made of, nil for all.
func (v Variant) Candidates() func(pos game.Position, buf []game.Move) []game.Move {
	return v.game.Candidates
}

// Classical returns what the classical search has to know of the variant's
// game, with the weights that ship.
func (v Variant) Classical() alphabeta.Game {
	return v.ClassicalBy(Evaluation{})
}

// ClassicalBy is Classical with another evaluation, where the game has one.
func (v Variant) ClassicalBy(o Evaluation) alphabeta.Game {
	g := v.game.Classical(v, o)
	if e := v.endgames(o.Endgames); e != nil {
		return withEndgames{g, e}
	}
	return g
}

// Searchable returns a copy of a position in the form on which solvers are
// fastest.
func (v Variant) Searchable(pos game.Position) game.Position {
	if v.game.Form == nil {
		return pos.Clone()
	}
	return v.game.Form(pos)
}

// SolversWith is Solvers with endgames in their place, where there are some and the game
// has such.
func (v Variant) SolversWith(n SolverNodes, e Endgames) mcts.Solver {
	if e = v.endgames(e); e != nil {
		return EndgameSolver(e)
	}
	return v.Solvers(n)
}

// Solvers returns new solvers for one searcher; nil if all are off or the game has
// none. ByNetwork counts as for a residual network: see [SolverNodes.Settled].
func (v Variant) Solvers(n SolverNodes) mcts.Solver {
	n = n.Settled(false)
	if n == (SolverNodes{}) || v.game.Solvers == nil {
		return nil
	}
	return v.game.Solvers(n)
}
