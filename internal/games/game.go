// Package games describes the games. It is the one place that knows every game: all
// that differs from one to another is a field of [Game], and a game with its rule set
// and size is a [Variant], which names of a command line or a protocol become.
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

// Setup is a position given by its stones, for games whose moves are the cells of a
// board: [Variant.Columns] is not 0.
type Setup struct {
	Stones   []Stone    // by cell, as many as the board has
	ToMove   *game.Side // nil: by the count of stones
	Captured [2]int     // stones taken off the board, by the side that took them
}

// Diagram is a position drawn as text, with what a drawing leaves open.
type Diagram struct {
	Text     string
	ToMove   *game.Side // nil: by the count of stones, or as the drawing says
	Captured [2]int     // stones taken off the board, by the side that took them
}

// SetUp returns the position of a setup. The error is a [SetupError] if a part of the
// setup is impossible.
func (v Variant) SetUp(s Setup) (game.Position, error) {
	if v.game.SetUp == nil {
		return nil, fmt.Errorf("positions of %s are not set up by stones", v.Game)
	}
	return v.game.SetUp(v, s)
}

// ParseDiagram reads a drawing. The error is a [SetupError] if what is drawn is
// impossible, an [OptionError] if the game's drawings say themselves what d does.
func (v Variant) ParseDiagram(d Diagram) (game.Position, error) {
	if v.game.Diagram == nil {
		return nil, fmt.Errorf("%s has no drawings", v.Game)
	}
	return v.game.Diagram(v, d)
}

// SetupPart is a part of a setup. Who asked for the setup knows how it was given: by
// a flag, or by a field of a query.
type SetupPart uint8

// The parts of a setup.
const (
	StonesPart SetupPart = iota
	ToMovePart           // missing, where the count of stones does not tell it
	CapturedPart
)

// SetupError says which part of a setup is impossible. It wraps the game's error,
// and has its text.
type SetupError struct {
	Part SetupPart
	Err  error
}

func (e *SetupError) Error() string { return e.Err.Error() }

// Unwrap returns the game's error.
func (e *SetupError) Unwrap() error { return e.Err }

// Names of the options that an [OptionError] can be about.
const (
	OpenRuleOption = "open-rule" // [VariantOptions.OpenRule]
	CardsOption    = "cards"     // [VariantOptions.Cards]
	ToMoveOption   = "to-move"   // [Diagram.ToMove]
	CapturedOption = "captured"  // [Diagram.Captured]
)

// OptionError says that a game has no use for some options.
type OptionError struct {
	Options []string // their names, see above
	Why     string   // what the sentence says after them
}

func (e *OptionError) Error() string { return e.Naming(func(option string) string { return option }) }

// Naming returns the text of the error with the options named as name does it: a
// command line and a query have their own names for them.
func (e *OptionError) Naming(name func(option string) string) string {
	names := make([]string, len(e.Options))
	for i, option := range e.Options {
		names[i] = name(option)
	}
	return strings.Join(names, " and ") + " " + e.Why
}
