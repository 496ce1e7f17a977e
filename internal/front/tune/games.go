package tune

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/carozero/carozero/game"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/front/arena"
)

// GamesOptions describe [Games].
type GamesOptions struct {
	Loader       *networks.Loader
	Variants     []games.Variant // rounds take turns
	Player       players.PlayerSpec
	Parameters   []Parameter
	OpeningPlies int
	Seed         uint64
	Workers      int // games at once; nothing depends on it
	Cache        int // bytes of each network's results
}

// Games plays the rounds of a tuning between players of this program. It implements
// [Objective], for one goroutine.
type Games struct {
	opts   GamesOptions
	boards []*board
	fixed  map[string]bool // the keys of the match's openings
	keyed  int             // how many openings are in fixed
}

// board is one of the variants, with what its games need.
type board struct {
	variant  games.Variant
	players  *players.Players
	match    arena.Options           // what all matches have in common
	openings [2]arena.RandomOpenings // of trials and of the match
	fast     []arena.Entrant         // who plays the openings of the match, to see whether they are level
}

// Where the random numbers of a tuning come from: all are functions of its seed.
const (
	seedTrials = iota
	seedMatch
	seedGames
	seedMatchGames
	seedFast
)

// seedOf returns the seed of some part of a tuning.
func seedOf(seed uint64, part, board, number int) uint64 {
	rng := rand.NewPCG(seed, uint64(part)<<32|uint64(board))
	return rand.NewPCG(rng.Uint64(), uint64(number)).Uint64()
}

// openingTolerance is how far, in expected result, random openings may be from even.
const openingTolerance = 0.3

// NewGames opens what the players need. It fails if the player's games cannot be
// repeated.
func NewGames(o GamesOptions) (g *Games, err error) {
	if err := o.Player.Repeatable(); err != nil {
		return nil, err
	}
	g = &Games{opts: o, fixed: map[string]bool{}}
	defer func() {
		if err != nil {
			g.Close()
		}
	}()
	for i, v := range o.Variants {
		b := &board{variant: v, players: players.NewPlayers(o.Loader, v, o.Seed, o.Cache)}
		g.boards = append(g.boards, b)
		start, err := v.Start()
		if err != nil {
			return nil, err
		}
		b.match = arena.Options{Start: start, Notation: v.Notation(), Workers: o.Workers, MaxPlies: v.Of().MoveLimit}
		if _, err := b.players.Entrant(o.Player); err != nil { // opens the network
			return nil, err
		}
		balance, err := b.players.Balance([]players.PlayerSpec{o.Player})
		if err != nil {
			return nil, err
		}
		for part := range b.openings {
			b.openings[part] = arena.RandomOpenings{
				Start: start, Plies: o.OpeningPlies, Seed: seedOf(o.Seed, part, i, 0),
				Balance: balance, Tolerance: openingTolerance, Candidates: v.Candidates(),
			}
			if starts := v.RandomStarts(b.openings[part].Seed); starts != nil {
				b.openings[part].Starts = func(number int) (game.Position, error) { return starts(number & (1<<redraw - 1)) }
			}
		}
		if err := b.addFast(o.Player); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// Close frees the networks.
func (g *Games) Close() {
	for _, b := range g.boards {
		_ = b.players.Close() // nothing was written
	}
}

// Setup returns what results depend on: the variants, the player with its files, the
// openings and the seed.
func (g *Games) Setup() ([]Item, error) {
	var list []Item
	add := func(what, value string) { list = append(list, Item{what, value}) }
	add("player", g.opts.Player.String())
	for _, b := range g.boards {
		board := b.variant.Game + " " + b.variant.String()
		if b.openings[seedMatch].Starts != nil {
			board += " dealt"
		}
		add("board", board)
		e, err := b.players.Entrant(g.opts.Player)
		if err != nil {
			return nil, err
		}
		parts, err := e.Parts()
		if err != nil {
			return nil, err
		}
		for _, p := range parts {
			add(p.What, p.Name+" "+p.SHA256)
		}
	}
	for _, p := range g.opts.Parameters {
		add("parameter", fmt.Sprintf("%s from %g in %g..%g by %g", p.Name, p.Start, p.Min, p.Max, p.Step))
	}
	add("opening-plies", strconv.Itoa(g.opts.OpeningPlies))
	add("seed", strconv.FormatUint(g.opts.Seed, 10))
	return list, nil
}

// Play implements [Objective]. A player that forfeits a game is an error: no value of a
// setting may make it do so.
func (g *Games) Play(ctx context.Context, r Round, pairs int, fixed []Opening) ([5]int, error) {
	at := r.Number % len(g.boards)
	b := g.boards[at]
	o := b.match
	o.Games = 2 * pairs
	var err error
	if r.Match {
		o.Seed = seedOf(g.opts.Seed, seedMatchGames, at, r.Number)
		fixed = fixed[r.Number*pairs : (r.Number+1)*pairs]
		if o.Openings, err = b.list(fixed); b.openings[seedMatch].Starts != nil {
			o.Starts = b.startsOf(fixed)
		}
	} else {
		o.Seed = seedOf(g.opts.Seed, seedGames, at, r.Number)
		first := r.Number * pairs
		o.Openings = &unseen{games: g, board: b, first: first}
		if starts := b.openings[seedTrials].Starts; starts != nil {
			o.Starts = func(pair int) (game.Position, error) { return starts(first + pair) }
		}
		err = g.remember(fixed)
	}
	if err != nil {
		return [5]int{}, err
	}
	for _, side := range []struct {
		name   string
		values []float64
	}{{"A", r.A}, {"B", r.B}} {
		e, err := g.entrant(b, side.name, side.values)
		if err != nil {
			return [5]int{}, err
		}
		o.Entrants = append(o.Entrants, e)
	}
	report, err := play(ctx, o)
	if err != nil {
		return [5]int{}, fmt.Errorf("%s, %s against %s: %w", b.variant, o.Entrants[0].Description, o.Entrants[1].Description, err)
	}
	return report.Pairings[0].Pairs, nil
}

// play plays a match; a forfeit is an error.
func play(ctx context.Context, o arena.Options) (arena.Report, error) {
	m, err := arena.New(o)
	if err != nil {
		return arena.Report{}, err
	}
	report, err := m.Run(ctx)
	if err == nil && len(report.Forfeits) > 0 {
		f := report.Forfeits[0]
		err = fmt.Errorf("%s forfeits game %d: %s", f.Player, f.Game, f.Text)
	}
	return report, err
}

// entrant returns the player with values of the parameters.
func (g *Games) entrant(b *board, name string, values []float64) (arena.Entrant, error) {
	spec, err := with(g.opts.Player, g.opts.Parameters, values)
	if err != nil {
		return arena.Entrant{}, err
	}
	e, err := b.players.Entrant(spec)
	e.Name = name
	return e, err
}
