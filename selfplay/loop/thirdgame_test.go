package loop

import (
	"path/filepath"
	"testing"

	"github.com/carozero/carozero/internal/enginetest"
	"github.com/carozero/carozero/selfplay"
)

// A game that has only what every game has is played, matched and cross-checked in a
// loop; no suite has problems of it.
func TestAThirdGame(t *testing.T) {
	v := enginetest.AddToyGame(t)
	board := Board{Game: v.Game}
	settled, err := settle(&board, "games[1].")
	if err != nil || settled != v || board.Rule != enginetest.ToyRule || board.Size != enginetest.ToySide {
		t.Fatalf("%+v, %v, %v", board, settled, err)
	}
	w, dir := worker("one"), t.TempDir()
	played := 0
	play := PlayJob{
		Games: Games{Board: board, Player: "mcts:playouts=8", Options: selfplay.Options{Games: 4, GamesPerShard: 2, Opening: selfplay.Opening{MaxPlies: 2}}},
		Dir:   filepath.Join(dir, "run"), Network: uniform, Workers: 1, AtOnce: 1, Progress: func(done, _ int) { played = done },
	}
	if err := w.Play(t.Context(), play); err != nil || played != 4 {
		t.Fatalf("%d games, %v", played, err)
	}
	match := MatchJob{
		MatchBoard: MatchBoard{Board: board, OpeningPlies: 1}, Candidate: uniform, Best: uniform, Games: 4, Playouts: 8,
		Journal: filepath.Join(dir, "match.jsonl"), Workers: 1, Progress: func(int) {},
	}
	if tally, err := w.Match(t.Context(), match); err != nil || tally.Games() != 4 {
		t.Errorf("%+v, %v", tally, err)
	}
	judged := 0
	judge := CrossCheckJob{
		CrossCheck: CrossCheck{Positions: 4, MCTS: "playouts=8", AlphaBeta: "nodes=200,table=1"}, Network: uniform,
		Source: play.Dir, Rows: filepath.Join(dir, "rows.jsonl"), Workers: 1, Progress: func(done, _ int) { judged = done },
	}
	if _, err := w.CrossCheck(t.Context(), judge); err != nil || judged != 4 {
		t.Errorf("%d positions, %v", judged, err)
	}
	if problems, holds, err := suite([]string{board.Rule}, 5); err != nil || len(problems)+len(holds) > 0 {
		t.Errorf("%d problems, %d holds, %v", len(problems), len(holds), err)
	}
}
