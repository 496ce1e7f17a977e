package importorder

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// names are the declarations of the module: "F" for a function, type, constant
// or variable F and for a method F; "p.F" for F of package p; "T.F" for a method,
// field or function of an interface F of type T; "p" for a package.
type names map[string]bool

// readNames finds every name that the files below root declare outside tests.
func readNames(root string) (names, error) {
	all := names{}
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
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		all.addFile(file)
		return nil
	})
	return all, err
}

func (n names) addFile(file *ast.File) {
	n[file.Name.Name] = true
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			owner := file.Name.Name
			if d.Recv != nil {
				owner = baseName(d.Recv.List[0].Type)
			}
			n.add(owner, d.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				n.addSpec(file.Name.Name, spec)
			}
		}
	}
}

func (n names) add(owner string, name *ast.Ident) {
	n[name.Name] = true
	n[owner+"."+name.Name] = true
}

func (n names) addSpec(pkg string, spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range s.Names {
			n.add(pkg, name)
		}
	case *ast.TypeSpec:
		n.add(pkg, s.Name)
		var members *ast.FieldList
		switch t := s.Type.(type) {
		case *ast.StructType:
			members = t.Fields
		case *ast.InterfaceType:
			members = t.Methods
		default:
			return
		}
		for _, m := range members.List {
			for _, name := range m.Names {
				n[s.Name.Name+"."+name.Name] = true
			}
		}
	}
}

// baseName returns the name of a receiver's type.
func baseName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return baseName(t.X)
	case *ast.IndexExpr:
		return baseName(t.X)
	case *ast.Ident:
		return t.Name
	}
	return ""
}

var (
	codeSpan   = regexp.MustCompile("`([^`]+)`")
	identifier = regexp.MustCompile(`^[A-Za-z]\w*(\.\w+)?$`)
	filePath   = regexp.MustCompile(`^[\w/]+/[\w./]+$|^\w+\.(go|js|md|txt)$`)
)

// missing returns the identifiers and paths between backquotes in a text that
// the module does not have. A bare file name is looked for in no folder.
func missing(text string, all names, exists func(path string) bool) []string {
	var lost []string
	for _, span := range codeSpan.FindAllStringSubmatch(text, -1) {
		name := span[1]
		switch {
		case filePath.MatchString(name):
			if strings.Contains(name, "/") && !exists(name) {
				lost = append(lost, name)
			}
		case identifier.MatchString(name):
			if !all[name] && !exists(name) {
				lost = append(lost, name)
			}
		}
	}
	return lost
}

func TestNamesInTheDocumentExist(t *testing.T) {
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	all, err := readNames("../../..")
	if err != nil {
		t.Fatal(err)
	}
	exists := func(path string) bool {
		_, err := os.Stat(filepath.Join("../../..", path))
		return err == nil
	}
	for _, name := range missing(string(text), all, exists) {
		t.Errorf("docs/code.md: %s is not in the code any more: give its new name", name)
	}
}

func TestMissingNames(t *testing.T) {
	all := names{"game": true, "Searcher.Select": true, "launch": true}
	exists := func(path string) bool { return path == "game/gomoku" }
	text := "`game` and `Searcher.Select`, `launch`, `game/gomoku`, `doc.go`, `--seed 1`; `Searcher.Gone`, `gone`, `game/gone`"
	if got := strings.Join(missing(text, all, exists), " "); got != "Searcher.Gone gone game/gone" {
		t.Errorf("got %q, want the three that are gone", got)
	}
}
