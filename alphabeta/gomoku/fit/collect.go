package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/carozero/carozero/alphabeta"
	classical "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/alphabeta/regression"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/internal/openings"
)

// ErrNoResult says that a game has no result to learn from: it was not
// finished, or lost by a forfeit.
var ErrNoResult = errors.New("the game has no result on the board")

// holdEvery is the number of games of which one is held out.
const holdEvery = 10

// Data are the quiet positions of games: those to fit weights to, and those of
// every tenth game, which are held out to see what the weights are worth in
// games that they have not seen.
type Data struct {
	Games  int
	Fit    regression.Rows
	Held   regression.Rows
	Played []Game // whose positions are in Fit
}

// Collector turns games of one rule set into Data. It belongs to one goroutine.
type Collector struct {
	rules   gomoku.Rules
	trust   float64
	quiet   quiet
	data    Data
	counter regression.Counter
}

// NewCollector returns a Collector for games under r. Trust, 0..1, is the share
// that the score of a search has in the target of a position where a game tells
// it; the result of the game has the rest. Positions held out have their results
// alone.
func NewCollector(r gomoku.Rules, trust float64) *Collector {
	return &Collector{rules: r, trust: trust, quiet: newQuiet()}
}

// Collected returns what has been collected so far. It belongs to c.
func (c *Collector) Collected() *Data { return &c.data }

// Add adds the quiet positions of a game from the end of its opening on. It
// takes nothing from a game without a result, for which it returns
// ErrNoResult.
func (c *Collector) Add(ctx context.Context, g Game) error {
	if g.Rules != c.rules {
		return fmt.Errorf("a game of %s: want %s like the others", g.Rules.Name, c.rules.Name)
	}
	if g.Outcome == game.Undecided || g.Reason == game.Forfeit {
		return ErrNoResult
	}
	b, err := pattern.New(g.Rules, g.Size)
	if err != nil {
		return err
	}
	rows, trust := &c.data.Fit, c.trust
	held := c.data.Games%holdEvery == holdEvery-1
	if held {
		rows, trust = &c.data.Held, 0
	}
	for i, m := range g.Moves {
		if err := ctx.Err(); err != nil {
			return err
		}
		if i >= max(g.Opening, 1) && c.quiet.is(ctx, b) {
			row := c.row(b, g.Outcome)
			if g.Scores != nil && trust > 0 && !math.IsNaN(g.Scores[i]) {
				p := regression.Probability(forFirst(g.Scores[i], b.ToMove()))
				row.Target = float32(float64((1-trust)*float64(row.Target)) + float64(trust*p))
			}
			rows.Add(row)
		}
		if !b.Legal(m) {
			return fmt.Errorf("move %d is illegal", i+1)
		}
		b.Play(m)
	}
	c.data.Games++
	if !held {
		g.Moves = slices.Clone(g.Moves)
		c.data.Played = append(c.data.Played, g)
	}
	return nil
}

// row returns the row of a position in a game with that outcome. Its terms are
// c's and valid until the next call.
func (c *Collector) row(b *pattern.Board, o game.Outcome) regression.Row {
	classical.Features(b, c.counter.Count)
	return regression.Row{
		Terms:  c.counter.Terms(),
		Phase:  float32(classical.Phase(b)) / classical.FullPhase,
		Target: float32(1+o.Value(b.ToMove())) / 2,
	}
}

// Selfplay describes games of the classical engine against itself, each from
// an opening of its own. A game is a function of these fields and its number,
// the number of workers apart.
type Selfplay struct {
	Rules  gomoku.Rules
	Size   int
	Engine alphabeta.Game // of gomoku; its Bind must be safe for concurrent use
	Nodes  int64          // of the search for a move
	Seed   uint64
	First  int // the number of the first game
	Games  int

	// Openings are random moves near the centre and near stones: of Least to
	// Most plies, each length as often.
	Least, Most int

	Workers int // games at once; 0 means 1
}

// The defaults of openings: as long as it takes for hardly two to be alike, and
// short enough for most of them to leave the game open.
const (
	DefaultLeast = 4
	DefaultMost  = 12
)

// Check returns an error if the fields make no sense.
func (s *Selfplay) Check() error {
	switch {
	case s.Nodes < 1:
		return fmt.Errorf("%d nodes a move: want 1 or more", s.Nodes)
	case s.Games < 1 || s.First < 0:
		return fmt.Errorf("%d games from number %d: want 1 or more, from 0 or more", s.Games, s.First)
	case s.Least < 0 || s.Most < s.Least || s.Most > s.Size*s.Size/2:
		return fmt.Errorf("openings of %d to %d plies: want an ascending range that leaves half of the board empty", s.Least, s.Most)
	}
	_, err := pattern.New(s.Rules, s.Size)
	return err
}

