package importorder

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Which files know a game. An entry is a package with those below it, or a file,
// whose name may have a * as in path.Match.
var (
	// rules are the packages of the games themselves, with which knowing begins.
	rules = []string{"game/gomoku", "game/onitama"}

	// own are all packages that are there for one game.
	own = []string{
		"game/gomoku", "nn/gomoku", "nn/line", "alphabeta/gomoku", "alphabeta/vcf", "alphabeta/pn",
		"game/onitama", "nn/onitama", "alphabeta/onitama",
	}

	// importers may import the rules of a game besides: its description, and what
	// is of that game by nature.
	importers = []string{
		"internal/engine/games/gomoku*.go", "internal/engine/games/onitama*.go",
		"internal/front/tactics",                 // suites of problems of gomoku
		"internal/front/gomocup",                 // a protocol of gomoku
		"cmd/carozero/bitbase.go",                // solved endgames of Onitama
		"internal/engine/enginetest/endgames.go", // the same, for tests
		// Opening books of gomoku.
		"internal/record/book", "internal/record/bookfiles", "internal/engine/bookplay", "internal/front/bookbuild", "cmd/carozero/book*.go",
	}

	// doors are where, besides, a position is found to be a board of a game.
	doors = []string{
		"internal/engine/games/gomoku*.go", "internal/engine/games/onitama*.go",
		"internal/front/gomocup/client/player.go", // takes the positions of matches
		"cmd/carozero/book.go",                    // the position of a command's flags
		"internal/engine/bookplay",                // asks the book about the position
	}
)

// under returns the entry of a list that a file is under, "" for none.
func under(list []string, file string) string {
	for _, entry := range list {
		if ok, _ := path.Match(entry, file); ok || strings.HasPrefix(file, entry+"/") {
			return entry
		}
	}
	return ""
}

// knowledge is what a file says of the games: whether it imports the rules of
// one, and the places where it asserts a board of one or asks for one's name.
type knowledge struct {
	imports         bool
	asserted, named []token.Pos
}

func readKnowledge(file *ast.File) (k knowledge) {
	boards := map[string]bool{} // what the file calls the packages of boards
	for _, spec := range file.Imports {
		pkg := strings.TrimPrefix(strings.Trim(spec.Path.Value, `"`), module)
		if under(rules, pkg+"/") == "" {
			continue
		}
		k.imports = true
		name := path.Base(pkg)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		boards[name] = true
	}
	isBoard := func(t ast.Expr) bool {
		star, ok := t.(*ast.StarExpr)
		if !ok {
			return false
		}
		pkg, name := selector(star.X)
		return boards[pkg] && name == "Board"
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeAssertExpr:
			if isBoard(n.Type) {
				k.asserted = append(k.asserted, n.Pos())
			}
		case *ast.TypeSwitchStmt:
			for _, c := range n.Body.List {
				if slices.ContainsFunc(c.(*ast.CaseClause).List, isBoard) {
					k.asserted = append(k.asserted, c.Pos())
				}
			}
		case *ast.SelectorExpr:
			if pkg, name := selector(n); pkg == "engine" && (name == "Gomoku" || name == "Onitama") {
				k.named = append(k.named, n.Pos())
			}
		}
		return true
	})
	return k
}

// selector returns both names of an expression such as gomoku.Board.
func selector(x ast.Expr) (left, right string) {
	sel, ok := x.(*ast.SelectorExpr)
	if !ok {
		return "", ""
	}
	id, ok := sel.X.(*ast.Ident)
	if !ok {
		return "", ""
	}
	return id.Name, sel.Sel.Name
}

// strangers says which files know a game that should not, and which exceptions
// are no longer needed.
func strangers(fset *token.FileSet, files map[string]*ast.File) []string {
	var wrong []string
	needed := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if under(own, name) != "" {
			continue
		}
		k := readKnowledge(files[name])
		if k.imports {
			entry := under(importers, name)
			if needed[entry] = true; entry == "" {
				wrong = append(wrong, fmt.Sprintf("%s imports the rules of a game", name))
			}
		}
		if len(k.asserted) > 0 {
			needed[under(doors, name)] = true
		}
		if under(doors, name) == "" {
			for _, pos := range k.asserted {
				wrong = append(wrong, fmt.Sprintf("%s:%d asserts the type of a board", name, fset.Position(pos).Line))
			}
		}
		for _, pos := range k.named {
			wrong = append(wrong, fmt.Sprintf("%s:%d asks which game it is", name, fset.Position(pos).Line))
		}
	}
	for i := range wrong {
		wrong[i] += ": ask the game's description, engine.Game"
	}
	for _, entry := range slices.Concat(importers, doors) {
		if !needed[entry] {
			wrong = append(wrong, entry+" knows no game any more: delete it from the lists in games_test.go")
		}
	}
	return wrong
}

