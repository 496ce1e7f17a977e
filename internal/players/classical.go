package players

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/search"
)

// defaultNodes is the default budget of a move.
const defaultNodes = 100_000

// playerTableMiB is the default size of a player's table.
const playerTableMiB = 16

// MaxThreads bounds the threads of one search.
var MaxThreads = int(option.SearchThreads.Max)

// classicalSetup holds the options of an alphabeta player.
type classicalSetup struct {
	engine             search.ClassicalOptions
	limits             engine.Limits // Nodes and Depth
	ponder             string
	level, weights     string // "": the default
	net, bitbase, book string // "": none was named
}

// classicalArguments are the arguments of an alphabeta player.
var classicalArguments = append([]option.Setting[classicalSetup]{
	option.NumVar(option.Nodes.With(0, "moves played for a move; 100000 without any budget"),
		func(s *classicalSetup) *int64 { return &s.limits.Nodes }),
	option.NumVar(option.Depth, func(s *classicalSetup) *int { return &s.limits.Depth }),
	option.StringVar(option.Choice{
		Key: "level", Help: "strength, each a number of nodes", Words: search.LevelNames(),
	}, func(s *classicalSetup) *string { return &s.level }),
	option.NumVar(option.SearchThreads, func(s *classicalSetup) *int { return &s.engine.Search.Threads }),
	option.NumVar(option.Table.With(playerTableMiB, "size of the transposition table"),
		func(s *classicalSetup) *int { return &s.engine.Search.TableMiB }),
	option.StringVar(option.Choice{
		Key: "ponder", Help: "think during the opponent's turn: on the reply that is expected (true) or on all of them",
		Default: "false", Words: []string{"false", "true", ponderReply, ponderEvery},
	}, func(s *classicalSetup) *string { return &s.ponder }),
	option.NumVar(option.Nodes.Named("ponder-nodes").With(0,
		"moves that pondering plays, all of them before the next search, so that games can be repeated; by default until "+
			"the opponent has moved"), func(s *classicalSetup) *int64 { return &s.engine.PonderNodes }),
	option.StringVar(option.Choice{
		Key: "weights", Help: "weights of the evaluation: those of the shipped line network where it is stronger and no " +
			"level is given (best), fitted to games, or by a formula", Default: bestName, Words: []string{
			bestName, fittedName, handName,
		},
	}, func(s *classicalSetup) *string { return &s.weights }),
	option.StringVar(option.Text{
		Key: "net", Help: "line network that judges positions in place of the weights: a shipped name, or a path; none " +
			"for the fitted weights", Sample: "NAME|PATH|none",
	}, func(s *classicalSetup) *string { return &s.net }),
	option.StringVar(bitbaseOption, func(s *classicalSetup) *string { return &s.bitbase }),
	option.Custom(proofNodes, func(s *classicalSetup, text string) (err error) {
		s.engine.Proof,
			err = proofNodes.parse(text)
		return
	},
		func(s *classicalSetup) string { return s.engine.Proof.String() }),
	option.StringVar(bookOption, func(s *classicalSetup) *string { return &s.book }),
	readBefore[classicalSetup](nameOption), readBefore[classicalSetup](tcOption), readBefore[classicalSetup](timeOption),
}, option.Within(alphabeta.Techniques, func(s *classicalSetup) *alphabeta.Options { return &s.engine.Search })...)

// proofOption is the budget of the solver before a search, "off" for no solver.
type proofOption struct{ option.Int }

var proofNodes = proofOption{
	option.Nodes.Named("proof").With(0,
		"moves that a solver plays before the search, whose claims it checks; by default a part of the budget"),
}

// Range implements [option.Option].
func (o proofOption) Range() string { return "off|" + o.Int.Range() }

// Check implements [option.Option].
func (o proofOption) Check(text string) error {
	_, err := o.parse(text)
	return err
}

