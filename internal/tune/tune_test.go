package tune

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/players"
)

// climb has SPSA maximise f, whose differences it gets with noise.
func climb(t *testing.T, o Options, noise float64, f func(v []float64) float64) []float64 {
	t.Helper()
	o.Objective = func(context.Context, Trial, int) (p [5]int, err error) { return }
	s, err := newSPSA(&o)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(o.Seed, 1))
	for range o.Trials {
		a, b := s.propose()
		s.tell(f(a) - f(b) + noise*rng.NormFloat64())
	}
	return s.best()
}

// Parameters of very different size come to the top of a noisy parabola, in which they
// also lean on each other.
func TestSPSAFindsTheTop(t *testing.T) {
	parameters := []Parameter{
		{Name: "a", Start: 1, Min: 0, Max: 10, Step: 0.1}, {Name: "b", Start: 3000, Min: 100, Max: 9000, Step: 200},
		{Name: "c", Start: 40, Min: 1, Max: 90, Step: 3, Whole: true},
	}
	top := []float64{1.7, 1900, 58}
	for seed := range uint64(10) {
		best := climb(t, Options{Parameters: parameters, Trials: 2000, Pairs: 8, Seed: seed}, 0.2, func(v []float64) float64 {
			x, y, z := (v[0]-top[0])/0.1, (v[1]-top[1])/200, (v[2]-top[2])/3
			return -0.02 * (x*x + y*y + z*z + 0.5*x*y)
		})
		for i, p := range parameters {
			if off := (best[i] - top[i]) / p.Step; math.Abs(off) > 0.75 {
				t.Errorf("seed %d: %s is %g, %.2f steps from %g", seed, p.Name, best[i], off, top[i])
			}
		}
		if best[2] != math.Round(best[2]) {
			t.Errorf("%g is no whole number", best[2])
		}
	}
}

// SPSA follows the bent valley of Rosenbrock's function, and plays nothing beyond a range.
func TestSPSAKeepsToTheRange(t *testing.T) {
	valley := []Parameter{
		{Name: "x", Start: -1.2, Min: -3, Max: 3, Step: 0.05}, {Name: "y", Start: 1, Min: -3, Max: 3, Step: 0.05},
	}
	best := climb(t, Options{Parameters: valley, Trials: 6000, Pairs: 8}, 0.05, func(v []float64) float64 {
		return -((1-v[0])*(1-v[0]) + 10*(v[1]-v[0]*v[0])*(v[1]-v[0]*v[0]))
	})
	if math.Hypot(best[0]-1, best[1]-1) > 0.25 {
		t.Errorf("%v, want 1 1", best)
	}
	one := []Parameter{{Name: "a", Start: 1, Min: 0.5, Max: 2, Step: 0.1}}
	best = climb(t, Options{Parameters: one, Trials: 300, Pairs: 8, Seed: 1}, 0.1, func(v []float64) float64 {
		if v[0] < 0.5 || v[0] > 2 {
			t.Errorf("%g was played", v[0])
		}
		return v[0]
	})
	if best[0] < 1.9 {
		t.Errorf("%g, want 2", best[0])
	}
}

// small returns the options of a small tuning without games, and how many trials it asked
// for: results follow the Elo formula, with 10 Elo lost for each step squared from a top.
func small(journal string) (o Options, top []float64, asked *int) {
	o = Options{
		Parameters: []Parameter{
			{Name: "a", Start: 2, Min: 0.1, Max: 9, Step: 0.1}, {Name: "b", Start: 50, Min: 1, Max: 400, Step: 10, Whole: true},
		},
		Trials: 12, Pairs: 4, Seed: 1,
		Setup: []Item{{"player", "formula"}, {"seed", "1"}}, Journal: journal, Resume: true,
	}
	top, asked = []float64{2.3, 80}, new(int)
	elo := func(v []float64) (sum float64) {
		for i, p := range o.Parameters {
			x := (v[i] - top[i]) / p.Step
			sum -= 10 * x * x
		}
		return sum
	}
	o.Objective = func(ctx context.Context, r Trial, pairs int) (counts [5]int, err error) {
		*asked++
		rng := rand.New(rand.NewPCG(uint64(r.Number), uint64(len(r.A))))
		for range pairs {
			points := 0
			for range 2 {
				if rng.Float64() < 0.3 {
					points++
				} else if rng.Float64() < arena.Score(elo(r.A)-elo(r.B)) {
					points += 2
				}
			}
			counts[points]++
		}
		return counts, ctx.Err()
	}
	return o, top, asked
}

