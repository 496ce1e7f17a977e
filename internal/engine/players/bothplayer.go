package players

import (
	"context"
	"errors"
	"fmt"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/front/arena"
	"github.com/carozero/carozero/internal/support/option"
	"github.com/carozero/carozero/nn"
)

// bothSetup holds the options of a player of both searches.
type bothSetup struct {
	search.BothSettings

	tree      treeSetup      // model, files and settings; playouts are of both
	classical classicalSetup // table, weights and techniques
	ponder    bool
}

// newBothSetup returns the setup of an empty description.
func newBothSetup() bothSetup {
	return bothSetup{BothSettings: search.DefaultBothSettings(), tree: newTreeSetup(), classical: newClassicalSetup()}
}

// BothThreads bounds the threads of a player of both searches.
var BothThreads = option.Int{Key: "threads", Help: "1: the two searches take turns; 2: they run side by side", Default: 1, Min: 1, Max: 2}

// bothArguments are the arguments of a player of both searches.
var bothArguments = append(append(append([]option.Setting[bothSetup]{
	option.NumVar(option.Playouts.ZeroMeans("none").With(0, "budget of a move for both searches, in playouts; 400 without any budget"), func(s *bothSetup) *int { return &s.tree.playouts }),
	option.NumVar(BothThreads, func(s *bothSetup) *int { return &s.Threads }),
	option.BoolVar(option.Switch("ponder", "think during the opponent's turn", false), func(s *bothSetup) *bool { return &s.ponder }),
}, option.Within(search.BothSettingsList, func(s *bothSetup) *search.BothSettings { return &s.BothSettings })...),
	option.Within(option.Without(treeArguments, "playouts", "visits", "guard", "noise", "temperature", "noise-total", "noise-share", "early-stop"),
		func(s *bothSetup) *treeSetup { return &s.tree })...),
	option.Within(option.Only(classicalArguments, append(option.Keys(alphabeta.Techniques), "table", "weights", "net")...),
		func(s *bothSetup) *classicalSetup { return &s.classical })...)

// parseBoth reads the description of a player of both searches.
func parseBoth(spec Spec) (*bothSetup, error) {
	s := newBothSetup()
	if err := ReadArgs(bothArguments, spec.Args, &s); err != nil {
		return nil, err
	}
	if _, asked := spec.Args.Get("playouts"); !asked && !spec.Control.Limited() {
		s.tree.playouts = playerPlayouts
	}
	if s.tree.playouts == 0 && !spec.Control.Limited() {
		return nil, errors.New("it has no budget: give playouts, time or tc")
	}
	return &s, s.classical.settle(true)
}

// prepare implements playerSetup.
func (s *bothSetup) prepare(p *Players) (func(context.Context) (arena.Player, error), error) {
	net, table, err := p.net(s.tree.model)
	if err != nil {
		return nil, err
	}
	solved, err := p.endgames(s.tree.bitbase)
	if err != nil {
		return nil, err
	}
	b, err := p.book(s.tree.book)
	if err != nil {
		return nil, err
	}
	return func(context.Context) (arena.Player, error) {
		o := s.tree.tree(nn.EvaluatorOptions{Threads: 1, Seed: p.seed, Cache: table})
		o.Endgames = solved
		tree, err := search.NewTree(net, o)
		if err != nil {
			return nil, err
		}
		c := s.classical.engine
		c.Endgames = solved
		classical, err := search.NewClassical(p.variant, c)
		if err != nil {
			return nil, err
		}
		both := search.NewBoth(tree, classical, s.BothSettings)
		player := newPlayer(b.before(both), engine.Limits{Nodes: int64(s.tree.playouts)})
		player.prepare, player.ponders = both.Prepare, s.ponder
		return player, nil
	}, nil
}

// parts implements playerSetup.
func (s *bothSetup) parts(p *Players) ([]arena.Part, error) {
	parts, err := s.classical.parts(p)
	if err != nil {
		return nil, err
	}
	more, err := s.tree.parts(p)
	return append(parts, more...), err
}

// addMemory implements playerSetup.
func (s *bothSetup) addMemory(m *option.Memory, v games.Variant, workers int) {
	s.tree.addMemory(m, v, workers)
	s.classical.addMemory(m, v, workers)
}

// argument implements playerSetup.
func (s *bothSetup) argument(key string) (option.Option, string) {
	return argumentOf(bothArguments, s, key)
}

// in implements playerSetup.
func (s *bothSetup) in(v games.Variant) playerSetup {
	own := *s
	own.classical = *s.classical.in(v).(*classicalSetup)
	return &own
}

// repeatable implements playerSetup. Two threads meet at fixed numbers of playouts and
// nodes.
func (s *bothSetup) repeatable() error {
	if s.ponder {
		return fmt.Errorf("ponder=true: how far it gets depends on the opponent's time")
	}
	return nil
}
