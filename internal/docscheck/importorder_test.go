package main

import (
	_ "embed"
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

//go:generate go test -run ^TestTable$ -update .

var update = flag.Bool("update", false, "write the table of packages in docs/code.md")

// importorder.txt has a line for each package: its path in the module, a tab, and what it
// holds.
//
//go:embed importorder.txt
var list string

const (
	root   = "../.."
	module = "github.com/carozero/carozero/"
)

// A package imports only from lines above its own in importorder.txt. Tests may import what
// they like, and a package of tests alone imports nothing.
func TestImportsFollowTheOrder(t *testing.T) {
	at, seen, edges := map[string]int{}, map[string]bool{}, 0
	for i, line := range strings.Split(strings.TrimSpace(list), "\n") {
		pkg, holds, ok := strings.Cut(line, "\t")
		if _, twice := at[pkg]; twice || !ok || holds == "" {
			t.Errorf("importorder.txt:%d: want a package that is not there yet, a tab, and what it holds", i+1)
		}
		at[pkg] = i
	}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			switch name := d.Name(); {
			case path == root:
			case strings.HasPrefix(name, "."), strings.HasPrefix(name,
				"_"), name == "testdata", name == "node_modules", name == "train", name == "runs":
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		folder, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(folder)
		seen[pkg] = true
		place, listed := at[pkg]
		if !listed {
			t.Errorf("%s is not on the list: give it a line in importorder.txt", pkg)
		}
		if strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			name, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module)
			if !ours {
				continue
			}
			edges++
			if i, listed := at[name]; listed && i >= place {
				t.Errorf("%s imports %s, which is not above %s in importorder.txt", path, name, pkg)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range at {
		if !seen[pkg] {
			t.Errorf("%s does not exist: delete its line from importorder.txt", pkg)
		}
	}
	if edges < 100 {
		t.Errorf("%d imports of the project: the walk looks in the wrong place", edges)
	}
}

func TestTable(t *testing.T) {
	const (
		document = root + "/docs/code.md"
		begin    = "<!-- table of packages: go generate ./internal/docscheck -->\n"
		end      = "<!-- end of the table -->\n"
	)
	table := "\n| package | holds |\n|---|---|\n"
	for line := range strings.Lines(list) {
		pkg, holds, _ := strings.Cut(strings.TrimSpace(line), "\t")
		table += fmt.Sprintf("| [`%s`](../%s) | %s |\n", pkg, pkg, holds)
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, opened := strings.Cut(string(text), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !opened || !closed {
		t.Fatalf("docs/code.md: no place for the table: want lines %q and %q", begin, end)
	}
	want := head + begin + table + "\n" + end + tail
	if *update {
		if err := os.WriteFile(document, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(text) != want {
		t.Error("docs/code.md: the table of packages differs from importorder.txt; run go generate ./internal/docscheck")
	}
}
