package main

import (
	"bytes"
	"context"
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

// run executes a command line as main does and returns its exit status, what
// it printed, and the line that main would print for its error.
func run(t *testing.T, args ...string) (status int, stdout, message string) {
	t.Helper()
	return runWith(t, "", args...)
}

func runWith(t *testing.T, stdin string, args ...string) (status int, stdout, message string) {
	t.Helper()
	root := newRoot(args)
	var out bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&out)
	root.SetIn(strings.NewReader(stdin))
	if err := root.ExecuteContext(context.Background()); err != nil {
		status, message = exitStatus(err)
	}
	return status, out.String(), message
}

// mustRun demands success and returns what was printed.
func mustRun(t *testing.T, args ...string) string {
	t.Helper()
	status, out, message := run(t, args...)
	if status != 0 {
		t.Fatalf("carozero %s: status %d: %s", strings.Join(args, " "), status, message)
	}
	return out
}

// printed runs a command that prints JSON, and returns that; what was said before it is passed over.
func printed[T any](t *testing.T, args ...string) (r T) {
	t.Helper()
	readPrinted(t, &r, args...)
	return r
}

// readPrinted is printed into what is there.
func readPrinted(t *testing.T, into any, args ...string) {
	t.Helper()
	out := mustRun(t, args...)
	if err := json.Unmarshal([]byte(out[max(0, strings.IndexAny(out, "{[")):]), into); err != nil {
		t.Fatalf("%v: %v in %s", args, err, out)
	}
}

// refusal is a command line that is refused: with an exit status and one line, which has want.
type refusal struct {
	args   string
	status int
	want   string
}

// refuse runs what is to be refused, which prints nothing to standard output.
func refuse(t *testing.T, list ...refusal) {
	t.Helper()
	for _, c := range list {
		var printed bytes.Buffer
		status, message := performed(t, strings.Fields(c.args), strings.NewReader(""), &printed)
		out := printed.String()
		if status != c.status || !strings.Contains(message, c.want) || strings.Contains(message, "\n") || out != "" ||
			strings.HasPrefix(message, "carozero") {
			t.Errorf("%s: status %d, %q, prints %q; want %d and one line with %q", c.args, status, message, out, c.status,
				c.want)
		}
	}
}

