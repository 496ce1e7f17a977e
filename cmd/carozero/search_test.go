package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/report"
)

// onitamaSearch is a search that takes milliseconds.
var onitamaSearch = []string{"search", "--engine", "alphabeta", "--game", "onitama", "--table", "1"}

func TestClassicalSearch(t *testing.T) {
	r := printed[report.Search](t, append(onitamaSearch, "--depth", "5", "--lines", "3", "--json")...)
	if r.Engine != "alphabeta" || r.Depth != 5 || len(r.Iterations) != 5 || len(r.Children) != 3 || len(r.PV) == 0 ||
		r.PV[0] != r.Move || r.Children[0].Move != r.Move || r.Nodes <= 0 || r.Proven != game.Unproven {
		t.Errorf("%+v", r)
	}
	for i := 1; i < len(r.Children); i++ {
		if *r.Children[i].Score > *r.Children[i-1].Score {
			t.Errorf("child %d is better than the one before", i)
		}
	}
	again := printed[report.Search](t, append(onitamaSearch, "--depth", "5", "--lines", "3", "--json")...)
	if again.Nodes != r.Nodes || again.Move != r.Move {
		t.Errorf("a second run played %s after %d nodes, the first %s after %d", again.Move, again.Nodes, r.Move, r.Nodes)
	}
	text := mustRun(t, append(onitamaSearch, "--nodes", "2000")...)
	for _, want := range []string{"depth", "2000 nodes", "first-move cutoffs", "branching factor", "hit rate"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
}

func TestPlayAtALevel(t *testing.T) {
	var games [2]string
	for i := range games {
		status, out, message := runWith(t, "h8\nhint\nundo\ni9\nquit\n", "play", "--level", "easy", "--table", "1")
		if status != 0 || !strings.Contains(out, "Engine plays") || !strings.Contains(out, "would play") {
			t.Fatalf("status %d: %s\n%s", status, message, out)
		}
		games[i] = out
	}
	if games[0] != games[1] {
		t.Errorf("the same moves are answered differently:\n%s\n%s", games[0], games[1])
	}
	status, out, _ := runWith(t, "", "play", "--engine", "alphabeta", "--nodes", "50", "--table", "1", "--position",
		"h8h9i8i9j8j9k8k9", "--side", "second")
	if status != 0 || !strings.Contains(out, "engine wins") {
		t.Errorf("status %d: %s", status, out)
	}
	status, out, _ = runWith(t, "quit\n", "play", "--level", "medium", "--game", "onitama", "--side", "second", "--table",
		"1")
	if status != 0 || !strings.Contains(out, "Engine plays") {
		t.Errorf("status %d: %s", status, out)
	}
}

// A drawn board has the size that it is drawn with, everywhere.
func TestTheDiagramHasItsSize(t *testing.T) {
	seven := strings.Repeat(".......\n", 7)
	for _, command := range []string{"search --model uniform --playouts 4", "search --engine alphabeta --nodes 50",
		"solve", "forbidden", "perft --depth 1"} {
		args := append(strings.Fields(command), "--board", "-")
		for _, more := range [][]string{nil, {"--size", "7"}} {
			status, out, message := runWith(t, seven, append(append(args, "--json"), more...)...)
			if status != 0 || !strings.Contains(out, `"size":7,`) {
				t.Errorf("%s %v: status %d, %s%s", command, more, status, out, message)
			}
		}
		status, _, message := runWith(t, seven, append(args, "--size", "15")...)
		if status != statusUsage || !strings.Contains(message, "--board - has 7 rows, --size is 15") {
			t.Errorf("%s: status %d, %q", command, status, message)
		}
		status, _, message = runWith(t, "...\n...\n...\n", args...)
		if status != statusUsage || !strings.Contains(message, "5 to 22") || !strings.Contains(message, "--board") {
			t.Errorf("%s: status %d, %q", command, status, message)
		}
	}
}

// Games are dealt from the cards that --cards names, and samples of them say so.
func TestCards(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run")
	mustRun(t, "selfplay", "--game", "onitama", "--cards", "senseis-path", "--model", "uniform", "--games", "2",
		"--playouts", "4", "--out", dir)
	if out := mustRun(t, "samples", "verify", dir); !strings.Contains(out, "2 games") {
		t.Errorf("verified:\n%s", out)
	}
	if out := mustRun(t, "samples", "inspect", dir, "--json"); !strings.Contains(out, "senseis-path") {
		t.Errorf("inspected:\n%s", out)
	}
	for cards, want := range map[string]string{
		"":                        "side: Dragon",
		"base":                    "side: Dragon",
		"senseis-path":            "first: Bear Dog\nsecond: Fox Giraffe\nside: Iguana",
		"viper,tiger,fox,boar,ox": "first: Boar Ox\nsecond: Tiger Fox\nside: Viper",
	} {
		line := []string{"show", "--game", "onitama"}
		if cards != "" {
			line = append(line, "--cards", cards)
		}
		if out := mustRun(t, line...); !strings.Contains(out, want) {
			t.Errorf("%s:\n%s\nwant %s", cards, out, want)
		}
	}
	for line, want := range map[string]string{
		"search --cards all":                                       "--cards is for onitama",
		"search --game onitama --cards fox,dog":                    "has 2",
		"search --game onitama --cards fox,dog,boar,ox,goat":       `no card "goat"`,
		"search --game onitama --position Ox,Boar/Fox,Dog/Ox":      "Ox is there twice",
		"analysis --game onitama --cards all":                      "--cards",
		"bitbase --cards Crab,Crane,Dragon,Monkey,Goat --out none": `no card "Goat"`,
	} {
		refuse(t, refusal{line, statusUsage, want})
	}
}

// Where nobody names a network, the one plays that docs/strength.md says, whatever the
// budget; under freestyle and school42 the one for that.
func TestDefaultNetworksAreTheDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "strength.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "## Which network plays when nobody says\n")
	if !found {
		t.Fatal("docs/strength.md has no such section")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	rows := regexp.MustCompile("(?m)^\\| [^|`]*`([^`]+)` \\| `([^`]+)` \\|").FindAllStringSubmatch(section, -1)
	if len(rows) != 3 {
		t.Fatalf("%d rows, want those of playouts, of time and of self-play", len(rows))
	}
	for _, row := range rows {
		for _, rule := range []struct{ name, net string }{
			{"caro", "NAME"}, {"renju", "NAME"}, {"freestyle", "NAME-freestyle"}, {"school42", "taught8-line16-school42"},
		} {
			args := append(strings.Fields(row[1]), "--rule", rule.name, "--json")
			var told struct {
				Model  string
				Header struct{ Model string } // of a run
			}
			var answer []byte
			if args[0] == "selfplay" {
				out := filepath.Join(t.TempDir(), "run")
				mustRun(t, append(args, "--games", "1", "--max-plies", "8", "--out", out)...)
				if answer, err = os.ReadFile(filepath.Join(out, "run.json")); err != nil {
					t.Fatal(err)
				}
			} else {
				answer = []byte(mustRun(t, args...))
			}
			err := json.Unmarshal(answer, &told)
			if got, want := told.Model+told.Header.Model, strings.Replace(rule.net, "NAME", row[2], 1); err != nil ||
				got != want {
				t.Errorf("%s under %s plays by %q, %v; want %s", row[1], rule.name, got, err, want)
			}
		}
	}
}

// The numbers of other programs, and of pencil and paper.
func TestPerftCommand(t *testing.T) {
	for _, c := range []struct {
		args   string
		leaves uint64
	}{
		{"--game onitama --position Ox,Boar/Horse,Elephant/Crab --depth 5", 487752},
		{"--game onitama --depth 4", 19384},
		{"--depth 2", 225 * 224},
		{"--rule freestyle --size 5 --depth 3", 25 * 24 * 23},
		{"--rule freestyle --size 5 --depth 1 --position a1a2b1b2c1c2d1d2e1", 0},
		{"--rule freestyle --size 5 --depth 2 --position a1a2b1b2c1c2d1d2", 16 * 16},
	} {
		r := printed[report.Perft](t,
			append([]string{"perft", "--json", "--divide"}, strings.Fields(c.args)...)...)
		sum := uint64(0)
		for _, b := range r.Branches {
			sum += b.Leaves
		}
		if r.Leaves != c.leaves || sum != r.Leaves {
			t.Errorf("%s: %d leaves, %d behind the moves, want %d", c.args, r.Leaves, sum, c.leaves)
		}
	}
}

func TestForbiddenPoints(t *testing.T) {
	r := printed[report.Forbidden](t, "forbidden", "--rule", "renju", "--position", "h8h9i7i9h10i6i11i12", "--json")
	if len(r.Points) != 1 || r.Points[0] != "g9" {
		t.Errorf("points %v, want g9", r.Points)
	}
	if want := []report.ForbiddenPoint{{Point: "g9", Kind: "double-three"}}; !reflect.DeepEqual(r.Kinds, want) {
		t.Errorf("kinds %v, want %v", r.Kinds, want)
	}
	if out := mustRun(t, "forbidden", "--rule", "renju", "--position", "h8h9i7i9h10i6i11i12"); out != "g9 double-three\n" {
		t.Errorf("text %q", out)
	}
	if out := mustRun(t, "forbidden", "--position", "h8"); out != "" {
		t.Errorf("caro has forbidden points: %q", out)
	}
}
