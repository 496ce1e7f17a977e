package engine

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/arena"
)

// Players builds the entrants of matches from their descriptions. It loads
// every network once. It belongs to one goroutine; the entrants' players may be
// made by many.
type Players struct {
	loader  *Loader
	variant Variant
	seed    uint64
	cache   int // bytes of each network's table
	nets    map[string]*Net
	tables  map[string]*nn.CacheTable
}

// NewPlayers returns a builder for a variant. The seed is that of the networks'
// symmetries, cacheBytes the memory for each network's results.
func NewPlayers(l *Loader, v Variant, seed uint64, cacheBytes int) *Players {
	return &Players{
		loader: l, variant: v, seed: seed, cache: cacheBytes,
		nets: map[string]*Net{}, tables: map[string]*nn.CacheTable{},
	}
}

// Close frees the networks; no player may be in use any more.
func (p *Players) Close() error {
	var first error
	for _, n := range p.nets {
		if err := n.Close(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// searchArgs are the arguments of an mcts player.
var searchArgs = []string{"playouts", "visits", "model", "in-flight", "reuse", "guard", "noise", "temperature", "memory", "solver", "name", "tc", "time"}

// maxBudget bounds playouts and visits in a description.
const maxBudget = 1 << 30

// CheckSpec returns an error if a description's arguments make no sense; it
// opens nothing.
func CheckSpec(spec arena.Spec) error {
	var err error
	switch spec.Kind {
	case arena.MCTS:
		if _, _, err = searchOptions(spec); err == nil {
			_, err = spec.Args.Int("solver", 0, 0, maxBudget)
		}
	case arena.Exec:
		_, _, err = execOptions(spec)
	default:
		return fmt.Errorf("player %q: this version plays mcts:... and exec:... only", spec)
	}
	if err != nil {
		return fmt.Errorf("player %q: %w", spec, err)
	}
	return nil
}

// Entrant builds what a description asks for.
func (p *Players) Entrant(spec arena.Spec) (arena.Entrant, error) {
	if err := CheckSpec(spec); err != nil {
		return arena.Entrant{}, err
	}
	build := p.searchEntrant
	if spec.Kind == arena.Exec {
		build = p.execEntrant
	}
	e, err := build(spec)
	if err != nil {
		return arena.Entrant{}, fmt.Errorf("player %q: %w", spec, err)
	}
	return e, nil
}

func (p *Players) searchEntrant(spec arena.Spec) (arena.Entrant, error) {
	opts, guard, err := searchOptions(spec)
	if err != nil {
		return arena.Entrant{}, err
	}
	solver, err := spec.Args.Int("solver", 0, 0, maxBudget)
	if err != nil {
		return arena.Entrant{}, err
	}
	if solver > 0 {
		opts.Form = Searchable
	}
	model, _ := spec.Args.Get("model")
	net, table, err := p.net(model)
	if err != nil {
		return arena.Entrant{}, err
	}
	return arena.Entrant{
		Name:    spec.Name(),
		Control: spec.Control,
		New: func(context.Context) (arena.Player, error) {
			eval, err := net.Evaluator(EvalOptions{Capacity: MaxInFlight, Threads: 1, Seed: p.seed, Cache: table})
			if err != nil {
				return nil, err
			}
			player := arena.NewSearchPlayer(opts, eval, p.variant.Prover(solver), nil)
			if guard {
				return arena.NewGuard(player), nil
			}
			return player, nil
		},
	}, nil
}

// searchOptions reads the arguments that steer the search.
func searchOptions(spec arena.Spec) (o arena.SearchOptions, guard bool, err error) {
	if err := spec.Args.Only(searchArgs...); err != nil {
		return o, false, err
	}
	fallback := 0
	if _, ok := spec.Args.Get("visits"); !ok && !spec.Control.Limited() {
		fallback = 400
	}
	var memory int
	var temperature float64
	for _, read := range []func() error{
		func() (err error) { o.Playouts, err = spec.Args.Int("playouts", fallback, 0, maxBudget); return },
		func() (err error) { o.Visits, err = spec.Args.Int("visits", 0, 0, maxBudget); return },
		func() (err error) {
			o.Search.InFlight, err = spec.Args.Int("in-flight", 0, 0, MaxInFlight)
			return
		},
		func() (err error) { o.Reuse, err = spec.Args.Bool("reuse", true); return },
		func() (err error) { o.Noise, err = spec.Args.Bool("noise", false); return },
		func() (err error) { guard, err = spec.Args.Bool("guard", false); return },
		func() (err error) { temperature, err = spec.Args.Float("temperature", 0, 0, 10); return },
		func() (err error) { memory, err = spec.Args.Int("memory", 512, 1, 1<<20); return },
	} {
		if err := read(); err != nil {
			return o, false, err
		}
	}
	if o.Playouts == 0 && o.Visits == 0 && !spec.Control.Limited() {
		return o, false, fmt.Errorf("it has no budget: give playouts, visits, time or tc")
	}
	o.Search.Memory = int64(memory) << 20
	if temperature > 0 {
		o.Temperature = mcts.Schedule{Start: temperature, End: temperature, HalfLife: 1}
	}
	return o, guard, nil
}

// net opens a model, or returns what was opened before.
func (p *Players) net(model string) (*Net, *nn.CacheTable, error) {
	if n, ok := p.nets[model]; ok {
		return n, p.tables[model], nil
	}
	n, err := p.loader.Open(p.variant, model)
	if err != nil {
		return nil, nil, err
	}
	p.nets[model] = n
	if p.cache > 0 && n.network != nil {
		if p.tables[model], err = p.variant.CacheTable(p.cache); err != nil {
			return nil, nil, err
		}
	}
	return n, p.tables[model], nil
}

// Balance returns a judge of openings: the opinion of the first network that
// an entrant uses. Without one it returns nil, which accepts every opening.
func (p *Players) Balance(specs []arena.Spec) (arena.Balance, error) {
	for _, spec := range specs {
		model, _ := spec.Args.Get("model")
		n := p.nets[model]
		if n == nil || n.network == nil {
			continue
		}
		eval, err := n.Evaluator(EvalOptions{Capacity: 1, Threads: 1, Seed: p.seed})
		if err != nil {
			return nil, err
		}
		return balance(eval), nil
	}
	return nil, nil
}

// balance returns a judge that asks eval.
func balance(eval nn.Evaluator) arena.Balance {
	return func(ctx context.Context, pos game.Position) (float64, error) {
		moves := pos.Moves(nil)
		r := nn.Result{Priors: make([]float32, len(moves))}
		if !eval.Add(pos, moves, &r) {
			if err := eval.Run(ctx); err != nil {
				return 0, err
			}
		}
		return float64(r.Value()), nil
	}
}

// Candidates returns the moves that random openings are made of: in gomoku the
// legal moves within two columns and rows of a stone, or of the centre of an
// empty board; elsewhere all.
func (v Variant) Candidates() func(pos game.Position, buf []game.Move) []game.Move {
	if v.Game != Gomoku {
		return nil
	}
	return func(pos game.Position, buf []game.Move) []game.Move {
		board := pos.(*gomoku.Board)
		start := len(buf)
		for _, m := range board.Moves(nil) {
			if nearStone(board, int(m)) {
				buf = append(buf, m)
			}
		}
		if len(buf) == start {
			return board.Moves(buf)
		}
		return buf
	}
}

// nearStone reports whether a stone, or the centre of an empty board, is
// within two columns and rows of a cell.
func nearStone(b *gomoku.Board, cell int) bool {
	const distance = 2
	size := b.Size()
	x, y := cell%size, cell/size
	if b.Ply() == 0 {
		return abs(x-size/2) <= distance && abs(y-size/2) <= distance
	}
	for j := max(y-distance, 0); j <= min(y+distance, size-1); j++ {
		for i := max(x-distance, 0); i <= min(x+distance, size-1); i++ {
			if b.At(j*size+i) != gomoku.Empty {
				return true
			}
		}
	}
	return false
}

func abs(x int) int { return max(x, -x) }
