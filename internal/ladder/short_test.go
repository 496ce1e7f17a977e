package ladder

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
	"testing"
)

// longest is how many lines a function of the program may have, its first and its
// last among them.
const longest = 60

// longFunctions tells the functions of files that have more lines.
func longFunctions(fset *token.FileSet, files map[string]*ast.File) []string {
	var long []string
	for name, file := range files {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			first := fset.Position(f.Pos()).Line
			if n := fset.Position(f.End()).Line - first + 1; n > longest {
				long = append(long, fmt.Sprintf("%s:%d: %s has %d lines, want at most %d", name, first, f.Name.Name, n, longest))
			}
		}
	}
	slices.Sort(long)
	return long
}

func TestFunctionsAreShort(t *testing.T) {
	fset := token.NewFileSet()
	files, err := readFiles(fset, "../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, long := range longFunctions(fset, files) {
		t.Error(long)
	}
}

func TestLongFunctions(t *testing.T) {
	fset := token.NewFileSet()
	body := func(lines int) string { return "{" + strings.Repeat("\n", lines-1) + "}\n" }
	file := parsed(t, fset, "// f is documented.\nfunc f() "+body(longest)+"func (x *T) g() "+body(longest+1))
	got := longFunctions(fset, map[string]*ast.File{"a.go": file})
	if len(got) != 1 || !strings.HasPrefix(got[0], fmt.Sprintf("a.go:%d: g has %d lines", longest+3, longest+1)) {
		t.Errorf("got %q, want g alone", got)
	}
}
