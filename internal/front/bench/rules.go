package bench

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/tactics"
)

// Rules is the speed of a variant's rules on one core.
type Rules struct {
	Game          string  `json:"game"`
	Rule          string  `json:"rule"`
	Size          int     `json:"size"`
	PlayUndo      int     `json:"play_undo"`
	PlayUndoPerS  float64 `json:"play_undo_per_s"`
	MovesPerS     float64 `json:"move_lists_per_s"`
	WinsPerS      float64 `json:"win_lists_per_s"`
	MovesPerGame  float64 `json:"moves_per_game"`
	MeasuredGames int     `json:"games"`

	// The same with patterns, over positions of the tactical suite, which are
	// from real games; 0 for games and rule sets without.
	PatternPlayUndoPerS float64 `json:"pattern_play_undo_per_s"`
	EncodeNanos         float64 `json:"encode_ns"` // network input from a board with patterns
}

// MeasureRules plays random games through and back again, win test included,
// for about the given time, then lists moves and immediate wins along them.
func MeasureRules(ctx context.Context, v games.Variant, d time.Duration) (*Rules, error) {
	pos, err := v.Start()
	if err != nil {
		return nil, err
	}
	games := randomGames(pos)
	r := &Rules{Game: v.Game, Rule: v.Rule(), Size: v.Size, MeasuredGames: len(games)}
	total := 0
	for _, g := range games {
		total += len(g)
	}
	r.MovesPerGame = float64(total) / float64(len(games))

	rounds, elapsed := repeat(ctx, d, func() { playThrough(pos, games) })
	r.PlayUndo = rounds * total
	r.PlayUndoPerS = float64(r.PlayUndo) / elapsed.Seconds()

	buf := make([]game.Move, 0, pos.MaxMoves())
	rounds, elapsed = repeat(ctx, d/4, func() { alongGames(pos, games, func() { buf = pos.Moves(buf[:0]) }) })
	r.MovesPerS = float64(rounds*total) / elapsed.Seconds()
	rounds, elapsed = repeat(ctx, d/4, func() { alongGames(pos, games, func() { buf = pos.Wins(buf[:0]) }) })
	r.WinsPerS = float64(rounds*total) / elapsed.Seconds()
	if err := r.measurePatterns(ctx, v, d); err != nil {
		return nil, err
	}
	return r, ctx.Err()
}

// measurePatterns plays the suite's games of the variant through on a board
// that keeps its patterns, and encodes their last positions.
func (r *Rules) measurePatterns(ctx context.Context, v games.Variant, d time.Duration) error {
	games, err := suiteGames(v)
	if err != nil || len(games) == 0 {
		return err
	}
	start, err := v.Start()
	if err != nil {
		return err
	}
	pos := v.Searchable(start)
	total := 0
	for _, g := range games {
		total += len(g)
	}
	rounds, elapsed := repeat(ctx, d/2, func() { playThrough(pos, games) })
	r.PatternPlayUndoPerS = float64(rounds*total) / elapsed.Seconds()

	enc, err := v.Encoder("")
	if err != nil {
		return err
	}
	planes, globals := make([]float32, enc.Shape().PlaneSize()), make([]float32, enc.Shape().Globals)
	var last []game.Position
	for _, g := range games {
		p := pos.Clone()
		for _, m := range g {
			p.Play(m)
		}
		last = append(last, p)
	}
	rounds, elapsed = repeat(ctx, d/4, func() {
		for _, p := range last {
			enc.Encode(p, 0, planes, globals)
		}
	})
	r.EncodeNanos = float64(elapsed.Nanoseconds()) / float64(rounds*len(last))
	return nil
}

// suiteGames returns the games that led to the suite's positions of a variant, none
// for games that the suite does not have.
func suiteGames(v games.Variant) ([][]game.Move, error) {
	suite, err := tactics.Suite()
	if err != nil {
		return nil, err
	}
	var games [][]game.Move
	for _, p := range suite {
		if p.Rule != v.Rule() || p.Size != v.Size {
			continue
		}
		moves, err := v.Notation().ParseMoves(p.Position)
		if err != nil {
			return nil, err
		}
		games = append(games, moves)
	}
	return games, nil
}

// randomGames returns the moves of random games from pos, at most 200 a game.
func randomGames(pos game.Position) [][]game.Move {
	const count, longest = 64, 200
	games := make([][]game.Move, count)
	for i := range games {
		rng := rand.New(rand.NewPCG(7, uint64(i)))
		p := pos.Clone()
		for p.Outcome() == game.Undecided && len(games[i]) < longest {
			moves := p.Moves(nil)
			m := moves[rng.IntN(len(moves))]
			games[i] = append(games[i], m)
			p.Play(m)
		}
	}
	return games
}

func playThrough(pos game.Position, games [][]game.Move) {
	for _, g := range games {
		for _, m := range g {
			pos.Play(m)
		}
		for range g {
			pos.Undo()
		}
	}
}

func alongGames(pos game.Position, games [][]game.Move, f func()) {
	for _, g := range games {
		for _, m := range g {
			f()
			pos.Play(m)
		}
		for range g {
			pos.Undo()
		}
	}
}

// repeat calls f until the time is up, at least once.
func repeat(ctx context.Context, d time.Duration, f func()) (rounds int, elapsed time.Duration) {
	start := time.Now()
	for {
		f()
		rounds++
		if elapsed = time.Since(start); elapsed >= d || ctx.Err() != nil {
			return rounds, elapsed
		}
	}
}
