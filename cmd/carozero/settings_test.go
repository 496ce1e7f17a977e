package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/alphabeta"

	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/front/loophost"
	"github.com/carozero/carozero/internal/support/option"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/loop"
)

// flagless says which settings of the tree search a command has no flag for, by what
// makes them senseless there.
var flagless = map[string]map[string]string{
	"search": noiseless, "play": noiseless, "gomocup": noiseless,
	"selfplay": {
		"solver-root":    "the games' positions follow each other within one tree",
		"solver-replies": "likewise",
	},
	"analysis": whatVaries, "serve": whatVaries,
}

// noiseless are settings of the noise, which only games of self-play and of matches have.
var noiseless = map[string]string{"noise-total": "no noise", "noise-share": "no noise"}

// whatVaries are settings by which an answer would depend on chance or time.
var whatVaries = map[string]string{"noise-total": "chance", "noise-share": "chance", "early-stop": "an answer's visits are what was asked for"}

// Every setting that a search declares can be set by the flags of every command that
// searches, and by the keys of players, but for those named above.
func TestEverySettingIsReachedFromEveryCommand(t *testing.T) {
	root := newRoot()
	for name, without := range flagless {
		cmd, _, err := root.Find(strings.Fields(name))
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

// Every option of a run's games is a flag of the commands that play runs, with its default,
// and a key of a loop's tables of games, whose player takes the settings of the search.
func TestEveryOptionOfGamesIsReached(t *testing.T) {
	var want selfplay.Options
	option.SetDefaults(selfplay.Settings, &want)
	root := newRoot()
	for _, name := range [][]string{{"selfplay"}, {"cluster", "coordinator"}} {
		cmd, _, err := root.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range selfplay.Settings {
			flag := cmd.Flags().Lookup(s.Name())
			if flag == nil || flag.DefValue != s.Text(&want) || !strings.Contains(flag.Usage, s.About()) {
				t.Errorf("%s --%s: %+v", name, s.Name(), flag)
			}
		}
	}
	table := func(line string) error {
		_, _, err := loop.Parse("f", []byte("[[games]]\nplayer = 'mcts'\n"+line+"\n[trainer]\ntrain = ['x']\n"))
		return err
	}
	for _, s := range selfplay.Settings {
		key := strings.ReplaceAll(s.Name(), "-", "_")
		more := "\ngames = 4"
		switch key {
		case "games":
			more = ""
		case "opening_min":
			more += "\nopening_max = 10"
		}
		if err := table(key + " = " + s.Text(&want) + more); err != nil {
			t.Errorf("[[games]] %s: %v", key, err)
		}
		if err := table(key + " = -7" + more); err == nil || !strings.Contains(err.Error(), key+": -7: want") {
			t.Errorf("[[games]] %s = -7: %v", key, err)
		}
	}
	defaults := search.DefaultTreeSettings(16)
	worker := loophost.Worker{Loader: networks.NewLoader(networks.LoaderOptions{})}
	for _, s := range search.TreeSettingsList {
		c := loop.DefaultConfig()
		text := s.Text(&defaults)
		if s.Name() == "solver-leaf" {
			text = "9"
		}
		c.Games = []loop.Games{{Player: "mcts:" + s.Name() + "=" + text, Options: selfplay.Options{Games: 4}}}
		c.Gate.CrossCheck.Positions = 0
		_, without := flagless["selfplay"][s.Name()]
		if err := worker.Check(&c); without != (err != nil) {
			t.Errorf("a table's player with %s: %v", s.Name(), err)
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
