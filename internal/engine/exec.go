package engine

import (
	"context"
	"fmt"
	"os/exec"

	"github.com/carozero/carozero/internal/gomocup"
	"github.com/carozero/carozero/internal/gomocup/client"
	"github.com/carozero/carozero/selfplay/arena"
)

// maxMemory bounds the memory in a description, in MiB.
const maxMemory = 1 << 20

// execOptions reads the arguments of an exec player. CheckSpec calls it too.
func execOptions(spec arena.Spec) (nodes int, memory int64, err error) {
	if nodes, err = spec.Args.Int("nodes", 0, 1, maxBudget); err != nil {
		return 0, 0, err
	}
	mebibytes, err := spec.Args.Int("memory", 0, 1, maxMemory)
	return nodes, int64(mebibytes) << 20, err
}

// execEntrant builds a player that another program plays for.
func (p *Players) execEntrant(spec arena.Spec) (arena.Entrant, error) {
	rule := p.variant.Rule()
	if _, ok := gomocup.RuleMask(rule); !ok {
		return arena.Entrant{}, fmt.Errorf("the Gomocup protocol knows the rules freestyle, standard, renju, caro and caro-overline, not %s", rule)
	}
	nodes, memory, err := execOptions(spec)
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
		Nodes:   nodes,
		Memory:  memory,
		Control: spec.Control,
	}
	return arena.Entrant{
		Name:    spec.Name(),
		Control: spec.Control,
		New:     func(context.Context) (arena.Player, error) { return client.New(opts) },
	}, nil
}
