package selfplay

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// forkStream separates the choice of forks from other uses of a game's seed.
const forkStream = 0x666f726b

// Forks explore other plausible moves, in place of KataGo's side positions (Wu,
// "Accelerating Self-Play Learning in Go", 2019, appendix D). A sample row needs a game
// that was played on to its end, for the outcome, the reply and the plies left, so a
// side position that is only searched cannot be a row. Instead the other move begins a
// game of its own, whose rows start after it.
//
// Game 2i+1 forks from game 2i with probability Options.ForkShare: at a position of
// that game, each of those from its first row on being equally likely, it plays
// another move, drawn from the network's priors, and goes on from there like any
// other. Both are in the same shard. The fork is a function of the seed and the two
// ids, since game 2i is.

// forks holds the games from which others are to fork. A nil one has no forks.
type forks struct {
	run     uint64 // seed
	share   float64
	parents map[int]*samples.Game // finished games whose fork was not dealt yet
}

// newForks returns nil without a share.
func newForks(o *Options) *forks {
	if o.ForkShare == 0 {
		return nil
	}
	return &forks{run: o.Seed, share: o.ForkShare, parents: map[int]*samples.Game{}}
}

// forked reports whether game id is to fork from the one before it.
func (f *forks) forked(id int) bool {
	if f == nil || id%2 == 0 {
		return false
	}
	rng := rand.New(rand.NewPCG(samples.GameSeed(f.run, uint64(id))^forkStream, 0))
	return rng.Float64() < f.share
}

// waits reports whether game id must wait for the one before it to be over.
func (f *forks) waits(id int) bool { return f.forked(id) && f.parents[id-1] == nil }

// add adds a finished game.
func (f *forks) add(g *samples.Game) {
	if id := int(g.ID); f.forked(id + 1) {
		f.parents[id] = g
	}
}

// take returns the game that game id forks from, nil if it does not.
func (f *forks) take(id int) *samples.Game {
	if !f.forked(id) {
		return nil
	}
	g := f.parents[id-1]
	delete(f.parents, id-1)
	return g
}

// fork is the beginning of one game that forks from another.
type fork struct {
	rng      *rand.Rand
	moves    []game.Move // of the parent, before the fork
	instead  game.Move   // what the parent played there
	legal    []game.Move
	answer   nn.Result
	answered bool
}

// newFork chooses where the game with a seed leaves its parent. It returns nil if the
// parent has no position to fork from within most plies (0: any number).
func newFork(parse func(string) (game.Position, []game.Move, error), parent *samples.Game, seed uint64, most int) (start game.Position, f *fork, err error) {
	start, moves, err := parse(parent.Moves)
	if err != nil {
		return nil, nil, fmt.Errorf("the moves of game %d: %w", parent.ID, err)
	}
	_, from, err := parse(parent.From)
	if err != nil {
		return nil, nil, fmt.Errorf("the opening of game %d: %w", parent.ID, err)
	}
	end := len(moves)
	if most > 0 {
		end = min(end, most-1)
	}
	if len(from) >= end {
		return start, nil, nil
	}
	f = &fork{rng: rand.New(rand.NewPCG(seed^forkStream, 1))}
	at := len(from) + f.rng.IntN(end-len(from))
	f.moves, f.instead = moves[:at], moves[at]
	return start, f, nil
}

// ask asks the evaluator for the priors of pos, where the game leaves its parent.
func (f *fork) ask(eval nn.Evaluator, pos game.Position) {
	f.legal = pos.Moves(f.legal[:0])
	f.answer.Priors = make([]float32, len(f.legal))
	f.answered = eval.Add(pos, eval.Tag(pos), f.legal, &f.answer)
}

// draw returns the moves up to the fork and the fork's move, drawn by the priors among
// the moves other than the parent's that do not end the game; nil if there are none.
func (f *fork) draw(pos game.Position) []game.Move {
	sum := 0.0
	for i, m := range f.legal {
		over := m == f.instead
		if !over {
			pos.Play(m)
			over = pos.Outcome() != game.Undecided
			pos.Undo()
		}
		if over {
			f.answer.Priors[i] = 0
		}
		sum += float64(f.answer.Priors[i])
	}
	mark := float64(f.rng.Float64() * sum)
	last := game.NoMove
	for i, p := range f.answer.Priors {
		if p == 0 {
			continue
		}
		last = f.legal[i]
		if mark -= float64(p); mark < 0 {
			break
		}
	}
	if last == game.NoMove {
		return nil
	}
	return append(slices.Clone(f.moves), last)
}

// startFork begins the game as a fork of its parent, and reports whether it can.
func (p *play) startFork(parent *samples.Game) (bool, error) {
	start, f, err := newFork(p.setup.Parse, parent, p.seed, p.opts.MaxPlies)
	if err != nil || f == nil {
		return false, err
	}
	p.start, p.fork, p.parent = start, f, parent.ID
	p.pos = start.Clone()
	for _, m := range f.moves {
		p.pos.Play(m)
	}
	p.phase = forking
	f.ask(p.evaluator.eval, p.pos)
	return true, nil
}

// stepFork makes the fork's move once its priors have arrived; if no move is possible, the
// game begins like any other.
func (p *play) stepFork() (waits bool, err error) {
	if !p.fork.answered {
		return true, nil
	}
	moves := p.fork.draw(p.pos)
	at := len(p.fork.moves)
	p.fork = nil
	if moves == nil {
		return false, p.startAlone()
	}
	p.recorder.forked(p.parent, at)
	return false, p.begin(moves)
}