// tableMiB is the table of one worker. A search of a few thousand nodes
// fills little of it, and it is cleared before every game.
const tableMiB = 1

// worker plays one game after the other.
type worker struct {
	*Selfplay
	searcher *alphabeta.Searcher
	drawer   openings.Drawer
}

func newWorker(s *Selfplay) (*worker, error) {
	searcher, err := alphabeta.New(s.Engine, alphabeta.Options{TableMiB: tableMiB})
	return &worker{Selfplay: s, searcher: searcher}, err
}

// play returns game number id.
func (w *worker) play(ctx context.Context, id int) (Game, error) {
	w.searcher.Clear()
	rng := rand.New(rand.NewPCG(w.Seed, uint64(id)))
	g := Game{Rules: w.Rules, Size: w.Size}
	pos, err := w.opening(ctx, rng, &g)
	if err != nil {
		return g, err
	}
	for range g.Moves {
		g.Scores = append(g.Scores, math.NaN())
	}
	for pos.Outcome() == game.Undecided {
		r, err := w.search(ctx, pos, w.Nodes)
		if err != nil {
			return g, err
		}
		g.Scores = append(g.Scores, forFirst(float64(r.Score), pos.ToMove()))
		pos.Play(r.Move)
		g.Moves = append(g.Moves, r.Move)
	}
	g.Outcome, g.Reason = pos.Outcome(), pos.Reason()
	return g, nil
}

// forFirst turns a score for a side into one for the first player, and back.
func forFirst(score float64, side game.Side) float64 {
	if side == game.Second {
		return 0 - score // not -0
	}
	return score
}

func (w *worker) search(ctx context.Context, pos *pattern.Board, nodes int64) (alphabeta.Result, error) {
	return w.searcher.Search(ctx, pos, alphabeta.Limits{Nodes: nodes})
}

// Openings with a score beyond mostLead, which is four wins in five, are drawn again, up
// to openingTries times: there is little to learn from the rest of such a game.
const (
	mostLead     = 280
	openingTries = 50
)

// opening puts an opening into g and returns the position after it.
func (w *worker) opening(ctx context.Context, rng *rand.Rand, g *Game) (*pattern.Board, error) {
	for range openingTries {
		pos, err := pattern.New(w.Rules, w.Size)
		if err != nil {
			return nil, err
		}
		if !w.draw(rng, pos, g) {
			continue
		}
		open, err := w.open(ctx, pos)
		if err != nil {
			return nil, err
		}
		if open {
			g.Opening = len(g.Moves)
			return pos, nil
		}
	}
	g.Moves, g.Opening = g.Moves[:0], 0
	return pattern.New(w.Rules, w.Size)
}

// open reports whether neither side leads by more than mostLead. A short search suffices
// to refuse most openings.
func (w *worker) open(ctx context.Context, pos *pattern.Board) (bool, error) {
	for _, nodes := range []int64{max(w.Nodes/10, 1), w.Nodes} {
		r, err := w.search(ctx, pos, nodes)
		if err != nil || r.Score < -mostLead || r.Score > mostLead {
			return false, err
		}
	}
	return true, nil
}

// openingDistance is how many columns and rows a stone of an opening may be from
// those that are there.
const openingDistance = 2

// draw plays a random opening on the empty board pos and reports whether it
// takes no stone and the game goes on after it.
func (w *worker) draw(rng *rand.Rand, pos *pattern.Board, g *Game) bool {
	w.drawer.Candidates = func(_ game.Position, _, buf []game.Move) []game.Move { return nearStones(pos, buf) }
	plies := w.Least + rng.IntN(w.Most-w.Least+1)
	var open bool
	g.Moves, open = w.drawer.Draw(pos, plies, g.Moves[:0], rng)
	return open && pos.Board().Captured(game.First)+pos.Board().Captured(game.Second) == 0
}

// nearStones appends the legal moves near a stone, near the centre of an empty
// board, or all if none of these is legal.
func nearStones(pos *pattern.Board, buf []game.Move) []game.Move {
	return openings.Square(pos.Board().Size(), openingDistance).Moves(pos, pos.Stones().Append(nil), buf)
}
