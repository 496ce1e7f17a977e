package importorder

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

//go:generate go test -run ^TestTable$ -update .

var update = flag.Bool("update", false, "write the table of packages in docs/code.md")

const (
	document = "../../../docs/code.md"
	begin    = "<!-- table of packages: go generate ./internal/dev/importorder -->\n"
	end      = "<!-- end of the table -->\n"
)

// table has the entries as a table in Markdown, each package linked to its folder.
func table(entries []entry) string {
	var b strings.Builder
	b.WriteString("\n| package | holds |\n|---|---|\n")
	for _, r := range entries {
		fmt.Fprintf(&b, "| [`%s`](../%s) | %s |\n", r.pkg, r.pkg, r.holds)
	}
	b.WriteString("\n")
	return b.String()
}

// replaceTable puts a table between the two marks of a document.
func replaceTable(text, table string) (string, error) {
	head, rest, ok := strings.Cut(text, begin)
	_, tail, closed := strings.Cut(rest, end)
	if !ok || !closed {
		return "", fmt.Errorf("no place for the table: want a line %q and, below it, a line %q", strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	return head + begin + table + end + tail, nil
}

func TestTable(t *testing.T) {
	entries, err := parseList(list)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	want, err := replaceTable(string(text), table(entries))
	if err != nil {
		t.Fatalf("docs/code.md: %v", err)
	}
	if *update {
		if err := os.WriteFile(document, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if string(text) != want {
		t.Error("docs/code.md: the table of packages differs from internal/dev/importorder/importorder.txt; run go generate ./internal/dev/importorder")
	}
}
