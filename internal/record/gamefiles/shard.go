package gamefiles

import (
	"bytes"
	"fmt"
	"io"
	"math"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/generate"
	"github.com/carozero/carozero/internal/record"
	"github.com/carozero/carozero/selfplay/samples"
)

// IsShard reports whether a file that begins so is a sample shard: it is compressed by
// zstd (RFC 8878, 3.1.1).
func IsShard(head []byte) bool { return bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}) }

// openShard returns what hands out the games of a sample shard, with the scores of its
// searches if they are wanted and it is of the classical engine.
func openShard(path string, scores bool) (games.Variant, func() (Record, error), error) {
	s, err := samples.ReadFile(samples.Disk{}, path)
	if err != nil {
		return games.Variant{}, nil, err
	}
	v, err := generate.SampleVariant(&s.Header)
	if err != nil {
		return v, nil, fmt.Errorf("%s: %w", path, err)
	}
	left := s.Header.Games
	var searched map[uint64][]float64
	if scores {
		searched = scoresOf(s)
	}
	return v, func() (Record, error) {
		if len(left) == 0 {
			return Record{}, io.EOF
		}
		g := &left[0]
		left = left[1:]
		r, err := ofSample(v, g, searched[g.ID], fmt.Sprintf("%s, game %d", path, g.ID))
		r.Path = path
		return r, err
	}, nil
}

// OfSample returns a game of self-play as a record. Its moves are not yet replayed.
func OfSample(v games.Variant, g *samples.Game, source string) (Record, error) {
	return ofSample(v, g, nil, source)
}

// ofSample is OfSample with the scores of the searches by move, for the side to move, NaN
// where there was none; it changes them to those for the first player.
func ofSample(v games.Variant, g *samples.Game, scores []float64, source string) (Record, error) {
	r := Record{Source: source}
	outcome, known := outcomes[g.Result]
	if !known {
		return r, r.wrap(fmt.Errorf("result %q: want first, second or draw", record.Excerpt(g.Result)))
	}
	start, moves, err := v.ParseGame(g.Moves)
	if err != nil {
		return r, r.wrap(err)
	}
	_, from, err := v.ParseGame(g.From)
	if err != nil || len(from) > len(moves) {
		return r, r.wrap(fmt.Errorf("from %q is no beginning of the moves", record.Excerpt(g.From)))
	}
	r = Begin(v, start)
	r.Opening, r.Reason, r.Source = len(from), g.Reason, source
	r.Tree.SetOutcome(outcome, g.Reason)
	for i := range scores {
		if (int(start.ToMove())+i)%2 == int(game.Second) {
			scores[i] = -scores[i]
		}
	}
	_, err = r.Tree.Extend(0, start.ToMove(), moves, scores)
	return r, r.wrap(err)
}

// outcomes maps the words of the sample files to outcomes.
var outcomes = map[string]game.Outcome{
	game.FirstWins.String():  game.FirstWins,
	game.SecondWins.String(): game.SecondWins,
	game.Draw.String():       game.Draw,
}

// claimed is the score that stands for a search's claim of a win.
const claimed = 30_000

// scoresOf returns the scores of the searches of a shard of the classical engine by game
// and move, for the side to move, NaN where there was none; nil for another player's shard.
func scoresOf(s *samples.Shard) map[uint64][]float64 {
	scale, _ := s.Header.Search.Get("score_scale")
	units, ok := scale.(float64)
	if !ok {
		return nil
	}
	list := map[uint64][]float64{}
	for i := range s.Columns.Rows {
		id, ply := s.Header.Games[s.Columns.Game[i]].ID, int(s.Columns.Ply[i])
		for len(list[id]) <= ply {
			list[id] = append(list[id], math.NaN())
		}
		q := float64(s.Columns.RootQ[i])
		list[id][ply] = max(-claimed, min(claimed, units*math.Log((1+q)/(1-q))))
	}
	return list
}