// What is wrong, would have no effect or undoes another option is refused before anything is done.
func TestBadCommandLines(t *testing.T) {
	t.Chdir(t.TempDir())
	writeFile(t, "openings.txt", []byte("h8\nh8h9i8\n"))
	over := "h8h9i8i9j8j9k8k9l8" // first has five in a row
	for _, c := range []struct{ args, want string }{
		{"nonsense", "nonsense"},
		{"search --nonsense", "--nonsense"},
		{"crosscheck --input x --alphabeta net=nosuch", "taught7-line16"},
		{"search h8", "h8"},
		{"search --rule nonsense", "caro-edge-overline"},
		{"search --game chess", "onitama"},
		{"search --provider abacus", "openvino"},
		{"search --position h8h8", "move 2"},
		{"search --position " + over, "already over"},
		{"search --open-rule --position h8h9i9", "3 columns or rows"},
		{"search --game onitama --position Tiger", "cards"},
		{"forbidden --game onitama", "onitama"},
		{"perft", "--depth"},
		{"solve --memory 4", "--memory goes with --kind pn and full"},
		{"solve --game onitama --kind vct", "onitama"},
		{"selfplay --games 5", "--out"},
		{"selfplay --out x --forced-playouts 2 --gumbel 8", "none are forced"},
		{"selfplay --out x --player alphabeta:nodes=10 --follow y", "--follow goes with"},
		{"selfplay --out x --player exec:/bin/true", "scores"},
		{"selfplay --out x --player mcts:playouts=5 --playouts 7", "--playouts"},
		{"selfplay --out x --player alphabeta:threads=2", "threads"},
		{"selfplay --out x --player alphabeta:nodes=9 --playouts 5", "--playouts"},
		{"selfplay --out x --lines 3", "--lines"},
		{"fit", "--input"},
		{"fit --input x", "--out"},
		{"samples verify", "directory"},
		{"search --engine alphabeta --playouts 5", "mcts"},
		{"search --depth 3", "alphabeta"},
		{"play --level clever", "medium"},
		{"play --level easy --nodes 5", "--nodes"},
		{"gomocup --playouts 5", "--engine mcts"},
		{"bench speed", "alphabeta"},
		{"analysis --engine abacus", "--engine"},
		{"analysis --memory 30000 --analysis-threads 1000", "--memory"},
		{"serve --max-clients 0", "--max-clients"},
		{"tune --player mcts --set cput", "want one of temperature "},
		{"tune --player mcts --set cpuct --resume", "--journal"},
		{"match --a mcts:playouts=10", "--b"},
		{"match --a mcts:playouts=10 --b mcts:playouts=11 --sprt 5", "--sprt"},
		{"match --a mcts:playouts=10 --b mcts:playouts=11 --sprt 10,0", "--sprt 10,0: "},
		{"match --a alphabeta:table=262144 --b alphabeta:nodes=5 --workers 1024", "--workers 1024, table=262144, table="},
		{"search --playouts 5 --techniques rfp=off", "--techniques goes with --engine alphabeta"},
		{"search --noise-share 0.5", "unknown flag"},
		{"search --game onitama --rule renju", "--rule goes with --game gomoku"},
		{"search --game onitama --leaf-solver vcf", "--leaf-solver goes with --game gomoku"},
		{"selfplay --out x --cheap-playouts 50 --playouts 20", "--cheap-playouts 50: want at most --playouts 20"},
		{"selfplay --out x --size 7 --opening-min 49 --opening-max 49", "--opening-min 49: the board has 49 points"},
		{"match --a mcts:playouts=10 --b mcts:playouts=11 --max-plies 1", "--max-plies 1: want more than --opening-plies 4"},
		{"match --a alphabeta:nodes=9 --b alphabeta:nodes=8 --max-plies 3 --openings openings.txt",
			"--max-plies 3: opening 2 of --openings has 3 moves"},
		{"perft --depth 1 --captured 2,0", "--captured goes with --board"},
		{"analysis --schema --seed 5", "[schema seed]"},
		{"match --a alphabeta:nodes=9 --b alphabeta:nodes=8 --cache 5", "--cache goes with a player mcts"},
		{"search --engine alphabeta --seed 5", "--seed goes with --engine mcts or --level"},
		{"play --game onitama --level easy --bitbase x", "--bitbase goes with an engine without --level"},
		{"crosscheck --input openings.txt --rule caro --bitbase x", "there are no solved endgames of gomoku"},
		{"selfplay --out x --at-once 8 --model uniform", "--at-once: the processor computes uniform"},
		{"bitbase x --men 3", "--men goes with --cards and --out"},
	} {
		refuse(t, refusal{c.args, statusUsage, c.want})
	}
}

func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text.onnx")
	writeFile(t, text, []byte("this is no network"))
	good, err := os.ReadFile("../../nn/onnx/testdata/good.onnx")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "file"), nil)
	flipped := filepath.Join(dir, "flipped.onnx")
	good[len(good)/2] ^= 1
	writeFile(t, flipped, good)
	writeFile(t, flipped+".sha256", []byte(strings.Repeat("0", 64)))

	for _, c := range []struct {
		args string
		want string
	}{
		{"search --model " + filepath.Join(dir, "none.onnx"), "none.onnx"},
		{"search --model nosuchnet", "nosuchnet"},
		{"search --model " + text, "text.onnx"},
		{"search --model " + flipped, "damaged"},
		{"search --board " + filepath.Join(dir, "none.txt"), "none.txt"},
		{"solve --certificate " + filepath.Join(dir, "none", "win.cert"),
			"--certificate: open " + filepath.Join(dir, "none", "win.cert") + ": no such file"},
		{"selfplay --games 1 --playouts 2 --model uniform --out " + filepath.Join(dir, "file", "run"), "file"},
		{"samples verify " + filepath.Join(dir, "none"), "none"},
		{"convert --out " + filepath.Join(dir, "out.sgf") + " " + filepath.Join(dir, "none"),
			filepath.Join(dir, "none") + ": no such file"},
		{"samples inspect " + text, "want a run's directory"},
		{"match --a mcts:playouts=2,model=uniform --b mcts:playouts=3,model=uniform --openings " + filepath.Join(dir,
			"none"), "none"},
	} {
		refuse(t, refusal{c.args, statusFailed, c.want})
	}
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// The acceptance positions of the rules, searched without knowledge: what the
// rules alone decide must come out.
func TestSearchFindsWhatTheRulesDecide(t *testing.T) {
	for _, rule := range []string{
		"freestyle", "standard", "renju", "caro", "caro-overline", "caro-edge", "caro-edge-overline", "school42",
	} {
		r := searchJSON(t, "--rule", rule, "--position", "h8h9i8i9j8j9k8k9")
		if r.Proven != game.Won || r.ProofPly != 1 || (r.Move != "g8" && r.Move != "l8") {
			t.Errorf("%s: %s, %s in %d; want g8 or l8, a win in 1", rule, r.Move, r.Proven, r.ProofPly)
		}
	}
	r := searchJSON(t, "--rule", "renju", "--position", "h8h9i7i9h10i6i11i12")
	for _, c := range r.Children {
		if c.Move == "g9" {
			t.Error("renju: the forbidden point g9 is among the children")
		}
	}
}

