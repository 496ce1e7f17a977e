package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/report"
)

// quickMatch is a match of games that take milliseconds.
var quickMatch = []string{"match", "--game", "onitama", "--workers", "2", "--max-plies", "40", "--json"}

func playMatch(t *testing.T, args ...string) report.Match {
	t.Helper()
	return printed[report.Match](t, append(quickMatch, args...)...)
}

// Matches of the classical engine at fixed nodes come out alike with any number
// of workers, and after an interruption.
func TestClassicalMatchesAreReproducible(t *testing.T) {
	players := []string{
		"--a", "alphabeta:nodes=150,table=1", "--b", "alphabeta:depth=2,table=1,rfp=off,weights=hand", "--games", "8",
	}
	first := playMatch(t, players...)
	if first.Games != 8 || first.Forfeits != 0 || len(first.Forfeited) != 0 {
		t.Errorf("%+v", first)
	}
	if again := playMatch(t, append(players, "--workers", "1")...); !reflect.DeepEqual(again, first) {
		t.Errorf("%+v with one worker, %+v with two", again, first)
	}
	journal := filepath.Join(t.TempDir(), "m.jsonl")
	if kept := playMatch(t, append(players, "--journal", journal)...); !reflect.DeepEqual(kept, first) {
		t.Errorf("%+v with a journal", kept)
	}
	lines, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	rows := strings.SplitAfter(string(lines), "\n")
	writeFile(t, journal, []byte(strings.Join(rows[:4], "")+rows[4][:20])) // torn within a game
	if resumed := playMatch(t, append(players, "--journal", journal)...); !reflect.DeepEqual(resumed, first) {
		t.Errorf("%+v after an interruption, %+v without", resumed, first)
	}
}

