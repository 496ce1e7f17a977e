package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Where nobody names a network, the one plays that docs/strength.md says, whatever the
// budget; under freestyle and school42 the one for that.
func TestDefaultNetworksAreTheDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "strength.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "## Which network plays when nobody says\n")
	if !found {
		t.Fatal("docs/strength.md has no such section")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	rows := regexp.MustCompile("(?m)^\\| [^|`]*`([^`]+)` \\| `([^`]+)` \\|").FindAllStringSubmatch(section, -1)
	if len(rows) != 3 {
		t.Fatalf("%d rows, want those of playouts, of time and of self-play", len(rows))
	}
	for _, row := range rows {
		for _, rule := range []struct{ name, net string }{
			{"caro", "NAME"}, {"renju", "NAME"}, {"freestyle", "NAME-freestyle"}, {"school42", "taught8-line16-school42"},
		} {
			args := append(strings.Fields(row[1]), "--rule", rule.name, "--json")
			var told struct {
				Model  string
				Header struct{ Model string } // of a run
			}
			var answer []byte
			if args[0] == "selfplay" {
				out := filepath.Join(t.TempDir(), "run")
				mustRun(t, append(args, "--games", "1", "--max-plies", "8", "--out", out)...)
				if answer, err = os.ReadFile(filepath.Join(out, "run.json")); err != nil {
					t.Fatal(err)
				}
			} else {
				answer = []byte(mustRun(t, args...))
			}
			err := json.Unmarshal(answer, &told)
			if got, want := told.Model+told.Header.Model, strings.Replace(rule.net, "NAME", row[2], 1); err != nil || got != want {
				t.Errorf("%s under %s plays by %q, %v; want %s", row[1], rule.name, got, err, want)
			}
		}
	}
}
