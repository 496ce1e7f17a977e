package players

import (
	"fmt"
	"slices"

	"github.com/carozero/carozero/alphabeta"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/support/option"
)

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
var fixedClassical = option.Only(classicalArguments, append(option.Keys(alphabeta.Techniques), fixedClassicalKeys...)...)

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
