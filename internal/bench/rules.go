package bench

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
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
}

// MeasureRules plays random games through and back again, win test included,
// for about the given time, then lists moves and immediate wins along them.
func MeasureRules(ctx context.Context, v engine.Variant, d time.Duration) (*Rules, error) {
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
	return r, ctx.Err()
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
