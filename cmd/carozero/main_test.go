package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/fetch"
	"github.com/carozero/carozero/internal/report"
	"github.com/carozero/carozero/nn/onnx"
)

// asProgram is the variable under which the test binary is the program.
const asProgram = "CAROZERO_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asTrainer {
		os.Exit(fakeTrainer(os.Args[2:]))
	}
	if os.Getenv(asProgram) != "" {
		os.Exit(execute())
	}
	// nohup and shells without job control start the tests with signals ignored, and
	// a program inherits that. One that is caught here is not ignored there.
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
	os.Exit(m.Run())
}

// program returns the program as a process of its own, not yet started.
func program(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// exitOf returns the exit status of a process that has ended, -1 if a signal
// has ended it.
func exitOf(cmd *exec.Cmd) int { return cmd.ProcessState.ExitCode() }

func TestRuntimeInstall(t *testing.T) {
	installed := printed[fetch.Result](t, "runtime", "install", "--json", "--from", "no-such.tgz")
	if installed.Installed || installed.Version != onnx.PinnedVersion || installed.Path == "" {
		t.Errorf("%+v, though the tests need the library in its place", installed)
	}
	var shown, missing report.Version
	if err := json.Unmarshal([]byte(mustRun(t, "version", "--json")), &shown); err != nil ||
		(shown.RuntimeError == "") != onnx.Available || (shown.Runtime != "") != onnx.Available {
		t.Errorf("%+v, %v", shown, err)
	}
	out := mustRun(t, "version", "--json", "--onnxruntime", filepath.Join(t.TempDir(), "none"))
	if err := json.Unmarshal([]byte(out), &missing); err != nil || onnx.Available &&
		!strings.Contains(missing.RuntimeError, "does not exist") {
		t.Errorf("%+v, %v", missing, err)
	}
}

// cheap returns, for every command that does something, arguments with which it
// ends soon and prints something, and what it reads.
func cheap(t *testing.T) map[string][2]string {
	t.Helper()
	dir := t.TempDir()
	run := filepath.Join(dir, "run")
	mustRun(t, "selfplay", "--model", "uniform", "--size", "7", "--games", "2", "--playouts", "8", "--out", run)
	games := fitGames(t, "freestyle", "60")
	suite, sgf := filepath.Join(dir, "suite.txt"), filepath.Join(dir, "one.sgf")
	writeFile(t, suite, []byte("freestyle 15 vcf win 1 h8h9i8i9j8j9k8k9 g8\n"))
	writeFile(t, sgf, []byte("(;GM[4]SZ[7];B[dd];W[cd];B[de];W[ce];B[df])"))
	packed := filepath.Join(dir, "packed")
	mustRun(t, "samples", "pack", run, "--out", packed)
	learning := filepath.Join(dir, "learning")
	mustRun(t, "loop", "run", learning, "--config", smallestLoop(t), "--rounds", "1")
	masters := filepath.Join(dir, "masters.txt")
	writeFile(t, masters, []byte(twoMasters))
	small := filepath.Join(dir, "small.book")
	fillBook(t, small, map[string]float64{"": 0, "h8": 0})
	fit := " --rule freestyle --input " + games + " --out " + filepath.Join(dir, "weights.go")
	return map[string][2]string{
		"selfplay": {"--model uniform --size 5 --games 1 --playouts 4 --out " + filepath.Join(dir, "new")},
		"cluster coordinator": {"--workers 1 --listen 127.0.0.1:0 --model uniform --size 5 --games 1 --playouts 4 --out " +
			filepath.Join(dir, "clustered")},
		"samples inspect":   {run},
		"samples verify":    {run},
		"samples export":    {run + " --out " + filepath.Join(dir, "arrays")},
		"samples pack":      {run + " --out " + filepath.Join(dir, "archive")},
		"samples unpack":    {packed + " --out " + filepath.Join(dir, "unpacked")},
		"search":            {"--model uniform --size 5 --playouts 4"},
		"solve":             {"--rule freestyle --position h8a1i8a3j8a15"},
		"certificate check": {goldenCertificate},
		"bitbase":           {"--cards Crab,Crane,Dragon,Monkey,Tiger --men 2 --out " + filepath.Join(dir, "new.bitbase")},
		"book build": {filepath.Join(dir,
			"built.book") + " --size 5 --expansions 1 --mcts playouts=4,model=uniform,memory=1 --alphabeta nodes=20,table=1"},
		"book prove":  {small + " --nodes 100 --least -1"},
		"book show":   {small},
		"book query":  {small},
		"book verify": {small},
		"forbidden":   {"--rule renju --position h8h9i7i9h10i6i11i12"},
		"convert":     {"--to text --out - " + sgf},
		"show":        {"h8i9"},
		"perft":       {"--depth 1 --divide"},
		"match":       {"--size 5 --a alphabeta:nodes=20,table=1 --b alphabeta:nodes=30,table=1 --games 2"},
		"tune":        {"--size 5 --player mcts:playouts=4,model=uniform --set cpuct --pairs 2 --trial 1"},
		"play":        {"--model uniform --size 5 --playouts 4", "help\nquit\n"},
		"gomocup":     {"", "ABOUT\n"},
		"analysis":    {"--model uniform --analysis-threads 1", "{\"id\":\"a\",\"maxVisits\":2}\n"},
		"bench":       {"rules nn alphabeta --size 9 --duration 1ms --depth 1 --model " + testNet},
		"tactics":     {"--suite " + suite},
		"crosscheck": {"--rule freestyle --size 7 --input " + sgf +
			" --mcts playouts=4,model=uniform --alphabeta nodes=20 --solver-nodes 1"},
		"loop run":        {learning + " --rounds 2"},
		"loop status":     {learning},
		"loop config":     {""},
		"fit":             {fit},
		"models list":     {""},
		"models verify":   {"--size 9 " + testNet},
		"version":         {""},
		"help":            {"search"},
		"completion bash": {""}, "completion zsh": {""}, "completion fish": {""}, "completion powershell": {""},
	}
}

// unprinted are commands that are left out: one would reach for the network, one starts the
// program anew, and two do not end by themselves.
var unprinted = map[string]bool{
	"runtime install": true, "runtime show": true,
	"serve": true, "cluster worker": true,
}

// actions returns the names of all commands that do something of their own.
func actions(cmd *cobra.Command) (names []string) {
	name := strings.TrimPrefix(cmd.CommandPath(), "carozero ")
	group := map[string]bool{
		"carozero": true, "samples": true, "certificate": true, "book": true, "models": true, "runtime": true, "loop": true,
		"cluster": true, "completion": true,
	}
	if !group[name] && cmd.Runnable() {
		names = append(names, name)
	}
	for _, sub := range cmd.Commands() {
		names = append(names, actions(sub)...)
	}
	return names
}

// allActions are those of the whole program, the shell's completions included.
func allActions() []string {
	root := newRoot(nil)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	return actions(root)
}

// A shell is offered the values of flags, the current names of settings among them.
func TestShellCompletions(t *testing.T) {
	for line, want := range map[string]string{
		"search --engine ": "alphabeta", "search --rule sch": "school42", "serve --engine e": "each",
		"search --solver-l": "--solver-leaf", "search --cpu": "--cpuct",
	} {
		words := strings.Split(line, " ")
		var out bytes.Buffer
		if status, _ := performed(t, append([]string{"__complete"}, words...), strings.NewReader(""), &out); status != 0 ||
			!strings.Contains(out.String(), want) {
			t.Errorf("%q: status %d, offers %q, want %s", line, status, out.String(), want)
		}
	}
}

func TestBenchReportsEveryFigure(t *testing.T) {
	for args, want := range map[string]map[string]string{
		"nn mcts selfplay --size 7 --playouts 2 --model " + testNet: {
			"nn":       "evals_per_s_of_batches_of_1 evals_per_s_of_batches_of_64 evals_per_s_of_batches_of_8",
			"mcts":     "evals_per_s playouts_per_s raw_evals_per_s",
			"selfplay": "evals_per_s positions_per_s raw_evals_per_s",
		},
		"nn --size 9 --model simulated": {
			"nn": "batch evals_per_s_of_batches_of_1024 evals_per_s_of_batches_of_128 evals_per_s_of_batches_of_2048 " +
				"evals_per_s_of_batches_of_256 evals_per_s_of_batches_of_4096 evals_per_s_of_batches_of_512 " +
				"evals_per_s_of_batches_of_64",
		},
		"mcts selfplay --size 7 --playouts 2 --duration 2s --model simulated": {
			"mcts": "evals_per_s fill_percent playouts_per_s", "selfplay": "evals_per_s fill_percent raw_evals_per_s",
		},
		"rules nn mcts --size 9 --playouts 8 --model uniform": {
			"rules": "move_lists_per_s play_undo_per_s win_lists_per_s", "nn": "evals_per_s",
			"mcts": "evals_per_s playouts_per_s",
		},
	} {
		var r struct{ Parts map[string]map[string]float64 }
		readPrinted(t, &r, strings.Fields("bench --json --threads 1 --duration 1ms "+args)...)
		for part, keys := range want {
			if got := strings.Join(slices.Sorted(maps.Keys(r.Parts[part])), " "); got != keys {
				t.Errorf("%s: %s has %s, want %s", args, part, got, keys)
			}
			for key, value := range r.Parts[part] {
				if !(value > 0) {
					t.Errorf("%s: %s of %s is %v", args, key, part, value)
				}
			}
		}
	}
}

// Each provider is tried by a process of its own, which tells in one line why it cannot compute.
func TestProvidersAreShown(t *testing.T) {
	t.Setenv(asProgram, "1")
	var list []struct {
		Name, Error string
		Usable      bool
	}
	readPrinted(t, &list, "runtime", "show", "--json")
	if len(list) != len(onnx.Providers()) || !list[0].Usable || list[0].Name != onnx.CPU {
		t.Errorf("%+v", list)
	}
	for _, p := range list {
		if p.Usable == (p.Error != "") || strings.Contains(p.Error, "\n") || p.Name == "openvino" && p.Usable {
			t.Errorf("%+v", p)
		}
	}
}

func TestModels(t *testing.T) {
	if out := mustRun(t, "models", "list", testNet); !strings.Contains(out, "gomoku-1") {
		t.Error(out)
	}
	mustRun(t, "models", "verify", "--size", "11", testNet)
	shipped := strings.Count(mustRun(t, "models", "list", "--json"), `"sha256"`)
	if out := mustRun(t, "models", "verify", "--rule", "freestyle"); strings.Count(out, ": ok") != shipped {
		t.Error(out)
	}
	mustRun(t, "models", "verify", "onitama-b4c32", "first-b4c32")
	mustRun(t, "models", "verify", "simulated", "simulated:taught7-line16", "--device", "7,0") // on devices
	refuse(t, []refusal{
		{"search --model simulated --device 0,8", statusFailed, "no device 8, only 0 to 7"},
		{"search --model simulated:0", statusFailed, "above 0"},
		{"search --model simulated:first-b4c32", statusFailed, "line network"},
		{"search --model first-b4c32 --device 1", statusFailed, "--device 1: the devices of provider cpu have no numbers"},
	}...)
	if out := mustRun(t, "models", "verify", "--game", "onitama"); out != "onitama-b4c32: ok\n" {
		t.Error(out)
	}
	if status, _, message := run(t, "models", "verify", "--game", "gomoku", "onitama-b4c32"); status != statusFound {
		t.Errorf("status %d: %s", status, message)
	}
	status, out, message := run(t, "models", "verify", "../../nn/onnx/testdata/nan.onnx")
	if status != statusFound || !strings.Contains(out, "finite") {
		t.Errorf("status %d: %s%s", status, out, message)
	}
	for file, want := range map[string]string{
		"wrong-names.onnx": "policy", "wrong-planes.onnx": "needed", "other-planes.onnx": "needed",
		"no-metadata.onnx": "carozero.planes",
	} {
		status, _, message := run(t, "search", "--playouts", "4", "--model", "../../nn/onnx/testdata/"+file)
		if status != statusFailed || !strings.Contains(message, file) || !strings.Contains(message, want) {
			t.Errorf("%s: status %d: %s", file, status, message)
		}
	}
}