// Records asked for when a match goes on are those of all its games, and one that is
// there stays as it is.
func TestRecordsOfEarlierGames(t *testing.T) {
	dir := t.TempDir()
	args := []string{"match", "--rule", "freestyle", "--size", "5", "--a", "alphabeta:nodes=9,table=1", "--b",
		"alphabeta:nodes=8,table=1", "--workers", "1",
		"--journal", filepath.Join(dir, "m.jsonl"), "--sgf", filepath.Join(dir, "sgf"), "--games"}
	first, edited := filepath.Join(dir, "sgf", "game-000001.sgf"), []byte(nil)
	for i, games := range []string{"2", "3"} {
		mustRun(t, append(args, games)...)
		if i == 0 {
			data, err := os.ReadFile(first)
			if err != nil {
				t.Fatal(err)
			}
			edited = append(data, "\n"...)
			writeFile(t, first, edited)
			if err := os.Remove(filepath.Join(dir, "sgf", "game-000002.sgf")); err != nil {
				t.Fatal(err)
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "sgf", "*"))
	if err != nil || len(files) != 3 {
		t.Errorf("files %q, %v; want 3", files, err)
	}
	if after, err := os.ReadFile(first); err != nil || string(after) != string(edited) {
		t.Errorf("the first record was changed to %q, %v", after, err)
	}
}

func TestATestEndsAMatch(t *testing.T) {
	r := playMatch(t, "--a", "alphabeta:nodes=2000,table=1", "--b", "alphabeta:depth=1,table=1", "--games", "400",
		"--sprt", "0,200")
	if r.SPRT != "h1" || r.Games == 400 {
		t.Errorf("%d games, verdict %s", r.Games, r.SPRT)
	}
}

// A file that is no list of openings of the match's rule set and size is told in a line.
func TestBadOpenings(t *testing.T) {
	dir := t.TempDir()
	binary := filepath.Join(dir, "openings")
	writeFile(t, binary, []byte("\x00\xff\n"))
	for path, want := range map[string]string{
		filepath.Join(dir, "none"): "none", dir: "--openings", "../../train/openings/renju.txt": "# for gomoku renju 15",
		binary: "line 1",
	} {
		refuse(t, refusal{"match --size 7 --games 2 --a alphabeta:nodes=20 --b alphabeta:nodes=21 --openings " + path,
			statusFailed, want})
	}
}

// quickTuning is a tuning of games that take a millisecond.
var quickTuning = []string{"tune", "--player", "mcts:playouts=8,temperature=0.7", "--set",
	"temperature=0.1..2/0.2,fpu=0.05..0.6/0.1",
	"--game", "onitama", "--opening-plies", "2", "--pairs", "6", "--trial", "3"}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A tuning prints the same and keeps the same journal with any number of
// workers, and when it goes on after a kill.
func TestTuningsAreReproducible(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	tuned := func(name string, args ...string) string {
		args = append(args, "--json", "--journal", path(name+".jsonl"))
		return mustRun(t, append(quickTuning, args...)...)
	}
	first := tuned("a", "--workers", "1")
	journal := mustRead(t, path("a.jsonl"))
	var r report.Tune
	if err := json.Unmarshal([]byte(first), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Parameters) != 2 || r.Trials != 2 || r.Of != 2 || r.Pairs != 3 || len(r.Boards) != 1 {
		t.Errorf("%s", first)
	}
	if p := r.Parameters[1]; p.Name != "fpu" || p.Start != 0.2 || p.Min != 0.05 || p.Max != 0.6 || p.Step != 0.1 ||
		p.Result == 0 {
		t.Errorf("%+v", p)
	}
	rows := strings.SplitAfter(string(journal), "\n")
	writeFile(t, path("b.jsonl"), []byte(rows[0]+rows[1]+rows[2][:10]))
	if resumed := tuned("b", "--resume", "--workers", "3"); resumed != first ||
		string(mustRead(t, path("b.jsonl"))) != string(journal) {
		t.Errorf("%s after a kill, %s without", resumed, first)
	}
}

// planted are caro positions in which uniform MCTS with very few playouts and
// no solver cannot know better: first is about to make five, and second, who is to
// move, holds by the one move that stops it.
const planted = "h8g8i8a1j8a3k8\nh8h7h9a1h10a3h11\n"

func TestCrosscheck(t *testing.T) {
	dir := t.TempDir()
	list, rows := filepath.Join(dir, "list.txt"), filepath.Join(dir, "rows.jsonl")
	writeFile(t, list, []byte(planted))
	args := []string{
		"crosscheck", "--json", "--input", list, "--mcts", "playouts=2,model=uniform,solver=0,vct=0,parries=0", "--alphabeta",
		"nodes=3000,table=1",
		"--deeper", "2", "--solver-nodes", "5000", "--rows", rows, "--workers", "2",
	}
	report := printed[report.Crosscheck](t, args...)
	if report.Positions != 2 || report.MCTSBlunders < 1 ||
		report.Agree+report.Differ+report.MCTSBlunders+report.AlphaBetaBlunder != 2 {
		t.Errorf("%+v", report)
	}
	data, err := os.ReadFile(rows)
	if err != nil || strings.Count(string(data), "\n") != 2 {
		t.Fatalf("rows %q, %v", data, err)
	}

	// Rows are not overwritten, and a finished run resumed does nothing but
	// say what it found; the gate closes on it.
	if status, _, message := run(t, args...); status != statusFailed || !strings.Contains(message, "holds rows already") {
		t.Errorf("again: status %d, %q", status, message)
	}
	status, _, message := run(t, append(args, "--resume", "--max-blunders", "0")...)
	if status != statusFound || !strings.Contains(message, "--max-blunders 0") {
		t.Errorf("gate: status %d, %q", status, message)
	}
	if again, err := os.ReadFile(rows); err != nil || string(again) != string(data) {
		t.Error("the resumed run changed the rows")
	}
	if status, _, message := run(t, append(args, "--resume", "--max-blunders", "2")...); status != 0 {
		t.Errorf("open gate: status %d, %q", status, message)
	}
}

// fitGames plays a few quick games for a fit and returns their run.
func fitGames(t *testing.T, rule, games string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "games")
	mustRun(t, "selfplay", "--rule", rule, "--size", "7", "--games", games, "--player", "alphabeta:nodes=50",
		"--opening-max", "6", "--out", dir)
	return dir
}

func TestFitWritesWeights(t *testing.T) {
	dir := fitGames(t, "freestyle", "60")
	out := filepath.Join(t.TempDir(), "weights.go")
	var report struct {
		Games, Positions, Held_Out int
		Loss, Hand_Loss            []float64
	}
	fit := []string{"fit", "--rule", "freestyle", "--input", dir, "--out", out, "--note", "quick games", "--json"}
	readPrinted(t, &report, fit...)
	if report.Games != 60 || report.Positions == 0 || report.Held_Out == 0 || !(report.Loss[0] < report.Hand_Loss[0]) {
		t.Errorf("%+v", report)
	}
	first, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"DO NOT EDIT", "60 games", "Games: quick games", "var freestyleWeights = Weights{"} {
		if !strings.Contains(string(first), want) {
			t.Errorf("the file lacks %q", want)
		}
	}
	mustRun(t, fit...)
	if second, err := os.ReadFile(out); err != nil || string(second) != string(first) {
		t.Errorf("two fits to the same games write different bytes; %v", err)
	}
}