func (o proofOption) parse(text string) (search.ProofNodes, error) {
	if text == "off" {
		return search.ProofNodes{Root: alphabeta.Off, Claim: alphabeta.Off}, nil
	}
	n, err := o.Int.Parse(text)
	if err != nil {
		return search.ProofNodes{}, fmt.Errorf("%w, or off", err)
	}
	return search.ProofNodes{Root: int(n)}, nil
}

// Names of the positions to ponder on.
const (
	ponderReply = "reply"
	ponderEvery = "every"
)

// The names of the weights.
const (
	bestName   = "best"
	fittedName = "fitted"
	handName   = "hand"
)

// parseClassical reads the arguments of an alphabeta player.
func parseClassical(spec Spec) (*classicalSetup, error) {
	s := newClassicalSetup()
	if err := ReadArgs(classicalArguments, spec.Args, &s); err != nil {
		return nil, err
	}
	return &s, s.settle(spec.Control.Limited())
}

// newClassicalSetup returns the setup of an empty description.
func newClassicalSetup() (s classicalSetup) {
	s.engine.Search.Threads, s.engine.Search.TableMiB = 1, playerTableMiB
	return s
}

// settle combines the options and loads the network that they name. A player with a clock
// needs no other budget.
func (s *classicalSetup) settle(clock bool) (err error) {
	if s.net != "" && s.weights != "" {
		return errors.New("a line network judges in place of the weights: leave out one of net and weights")
	}
	switch s.weights {
	case fittedName:
		s.engine.Weights = games.FittedWeights
	case handName:
		s.engine.Weights = games.HandWeights
	default:
		if s.engine.Weights, s.engine.Judge, err = networks.Judge(s.net); err != nil {
			return err
		}
	}
	if s.ponder == ponderEvery {
		s.engine.Ponder = search.PonderEvery
	}
	bounded := s.limits.Nodes > 0 || s.limits.Depth > 0 || clock
	if s.level != "" {
		if bounded {
			return errors.New("a level has a budget of its own: leave out nodes, depth, time and tc")
		}
		s.engine.Level, err = search.ParseLevel(s.level)
		return err
	}
	if !bounded {
		s.limits.Nodes = defaultNodes
	}
	return nil
}

// prepare implements playerSetup.
func (s *classicalSetup) prepare(p *Players) (func(context.Context) (arena.Player, error), error) {
	solved, err := p.endgames(s.bitbase)
	if err != nil {
		return nil, err
	}
	o := s.engine
	o.Endgames = solved
	b, err := p.book(s.book)
	if err != nil {
		return nil, err
	}
	return func(context.Context) (arena.Player, error) {
		c, err := search.NewClassical(p.variant, o)
		if err != nil {
			return nil, err
		}
		player := newPlayer(b.before(c), s.limits)
		player.prepare = c.Prepare
		player.ponders = s.ponder != "" && s.ponder != "false"
		player.ponderOut = s.engine.PonderNodes > 0
		return player, nil
	}, nil
}

// parts implements playerSetup.
func (s *classicalSetup) parts(p *Players) ([]arena.Part, error) {
	o, err := s.engine.Judged(p.variant)
	if err != nil {
		return nil, err
	}
	var parts []arena.Part
	if o.Judge != nil {
		parts = append(parts, arena.Part{What: "network", Name: o.Judge.Name(), SHA256: o.Judge.SHA256()})
	}
	return fileParts(parts, s.bitbase, s.book)
}

// addMemory implements playerSetup.
func (s *classicalSetup) addMemory(m *option.Memory, _ games.Variant, workers int) {
	search := s.engine.Search
	m.Add(fmt.Sprintf("table=%d", search.TableMiB), games.ClassicalBytes(search.Threads, search.TableMiB), workers)
}

// A fixed search has the options of a player, except those that make sense only in a game
// or make results depend on more than position and budget: clocks, reuse, randomness,
// threads.

// FixedTree is a tree search of one position.
type FixedTree struct {
	Playouts int
	Model    string // "": the shipped one

	search.TreeSettings
}

