// Package importorder holds the project's imports to one order of its packages,
// importorder.txt: a package imports only from lines above its own. The table of
// packages in docs/code.md is written from the same list.
package importorder

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// importorder.txt has a line for each package, in an order of dependency: its path
// in the module, a tab, and what it holds.
//
//go:embed importorder.txt
var list string

// A entry is one package of the list.
type entry struct {
	pkg   string
	holds string
}

// parseList reads a list such as importorder.txt.
func parseList(text string) ([]entry, error) {
	var entries []entry
	seen := map[string]bool{}
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		pkg, holds, ok := strings.Cut(line, "\t")
		if !ok || pkg == "" || holds == "" || strings.ContainsAny(holds, "\t|") {
			return nil, fmt.Errorf("importorder.txt:%d: want a package, a tab, and what it holds without a tab or a bar", i+1)
		}
		if seen[pkg] {
			return nil, fmt.Errorf("importorder.txt:%d: %s is on the list twice", i+1, pkg)
		}
		seen[pkg] = true
		entries = append(entries, entry{pkg, holds})
	}
	return entries, nil
}

// violations says what is wrong with the imports of packages, which are keyed
// by their path in the module as importorder.txt has it.
func violations(entries []entry, imports map[string][]string) []string {
	var wrong []string
	at := map[string]int{}
	for i, r := range entries {
		at[r.pkg] = i
		if _, exists := imports[r.pkg]; !exists {
			wrong = append(wrong, fmt.Sprintf("%s is on the list and does not exist: delete its line from importorder.txt", r.pkg))
		}
	}
	for pkg, names := range imports {
		i, listed := at[pkg]
		if !listed {
			wrong = append(wrong, fmt.Sprintf("%s is not on the list: give it a line in importorder.txt", pkg))
			continue
		}
		for _, name := range names {
			if j, listed := at[name]; listed && j >= i {
				wrong = append(wrong, fmt.Sprintf("%s imports %s, which is not above it in importorder.txt", pkg, name))
			}
		}
	}
	slices.Sort(wrong)
	return slices.Compact(wrong)
}

func TestImportsFollowTheLadder(t *testing.T) {
	entries, err := parseList(list)
	if err != nil {
		t.Fatal(err)
	}
	imports, err := readImports("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(imports["cmd/carozero"]); n < 5 {
		t.Fatalf("cmd/carozero has %d imports of the project: the walk looks in the wrong place", n)
	}
	for _, wrong := range violations(entries, imports) {
		t.Error(wrong)
	}
}

func TestViolations(t *testing.T) {
	entries := []entry{{"game", "g"}, {"nn", "n"}, {"mcts", "m"}}
	for name, c := range map[string]struct {
		imports map[string][]string
		want    string
	}{
		"in order":    {map[string][]string{"game": nil, "nn": {"game"}, "mcts": {"nn", "game"}}, ""},
		"upwards":     {map[string][]string{"game": {"mcts"}, "nn": nil, "mcts": nil}, "game imports mcts, which"},
		"not listed":  {map[string][]string{"game": nil, "nn": nil, "mcts": nil, "toy": {"game"}}, "toy is not on the list"},
		"not there":   {map[string][]string{"game": nil, "nn": {"game"}}, "mcts is on the list and does not exist"},
		"from itself": {map[string][]string{"game": nil, "nn": {"nn"}, "mcts": nil}, "nn imports nn"},
	} {
		got := strings.Join(violations(entries, c.imports), "\n")
		if (c.want == "") != (got == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

func TestParseRungsRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"empty":       "",
		"no tab":      "game the vocabulary\n",
		"no holds":    "game\t\n",
		"twice":       "game\ta\nnn\tb\ngame\tc\n",
		"blank line":  "game\ta\n\nnn\tb\n",
		"a table bar": "game\ta | b\n",
	} {
		if _, err := parseList(text); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
