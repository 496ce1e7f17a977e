package tune

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/carozero/carozero/game"

	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/players"
)

// GamesOptions describe [Games].
type GamesOptions struct {
	Loader       *networks.Loader
	Variants     []games.Variant // trials take turns
	Player       players.PlayerSpec
	Parameters   []Parameter
	OpeningPlies int
	Seed         uint64
	Workers      int // games at once; no result depends on it
	Cache        int // bytes of each network's results
}

// Games plays the trials of a tuning between players of this program, for one goroutine.
type Games struct {
	opts   GamesOptions
	boards []*board
}

// board is one of the variants, with what its games need.
type board struct {
	variant  games.Variant
	players  *players.Players
	options  arena.Options // what all matches have in common
	openings openings
}

// openings draws the openings of all trials.
type openings struct {
	arena.RandomOpenings
	first int // the number of the trial's first pair
}

// Opening implements [arena.Openings].
func (o *openings) Opening(ctx context.Context, pair int) ([]game.Move, error) {
	return o.RandomOpenings.Opening(ctx, o.first+pair)
}

// Where the random numbers of a tuning come from: all are functions of its seed.
const (
	seedTrials = 0
	seedGames  = 2
)

// seedOf returns the seed of some part of a tuning.
func seedOf(seed uint64, part, board, number int) uint64 {
	rng := rand.NewPCG(seed, uint64(part)<<32|uint64(board))
	return rand.NewPCG(rng.Uint64(), uint64(number)).Uint64()
}

// NewGames opens what the players need. It fails if the player's games cannot be
// repeated.
func NewGames(o GamesOptions) (g *Games, err error) {
	if err := o.Player.Repeatable(); err != nil {
		return nil, err
	}
	g = &Games{opts: o}
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
		b.options = arena.Options{Start: start, Notation: v.Notation(), Workers: o.Workers, MaxPlies: v.Of().MoveLimit}
		if _, err := b.players.Entrant(o.Player); err != nil { // opens the network
			return nil, err
		}
		seed := seedOf(o.Seed, seedTrials, i, 0)
		random, err := b.players.RandomOpenings([]players.PlayerSpec{o.Player}, o.OpeningPlies, seed)
		if err != nil {
			return nil, err
		}
		random.Starts = v.RandomStarts(seed)
		b.openings.RandomOpenings = *random
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
		add("board", b.variant.Game+" "+b.variant.String())
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

// Play is an [Objective]. A player that forfeits a game is an error: no value of a
// setting may make it do so.
func (g *Games) Play(ctx context.Context, r Trial, pairs int) ([5]int, error) {
	at := r.Number % len(g.boards)
	b := g.boards[at]
	drawn := b.openings
	drawn.first = r.Number * pairs
	o := b.options
	o.Games, o.Seed, o.Openings = 2*pairs, seedOf(g.opts.Seed, seedGames, at, r.Number), &drawn
	if starts := drawn.Starts; starts != nil {
		o.Starts = func(pair int) (game.Position, error) { return starts(drawn.first + pair) }
	}
	for i, values := range [][]float64{r.A, r.B} {
		spec, err := with(g.opts.Player, g.opts.Parameters, values)
		if err != nil {
			return [5]int{}, err
		}
		e, err := b.players.Entrant(spec)
		if err != nil {
			return [5]int{}, err
		}
		e.Name = string(rune('A' + i))
		o.Entrants[i] = e
	}
	m, err := arena.New(o)
	if err != nil {
		return [5]int{}, err
	}
	report, err := m.Run(ctx)
	if err == nil && report.Forfeits > 0 {
		f := report.Forfeited[0]
		err = fmt.Errorf("%s forfeits game %d: %s", f.Player, f.Game, f.Text)
	}
	if err != nil {
		return [5]int{}, fmt.Errorf("%s, %s against %s: %w", b.variant, o.Entrants[0].Description,
			o.Entrants[1].Description, err)
	}
	return report.Pairs, nil
}
