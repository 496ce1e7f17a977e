package players

import (
	"errors"
	"fmt"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
)

// defaultNodes is the default budget of a move.
const defaultNodes = 100_000

// playerTableMiB is the default size of a player's table.
const playerTableMiB = 16

// MaxThreads bounds the threads of one search.
var MaxThreads = int(option.SearchThreads.Max)

// Alphabeta describes an alphabeta player, or a classical search of one position.
type Alphabeta struct {
	engine.ClassicalOptions
	files
	limits              engine.Limits // Nodes and Depth
	level, weights, net string        // "": the default
}

// classicalArguments are the arguments of an alphabeta player.
var classicalArguments = append(withEvery([]option.Setting[Alphabeta]{
	option.NumVar(option.Nodes.With(0, "moves played for a move; 100000 without any budget"),
		func(s *Alphabeta) *int64 { return &s.limits.Nodes }),
	option.NumVar(option.Depth, func(s *Alphabeta) *int { return &s.limits.Depth }),
	option.StringVar(option.Choice{
		Key: "level", Help: "strength, each a number of nodes", Words: engine.LevelNames(),
	}, func(s *Alphabeta) *string { return &s.level }),
	option.NumVar(option.SearchThreads, func(s *Alphabeta) *int { return &s.Search.Threads }),
	option.NumVar(option.Table.With(playerTableMiB, "size of the transposition table"),
		func(s *Alphabeta) *int { return &s.Search.TableMiB }),
	option.StringVar(option.Choice{
		Key: "weights", Help: "weights of the evaluation: those of the shipped line network where it is stronger and no " +
			"level is given (best), fitted to games, or by a formula", Default: bestName, Words: []string{
			bestName, fittedName, handName,
		},
	}, func(s *Alphabeta) *string { return &s.weights }),
	option.StringVar(option.Text{
		Key: "net", Help: "line network that judges positions in place of the weights: a shipped name, or a path; none " +
			"for the fitted weights", Sample: "NAME|PATH|none",
	}, func(s *Alphabeta) *string { return &s.net }),
	option.StringVar(bitbaseOption, func(s *Alphabeta) *string { return &s.Bitbase }),
	option.Custom(proofNodes, func(s *Alphabeta, text string) (err error) {
		s.Proof, err = proofNodes.parse(text)
		return err
	}, func(s *Alphabeta) string { return s.Proof.String() }),
	option.StringVar(bookOption, func(s *Alphabeta) *string { return &s.Book }),
}), option.Within(alphabeta.Techniques, func(s *Alphabeta) *alphabeta.Options { return &s.Search })...)

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

func (o proofOption) parse(text string) (engine.ProofNodes, error) {
	if text == "off" {
		return engine.ProofNodes{Root: alphabeta.Off, Claim: alphabeta.Off}, nil
	}
	n, err := o.Int.Parse(text)
	if err != nil {
		return engine.ProofNodes{}, fmt.Errorf("%w, or off", err)
	}
	return engine.ProofNodes{Root: int(n)}, nil
}

// The names of the weights.
const (
	bestName   = "best"
	fittedName = "fitted"
	handName   = "hand"
)

// parseClassical reads the arguments of an alphabeta player.
func parseClassical(spec Spec) (*Alphabeta, error) {
	s := NewAlphabeta(playerTableMiB)
	if err := ReadArgs(classicalArguments, spec.Args, &s); err != nil {
		return nil, err
	}
	return &s, s.settle(spec.Control.Limited())
}

// NewAlphabeta returns the player of an empty description, with a table of so many MiB.
func NewAlphabeta(table int) (s Alphabeta) {
	s.Search.Threads, s.Search.TableMiB = 1, table
	return s
}

// settle combines the options and loads the network that they name. A player with a clock
// needs no other budget.
func (s *Alphabeta) settle(clock bool) (err error) {
	if s.net != "" && s.weights != "" {
		return errors.New("a line network judges in place of the weights: leave out one of net and weights")
	}
	switch s.weights {
	case fittedName:
		s.Weights = games.FittedWeights
	case handName:
		s.Weights = games.HandWeights
	default:
		if s.Weights, s.Judge, err = networks.Judge(s.net); err != nil {
			return err
		}
	}
	bounded := s.limits.Nodes > 0 || s.limits.Depth > 0 || clock
	if s.level != "" {
		if bounded {
			return errors.New("a level has a budget of its own: leave out nodes, depth, time and tc")
		}
		s.Level, err = engine.ParseLevel(s.level)
		return err
	}
	if !bounded {
		s.limits.Nodes = defaultNodes
	}
	return nil
}

// enter implements playerSetup.
func (s *Alphabeta) enter(p *Players, e *arena.Entrant) error {
	solved, b, err := s.open(p)
	if err != nil {
		return err
	}
	o := s.ClassicalOptions
	o.Endgames = solved
	e.New = func() (arena.Player, error) {
		c, err := engine.NewClassical(p.variant, o)
		if err != nil {
			return nil, err
		}
		return &player{engine: before(c, b), limits: s.limits, prepare: c.Prepare}, nil
	}
	e.Parts = func() (parts []arena.Part, err error) {
		o, err := s.Judged(p.variant)
		if err != nil {
			return nil, err
		}
		if o.Judge != nil {
			parts = append(parts, arena.Part{What: "network", Name: o.Judge.Name(), SHA256: o.Judge.SHA256()})
		}
		return s.files.parts(parts)
	}
	return nil
}

func (s *Alphabeta) arguments() []argument { return argumentsOf(classicalArguments, s) }

// addMemory implements playerSetup.
func (s *Alphabeta) addMemory(m *option.Memory, _ games.Variant, workers int) {
	m.Add(fmt.Sprintf("table=%d", s.Search.TableMiB), games.ClassicalBytes(s.Search.Threads, s.Search.TableMiB), workers)
}

// FixedClassicalArgs are the keys of a fixed classical search besides techniques.
var FixedClassicalArgs = []string{"nodes", "table", "weights", "net"}

// fixedClassical are the settings of a fixed classical search.
var fixedClassical = option.Only(classicalArguments,
	append(option.Keys(alphabeta.Techniques), FixedClassicalArgs...)...)

// ParseFixedClassical reads the description of a fixed classical search: one
// thread, within so many nodes.
func ParseFixedClassical(spec Spec) (o engine.ClassicalOptions, nodes int64, err error) {
	s := NewAlphabeta(playerTableMiB)
	if err = ReadArgs(fixedClassical, spec.Args, &s); err == nil {
		err = s.settle(false)
	}
	return s.ClassicalOptions, s.limits.Nodes, err
}

// AlphabetaSettings are the settings of a classical search except budget and judging
// network: its table, its weights and its techniques.
var AlphabetaSettings = option.Without(fixedClassical, "nodes", "net")

// Options returns the settings as options of a Classical.
func (s Alphabeta) Options() (engine.ClassicalOptions, error) {
	err := s.settle(false)
	return s.ClassicalOptions, err
}
