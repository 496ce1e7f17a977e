package engine

import (
	"context"
	"fmt"
	"os/exec"

	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/gomocup"
	"github.com/carozero/carozero/internal/gomocup/client"
	"github.com/carozero/carozero/internal/option"
)

// execSetup is what an exec player's description says.
type execSetup struct {
	nodes, mebibytes int // 0: none
}

// foreignNodes is a budget in nodes for an engine that may hold it in 32 bits.
var foreignNodes = option.Int{Key: "nodes", Help: "budget of a move that the engine is told", Min: 1, Max: 1_000_000_000}

// execArguments are the arguments of an exec player.
var execArguments = []argument[execSetup]{
	whole(foreignNodes, func(s *execSetup) *int { return &s.nodes }),
	whole(option.EngineMemory, func(s *execSetup) *int { return &s.mebibytes }),
	{Option: nameOption}, {Option: tcOption}, {Option: timeOption},
}

// readExec reads the arguments of an exec player.
func readExec(spec Spec) (execSetup, error) {
	var s execSetup
	err := read(execArguments, spec.Args, &s)
	return s, err
}

// execEntrant builds a player that another program plays for.
func (p *Players) execEntrant(spec Spec) (arena.Entrant, error) {
	rule := p.variant.Rule()
	if _, ok := gomocup.RuleMask(rule); !ok {
		return arena.Entrant{}, fmt.Errorf("the Gomocup protocol knows the rules freestyle, standard, renju, caro and caro-overline, not %s", rule)
	}
	setup, err := readExec(spec)
	if err != nil {
		return arena.Entrant{}, err
	}
	if _, err := exec.LookPath(spec.Command[0]); err != nil {
		return arena.Entrant{}, fmt.Errorf("no such program: %w", err)
	}
	opts := client.Options{
		Command: spec.Command,
		Rule:    rule,
		Size:    p.variant.Size,
		Nodes:   setup.nodes,
		Memory:  int64(setup.mebibytes) << 20,
		Control: spec.Control,
	}
	return arena.Entrant{
		Name:    spec.Name(),
		Control: spec.Control,
		New:     func(context.Context) (arena.Player, error) { return client.New(opts) },
	}, nil
}
