package web

import (
	"io/fs"
	"path"
	"strings"
	"testing"
)

// TestPageIsSmall holds the page to what it may weigh, as it is served and before it is
// compressed.
func TestPageIsSmall(t *testing.T) {
	const most = 300_000
	files, err := fs.Sub(Page, "page")
	if err != nil {
		t.Fatal(err)
	}
	assets, err := readAssets(files)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for route, a := range assets {
		if path.Ext(route) != ".js" || route == "/assets/page.js" {
			sum += len(a.data)
		}
	}
	if sum > most || sum < 10_000 {
		t.Errorf("the page has %d bytes: want at most %d", sum, most)
	}
}

func TestLean(t *testing.T) {
	const text = "// A module.\n\n/** One line. */\nexport const a = 1; // kept\n  /**\n   * Several, with \"text\" " +
		"and // marks.\n   */\n  b() { return /** @type {X} */ (a * 2); }\n" +
		"/** @type {X} */ let c = \"/* no comment */\";\n/* d */ e /* f */\n"
	const want = "export const a = 1; // kept\nb() { return /** @type {X} */ (a * 2); }\n" +
		"/** @type {X} */ let c = \"/* no comment */\";\n/* d */ e /* f */\n"
	if got := string(Lean([]byte(text))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// No text of the page's modules spans lines, which Lean would change, and no comment of
// several lines ends before other text.
func TestPageCanBeLean(t *testing.T) {
	err := fs.WalkDir(Page, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".js" && path.Ext(name) != ".css" {
			return err
		}
		data, err := fs.ReadFile(Page, name)
		if err != nil {
			return err
		}
		for n, line := range strings.Split(string(data), "\n") {
			if path.Ext(name) == ".js" && strings.Count(line, "`")%2 != 0 && !strings.HasPrefix(strings.TrimSpace(line), "*") {
				t.Errorf("%s:%d: a text that spans lines", name, n+1)
			}
			if at := strings.Index(line, "*/"); at >= 0 && !strings.Contains(line, "/*") &&
				strings.TrimSpace(line[at+2:]) != "" {
				t.Errorf("%s:%d: text behind the end of a comment", name, n+1)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
