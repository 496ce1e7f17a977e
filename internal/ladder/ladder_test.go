// Package ladder holds the project's imports to the order in which its
// packages are meant to be read: a package imports only from lower rungs.
package ladder

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/carozero/carozero/"

// allowed lists, for each package, the project's packages that its non-test
// files may import. A package that is missing here is a failure, so that a new
// one has to be placed on the ladder by its author.
var allowed = map[string][]string{
	"game":                    {},
	"game/gametest":           {"game"},
	"game/perft":              {"game"},
	"game/gomoku":             {"game"},
	"nn/gomoku":               {"game", "game/gomoku", "game/gomoku/pattern", "nn"},
	"nn/onitama":              {"game", "game/onitama", "nn"},
	"game/gomoku/pattern":     {"game", "game/gomoku"},
	"game/onitama":            {"game"},
	"nn":                      {"game"},
	"nn/onnx":                 {"nn", "nn/onnx/graph", "internal/bounded"},
	"nn/onnx/graph":           {},
	"mcts":                    {"game", "nn"},
	"alphabeta":               {"game"},
	"alphabeta/vcf":           {"game", "game/gomoku", "game/gomoku/pattern"},
	"alphabeta/vcf/proof":     {"game", "game/gomoku"},
	"alphabeta/gomoku":        {"game", "game/gomoku", "game/gomoku/pattern", "alphabeta", "alphabeta/vcf"},
	"alphabeta/gomoku/fit":    {"game", "game/gomoku", "game/gomoku/pattern", "alphabeta", "alphabeta/vcf", "alphabeta/gomoku"},
	"alphabeta/onitama":       {"game", "game/onitama", "alphabeta"},
	"selfplay":                {"game", "mcts", "nn", "selfplay/samples"},
	"selfplay/samples":        {"game", "nn", "internal/bounded", "internal/lock"},
	"selfplay/arena":          {"game", "mcts", "nn", "internal/bounded", "internal/option", "internal/lock"},
	"models":                  {"internal/bounded"},
	"internal/scratch":        {},
	"internal/onnxruntime":    {"nn/onnx"},
	"internal/gomocup":        {"game", "game/gomoku", "internal/bounded", "internal/option"},
	"internal/bounded":        {},
	"internal/option":         {"internal/bounded"},
	"internal/lock":           {},
	"internal/gomocup/client": {"game", "game/gomoku", "internal/gomocup", "selfplay/arena"},
	"internal/gomocup/brain":  {"*"},
	"internal/tactics":        {"game", "game/gomoku", "game/gomoku/pattern", "alphabeta/vcf", "alphabeta/vcf/proof", "internal/bounded"},
	"internal/engine":         {"*"},
	"internal/positions":      {"game", "game/gomoku", "game/onitama", "internal/engine", "selfplay/samples", "internal/bounded"},
	"internal/crosscheck":     {"*"},
	"internal/bench":          {"*"},
	"cmd/carozero":            {"*"},
}

func TestImportsGoDownTheLadder(t *testing.T) {
	seen := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git" || d.Name() == "train") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel("../..", filepath.Dir(path))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(rel)
		seen[pkg] = true
		check(t, pkg, path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) < 5 {
		t.Fatalf("only %d packages found: the walk looks in the wrong place", len(seen))
	}
}

func check(t *testing.T, pkg, path string) {
	t.Helper()
	may, known := allowed[pkg]
	if !known {
		t.Errorf("%s: package is not on the ladder; give it a rung in %s", pkg, "internal/ladder")
		return
	}
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range file.Imports {
		full, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		name, ours := strings.CutPrefix(full, module)
		if !ours || name == pkg {
			continue
		}
		if !contains(may, name) {
			t.Errorf("%s imports %s, which is not below it", path, name)
		}
	}
}

func contains(list []string, name string) bool {
	for _, l := range list {
		if l == name || l == "*" && !strings.HasPrefix(name, "cmd/") {
			return true
		}
	}
	return false
}
