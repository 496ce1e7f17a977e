// Package truth measures how often players are wrong in positions that are solved.
//
// Positions are drawn at random from solved endgames. Every player thinks about each of
// them from nothing, and its move, its value and what it claims are held against the
// endgames: see [Errors].
package truth

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/arena"
	"github.com/carozero/carozero/mcts"
)

// Sample are positions of solved endgames, and how many of them are of each kind for the
// side to move.
type Sample struct {
	Wins, Draws, Losses int

	// Choices are the positions that are not lost and have a move that loses value: a won
	// position with one that does not win, a drawn one with one that loses.
	Choices int

	all []position
}

// position is one with what it comes to.
type position struct {
	game.Position
	result mcts.Proof
}

// mostTries bounds the positions that are drawn for one that is taken.
const mostTries = 1_000_000

// ErrFew says that positions of so many plies are too few to draw any.
var ErrFew = errors.New("no such position was found")

// Draw draws n positions, each equally likely, of those of the endgames that are decided
// in no fewer than so many plies; a draw never is.
func Draw(ctx context.Context, of games.Endgames, n, plies int, rng *rand.Rand) (*Sample, error) {
	s := &Sample{}
	for tries := 0; len(s.all) < n; tries++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		pos := of.Random(rng)
		result, length := of.Probe(pos)
		switch {
		case result == mcts.Unknown:
			return nil, errors.New("a position of the endgames is not known")
		case tries == mostTries:
			return nil, fmt.Errorf("%w among %d: decided in %d plies or more", ErrFew, tries, plies)
		case result == mcts.Draw || length >= plies:
			s.add(of, position{pos, result})
			tries = 0
		}
	}
	return s, nil
}

// add adds a position.
func (s *Sample) add(of games.Endgames, p position) {
	switch p.result {
	case mcts.Win:
		s.Wins++
	case mcts.Draw:
		s.Draws++
	case mcts.Loss:
		s.Losses++
	}
	for _, m := range p.Moves(nil) {
		if worth(after(of, p.Position, m)) < worth(p.result) {
			s.Choices++
			break
		}
	}
	s.all = append(s.all, p)
}

// Len returns the number of positions.
func (s *Sample) Len() int { return len(s.all) }

// after returns what the legal move m comes to for the side that plays it.
func after(of games.Endgames, pos game.Position, m game.Move) mcts.Proof {
	result, _ := games.After(of, pos, m)
	return result
}

// worth orders results: 1, 0 and -1.
func worth(p mcts.Proof) int { return int(p.Value()) }

// Errors counts in how many positions a player was wrong.
type Errors struct {
	LetGo       int // won positions in which its move does not win
	Lost        int // drawn positions in which its move loses
	WrongSign   int // won positions in which its value is not above 0, lost ones in which it is not below
	FalseClaims int // positions of which it claims or has proven another result

	Elapsed time.Duration // of its thinking
}

// Examine has a player think about every position, and calls step after each.
func Examine(ctx context.Context, of games.Endgames, s *Sample, p arena.Player, step func()) (Errors, error) {
	var e Errors
	for i, pos := range s.all {
		if err := p.NewGame(ctx, arena.Start{Game: i}); err != nil {
			return e, err
		}
		began := time.Now()
		a, err := p.Think(ctx, pos.Clone(), engine.Limits{})
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return e, err
		}
		e.Elapsed += time.Since(began)
		e.add(of, pos, a)
		step()
	}
	return e, nil
}

// add holds an answer against the endgames.
func (e *Errors) add(of games.Endgames, pos position, a *engine.Answer) {
	switch {
	case worth(after(of, pos.Position, a.Move)) >= worth(pos.result):
	case pos.result == mcts.Win:
		e.LetGo++
	default:
		e.Lost++
	}
	if w := float32(worth(pos.result)); w != 0 && a.Value*w <= 0 {
		e.WrongSign++
	}
	if r := a.Proof.Result; r != engine.Unknown && r.String() != pos.result.String() {
		e.FalseClaims++
	}
}
