package importorder

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
)

const module = "github.com/carozero/carozero/"

// readImports finds every package of the module below root and the packages of
// the module that its files import, whatever the platform they are for. Tests
// may import what they like; a package of tests alone imports nothing.
func readImports(root string) (map[string][]string, error) {
	imports := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if path != root && skipped(d.Name()) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(rel)
		names := []string{}
		if !strings.HasSuffix(path, "_test.go") {
			if names, err = fileImports(path); err != nil {
				return err
			}
		}
		imports[pkg] = append(imports[pkg], names...)
		return nil
	})
	return imports, err
}

// skipped tells the folders in which the go command looks for no packages of
// the module, and the trainer's, which is Python.
func skipped(name string) bool {
	return name == "testdata" || name == "vendor" || name == "node_modules" || name == "train" || name == "runs" ||
		strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_")
}

// fileImports has the paths, in the module, of the packages that a file imports.
func fileImports(path string) ([]string, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, spec := range file.Imports {
		full, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return nil, err
		}
		if name, ours := strings.CutPrefix(full, module); ours {
			names = append(names, name)
		}
	}
	return names, nil
}
