package cluster

import (
	"testing"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/games/toygame"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/selfplay"
)

// A game that has only what every game has is played by a cluster, with the bytes of
// one process.
func TestAThirdGame(t *testing.T) {
	v := toygame.Add(t)
	config := Config{
		Version: "test", Commit: "none", Variant: games.VariantOptions{Game: v.Game, Rule: v.Rule(), Size: v.Size},
		Options: selfplay.Options{
			Games: 16, GamesPerShard: 8, Seed: 5, Playouts: 4, Opening: selfplay.Opening{MaxPlies: 2}, Search: mcts.Options{Memory: 1 << 20},
		}.WithDefaults(),
		Model: networks.Uniform,
	}
	setup, _, err := config.Setup(local())
	if err != nil {
		t.Fatal(err)
	}
	want := alone(t, config, setup)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	s := p.listen()
	defer s.Close()
	wait := p.crew(2)
	sum, err := p.coordinate(t.Context(), s, NewMetrics())
	if err != nil || sum.OnDisk != 16 {
		t.Fatalf("%+v, %v", sum, err)
	}
	if err := wait(); err != nil {
		t.Error(err)
	}
	sameFiles(t, contents(t, p.dir), want)
}
