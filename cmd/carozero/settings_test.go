package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/alphabeta"

	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/support/option"
)

// flagless says which settings of the tree search a command has no flag for, by what
// makes them senseless there.
var flagless = map[string]map[string]string{
	"search": {}, "play": {}, "gomocup": {},
	"selfplay": {
		"solver-root":    "the games' positions follow each other within one tree",
		"solver-replies": "likewise",
	},
	"analysis": whatVaries, "serve": whatVaries,
}

// whatVaries are settings by which an answer would depend on chance or time.
var whatVaries = map[string]string{"noise-total": "chance", "noise-share": "chance", "early-stop": "an answer's visits are what was asked for"}

// Every setting that a search declares can be set by the flags of every command that
// searches, and by the keys of players, but for those named above.
func TestEverySettingIsReachedFromEveryCommand(t *testing.T) {
	root := newRoot()
	for name, without := range flagless {
		cmd, _, err := root.Find([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range search.TreeSettingsList {
			flag := cmd.Flags().Lookup(s.Name())
			if _, left := without[s.Name()]; left == (flag != nil) {
				t.Errorf("%s --%s: there is a flag: %v, want the opposite", name, s.Name(), flag != nil)
			}
			if flag != nil && !strings.Contains(flag.Usage, s.About()) {
				t.Errorf("%s --%s says %q, want %q", name, s.Name(), flag.Usage, s.About())
			}
		}
		for key := range without {
			if !slices.Contains(option.Keys(search.TreeSettingsList), key) {
				t.Errorf("%s: there is no setting %s", name, key)
			}
		}
		if name != "selfplay" && cmd.Flags().Lookup("techniques") == nil {
			t.Errorf("%s has no --techniques", name)
		}
	}
	defaults := search.DefaultTreeSettings(16)
	defaults.Solvers.Leaf = 10
	for _, s := range search.TreeSettingsList {
		playerTakes(t, "mcts:"+s.Name()+"="+s.Text(&defaults))
		fixed := players.Spec{Kind: players.MCTS, Args: players.Args{{Key: s.Name(), Value: s.Text(&defaults)}}}
		_, err := players.ParseFixedTree(fixed)
		if _, varies := whatVaries[s.Name()]; varies != (err != nil) {
			t.Errorf("crosscheck --mcts %s: %v", s.Name(), err)
		}
	}
	for _, s := range alphabeta.Techniques {
		playerTakes(t, "alphabeta:nodes=9,"+s.Name()+"=off")
		fixed := players.Spec{Kind: players.AlphaBeta, Args: players.Args{{Key: s.Name(), Value: "off"}}}
		if _, _, err := players.ParseFixedClassical(fixed); err != nil {
			t.Errorf("crosscheck --alphabeta %s: %v", s.Name(), err)
		}
	}
}

// playerTakes wants the description of a player to be good.
func playerTakes(t *testing.T, text string) {
	t.Helper()
	spec, err := players.ParseSpec(text)
	if err == nil {
		_, err = players.ParsePlayer(spec)
	}
	if err != nil {
		t.Errorf("%s: %v", text, err)
	}
}
