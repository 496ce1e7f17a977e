// Package games describes the games: it is the one place that knows every game. What differs
// from one to another is in its [Game] and its [Rules], and a game with its rule set and size
// is a [Variant], which names of a command line or a protocol become.
package games

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/nn"
)

// Game describes one game to the rest of the program.
type Game struct {
	Name      string
	RuleSets  []string // names of its rule sets
	MoveLimit int      // moves after which a match is drawn, as positions can recur; 0: none
	Deals     bool     // games begin differently, with what Rules.Deal draws
	SGF       int      // number of the game in SGF's property GM; 0: it has no SGF form
	Sizes     bool     // there are boards of several sizes
	Cards     []Card   // that positions may have

	// Inputs are the inputs that networks may read, the usual ones first, which samples
	// record.
	Inputs []Inputs

	// Check fills in defaults and refuses what the game does not have.
	Check func(o VariantOptions) (settled VariantOptions, of Rules, err error)

	// Endgames opens a file of solved endgames, all of which it reads once; nil: there
	// are no such files.
	Endgames func(ctx context.Context, path string) (Endgames, error)
}

// Rules are those of a variant, a comparable value. A game can implement [Solved] too.
type Rules interface {
	// Parameters returns the rule set as samples record it: a struct with a field
	// "name" among others, see samples.FieldsOf.
	Parameters() any

	// Deal returns the position that a game of self-play begins at: the usual one for a nil
	// rng, else one that rng draws, where games begin differently.
	Deal(rng *rand.Rand) (game.Position, error)

	// Parse reads a position in the notation of the command line: gomoku's moves from the
	// empty board, or Onitama's deal and moves, which must be legal. "" is the usual start.
	Parse(text string) (game.Position, error)

	// ParseGame reads a game: the position that it began at and its moves, whose form alone
	// is checked. FormatGame writes what it reads.
	ParseGame(text string) (start game.Position, moves []game.Move, err error)
	FormatGame(start game.Position, moves []game.Move) string

	Notation() game.Notation

	// Columns returns the width of a board whose moves are its cells, counted row by row, 0
	// where moves are no cells. Stones returns what is on each cell of such a board, else nil.
	Columns() int
	Stones(pos game.Position) []Stone

	// Display returns what a person sees of a position, and Step a move as a person makes it.
	Display(pos game.Position) Display
	Step(m game.Move) Step

	// Played returns the moves that led to a position from the start of its game, which
	// undoing them gives back; ok is false if they are not known, as for one that was set up.
	Played(pos game.Position) (moves []game.Move, ok bool)

	// About returns what there is to know before one plays.
	About() About

	// ParseDiagram reads a drawing. The error is a [SetupError] if what is drawn is
	// impossible, an [OptionError] if the game's drawings say themselves what d does.
	ParseDiagram(d Diagram) (game.Position, error)

	// Evaluated returns the classical search of the game with an evaluation.
	Evaluated(o Evaluation) alphabeta.Game
}

// Inputs are one version of the inputs of a game's networks: their names, and what encodes
// positions.
type Inputs struct {
	Version         string
	Planes, Globals []string
	Encoder         func(v Variant) (nn.Encoder, error)
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
	Rules
}

// VariantOptions name a variant as a command line does. Empty strings and
// zeros stand for the game's defaults: gomoku, caro, 15, the cards of the base game.
type VariantOptions struct {
	Game     string `toml:"game"`
	Rule     string `toml:"rule"`
	Size     int    `toml:"size"`
	OpenRule bool   `toml:"open_rule"`
	Cards    string `toml:"-" json:",omitempty"`
}

// NewVariant checks the options. Its errors are about names and numbers that
// the user gave.
func NewVariant(o VariantOptions) (Variant, error) {
	g, err := Find(o.Game)
	if err != nil {
		return Variant{}, err
	}
	o, rules, err := g.Check(o)
	if err != nil {
		return Variant{}, err
	}
	return Variant{Game: g.Name, Size: o.Size, OpenRule: o.OpenRule, Cards: o.Cards, rule: o.Rule, game: g,
		Rules: rules}, nil
}

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
func (v Variant) Start() (game.Position, error) { return v.Deal(nil) }

// RandomStarts returns the positions at which numbered games begin, a function of the seed
// and the number; nil where all games begin alike.
func (v Variant) RandomStarts(seed uint64) func(number int) (game.Position, error) {
	if !v.game.Deals {
		return nil
	}
	return func(number int) (game.Position, error) { return v.Deal(rand.New(rand.NewPCG(^seed, uint64(number)))) }
}

// MaxInFlight bounds the playouts that one search may have in flight.
const MaxInFlight = 256

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
	return nil, fmt.Errorf("%w: it reads input planes %.40q, needed are %s for %s", nn.ErrModel, version,
		strings.Join(have, " or "), v.Game)
}

// Candidates returns the moves that random openings are made of, nil for all.
func (v Variant) Candidates() func(pos game.Position, buf []game.Move) []game.Move {
	if l := v.Lines(); l != nil {
		return l.Candidates
	}
	return nil
}

// Classical returns what the classical search has to know of the variant's
// game, with the weights that ship.
func (v Variant) Classical() alphabeta.Game {
	return v.ClassicalBy(Evaluation{})
}

// ClassicalBy is Classical with another evaluation, where the game has one.
func (v Variant) ClassicalBy(o Evaluation) alphabeta.Game {
	g := v.Evaluated(o)
	if e := v.endgames(o.Endgames); e != nil {
		return withEndgames{g, e}
	}
	return g
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

// SetUp is [Lines.SetUp], an error for other games.
func (v Variant) SetUp(s Setup) (game.Position, error) {
	if l := v.Lines(); l != nil {
		return l.SetUp(s)
	}
	return nil, fmt.Errorf("positions of %s are not set up by stones", v.Game)
}

// SetupError says which part of a setup is impossible. Who asked for the setup knows how the
// part was given: by a flag, or by a field of a query.
type SetupError = gomoku.SetupError

// The parts of a setup. ToMovePart is missing where the count of stones does not tell it.
const (
	StonesPart   = gomoku.StonesPart
	ToMovePart   = gomoku.ToMovePart
	CapturedPart = gomoku.CapturedPart
)

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