// fixedTree are the settings of a fixed tree search.
var fixedTree = append([]option.Setting[FixedTree]{
	option.NumVar(option.Playouts, func(f *FixedTree) *int { return &f.Playouts }),
	option.StringVar(modelOption, func(f *FixedTree) *string { return &f.Model }),
}, option.Within(FixedTreeSettings, func(f *FixedTree) *search.TreeSettings { return &f.TreeSettings })...)

// FixedTreeSettings are [search.TreeSettingsList] without noise and early stop.
var FixedTreeSettings = option.Without(search.TreeSettingsList, "noise-total", "noise-share", "early-stop")

// ParseFixedTree reads the description of a fixed tree search.
func ParseFixedTree(spec Spec) (FixedTree, error) {
	f := FixedTree{Playouts: playerPlayouts, TreeSettings: search.DefaultTreeSettings(playerMemory)}
	return f, ReadArgs(fixedTree, spec.Args, &f)
}

// FixedTreeArgs returns the keys of a fixed tree search.
func FixedTreeArgs() []string { return option.Keys(fixedTree) }

// fixedClassicalKeys are the keys of a fixed classical search besides techniques.
var fixedClassicalKeys = []string{"nodes", "table", "weights", "net"}

// FixedClassicalArgs returns the keys of a fixed classical search besides techniques.
func FixedClassicalArgs() []string { return slices.Clone(fixedClassicalKeys) }

// fixedClassical are the settings of a fixed classical search.
var fixedClassical = option.Only(classicalArguments,
	append(option.Keys(alphabeta.Techniques), fixedClassicalKeys...)...)

// ParseFixedClassical reads the description of a fixed classical search: one
// thread, within so many nodes.
func ParseFixedClassical(spec Spec) (o search.ClassicalOptions, nodes int64, err error) {
	s := newClassicalSetup()
	if err = ReadArgs(fixedClassical, spec.Args, &s); err == nil {
		err = s.settle(false)
	}
	return s.engine, s.limits.Nodes, err
}

// ClassicalSettings are the settings of a classical search except budget and judging
// network: its table, its weights and its techniques.
type ClassicalSettings struct{ setup classicalSetup }

// DefaultClassicalSettings returns the defaults with a table of the given size in MiB.
func DefaultClassicalSettings(table int) ClassicalSettings {
	s := ClassicalSettings{newClassicalSetup()}
	s.setup.engine.Search.TableMiB = table
	return s
}

// Search returns the options of the search itself; the caller may change them.
func (s *ClassicalSettings) Search() *alphabeta.Options { return &s.setup.engine.Search }

// SetEndgames makes the search know solved endgames.
func (s *ClassicalSettings) SetEndgames(e games.Endgames) { s.setup.engine.Endgames = e }

// TableMiB returns the size of the table.
func (s *ClassicalSettings) TableMiB() int { return s.setup.engine.Search.TableMiB }

// Options returns the settings as options of a Classical.
func (s ClassicalSettings) Options() (search.ClassicalOptions, error) {
	err := s.setup.settle(false)
	return s.setup.engine, err
}

// ClassicalSettingsList are the settings of [ClassicalSettings].
var ClassicalSettingsList = option.Within(option.Without(fixedClassical, "nodes", "net"),
	func(s *ClassicalSettings) *classicalSetup { return &s.setup })

// ParseTreeSettings reads settings of a tree search, "memory=16,solver-leaf=0"; the rest
// are a player's defaults.
func ParseTreeSettings(text string) (search.TreeSettings, error) {
	s := search.DefaultTreeSettings(playerMemory)
	return s, parseSettings(search.TreeSettingsList, text, &s)
}

// ParseClassicalSettings reads settings of a classical search, "table=1,rfp=off".
func ParseClassicalSettings(text string) (ClassicalSettings, error) {
	s := DefaultClassicalSettings(playerTableMiB)
	return s, parseSettings(ClassicalSettingsList, text, &s)
}

func parseSettings[T any](list []option.Setting[T], text string, of *T) error {
	args, err := parseArgs(text)
	if err == nil {
		err = ReadArgs(list, args, of)
	}
	if err != nil {
		return fmt.Errorf("settings %q: %w", text, err)
	}
	return nil
}
