package importorder

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// flagNames are the files of libraries whose texts may name command-line flags.
var flagNames = map[string]string{
	"internal/support/option/ranges.go": "the help of flags",
	"selfplay/loop/placeholder.go":      "commands of another program, the trainer",
}

// aFlag tells a text that names a flag of a command line.
var aFlag = regexp.MustCompile(`(^|[^-\w])--[a-z]`)

// readFlags finds the places below root where a library's text names a flag. Libraries
// are all packages but commands, fronts and tools.
func readFlags(root string) (found []string, err error) {
	files := token.NewFileSet()
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		switch {
		case d.IsDir() && path != root && (skipped(d.Name()) || rel == "cmd" || rel == "internal/front" || rel == "internal/dev"):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING && aFlag.MatchString(text.Value) {
				found = append(found, rel)
			}
			return true
		})
		return nil
	})
	return found, err
}

// A library does not know how its options are given: fronts name them, see
// option.Naming.
func TestLibrariesNameNoFlags(t *testing.T) {
	found, err := readFlags("../../..")
	if err != nil {
		t.Fatal(err)
	}
	met := map[string]bool{}
	for _, file := range found {
		met[file] = true
		if flagNames[file] == "" {
			t.Errorf("%s names a command-line flag in a text", file)
		}
	}
	for file, what := range flagNames {
		if !met[file] {
			t.Errorf("%s (%s) names no flag any more", file, what)
		}
	}
}
