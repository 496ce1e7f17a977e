package players

import (
	"context"
	"fmt"
	"os/exec"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/arena"
	"github.com/carozero/carozero/internal/front/gomocup"
	"github.com/carozero/carozero/internal/front/gomocup/client"
	"github.com/carozero/carozero/internal/support/option"
)

// execSetup holds the options of an exec player.
type execSetup struct {
	command          []string
	control          arena.TimeControl
	nodes, mebibytes int // 0: none
}

// foreignNodes is a budget in nodes that fits an engine with 32-bit counters.
var foreignNodes = option.Int{Key: "nodes", Help: "budget of a move that the engine is told", Min: 1, Max: 1_000_000_000}

// execArguments are the arguments of an exec player.
var execArguments = []option.Setting[execSetup]{
	option.NumVar(foreignNodes, func(s *execSetup) *int { return &s.nodes }),
	option.NumVar(option.EngineMemory, func(s *execSetup) *int { return &s.mebibytes }),
	readBefore[execSetup](nameOption), readBefore[execSetup](tcOption), readBefore[execSetup](timeOption),
}

// parseExec reads the description of an exec player.
func parseExec(spec Spec) (*execSetup, error) {
	s := &execSetup{command: spec.Command, control: spec.Control}
	return s, ReadArgs(execArguments, spec.Args, s)
}

// prepare implements playerSetup.
func (s *execSetup) prepare(p *Players) (func(context.Context) (arena.Player, error), error) {
	rule := p.variant.Rule()
	if _, ok := gomocup.RuleMask(rule); !ok {
		return nil, fmt.Errorf("the Gomocup protocol knows the rules freestyle, standard, renju, caro and caro-overline, not %s", rule)
	}
	if _, err := exec.LookPath(s.command[0]); err != nil {
		return nil, fmt.Errorf("no such program: %w", err)
	}
	opts := client.Options{
		Command: s.command,
		Rule:    rule,
		Size:    p.variant.Size,
		Nodes:   s.nodes,
		Memory:  int64(s.mebibytes) << 20,
		Control: s.control,
	}
	return func(context.Context) (arena.Player, error) { return client.New(opts) }, nil
}

// parts implements playerSetup.
func (s *execSetup) parts(*Players) ([]arena.Part, error) { return programs(s.command) }

// addMemory implements playerSetup.
func (s *execSetup) addMemory(m *option.Memory, _ games.Variant, workers int) {
	m.Add("exec", foreignBytes, workers)
}
