package players

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/nn"
)

// Players builds the entrants of matches from their descriptions. It opens every file once.
// It belongs to one goroutine; the entrants' players may be made by many.
type Players struct {
	loader  *networks.Loader
	variant games.Variant
	seed    uint64
	cache   int // bytes of each network's table

	// What is open, by name.
	nets   map[string]network
	solved map[string]games.Endgames
	books  map[string]Book
}

// network is a network with the cache of its results, nil for none.
type network struct {
	*networks.Net
	table *nn.CacheTable
}

// NewPlayers returns a builder for a variant. seed is that of the networks'
// symmetries, cacheBytes the memory for each network's cache.
func NewPlayers(l *networks.Loader, v games.Variant, seed uint64, cacheBytes int) *Players {
	return &Players{
		loader: l, variant: v, seed: seed, cache: cacheBytes,
		nets: map[string]network{}, solved: map[string]games.Endgames{}, books: map[string]Book{},
	}
}

// Close frees the networks, the endgames and the books; no player may be in use any more.
func (p *Players) Close() error {
	var err error
	for _, n := range p.nets {
		err = errors.Join(err, n.Close())
	}
	for _, e := range p.solved {
		err = errors.Join(err, e.Close())
	}
	for _, b := range p.books {
		err = errors.Join(err, b.Close())
	}
	return err
}

// Entrant returns the entrant of a description.
func (p *Players) Entrant(spec PlayerSpec) (arena.Entrant, error) {
	e := arena.Entrant{Name: spec.Name(), Control: spec.Control, Description: spec.String()}
	if err := spec.setup.enter(p, &e); err != nil {
		return e, fmt.Errorf("player %q: %w", spec, err)
	}
	return e, nil
}

// once returns what is open under a name, or opens it.
func once[T any](opened map[string]T, name string, open func() (T, error)) (T, error) {
	one, ok := opened[name]
	if ok {
		return one, nil
	}
	one, err := open()
	if err == nil {
		opened[name] = one
	}
	return one, err
}

// net returns the network of a model.
func (p *Players) net(model string) (network, error) {
	return once(p.nets, model, func() (n network, err error) {
		if n.Net, err = p.loader.Open(p.variant, model); err == nil && p.cache > 0 && n.Trained() {
			if n.table, err = p.variant.CacheTable(p.cache); err != nil {
				_ = n.Close()
			}
		}
		return n, err
	})
}

// files are what an engine of this program may read besides its network, "" for none.
type files struct{ Bitbase, Book string }

var (
	bitbaseOption = option.Text{
		Key: "bitbase", Help: "solved endgames of Onitama that the search knows: a file of 'carozero bitbase'",
		Sample: "FILE",
	}
	bookOption = option.Text{Key: "book", Help: "opening book to play from first", Sample: "FILE"}
)

// open opens the files, nil for none. The endgames must suit the position that games begin at.
func (f *files) open(p *Players) (solved games.Endgames, b Book, err error) {
	if f.Bitbase != "" {
		solved, err = once(p.solved, f.Bitbase, func() (games.Endgames, error) {
			start, err := p.variant.Start()
			if err != nil {
				return nil, err
			}
			e, err := p.variant.OpenEndgames(context.Background(), f.Bitbase)
			if err == nil {
				if err = e.Suits(start); err != nil {
					_ = e.Close()
				}
			}
			return e, err
		})
		if err != nil {
			return nil, nil, fmt.Errorf("bitbase=%s: %w", f.Bitbase, err)
		}
	}
	if f.Book != "" {
		b, err = once(p.books, f.Book, func() (Book, error) { return OpenBook(p.variant, f.Book) })
	}
	return solved, b, err
}

// parts appends the files to a player's other parts.
func (f *files) parts(parts []arena.Part) ([]arena.Part, error) {
	for _, f := range []arena.Part{{What: "bitbase", Name: f.Bitbase}, {What: "book", Name: f.Book}} {
		if f.Name == "" {
			continue
		}
		var err error
		if f.SHA256, err = disk.SHA256(f.Name); err != nil {
			return nil, err
		}
		parts = append(parts, f)
	}
	return parts, nil
}

// player plays with an engine as an [arena.Player]. Without a clock and without pondering
// its moves are a function of the game's seed and moves if the engine's are.
type player struct {
	engine engine.Engine
	limits engine.Limits // of every move, besides the clock

	// prepare, unless it is nil, is called before the first game, while no clock runs.
	prepare func() error
}

// NewGame implements [arena.Player].
func (p *player) NewGame(_ context.Context, start arena.Start) error {
	p.engine.Forget()
	if prepare := p.prepare; prepare != nil {
		p.prepare = nil
		if err := prepare(); err != nil {
			return err
		}
	}
	p.limits.Seed = start.Seed
	return nil
}

