package tune

import (
	"bytes"
	"flag"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/front/arena"
)

var longTuning = flag.Bool("long", false, "tune a spoiled constant on with many games")

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

// gamesTuning returns a tuning of a player by games of gomoku.
func gamesTuning(t *testing.T, text, set string, size, trials, pairs, workers int, rules ...string) (Options, *Games) {
	t.Helper()
	o := GamesOptions{Loader: networks.NewLoader(networks.LoaderOptions{}), Player: player(t, text), OpeningPlies: 3, Seed: 1, Workers: workers, Cache: 1 << 20}
	for _, rule := range rules {
		v, err := games.NewVariant(games.VariantOptions{Rule: rule, Size: size})
		if err != nil {
			t.Fatal(err)
		}
		o.Variants = append(o.Variants, v)
	}
	var err error
	if o.Parameters, err = ParseParameters(o.Player, o.Variants, set); err != nil {
		t.Fatal(err)
	}
	g, err := NewGames(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	setup, err := g.Setup()
	if err != nil {
		t.Fatal(err)
	}
	s, err := NewSPSA(o.Parameters, SPSAOptions{Trials: trials, Pairs: pairs, Seed: o.Seed})
	if err != nil {
		t.Fatal(err)
	}
	return Options{Parameters: o.Parameters, Method: s, Trials: trials, Pairs: pairs, Objective: g, Setup: setup, SPRT: arena.SPRT{Elo1: 50}}, g
}

// quickPlayer plays a game in about a millisecond.
const quickPlayer = "mcts:playouts=4,model=uniform,solver-leaf=0,solver-root=0,solver-replies=0"

// Games of several rule sets give the same journal with any number of workers. The
// openings of the match are level, differ however they are turned, and no trial has one.
func TestGamesOfSeveralRules(t *testing.T) {
	dir := t.TempDir()
	var want Result
	for _, workers := range []int{1, 3} {
		o, g := gamesTuning(t, quickPlayer, "cpuct,temperature=0..1", 6, 4, 2, workers, "freestyle", "caro")
		o.MatchRounds, o.Journal = 2, filepath.Join(dir, []string{"", "a", "", "b"}[workers])
		tuning, err := New(o)
		if err != nil {
			t.Fatal(err)
		}
		r, err := tuning.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if workers == 1 {
			want = r
		} else if !reflect.DeepEqual(r, want) {
			t.Errorf("%d workers: %+v, one: %+v", workers, r, want)
		}
		keys := map[string]bool{}
		for i, opening := range tuning.openings {
			b := g.boards[i/2%2]
			moves, err := b.match.Notation.ParseMoves(opening.Moves)
			if err != nil || opening.Board != b.variant.String() || keys[b.key("", moves)] || opening.First < 8 || opening.First > 12 {
				t.Errorf("opening %d: %+v, %v", i, opening, err)
			}
			keys[b.key("", moves)] = true
		}
		if len(keys) != 4 {
			t.Errorf("%d openings", len(keys))
		}
		for trial := range o.Trials {
			b := g.boards[trial%2]
			openings := &unseen{games: g, board: b, first: trial * o.Pairs}
			for pair := range o.Pairs {
				moves, err := openings.Opening(t.Context(), pair)
				if err != nil || keys[b.key("", moves)] {
					t.Errorf("trial %d, pair %d: an opening of the match, or %v", trial, pair, err)
				}
			}
		}
	}
	if !bytes.Equal(readFile(t, filepath.Join(dir, "a")), readFile(t, filepath.Join(dir, "b"))) {
		t.Error("the journals differ")
	}
}

// An opening that the match has is not drawn for a trial, whichever way it is turned.
func TestTrialsLeaveOutTheMatchsOpenings(t *testing.T) {
	_, g := gamesTuning(t, quickPlayer, "cpuct", 6, 1, 1, 1, "freestyle")
	b := g.boards[0]
	u := &unseen{games: g, board: b}
	first, err := u.Opening(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	turned := make([]game.Move, len(first))
	for i, m := range first { // a quarter turn
		turned[i] = game.Move((5-int(m)%6)*6 + int(m)/6)
	}
	if slices.Equal(turned, first) || b.key("", turned) != b.key("", first) {
		t.Fatalf("%v and %v: keys %s, %s", first, turned, b.key("", first), b.key("", turned))
	}
	if err := g.remember([]Opening{{Board: b.variant.String(), Moves: b.match.Notation.FormatMoves(turned)}}); err != nil {
		t.Fatal(err)
	}
	if again, err := u.Opening(t.Context(), 0); err != nil || b.key("", again) == b.key("", first) {
		t.Errorf("%v again, %v", again, err)
	}
	swapped := []game.Move{first[1], first[0], first[2]}
	if b.key("", swapped) == b.key("", first) {
		t.Error("stones of the other colour count as the same")
	}
}

// A search nine tenths of whose priors are noise comes back towards one that reads its
// network.
func TestASpoiledConstantIsFoundBack(t *testing.T) {
	trials := 12
	if *longTuning {
		trials = 200
		t.Run("clop", func(t *testing.T) { findBack(t, trials, true) })
	}
	findBack(t, trials, false) // CLOP begins in the middle of the range: few trials say nothing of it
}

func findBack(t *testing.T, trials int, clop bool) {
	text := "mcts:playouts=12,noise=true,noise-share=0.9,solver-leaf=0,solver-root=0,solver-replies=0"
	o, _ := gamesTuning(t, text, "noise-share=0.01..1/0.1", 9, trials, 4, 2, "standard")
	if clop {
		var err error
		if o.Method, err = NewCLOP(o.Parameters, CLOPOptions{Pairs: o.Pairs, Seed: 1}); err != nil {
			t.Fatal(err)
		}
	}
	confirmed := *longTuning && !clop
	if confirmed {
		o.MatchRounds = 50
	}
	tuning, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	r, err := tuning.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	e := r.Estimates[0]
	t.Logf("noise-share %g +- %g after %d pairs; %s", e.Result, e.Error, trials*o.Pairs, r.MatchText())
	if e.Result > 0.7 {
		t.Errorf("the spoiled constant is %g, from %g", e.Result, e.Start)
	}
	most := 0.35
	if clop {
		most = 0.45 // it ends above the best where that is near an end of the range
	}
	if *longTuning && e.Result > most || confirmed && r.Verdict != arena.AcceptH1 {
		t.Errorf("%g, want %g or less; %s", e.Result, most, r.MatchText())
	}
}

func variants(t *testing.T, options ...games.VariantOptions) (list []games.Variant) {
	t.Helper()
	for _, o := range options {
		v, err := games.NewVariant(o)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
	return list
}

func TestParametersAreParsed(t *testing.T) {
	caro := variants(t, games.VariantOptions{})
	got, err := ParseParameters(player(t, "mcts:cpuct=2"), caro, "cpuct=0.5..4/0.25, fpu,solver-replies/40")
	want := []Parameter{
		{Name: "cpuct", Start: 2, Min: 0.5, Max: 4, Step: 0.25}, {Name: "fpu", Start: 0.2, Min: 0.001, Max: 2, Step: 0.05},
		{Name: "solver-replies", Start: 500, Min: 1, Max: 1e9, Step: 40, Whole: true},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	// Below 0 means no reduction: a value that begins there stays there.
	if got, err = ParseParameters(player(t, "mcts:fpu=-0.5"), caro, "fpu"); err != nil || got[0].Min != -1 || !(got[0].Max < 0) {
		t.Errorf("%+v, %v", got, err)
	}
	for set, want := range map[string]string{
		"": "no setting", "cput": "cpuct", "reuse": "no number", "playouts": "equal budgets", "cpuct,cpuct": "twice", "cpuct=1": "0.5..3", "cpuct=4..1": "4..1", "cpuct=1..1000": "within",
		"cpuct=3..4": "start in its range", "cpuct=a..b": "0.5..3", "cpuct/0": "step", "cpuct/x": "want a number", "cpuct/NaN": "want a number", "cpuct/-1": "step", "cpuct=1..3/5": "step",
		"cpuct/1e-323": "want 1e-07 or more", "cpuct=1..3/1e-310": "want 2e-09 or more", "fpu/1e-9": "want 2e-09 or more",
		"solver-replies/0.5": "whole", "solver-replies=1.5..900": "range 1.5..900: want whole numbers", "solver-replies=0..5": "want one within 1..1000000000", "cpuct=-1..3": "within", "cpuct=1..Inf": "0.5..3",
	} {
		if _, err := ParseParameters(player(t, "mcts:cpuct=2"), caro, set); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", set, err, want)
		}
	}
}

// A pattern stands for all weights of that name that every rule set has.
func TestWeightsAreParsed(t *testing.T) {
	fitted := player(t, "alphabeta:nodes=9,weights=fitted,shift=own.mobility.late-4")
	onitama := variants(t, games.VariantOptions{Game: games.Onitama})
	got, err := ParseParameters(fitted, onitama, "lmr,weight:own.mob*,weight:tempo.early=-20..20/4")
	want := []Parameter{
		{Name: "lmr", Start: 170, Min: 1, Max: 1e6, Step: 10, Whole: true},
		{Name: "weight:own.mobility.early", Min: -1000, Max: 1000, Step: 10, Whole: true},
		{Name: "weight:own.mobility.late", Start: -4, Min: -1000, Max: 1000, Step: 10, Whole: true},
		{Name: "weight:tempo.early", Min: -20, Max: 20, Step: 4, Whole: true},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
	// 51 features without a card, ten terms, and 100 of each card.
	for cards, features := range map[string]int{"": 61 + 1600, "Tiger,Ox,Crab,Crane,Dragon": 61 + 500} {
		if all, err := ParseParameters(fitted, variants(t, games.VariantOptions{Game: games.Onitama, Cards: cards}), "weight:*"); err != nil || len(all) != 2*features {
			t.Errorf("%q: %d weights, %v; want %d", cards, len(all), err, 2*features)
		}
	}
	both := variants(t, games.VariantOptions{Rule: "freestyle"}, games.VariantOptions{Rule: "school42"})
	for set, want := range map[string]string{"weight:own.*": "own.prey", "weight:taken.*": "taken"} {
		here, err := ParseParameters(fitted, both[1:], set)
		if err != nil || !slices.ContainsFunc(here, func(p Parameter) bool { return strings.Contains(p.Name, want) }) {
			t.Errorf("school42, %s: %+v, %v", set, here, err)
		}
		shared, _ := ParseParameters(fitted, both, set)
		if slices.ContainsFunc(shared, func(p Parameter) bool { return strings.Contains(p.Name, want) }) {
			t.Errorf("freestyle and school42, %s: %+v", set, shared)
		}
	}
	for _, c := range []struct{ player, set, want string }{
		{"alphabeta:nodes=9,weights=fitted", "weight:owl.*", "students.*"},
		{"alphabeta:nodes=9,weights=fitted", "weight:[", "a pattern"},
		{"alphabeta:nodes=9,weights=fitted", "weight:tempo.*,weight:tempo.late", "twice"},
		{"alphabeta:nodes=9,weights=fitted", "weight:tempo.*=-2000..0", "within"},
		{"alphabeta:nodes=9,weights=fitted", "weight:tempo.*/0.5", "whole"},
		{"alphabeta:nodes=9,weights=fitted", "weight:tempo.*=-0.5..90", "range -0.5..90: want whole numbers"},
		{"alphabeta:nodes=9", "weight:tempo.*", "weights=fitted"},
		{"mcts:playouts=9", "weight:tempo.*", "weights=fitted"},
		{"alphabeta:nodes=9", "rfp", "number to start from"},
	} {
		if got, err := ParseParameters(player(t, c.player), onitama, c.set); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s, %s: %+v, %v; want %q", c.player, c.set, got, err, c.want)
		}
	}
}

// Games of Onitama have cards of their own: the openings of the match and of the trials
// begin at many deals, the arena starts each pair at that of its opening, and the journal
// is the same with any number of workers.
func TestGamesAreDealt(t *testing.T) {
	dir := t.TempDir()
	deals := map[string]bool{}
	for _, workers := range []int{1, 2} {
		v, err := games.NewVariant(games.VariantOptions{Game: games.Onitama})
		if err != nil {
			t.Fatal(err)
		}
		o := GamesOptions{
			Loader: networks.NewLoader(networks.LoaderOptions{}), Variants: []games.Variant{v}, Player: player(t, quickPlayer),
			OpeningPlies: 2, Seed: 1, Workers: workers, Cache: 1 << 20,
		}
		if o.Parameters, err = ParseParameters(o.Player, o.Variants, "cpuct"); err != nil {
			t.Fatal(err)
		}
		g, err := NewGames(o)
		if err != nil {
			t.Fatal(err)
		}
		setup, err := g.Setup()
		if err != nil || !slices.ContainsFunc(setup, func(i Item) bool { return strings.HasSuffix(i.Value, " dealt") }) {
			t.Errorf("%v, %v", setup, err)
		}
		s, err := NewSPSA(o.Parameters, SPSAOptions{Trials: 2, Pairs: 2, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		journal := filepath.Join(dir, string(rune('a'+workers)))
		tuning, err := New(Options{
			Parameters: o.Parameters, Method: s, Trials: 2, Pairs: 2, Objective: g, Setup: setup,
			SPRT: arena.SPRT{Elo1: 50}, MatchRounds: 2, Journal: journal,
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tuning.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i, opening := range tuning.openings {
			deals[opening.Start] = true
			start, err := g.boards[0].startsOf(tuning.openings)(i)
			if err != nil || v.FormatGame(start, nil) != opening.Start {
				t.Errorf("opening %d: %+v, %v", i, opening, err)
			}
		}
		b := g.boards[0]
		for number := range 4 {
			first, err := b.startText(seedTrials, number)
			again, _ := b.startText(seedTrials, number+1<<redraw)
			if err != nil || first != again || deals[first] && workers == 1 {
				t.Errorf("trial %d begins at %q, drawn again at %q, %v", number, first, again, err)
			}
		}
		if _, err := b.startsOf([]Opening{{Start: "Tiger,Tiger/Ox,Horse/Crab"}})(0); err == nil {
			t.Error("equal cards pass")
		}
		g.Close()
	}
	if len(deals) != 4 {
		t.Errorf("the openings of the match begin at %d deals, want 4", len(deals))
	}
	if !bytes.Equal(readFile(t, filepath.Join(dir, "b")), readFile(t, filepath.Join(dir, "c"))) {
		t.Error("the journals differ")
	}
}

// A weight of the evaluation that is spoiled is found back: own students that are worth
// nothing are given away.
func TestSpoiledWeightIsFoundBack(t *testing.T) {
	o := GamesOptions{
		Loader: networks.NewLoader(networks.LoaderOptions{}), Variants: variants(t, games.VariantOptions{Game: games.Onitama}),
		Player: player(t, "alphabeta:nodes=40,table=1,proof=off,weights=fitted,shift=own.attacked.early-400;own.attacked.late-400"), OpeningPlies: 2, Seed: 3, Workers: 2, Cache: 1 << 20,
	}
	var err error
	if o.Parameters, err = ParseParameters(o.Player, o.Variants, "weight:own.attacked.*=-500..500/100"); err != nil {
		t.Fatal(err)
	}
	g, err := NewGames(o)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	const trials, pairs = 60, 8
	s, err := NewSPSA(o.Parameters, SPSAOptions{Trials: trials, Pairs: pairs, Gain: 1, Seed: o.Seed})
	if err != nil {
		t.Fatal(err)
	}
	tuning, err := New(Options{Parameters: o.Parameters, Method: s, Trials: trials, Pairs: pairs, Objective: g, SPRT: arena.SPRT{Elo1: 50}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := tuning.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range r.Estimates {
		if e.Result < -300 {
			t.Errorf("%+v", e)
		}
	}
	tuned, err := Tuned(o.Player, r.Estimates)
	if err != nil || !strings.Contains(tuned.String(), "own.attacked.early") || tuned.String() == o.Player.String() {
		t.Errorf("%s, %v", tuned, err)
	}
}
