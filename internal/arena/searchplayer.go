package arena

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
)

// SearchOptions describe a [SearchPlayer].
type SearchOptions struct {
	Search      mcts.Options
	Playouts    int           // that each move's search adds; 0: as many as the clock allows
	Visits      int           // that the root has at the end, inherited ones included; 0: any number
	Reuse       bool          // keep the part of the tree that the game has moved into
	Noise       bool          // at the root, from the game's seed
	Temperature mcts.Schedule // by ply; the zero value plays the best move

	// Form returns the form of a position on which the search runs, a copy; nil
	// means the position as it comes. A solver may be faster on another one.
	Form func(game.Position) game.Position

	Time Time // measures the budget of a clock; nil means SystemTime
}

// SearchPlayer plays by Monte Carlo tree search. Without a clock its moves are
// a function of the game's seed and moves.
type SearchPlayer struct {
	opts     SearchOptions
	searcher *mcts.Searcher
	close    func() error
	seed     uint64

	// The last search of this game: its root, nil before the first one, its
	// result, and the move that was played on it.
	root   game.Position
	result mcts.Result
	played game.Move
	moves  []game.Move // scratch
}

// NewSearchPlayer returns a player that searches with eval and solver, which
// may be nil; both are its own. close, which may be nil, is called by Close
// and frees what they hold.
func NewSearchPlayer(opts SearchOptions, eval nn.Evaluator, solver mcts.Solver, close func() error) *SearchPlayer {
	if opts.Time == nil {
		opts.Time = SystemTime{}
	}
	return &SearchPlayer{
		opts:     opts,
		searcher: mcts.New(opts.Search, eval, solver),
		close:    close,
	}
}

// NewGame implements [Player].
func (p *SearchPlayer) NewGame(_ context.Context, start Start) error {
	p.seed, p.root, p.played = start.Seed, nil, game.NoMove
	return nil
}

// Close implements [Player].
func (p *SearchPlayer) Close() error {
	if p.close == nil {
		return nil
	}
	return p.close()
}

// Move implements [Player].
func (p *SearchPlayer) Move(ctx context.Context, pos game.Position, clock Clock) (game.Move, error) {
	if err := p.advance(pos); err != nil {
		return game.NoMove, err
	}
	limits := mcts.Limits{
		Playouts: p.opts.Playouts,
		Visits:   p.opts.Visits,
		Noise:    p.opts.Noise,
		Seed:     rand.NewPCG(p.seed, 2*uint64(pos.Ply())).Uint64(),
	}
	budget, timed := clock.Budget()
	if !timed && limits.Playouts == 0 && limits.Visits == 0 {
		return game.NoMove, errors.New("neither playouts nor visits nor a clock bound the search")
	}
	searching, cancel := ctx, func() {}
	if timed {
		searching, cancel = p.opts.Time.WithTimeout(ctx, budget)
	}
	defer cancel()
	err := p.searcher.Search(searching, limits)
	if err != nil && (ctx.Err() != nil || searching.Err() == nil) {
		return game.NoMove, err
	}
	if err != nil { // the clock ended the search before it could
		checking, cancel := p.opts.Time.WithTimeout(ctx, clock.Reserve())
		p.searcher.Audit(checking)
		cancel()
	}
	p.searcher.Result(&p.result)
	p.played = p.result.Move
	if t := p.opts.Temperature.At(pos.Ply()); t > 0 && len(p.result.Children) > 0 {
		rng := rand.New(rand.NewPCG(p.seed, 2*uint64(pos.Ply())+1))
		p.played = mcts.Pick(p.result.Children, t, rng)
	}
	return p.played, nil
}

// advance sets the searcher to pos. It keeps the tree if pos is the last
// search's root after the move that was played on it and one reply.
func (p *SearchPlayer) advance(pos game.Position) error {
	last := p.root
	p.root = pos
	if p.opts.Reuse && last != nil && last.Ply()+2 == pos.Ply() {
		if reply, ok := p.reply(last, pos); ok {
			return errors.Join(p.searcher.Advance(p.played), p.searcher.Advance(reply))
		}
	}
	if p.opts.Form != nil {
		pos = p.opts.Form(pos)
	}
	return p.searcher.SetPosition(pos)
}

// reply returns the move by which last, after the played move, became pos.
func (p *SearchPlayer) reply(last, pos game.Position) (game.Move, bool) {
	last.Play(p.played)
	defer last.Undo()
	p.moves = last.Moves(p.moves[:0])
	for _, m := range p.moves {
		last.Play(m)
		same := last.Hash() == pos.Hash()
		last.Undo()
		if same {
			return m, true
		}
	}
	return game.NoMove, false
}

// Ranked implements [Ranker]: all moves of the last search, best first.
func (p *SearchPlayer) Ranked(buf []game.Move) []game.Move {
	for i := range p.result.Children {
		buf = append(buf, p.result.Children[i].Move)
	}
	return buf
}
