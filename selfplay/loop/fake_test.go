package loop

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/nn/nntest"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// asTrainer is the first argument under which the test binary is a trainer. Its
// others are what it does, then {net}, {out}, {seed} and what is previous.
const asTrainer = "fake-trainer"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asTrainer {
		os.Exit(fakeTrainer(os.Args[2:]))
	}
	goleak.VerifyTestMain(m)
}

// fakeTrainer writes a text for a network.
func fakeTrainer(args []string) int {
	does, onnx, out, seed := args[0], args[1], args[2], args[3]
	switch does {
	case "fails":
		fmt.Fprintln(os.Stderr, "step 1\nthe loss is not finite")
		return 1
	case "hangs":
		ignored := make(chan os.Signal, 1)
		signal.Notify(ignored, os.Interrupt)
		for range ignored {
		}
	case "nothing":
		return 0
	case "resumes":
		text, err := os.ReadFile(filepath.Join(out, "checkpoint.pt"))
		if err = errors.Join(err, os.WriteFile(onnx, text, 0o644)); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return 0
	}
	text := "network " + does + " " + seed
	if len(args) == 6 && args[4] == "--init-from" {
		previous, err := os.ReadFile(args[5])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		text += " after " + string(previous)
	}
	metrics := "{\"kind\":\"val\",\"step\":1,\"loss\":4.5,\"policy_loss\":4,\"value_loss\":0.5}\n" +
		strings.Repeat("long ", 1<<15) +
		"\n{\"kind\":\"val\",\"step\":5,\"loss\":2.5,\"policy_loss\":2,\"value_loss\":0.5}\nnot json\n"
	err := errors.Join(os.WriteFile(onnx, []byte(text), 0o644),
		os.WriteFile(filepath.Join(out, "checkpoint.pt"), []byte(text), 0o644),
		os.WriteFile(filepath.Join(out, "metrics.jsonl"), []byte(metrics), 0o644))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// trainerOf returns the command of a fake trainer.
func trainerOf(does string) []string {
	return []string{os.Args[0], asTrainer, does, "{net}", "{out}", "{seed}", "{--init-from previous}"}
}

// toyConfig is a loop of tic-tac-toe.
func toyConfig() Config {
	c := DefaultConfig()
	c.name, c.text = "loop.toml", []byte("# toy\n")
	c.Seed, c.Rounds = 11, 3
	c.Games = []Games{
		{VariantOptions: games.VariantOptions{Game: "mnk", Size: 3}, From: 1, Player: "mcts",
			Options: selfplay.Options{Games: 6, GamesPerShard: 2}},
		{VariantOptions: games.VariantOptions{Game: "mnk", Rule: "b", Size: 3}, From: 2, Player: "mcts",
			Options: selfplay.Options{Games: 2, GamesPerShard: 2}},
	}
	c.Trainer.Train = trainerOf("trains")
	c.Trainer.Resume = trainerOf("resumes")
	c.Trainer.Limit = Duration(time.Minute)
	c.Gate.Games, c.Gate.Batch = 24, 4
	return c
}

// toyWorld does the work of a loop of tic-tac-toe. What it answers depends on the
// networks' digests alone.
type toyWorld struct {
	seen   map[string]int // points that a halted loop has passed, how often
	fail   error          // of every game
	tried  error          // of every candidate
	kind   string         // of every network; "": KindONNX
	better func(candidate, best string) bool
}

func newToyWorld() *toyWorld {
	return &toyWorld{
		seen:   map[string]int{},
		better: func(candidate, best string) bool { return numberOf(candidate+best)%3 > 0 },
	}
}

func (w *toyWorld) host() Host {
	return Host{
		Engine: w, Now: func() (t time.Time) { return t },
		CPU: func() time.Duration { return 0 }, Progress: func(Progress) {}, Note: func(string) {},
	}
}

// number hashes a text.
func numberOf(text string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(text))
	return h.Sum64() >> 7
}

func (w *toyWorld) Check(c *Config) error {
	for i := range c.Games {
		if c.Games[i].Game != "mnk" {
			return &KeyError{fmt.Sprintf("games[%d].game", i+1), errors.New("want mnk")}
		}
	}
	return nil
}

func (w *toyWorld) Play(ctx context.Context, job PlayJob) error {
	if w.fail != nil {
		return w.fail
	}
	start := gametest.NewMNK(3, 3, 3)
	setup := selfplay.Setup{
		Start: start, Columns: 3, Encoder: nntest.TicTacToe{},
		Format: func(_ game.Position, moves []game.Move) string {
			return start.Notation().FormatMoves(moves)
		},
		Header: samples.Header{Game: "mnk", Size: 3, Planes: samples.Planes{Version: "mnk-1", Names: []string{"own",
			"opp"}}, Model: job.Network.SHA256},
		Evaluator: func(int, *nn.Turn) (nn.Evaluator, error) { return nn.NewMock(numberOf(job.Network.SHA256)), nil },
	}
	_, err := selfplay.Play(ctx, setup, selfplay.Options{
		Games: job.Games.Games, GamesPerShard: job.GamesPerShard, Seed: job.Seed, Playouts: 4,
	}, selfplay.Host{Dir: job.Dir, Resume: true, Workers: job.Workers,
		Progress: func(s selfplay.Summary) { job.Progress(s.OnDisk, s.Of) }})
	return err
}

func (w *toyWorld) Fetch(_ context.Context, name string, _ []games.VariantOptions) ([]byte, string, error) {
	data, err := os.ReadFile(name)
	return data, cmp.Or(w.kind, KindONNX), err
}

func (w *toyWorld) Try(_ context.Context, path string, _ []games.VariantOptions) (string, error) {
	data, err := os.ReadFile(path)
	if err == nil && !strings.HasPrefix(string(data), "network ") {
		err = errors.New("it is no network")
	}
	return cmp.Or(w.kind, KindONNX), errors.Join(err, w.tried)
}

// Match appends a line for each game to the journal, and counts them.
func (w *toyWorld) Match(_ context.Context, job MatchJob) (r arena.Report, err error) {
	text, err := os.ReadFile(job.Journal)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return r, err
	}
	for n := strings.Count(string(text), "\n"); n < job.Games; n++ {
		text = fmt.Appendf(text, "%d\n", n)
	}
	if err := os.WriteFile(job.Journal, text, 0o644); err != nil {
		return r, err
	}
	r.Games = job.Games
	job.Progress(job.Games)
	for range job.Games / 2 {
		if w.better(job.Candidate.SHA256, job.Best.SHA256) {
			r.Pairs[3]++
			r.AWins, r.Draws = r.AWins+1, r.Draws+1
		} else {
			r.Pairs[1]++
			r.BWins, r.Draws = r.BWins+1, r.Draws+1
		}
	}
	return r, nil
}

// runToy carries a loop on.
func runToy(t *testing.T, dir string, c Config, h Host) (*State, error) {
	t.Helper()
	return Run(context.Background(), dir, &c, h)
}

// mustRunToy runs a loop to its end.
func mustRunToy(t *testing.T, dir string, c Config, w *toyWorld) *State {
	t.Helper()
	s, err := runToy(t, dir, c, w.host())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tree returns the files below a directory that a disturbed loop must have too.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || slices.Contains([]string{"state.json", "manifest.jsonl", "trainer.log"}, d.Name()) {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
