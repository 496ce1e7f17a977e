package loop

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/selfplay"
)

// worker returns one that needs no library: its networks know nothing.
func worker(program string) *Worker {
	return &Worker{Loader: networks.NewLoader(networks.LoaderOptions{}), Version: program, Commit: program,
		Program: program}
}

var (
	toyBoard = games.VariantOptions{Game: games.Gomoku, Rule: "freestyle", Size: 5}
	uniform  = Network{Path: Uniform}
)

// Another build goes on with no match and no games that this one began, and says which file is in the way.
func TestAnotherBuildIsToldWhatToRemove(t *testing.T) {
	ctx, dir := context.Background(), t.TempDir()
	silent := func(int, int) {}
	play := PlayJob{
		Games: Games{VariantOptions: toyBoard, Player: "alphabeta:nodes=20,table=1", Options: selfplay.Options{Games: 2,
			GamesPerShard: 1, Opening: selfplay.Opening{MaxPlies: 2}}},
		Dir: filepath.Join(dir, "run"), Network: uniform, Workers: 1, AtOnce: 1, Progress: silent,
	}
	match := MatchJob{
		MatchBoard: MatchBoard{VariantOptions: toyBoard, OpeningPlies: 2}, Candidate: uniform, Best: uniform,
		Games: 2, Playouts: 2,
		Journal: filepath.Join(dir, "match.jsonl"), Workers: 1, Progress: func(int) {},
	}
	do := func(program string) (errs [2]error) {
		w := worker(program)
		errs[0] = w.Play(ctx, play)
		_, errs[1] = w.Match(ctx, match)
		return errs
	}
	for range 2 {
		for i, err := range do("one") {
			if err != nil {
				t.Fatalf("%d: %v", i, err)
			}
		}
	}
	for i, err := range do("two") {
		path := []string{play.Dir, match.Journal}[i]
		if err == nil || !strings.Contains(err.Error(),
			"; finish it with the program that began it, or remove "+path+", and ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// Games have the defaults of the command selfplay where a table leaves them open, and a table's
// options reach the run; those of mcts are refused for a teacher.
func TestRunsOfTables(t *testing.T) {
	v, err := games.NewVariant(toyBoard)
	if err != nil {
		t.Fatal(err)
	}
	w := worker("one")
	r, err := w.run(&Games{Player: "mcts", Options: selfplay.Options{Games: 3}}, v, 7)
	if err != nil {
		t.Fatal(err)
	}
	o := r.Options
	if o.Playouts != 200 || o.GamesPerShard != 64 || o.Seed != 7 || o.Temperature.Start != 1 || o.Search.InFlight != 2 ||
		o.Search.Memory != 16<<20 || r.SolverNodes != games.DefaultSolvers().Leaf {
		t.Errorf("%+v", o)
	}
	g := Games{Player: "mcts:playouts=8,policy-temperature=1.25", Options: selfplay.Options{
		Games: 4, ResignTurns: 2, Targets: selfplay.Targets{Gumbel: mcts.Gumbel{Considered: 4}},
	}}
	if r, err = w.run(&g, v, 1); err != nil || r.Check(v, keyOf) != nil || r.Options.Playouts != 8 ||
		r.PolicyTemperature != 1.25 || r.Options.ResignTurns != 2 || r.Options.Targets.Gumbel.Considered != 4 {
		t.Errorf("%+v: %v", r, err)
	}
	g.Player = "alphabeta:nodes=20"
	if r, err = w.run(&g, v, 1); err != nil || r.Check(v, keyOf) == nil {
		t.Errorf("labels with gumbel: %+v, %v", r, err)
	}
}

// Each pair of a match of Onitama begins with cards of its own; openings of a file are of
// the usual deal.
func TestAMatchIsDealt(t *testing.T) {
	dir := t.TempDir()
	job := MatchJob{
		MatchBoard: MatchBoard{VariantOptions: games.VariantOptions{Game: games.Onitama}, OpeningPlies: 2},
		Candidate:  uniform, Best: uniform,
		Games: 6, Playouts: 4, Journal: filepath.Join(dir, "dealt"), Workers: 1, Progress: func(int) {},
	}
	usual := job
	usual.Journal, usual.Openings = filepath.Join(dir, "usual"), filepath.Join(dir, "openings")
	if err := os.WriteFile(usual.Openings, []byte("crane a1a2\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, j := range []MatchJob{job, usual} {
		if _, err := worker("one").Match(context.Background(), j); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(j.Journal)
		if err != nil {
			t.Fatal(err)
		}
		played := 0
		for _, name := range []string{"tiger", "dragon", "frog", "rabbit", "crab", "elephant", "goose", "rooster", "monkey",
			"mantis", "horse", "ox", "crane", "boar", "eel", "cobra"} {
			if strings.Contains(strings.ToLower(string(text)), name+" ") {
				played++
			}
		}
		if dealt := strings.Contains(string(text), "dealt"); dealt != (j.Openings == "") || dealt != (played > 5) {
			t.Errorf("%s: dealt %t, %d cards are played", j.Journal, dealt, played)
		}
	}
}

// Games of a gate begin with four random moves unless the configuration says otherwise.
func TestGatesHaveOpenings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "openings")
	if err := os.WriteFile(file, []byte("h8i9\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const head = "[trainer]\ntrain = [\"true\"]\n[[games]]\nrule = \"caro\"\nsize = 15\ngames = 10\nplayer = " +
		"\"mcts:playouts=4\"\n"
	for _, c := range []struct {
		gate  string
		plies int
		err   string
	}{
		{"[[gate.boards]]\nrule = \"caro\"\nsize = 15\n", 4, ""},
		{"[[gate.boards]]\nrule = \"caro\"\nsize = 15\nopening_plies = 2\n", 2, ""},
		{"[gate]\nboards = [{rule = \"caro\", size = 15, opening_plies = 3}]\n", 3, ""},
		{"[gate]\nboards = [{rule = \"caro\", size = 15}]\n", 4, ""},
		{"[[gate.boards]]\nrule = \"caro\"\nsize = 15\nopenings = \"" + filepath.ToSlash(file) + "\"\n", 4, ""},
		{"[[gate.boards]]\ngame = \"onitama\"\nopen_rule = true\n", 4,
			"gate.boards[1].open_rule: open_rule is for gomoku, not for onitama"},
	} {
		config, err := Parse("f", []byte(head+c.gate))
		if err != nil {
			t.Fatal(err)
		}
		if got := config.Gate.Boards[0].OpeningPlies; got != c.plies {
			t.Errorf("%q: %d moves, want %d", c.gate, got, c.plies)
		}
		w := Worker{Loader: &networks.Loader{}}
		if err := w.Check(&config); c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(),
			c.err)) {
			t.Errorf("%q: %v, want %q", c.gate, err, c.err)
		}
	}
}
