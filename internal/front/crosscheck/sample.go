package crosscheck

import (
	"errors"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/record/gamefiles"
)

// sample is a position to be judged.
type sample struct {
	index   int
	game    *gamefiles.Game
	plies   int          // moves of the game that lead to it
	outcome game.Outcome // of the game, if its end tells something of the play
}

// Source opens the games anew, from the first one.
type Source func() (*gamefiles.Reader, error)

// sampler hands out the positions of games, in their order.
type sampler struct {
	games   *gamefiles.Reader
	rules   Sampling
	game    *gamefiles.Game
	number  int   // of the next game
	pending []int // plies of the current game's samples that are still to come
	given   int
}

// next returns the next position, io.EOF after the last one.
func (s *sampler) next() (sample, error) {
	if s.rules.Limit > 0 && s.given == s.rules.Limit {
		return sample{}, io.EOF
	}
	for len(s.pending) == 0 {
		g, err := s.games.Next()
		if err != nil {
			return sample{}, err
		}
		s.game = &g
		if s.pending, err = s.rules.plies(&g, s.number); err != nil {
			return sample{}, err
		}
		s.number++
	}
	out := sample{index: s.given, game: s.game, plies: s.pending[0], outcome: s.game.Outcome}
	if s.game.Reason == game.Forfeit {
		out.outcome = game.Undecided
	}
	s.pending = s.pending[1:]
	s.given++
	return out, nil
}

// plies returns the chosen positions of a game, ascending, by the number of
// moves before them. Positions in which the game is over are left out.
func (s Sampling) plies(g *gamefiles.Game, number int) ([]int, error) {
	end := len(g.Moves)
	pos, err := g.At(end)
	if err != nil {
		return nil, err
	}
	if pos.Outcome() != game.Undecided {
		end--
	} else if !g.Single && end > g.Opening {
		end-- // no move was made in the last position of an unfinished game
	}
	if g.Single {
		if end < len(g.Moves) {
			return nil, nil
		}
		return []int{end}, nil
	}
	rng := rand.New(rand.NewPCG(s.Seed, uint64(number)))
	var list []int
	for p := g.Opening + rng.IntN(s.Every); p <= end; p += s.Every {
		list = append(list, p)
	}
	if s.PerGame == 0 || len(list) <= s.PerGame {
		return list, nil
	}
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	list = list[:s.PerGame]
	slices.Sort(list)
	return list, nil
}

// count reads all games, calls each with every position, and returns their number. So every fault
// of the input shows before any work is done.
func count(open Source, rules Sampling, each func(sample) error) (int, error) {
	games, err := open()
	if err != nil {
		return 0, err
	}
	defer games.Close()
	s := sampler{games: games, rules: rules}
	for {
		next, err := s.next()
		if errors.Is(err, io.EOF) {
			return s.given, nil
		}
		if err == nil {
			err = each(next)
		}
		if err != nil {
			return 0, err
		}
	}
}