func TestTrialsFindTheTop(t *testing.T) {
	o, top, _ := small("")
	o.Trials, o.Pairs = 300, 8
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range r.Estimates {
		if off := (e.Result - top[i]) / e.Step; math.Abs(off) > 1 {
			t.Errorf("%s: %g, want %g", e.Name, e.Result, top[i])
		}
	}
}

// Wherever a tuning is killed, between two lines or within one, or interrupted, it goes on
// to the same bytes and the same result.
func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	o, _, _ := small(path)
	want, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	rows := bytes.SplitAfter(whole, []byte("\n"))
	finish := func(what string, i int) {
		o, _, asked := small(path)
		got, err := Run(t.Context(), o)
		if after, _ := os.ReadFile(path); err != nil || !reflect.DeepEqual(got, want) || !bytes.Equal(after, whole) {
			t.Fatalf("%s at line %d: %v\n%+v\n%+v", what, i+1, err, got, want)
		}
		if left := len(rows) - 1 - i; *asked > left {
			t.Errorf("%s at line %d: %d trials were played again, %d were missing", what, i+1, *asked, left)
		}
	}
	kept := len(rows[0])
	for i := 1; i < len(rows); i++ {
		writeFile(t, path, whole[:kept+len(rows[i])/2*(i%2)])
		finish("cut", i)
		kept += len(rows[i])
	}
	writeFile(t, path, rows[0])
	ctx, cancel := context.WithCancel(t.Context())
	o, _, asked := small(path)
	o.Progress = func(int, int) {
		if *asked == 5 {
			cancel()
		}
	}
	if r, err := Run(ctx, o); !errors.Is(err, context.Canceled) || r.Trials != 5 || len(r.Estimates) != 2 {
		t.Errorf("interrupted: %v, %+v", err, r)
	}
	finish("interrupted", 6)
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// What is no journal of this tuning is refused in one line, and stays as it is.
func TestRefusedJournals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.jsonl")
	o, _, _ := small(path)
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(path)
	whole := string(data)
	lines := strings.SplitAfter(whole, "\n")
	change := func(old, new string) string { return strings.Replace(whole, old, new, 1) }
	for name, c := range map[string]struct{ text, want string }{
		"another player":   {change(`"formula"`, `"other"`), `setup[0].value was "other", here "formula"`},
		"less of a setup":  {change(`,{"what":"seed","value":"1"}`, ""), "setup[1] was absent"},
		"more of a setup":  {change(`"value":"1"}]`, `"value":"1"},{"what":"x","value":"y"}]`), `setup[2] was {`},
		"a changed value":  {change(`"a":[`, `"a":[1`), "trial 0"},
		"a missing trial":  {lines[0] + strings.Join(lines[2:], ""), "trial 0"},
		"too many pairs":   {change(`"pairs":[`, `"pairs":[7`), "want 4 pairs"},
		"more than it all": {whole + lines[1], "want no more lines"},
	} {
		writeFile(t, path, []byte(c.text))
		o, _, _ := small(path)
		_, err := Run(t.Context(), o)
		if !errors.Is(err, disk.ErrRefused) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if after, _ := os.ReadFile(path); string(after) != c.text {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

// Values are whole where they must be, lie on a grid of decimals, and stay in range.
func TestValuesOfParameters(t *testing.T) {
	fine, whole := Parameter{
		Start: 2, Min: 1, Max: 3, Step: 0.125,
	}, Parameter{Start: 7, Min: 1, Max: 30, Step: 2, Whole: true}
	for _, c := range []struct {
		p    Parameter
		x    float64
		want float64
	}{
		{fine, 0.3333, 2.042}, {fine, 100, 3}, {fine, -100, 1}, {whole, 0.3, 8}, {whole, 0.2, 7},
		{Parameter{Start: 2, Min: 1, Max: 3, Step: 2e-9}, 1, 2.000000002},
		{Parameter{Start: 19652, Min: 1, Max: 1e9, Step: 1965}, 0.1, 19850},
	} {
		if got := c.p.value(c.x); got != c.want {
			t.Errorf("%+v, %g steps: %v, want %v", c.p, c.x, got, c.want)
		}
	}
}

func player(t *testing.T, text string) players.PlayerSpec {
	t.Helper()
	spec, err := players.ParseSpec(text)
	if err != nil {
		t.Fatal(err)
	}
	p, err := players.ParsePlayer(spec)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func variant(t *testing.T, o games.VariantOptions) games.Variant {
	t.Helper()
	v, err := games.NewVariant(o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// playGames tunes a player by games.
func playGames(t *testing.T, text, set string, o Options, workers int, variants ...games.Variant) Result {
	t.Helper()
	g := GamesOptions{
		Loader: networks.NewLoader(networks.LoaderOptions{}), Player: player(t, text), Variants: variants, OpeningPlies: 3,
		Seed: 1, Workers: workers, Cache: 1 << 20,
	}
	var err error
	if g.Parameters, err = ParseParameters(g.Player, g.Variants[0], set); err != nil {
		t.Fatal(err)
	}
	games, err := NewGames(g)
	if err != nil {
		t.Fatal(err)
	}
	defer games.Close()
	if o.Setup, err = games.Setup(); err != nil {
		t.Fatal(err)
	}
	o.Parameters, o.Objective, o.Seed = g.Parameters, games.Play, g.Seed
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Games of several rule sets, and dealt ones, give the same journal with any number of workers.
func TestGamesOfAnyNumberOfWorkers(t *testing.T) {
	const text = "mcts:playouts=4,model=uniform,solver-leaf=0,solver-root=0,solver-replies=0"
	for name, variants := range map[string][]games.Variant{
		"gomoku": {variant(t, games.VariantOptions{Rule: "freestyle", Size: 6}),
			variant(t, games.VariantOptions{Rule: "caro", Size: 6})},
		"onitama": {variant(t, games.VariantOptions{Game: games.Onitama})},
	} {
		dir := t.TempDir()
		var results []Result
		var journals [][]byte
		for _, workers := range []int{1, 3} {
			path := filepath.Join(dir, string(rune('0'+workers)))
			results = append(results, playGames(t, text, "cpuct,temperature=0..1", Options{
				Trials: 4, Pairs: 2, Journal: path,
			}, workers, variants...))
			data, _ := os.ReadFile(path)
			journals = append(journals, data)
		}
		if !reflect.DeepEqual(results[0], results[1]) || !bytes.Equal(journals[0], journals[1]) {
			t.Errorf("%s: one worker %+v, three %+v", name, results[0], results[1])
		}
	}
}

// A search nine tenths of whose priors are noise comes back towards one that reads its
// network.
func TestASpoiledConstantIsFoundBack(t *testing.T) {
	text := "mcts:playouts=12,noise=true,noise-share=0.9,solver-leaf=0,solver-root=0,solver-replies=0"
	r := playGames(t, text, "noise-share=0.01..1/0.1", Options{Trials: 12, Pairs: 4}, 2,
		variant(t, games.VariantOptions{Rule: "standard", Size: 9}))
	if e := r.Estimates[0]; e.Result > 0.7 {
		t.Errorf("the spoiled constant is %g, from %g", e.Result, e.Start)
	}
}

func TestParametersAreParsed(t *testing.T) {
	caro := variant(t, games.VariantOptions{})
	got, err := ParseParameters(player(t, "mcts:cpuct=2"), caro, "cpuct=0.5..4/0.25, fpu,solver-replies/40")
	want := []Parameter{
		{Name: "cpuct", Start: 2, Min: 0.5, Max: 4, Step: 0.25}, {Name: "fpu", Start: 0.2, Min: 0.001, Max: 2, Step: 0.05},
		{Name: "solver-replies", Start: 500, Min: 1, Max: 1e9, Step: 40, Whole: true},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	// Below 0 means no reduction: a value that begins there stays there.
	if got, err = ParseParameters(player(t, "mcts:fpu=-0.5"), caro, "fpu"); err != nil || got[0].Min != -1 ||
		!(got[0].Max < 0) {
		t.Errorf("%+v, %v", got, err)
	}
	for set, want := range map[string]string{
		"": "no number", "cput": "cpuct", "reuse": "no number", "playouts": "equal budget", "cpuct,cpuct": "twice",
		"cpuct=1": "0.5..3", "cpuct=4..1": "4..1", "cpuct=1..1000": "within",
		"cpuct=3..4": "start in its range", "cpuct=a..b": "0.5..3", "cpuct/0": "step", "cpuct/x": "want a number",
		"cpuct/NaN": "want a number", "cpuct=1..3/5": "step",
		"cpuct/1e-323": "step", "solver-replies/1.5": "whole", "solver-replies=1.5..900": "whole",
		"solver-replies=0..5": "want one within 1..1000000000", "cpuct=1..Inf": "within",
	} {
		if _, err := ParseParameters(player(t, "mcts:cpuct=2"), caro, set); err == nil ||
			!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", set, err, want)
		}
	}
}