// Think implements [arena.Player].
func (p *player) Think(ctx context.Context, pos game.Position, l engine.Limits) (*engine.Answer, error) {
	limits := p.limits
	limits.Clock = l.Clock
	return p.engine.Think(ctx, pos, limits)
}

// Close implements [arena.Player].
func (p *player) Close() error { return p.engine.Close() }

// Book is an opening book; package book has them.
type Book interface {
	// Before returns an engine that plays from the book first.
	Before(e engine.Engine) engine.Engine
	Close() error
}

// OpenBook opens the opening book of a file, which must be one of the variant. The program
// sets it, so that who describes searches by this package needs no library of books.
var OpenBook = func(_ games.Variant, path string) (Book, error) {
	return nil, fmt.Errorf("%s: this program reads no books", path)
}

// before returns an engine that plays from a book first, e itself without a book.
func before(e engine.Engine, b Book) engine.Engine {
	if b == nil {
		return e
	}
	return b.Before(e)
}

// balanceNodes is the budget of the classical search for one opening.
const balanceNodes = 2_000

// OpeningTolerance is how far, in expected result, random openings may be from even.
const OpeningTolerance = 0.3

// openingTries is how many random openings one of a match is chosen from.
const openingTries = 200

// RandomOpenings returns random openings of so many moves that are about even to the players,
// from the usual start; see [arena.RandomOpenings].Starts for others.
func (p *Players) RandomOpenings(specs []PlayerSpec, plies int, seed uint64) (*arena.RandomOpenings, error) {
	start, err := p.variant.Start()
	if err != nil {
		return nil, err
	}
	balance, err := p.balance(specs)
	return &arena.RandomOpenings{
		Start: start, Plies: plies, Seed: seed, Balance: balance, Tolerance: OpeningTolerance,
		Tries: openingTries, Candidates: p.variant.Candidates(),
	}, err
}

// ReadOpenings reads a file of openings of a variant. Its errors name the path.
func ReadOpenings(v games.Variant, path string) (list arena.OpeningList, err error) {
	file, err := disk.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer file.Close()
	start, err := v.Start()
	if err == nil {
		list, err = arena.ReadOpenings(file, fmt.Sprintf("%s %s %d", v.Game, v.Rule(), v.Size), start, v.Notation(),
			v.Columns())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}

// balance returns an evaluation of openings: by the first network that an
// entrant uses, otherwise by a short classical search.
func (p *Players) balance(specs []PlayerSpec) (arena.Balance, error) {
	for _, spec := range specs {
		model, asks := spec.Model()
		n, ok := p.nets[model]
		if !asks || !ok || !n.Trained() {
			continue
		}
		one := nn.EvaluatorOptions{Capacity: 1, Threads: 1, Seed: p.seed}
		tree, err := engine.NewTree(n.Net, engine.TreeOptions{Eval: one})
		if err != nil {
			return nil, err
		}
		return balanceBy(tree, 1, func(a *engine.Answer) float32 { return a.NetValue }), nil
	}
	return ClassicalBalance(p.variant)
}

// ClassicalBalance returns an evaluation of openings by a short classical
// search. It belongs to one goroutine.
func ClassicalBalance(v games.Variant) (arena.Balance, error) {
	c, err := engine.NewClassical(v, engine.ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}})
	if err != nil {
		return nil, err
	}
	return balanceBy(c, balanceNodes, func(a *engine.Answer) float32 { return a.Value }), nil
}

// balanceBy returns an evaluation of openings by an engine.
func balanceBy(e engine.Engine, nodes int64, value func(*engine.Answer) float32) arena.Balance {
	return func(ctx context.Context, pos game.Position) (float64, error) {
		e.Forget()
		a, err := engine.Complete(ctx, e, pos, engine.Limits{Nodes: nodes})
		if err != nil {
			return 0, err
		}
		return float64(value(a)), nil
	}
}

// programs returns the executables that a command names: its program, its
// first argument if that is a file, as after an interpreter, and every later
// file that may be executed. Other arguments are not included, because the
// program may write to them.
func programs(command []string) ([]arena.Part, error) {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return nil, fmt.Errorf("no such program: %w", err)
	}
	var parts []arena.Part
	for i, word := range command {
		name := word
		if i == 0 {
			name = path
		}
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() || i > 1 && info.Mode()&0o111 == 0 {
			continue
		}
		sum, err := disk.SHA256(name)
		if err != nil {
			return nil, err
		}
		parts = append(parts, arena.Part{What: "program", Name: word, SHA256: sum})
	}
	return parts, nil
}
