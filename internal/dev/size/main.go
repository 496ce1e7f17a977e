// Command size says how large the program is, in lines of Go that hold code: blank
// lines, comments, generated files and tests are apart.
//
//	size [DIR]
//
// It prints a row for each group of packages that belong together, with what a file
// has on average, and the sum. Folders named testdata or node_modules are left out.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"text/tabwriter"
)

// groups are what is counted together, and the folders that begin so. Each file
// counts in the first group that has it.
var groups = []struct {
	name    string
	folders []string
}{
	{"rules and patterns", []string{"game"}},
	{"tree search", []string{"mcts"}},
	{"classical search", []string{"alphabeta"}},
	{"networks", []string{"nn", "models"}},
	{"self-play", []string{"selfplay"}},
	{"command line", []string{"cmd"}},
	{"engines", []string{"internal/engine"}},
	{"archives, exports, pictures", []string{"internal/record/archive", "internal/record/dataset", "internal/record/picture"}},
	{"analysis, page, records", []string{
		"internal/front/analysis", "internal/front/web", "internal/record",
		"internal/front/report",
	}},
	{"tools of the developers", []string{"internal/dev", "internal/support/npm", "internal/front/gomocup/pack"}},
	{"the rest", []string{""}},
}

// count is what was found of one group.
type count struct {
	files, code, tests, generated int
}

func (c *count) add(d count) {
	c.files += d.files
	c.code += d.code
	c.tests += d.tests
	c.generated += d.generated
}

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	if len(os.Args) > 2 || strings.HasPrefix(dir, "-") {
		fmt.Fprintln(os.Stderr, "size: want at most one folder: size [DIR]")
		os.Exit(2)
	}
	counts, err := measure(os.DirFS(dir))
	if err == nil {
		err = table(os.Stdout, counts)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "size: %s: %v\n", dir, err)
		os.Exit(1)
	}
}

// measure counts the Go files of a tree, by group.
func measure(tree fs.FS) ([]count, error) {
	counts := make([]count, len(groups))
	err := fs.WalkDir(tree, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && (d.Name() == "testdata" || d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_")):
			return fs.SkipDir
		case d.IsDir() || path.Ext(file) != ".go":
			return nil
		}
		src, err := fs.ReadFile(tree, file)
		if err != nil {
			return err
		}
		c, err := measureFile(file, src)
		counts[group(file)].add(c)
		return err
	})
	return counts, err
}

// group returns the group that a file counts in.
func group(file string) int {
	for i, g := range groups {
		for _, folder := range g.folders {
			if folder == "" || strings.HasPrefix(file, folder+"/") {
				return i
			}
		}
	}
	panic("the last group has every file")
}

// measureFile counts the lines of a file on which there is code.
func measureFile(file string, src []byte) (count, error) {
	fset := token.NewFileSet()
	syntax, err := parser.ParseFile(fset, file, src, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		return count{}, err
	}
	lines := code(src)
	switch {
	case ast.IsGenerated(syntax):
		return count{generated: lines}, nil
	case strings.HasSuffix(file, "_test.go"):
		return count{tests: lines}, nil
	}
	return count{files: 1, code: lines}, nil
}

// code counts the lines that a token stands on; a string of many lines stands on
// each of them.
func code(src []byte) int {
	var s scanner.Scanner
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	s.Init(file, src, nil, 0)
	lines, last := 0, 0
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return lines
		}
		if tok == token.SEMICOLON && text == "\n" {
			continue // put in by the scanner
		}
		first := file.Line(pos)
		end := first + strings.Count(text, "\n")
		lines += end - max(first-1, last)
		last = end
	}
}

// table prints the counts and their sum.
func table(out io.Writer, counts []count) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "code\tfiles\ta file\ttests\tgenerated\t  \t")
	row := func(name string, c count) {
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t  \t%s\n", c.code, c.files, c.code/max(1, c.files), c.tests, c.generated, name)
	}
	var all count
	for i, c := range counts {
		all.add(c)
		row(groups[i].name, c)
	}
	row("all Go", all)
	return w.Flush()
}