func searchJSON(t *testing.T, args ...string) report.Search {
	t.Helper()
	return printed[report.Search](t, append([]string{"search", "--model", "uniform", "--json"}, args...)...)
}

func TestSolve(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--rule freestyle --position h8a1i8a3j8a15 --kind vct", "win"},
		{"--rule freestyle --position h8a1i8a3 --kind vcf", "none"},
		{"--rule freestyle --position h8i9h9i8j10k11g7f6l9j8 --kind vct --nodes 1", "unknown"},
	} {
		r := printed[report.Solution](t, append([]string{"solve", "--json"}, strings.Fields(c.args)...)...)
		if r.Result != c.want || (c.want == "win") != (len(r.Line) > 0) {
			t.Errorf("%s: %+v, want %s", c.args, r, c.want)
		}
	}
}

func TestDiagrams(t *testing.T) {
	rows := []string{".....", ".XX..", ".OO..", ".....", "....."}
	text := strings.Join(rows, "\n")
	status, out, message := runWith(t, text, "search", "--model", "uniform", "--size", "5", "--board", "-", "--json",
		"--playouts", "50")
	if status != 0 || !strings.Contains(out, `"to_move":"first"`) {
		t.Errorf("status %d: %s%s", status, out, message)
	}
	status, _, message = runWith(t, text, "search", "--model", "uniform", "--size", "5", "--board", "-", "--to-move",
		"second", "--playouts", "50")
	if status != 0 {
		t.Errorf("--to-move second: %s", message)
	}
	for _, bad := range []string{text + "\n.....", "..Z..\n" + text, "X" + text, ""} {
		if status, _, message := runWith(t, bad, "search", "--model", "uniform", "--size", "5", "--board",
			"-"); status != statusUsage {
			t.Errorf("diagram %q: status %d (%s), want %d", bad, status, message, statusUsage)
		}
	}
}

func TestPlayInTheTerminal(t *testing.T) {
	status, out, message := runWith(t, "help\nnonsense\nh8\nh8\nundo\nhint\nh8\nquit\n",
		"play", "--model", "uniform", "--playouts", "20")
	if status != 0 {
		t.Fatal(message)
	}
	for _, want := range []string{
		"Type a move", "should be a column", "not a legal move", "Engine plays", "20 playouts", "would play",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if status, out, message := runWith(t, "", "play", "--model", "uniform", "--position", "h8h9i8i9j8j9k8k9", "--side",
		"second"); status != 0 || !strings.Contains(out, "engine wins") {
		t.Errorf("status %d: %s %s", status, out, message)
	}
}

// What takes a little knowledge: the shipped net must find it.
func TestTheShippedNetPlaysTheAcceptancePositions(t *testing.T) {
	for _, c := range []struct{ rule, position, want string }{
		{"standard", "h8h9i8h10g8h11j13h12g14h14i15", "f8 j8"},
		{"caro", "h8f8g8f9i8f7j8l8", "f5 f6 f10 f11"},
		{"caro-overline", "h8f8g8f9i8f7j8l8", "f5 f6 f10 f11"},
		{"caro-edge", "h8f8g8f9i8f7j8l8", "f5 f6 f10 f11"},
		{"caro-edge-overline", "h8f8g8f9i8f7j8l8", "f5 f6 f10 f11"},
	} {
		r := printed[report.Search](t, "search", "--json", "--playouts", "800", "--rule", c.rule, "--position", c.position)
		if !strings.Contains(" "+c.want+" ", " "+r.Move+" ") {
			t.Errorf("%s %s: %s, want one of %s", c.rule, c.position, r.Move, c.want)
		}
	}
}

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
	status, out, _ := runWith(t, "quit\n", "play", "--level", "medium", "--game", "onitama", "--side", "second", "--table",
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