// The weights of Onitama are fitted to runs of any cards, with the scores of their searches.
func TestFitOnitama(t *testing.T) {
	dir := t.TempDir()
	base, all := filepath.Join(dir, "base"), filepath.Join(dir, "all")
	mustRun(t, "selfplay", "--game", "onitama", "--player", "alphabeta:nodes=30", "--games", "50", "--out", base)
	mustRun(t, "selfplay", "--game", "onitama", "--player", "alphabeta:nodes=30", "--games", "10", "--cards",
		"senseis-path", "--out", all)
	var report struct {
		Rule            string
		Games, Held_Out int
		Loss, Hand_Loss []float64
	}
	sources := map[string]string{}
	for _, trust := range []string{"0", "0.5", "0.5"} {
		out := filepath.Join(dir, "weights.go")
		fit := []string{"fit", "--game", "onitama", "--input", base, all, "--trust", trust, "--out", out, "--json"}
		readPrinted(t, &report, fit...)
		if report.Rule != "onitama" || report.Games != 60 || report.Held_Out == 0 || trust == "0" &&
			!(report.Loss[0] < report.Hand_Loss[0]) {
			t.Errorf("%+v", report)
		}
		source, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		if before, ok := sources[trust]; ok && before != string(source) {
			t.Error("two fits to the same games write different bytes")
		}
		sources[trust] = string(source)
	}
	body := func(s string) string { return s[strings.Index(s, "package"):] }
	if body(sources["0"]) == body(sources["0.5"]) {
		t.Error("the scores of the searches change nothing")
	}
	for args, want := range map[string]string{
		"--input " + dir + "/none":    "no such file",
		"--game gomoku --rule caro":   "a game of onitama",
		"--out " + base + "/run.json": "no file that a fit wrote",
	} {
		line := append([]string{"fit", "--game", "onitama", "--input", base, "--out", filepath.Join(dir, "x.go")},
			strings.Fields(args)...)
		if status, _, message := run(t, line...); status == 0 || !strings.Contains(message, want) ||
			strings.Count(strings.TrimSpace(message), "\n") > 0 {
			t.Errorf("%s: %d, %s", args, status, message)
		}
	}
}

// With --random-deals each pair of games has cards of its own, the same in both games and
// when the match is played again; a journal of such a match goes on with it alone.
func TestMatchOfRandomDeals(t *testing.T) {
	journal := filepath.Join(t.TempDir(), "m.jsonl")
	match := []string{"match", "--game", "onitama", "--a", "alphabeta:nodes=30", "--b", "alphabeta:nodes=30,weights=hand",
		"--games", "8", "--seed", "5"}
	mustRun(t, append(match, "--random-deals", "--journal", journal)...)
	games, err := os.ReadFile(journal)
	if err != nil {
		t.Fatal(err)
	}
	deals := map[string]bool{}
	for i, line := range strings.Split(strings.TrimSpace(string(games)), "\n")[1:] {
		var row struct{ Moves string }
		if err := json.Unmarshal([]byte(line), &row); err != nil || row.Moves == "" {
			t.Fatalf("game %d: %v, %s", i, err, line)
		}
		deals[strings.Fields(row.Moves)[0]] = true
	}
	if len(deals) < 2 {
		t.Errorf("all games begin with the card %v", deals)
	}
	again := mustRun(t, append(match, "--random-deals", "--journal", journal)...)
	if !strings.Contains(again, "8 games") {
		t.Error(again)
	}
	for args, want := range map[string]string{
		"--journal " + journal:                 "setting",
		"--random-deals --openings " + journal: "--openings",
		"--random-deals --game gomoku":         "all begin alike",
	} {
		if status, _, message := run(t, append(match, strings.Fields(args)...)...); status == 0 ||
			!strings.Contains(message, want) {
			t.Errorf("%s: %d, %s", args, status, message)
		}
	}
}
