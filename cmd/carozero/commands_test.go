package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

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
		"book export": {small + " --out -"},
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
	root := newRoot()
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
