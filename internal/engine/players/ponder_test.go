package players

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/front/arena"
)

var (
	ponderGames = flag.Int("pondergames", 1, "games in which replies are predicted")
	ponderNodes = flag.Int("pondernodes", 400, "budget of their searches, and of pondering")
)

// With a budget of its own pondering leaves games a function of seed and moves,
// whatever is pondered on; it changes what is found, and costs no moves of a search.
// Alone it shows, with -v, how often the reply that is expected is played.
func TestPonderingWithABudgetCanBeRepeated(t *testing.T) {
	games := map[string]string{}
	for _, mode := range []string{"false", "reply", "every"} {
		spec := fmt.Sprintf("alphabeta:nodes=%d,table=16,weights=fitted,ponder=%s,ponder-nodes=%d", *ponderNodes, mode, *ponderNodes)
		var seen [2]string
		expected, all := 0, 0
		for i := range seen {
			for seed := range *ponderGames {
				text, hits, replies := ponderedGame(t, spec, uint64(seed))
				seen[i] += text + " "
				expected, all = expected+hits, all+replies
			}
		}
		t.Logf("%s: %d of %d replies were those expected", spec, expected/2, all/2)
		if seen[0] != seen[1] {
			t.Errorf("%s: two games with one seed are %s and %s", mode, seen[0], seen[1])
		}
		games[seen[0]] = mode
	}
	if len(games) != 3 {
		t.Errorf("pondering changes nothing: %v", games)
	}
}

// ponderedGame plays a game between two players of a description, and counts how
// often a reply is the one that was expected.
func ponderedGame(t *testing.T, spec string, seed uint64) (text string, hits, replies int) {
	t.Helper()
	v, err := games.NewVariant(games.VariantOptions{Rule: "freestyle", Size: 15})
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := ParseSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	setup, err := parseClassical(parsed)
	if err != nil {
		t.Fatal(err)
	}
	open, err := setup.prepare(&Players{variant: v})
	if err != nil {
		t.Fatal(err)
	}
	var players [2]*player
	for i := range players {
		p, err := open(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		players[i] = p.(*player)
		if err := p.NewGame(context.Background(), arena.Start{Seed: seed}); err != nil {
			t.Fatal(err)
		}
	}
	pos, err := v.Start()
	if err != nil {
		t.Fatal(err)
	}
	rng, n := rand.New(rand.NewPCG(seed, 1)), v.Notation()
	for pos.Ply() < 3 {
		if m := game.Move(15*(5+rng.IntN(5)) + 5 + rng.IntN(5)); pos.Legal(m) {
			pos.Play(m)
		}
	}
	for pos.Outcome() == game.Undecided {
		side := pos.Ply() % 2
		a, err := players[side].Think(context.Background(), pos, engine.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if expected := players[1-side].engine.(*search.Classical).Reply(); expected != game.NoMove {
			replies++
			if a.Move == expected {
				hits++
			}
		}
		text += n.FormatMove(a.Move)
		pos.Play(a.Move)
	}
	return text, hits, replies
}
