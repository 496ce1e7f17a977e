package gamefiles

import (
	"fmt"
	"io"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/generate"
	"github.com/carozero/carozero/selfplay/samples"
)

// shard hands out the games of a sample shard.
type shard struct {
	path    string
	variant games.Variant
	games   []samples.Game
}

func openShard(path string, a *agreement) (*shard, error) {
	s, err := samples.ReadFile(samples.Disk{}, path)
	if err != nil {
		return nil, err
	}
	v, err := generate.SampleVariant(&s.Header)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return &shard{path: path, variant: v, games: s.Header.Games}, a.agree(path, v)
}

func (s *shard) next() (Game, error) {
	if len(s.games) == 0 {
		return Game{}, io.EOF
	}
	record := s.games[0]
	s.games = s.games[1:]
	g := Game{Variant: s.variant, Reason: record.Reason, Source: fmt.Sprintf("%s, game %d", s.path, record.ID)}
	if err := g.fill(record); err != nil {
		return Game{}, fmt.Errorf("%s: %w", g.Source, err)
	}
	return g, nil
}

func (g *Game) fill(record samples.Game) error {
	var known bool
	if g.Outcome, known = outcomes[record.Result]; !known {
		return fmt.Errorf("result %q: want first, second or draw", excerpt(record.Result))
	}
	if err := g.parse(record.Moves); err != nil {
		return err
	}
	_, from, err := g.Variant.ParseGame(record.From)
	if err != nil || len(from) > len(g.Moves) {
		return fmt.Errorf("from %q is no beginning of the moves", excerpt(record.From))
	}
	g.Opening = len(from)
	return g.replay()
}

// parse reads a game in the notation of its variant.
func (g *Game) parse(text string) error {
	var err error
	g.start, g.Moves, err = g.Variant.ParseGame(text)
	return err
}

// outcomes maps the words of the sample files to outcomes.
var outcomes = map[string]game.Outcome{
	game.FirstWins.String():  game.FirstWins,
	game.SecondWins.String(): game.SecondWins,
	game.Draw.String():       game.Draw,
}