// readFiles parses the files of the module below root, without tests.
func readFiles(fset *token.FileSet, root string) (map[string]*ast.File, error) {
	files := map[string]*ast.File{}
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && skipped(d.Name()):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err == nil {
			files[filepath.ToSlash(rel)], err = parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		}
		return err
	})
	return files, err
}

// Only the packages and the description of a game tell it from others.
func TestGamesAreKnownInFewPlaces(t *testing.T) {
	fset := token.NewFileSet()
	files, err := readFiles(fset, "../../..")
	if err != nil {
		t.Fatal(err)
	}
	if files["game/gomoku/board.go"] == nil {
		t.Fatal("game/gomoku/board.go was not found: the walk looks in the wrong place")
	}
	for _, wrong := range strangers(fset, files) {
		t.Error(wrong)
	}
}

func TestStrangers(t *testing.T) {
	const rulesOf = "import \"" + module + "game/gomoku\"\n"
	exceptions := map[string]string{ // so that every one is needed
		"internal/engine/games/gomoku.go": rulesOf + "func f(x any) { _ = x.(*gomoku.Board) }", "internal/engine/games/onitama.go": "import o \"" + module + "game/onitama\"\nfunc f(x any) { switch x.(type) { case *o.Board: } }",
		"internal/front/tactics/a.go": rulesOf, "cmd/carozero/bitbase.go": rulesOf, "internal/engine/enginetest/endgames.go": rulesOf, "internal/record/book/a.go": rulesOf, "internal/record/bookfiles/a.go": rulesOf, "internal/front/bookbuild/a.go": rulesOf,
		"internal/engine/bookplay/a.go": rulesOf + "func f(x any) { _ = x.(*gomoku.Board) }",
		"cmd/carozero/book.go":          rulesOf + "func f(x any) { _ = x.(*gomoku.Board) }", "internal/front/gomocup/client/player.go": rulesOf + "func f(x any) { _ = x.(*gomoku.Board) }",
	}
	for name, c := range map[string]struct{ file, text, want string }{
		"none":           {"mcts/a.go", "", ""},
		"own package":    {"alphabeta/vcf/a.go", rulesOf + "func f(x any) { _ = x.(*gomoku.Board) }", ""},
		"an import":      {"mcts/a.go", rulesOf, "mcts/a.go imports the rules"},
		"of patterns":    {"mcts/a.go", "import \"" + module + "game/gomoku/pattern\"\n", "mcts/a.go imports the rules"},
		"an assertion":   {"internal/front/tactics/b.go", rulesOf + "func f(x any) { _ = x.(*gomoku.Board) }", "internal/front/tactics/b.go:3 asserts"},
		"in a switch":    {"internal/front/tactics/b.go", rulesOf + "func f(x any) { switch x.(type) { case *gomoku.Board: } }", "internal/front/tactics/b.go:3 asserts"},
		"another type":   {"internal/front/tactics/b.go", rulesOf + "func f(x any) { _ = x.(*gomoku.Rules) }", ""},
		"a game's name":  {"cmd/carozero/a.go", "func f(x string) bool { return x == engine.Onitama }", "cmd/carozero/a.go:2 asks"},
		"a like package": {"mcts/a.go", "import \"" + module + "game/gomokus\"\n", ""},
	} {
		fset, files := token.NewFileSet(), map[string]*ast.File{}
		for file, text := range exceptions {
			files[file] = parsed(t, fset, text)
		}
		files[c.file] = parsed(t, fset, c.text)
		got := strings.Join(strangers(fset, files), "\n")
		if (c.want == "") != (got == "") || !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	if got := strangers(token.NewFileSet(), nil); len(got) != len(importers)+len(doors) {
		t.Errorf("without files %q, want every exception", got)
	}
}

// parsed parses what stands below the clause "package p".
func parsed(t *testing.T, fset *token.FileSet, text string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(fset, "a.go", "package p\n"+text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}
