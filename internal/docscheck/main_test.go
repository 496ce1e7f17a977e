//go:build unix

package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// program plants one that stands for carozero: it says what it was asked and how long
// that took, tells its flags, and answers each line that it reads.
func program(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	script := `#!/bin/sh
case "$*" in
*--help*) echo "  --out FILE"; exit ;;
answer) sed 's/^/got /' | sort -r; exit ;;
fail) echo broken >&2; exit 1 ;;
esac
echo "done: $* in 12.5 ms, 700 nodes/s"
`
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func check(t *testing.T, out io.Writer, path string, renew bool, words int) error {
	t.Helper()
	return (&checker{program: program(t), limit: time.Hour, out: out, renew: renew, words: words}).check(t.Context(),
		[]string{path})
}

// write makes a page.
func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

const good = `# A page

` + "```" + `
$ bin/carozero search \
    --out x
done: search --out x in 3 ms, 41 nodes/s
$ carozero answer
> one
> two
got one
got two
$ carozero save --out y
` + "```" + `

<!-- docs: before: echo text > file -->
<!-- docs: varies: t.xt? -->
` + "```" + `
$ cat file
tax
` + "```" + `

<!-- docs: not run: takes a day -->
` + "```" + `
$ carozero week --out z
never
` + "```" + `

` + "```sh" + `
carozero match --out x    # some words
# nothing
` + "```" + `

` + "```json" + `
$ neither
` + "```" + `
`

func TestAGoodPage(t *testing.T) {
	var out bytes.Buffer
	path := write(t, good)
	if err := check(t, &out, path, false, 0); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	want := "1 documents, 59 words; commands: 4 run, 1 not run, 1 without output; 0 differ\n"
	if out.String() != want {
		t.Errorf("%s, want %s", out.String(), want)
	}
	if err := check(t, &out, path, false, 58); err == nil || !strings.Contains(err.Error(), "59 words are more than 58") {
		t.Errorf("with at most 58 words: %v", err)
	}
}

func TestWhatDiffersIsNamed(t *testing.T) {
	for _, c := range []struct{ old, with, want string }{
		{"search --out x in 3", "search --out y in 3",
			":4: bin/carozero search --out x\n    - done: search --out y in 3 ms, 41 nodes/s\n" +
				"    + done: search --out x in 12.5 ms, 700 nodes/s\n"},
		{"got two", "got three", "- got three\n"},
		{"> two\n", "", ":7: carozero answer\n    - got two\n"},
		{"tax", "tea", "- tea\n    + text\n"},
		{"carozero save --out y", "carozero fail", "exit status 1\n    broken\n"},
		{"match --out x", "match --in x",
			":29: carozero match --in x    # some words\n    carozero match has no flag --in\n"},
		{"week --out z", "week --log z", "carozero week has no flag --log\n"},
	} {
		if strings.Count(good, c.old) != 1 {
			t.Fatalf("%q stands %d times in the page", c.old, strings.Count(good, c.old))
		}
		var out bytes.Buffer
		err := check(t, &out, write(t, strings.Replace(good, c.old, c.with, 1)), false, 0)
		if err == nil || !strings.HasPrefix(err.Error(), "1 commands") || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: %v\n%s", c.with, err, out.String())
		}
	}
}

func TestRenew(t *testing.T) {
	stale := strings.Replace(good, "search --out x in 3 ms, 41 nodes/s", "nothing\nat all", 1)
	path := write(t, stale)
	var out bytes.Buffer
	if err := check(t, &out, path, true, 0); err == nil {
		t.Error("a page that differs passed")
	}
	text, err := os.ReadFile(path)
	if want := strings.Replace(good, "in 3 ms, 41 nodes/s", "in 12.5 ms, 700 nodes/s", 1); string(text) != want ||
		err != nil {
		t.Errorf("%s, %v", text, err)
	}
}

func TestWrongPages(t *testing.T) {
	const misplaced = ": a line `<!-- docs: -->` must stand directly above a block"
	for text, want := range map[string]string{
		"<!-- docs: varies: x -->\n```\n$ carozero x\n":            misplaced,
		"\n<!-- docs: later: x -->\n```\n$ x\n```\n":               ":2: want <!-- docs: before",
		"<!-- docs: varies: ( -->\n```\n$ x\n```\n":                ":1: error parsing regexp",
		"<!-- docs: not run: x -->\nwords\n```\n$ x\n```\n":        misplaced,
		"<!-- docs: before: echo a; false -->\n```\n$ true\n```\n": ":3: before this block, echo a; false: exit status 1: a",
	} {
		err := check(t, io.Discard, write(t, text), false, 0)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for _, c := range []struct {
		program string
		paths   []string
		want    string
	}{
		{program(t), nil, "want the documents"},
		{program(t), []string{"none.md"}, "none.md"},
		{"/nowhere/carozero", []string{"none.md"}, "make build"},
	} {
		checker := checker{program: c.program, limit: time.Hour, out: io.Discard}
		if err := checker.check(t.Context(), c.paths); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v", err)
		}
	}
}

func TestNormal(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"54 ms  7404 playouts/s", "1.2 s 9.5 playouts/s", true},
		{"34.38 M play+undo/s, 5.34 M move lists/s", "1 M play+undo/s, 2 M move lists/s", true},
		{"400 playouts  398 evals", "400 playouts  399 evals", false},
		{"win in 3 plies", "win in 5 plies", false},
		{`{"version":"a1","plies":3}`, `{"version":"b2","plies":3}`, true},
		{`{"version":"a1","plies":3}`, `{"version":"a1","plies":4}`, false},
		{"alice added 2026-11-23 03:43:28", "alice   added 2025-01-02 00:00:00", true},
		{"Elo +183 +- 54", "Elo +184 +- 54", false},
	} {
		if got := normal(c.a, nil) == normal(c.b, nil); got != c.same {
			t.Errorf("%q and %q: the same is %v", c.a, c.b, got)
		}
	}
}

func TestAStuckCommandEnds(t *testing.T) {
	var out bytes.Buffer
	path := write(t, "```\n$ echo begun; sleep 1000\nbegun\n```\n")
	c := checker{program: program(t), limit: 50 * time.Millisecond, out: &out, renew: true}
	err := c.check(t.Context(), []string{path})
	if err == nil || !strings.Contains(out.String(), "mark the block as not run") {
		t.Errorf("%v: %s", err, out.String())
	}
	if text, err := os.ReadFile(path); !strings.Contains(string(text), "\nbegun\n") || err != nil {
		t.Errorf("the page has become %s, %v", text, err)
	}
}

func TestBlocksThatAreNotRunNeedNothing(t *testing.T) {
	path := write(t, "<!-- docs: before: false -->\n<!-- docs: not run: takes a day -->\n```\n$ false\n```\n")
	if err := check(t, io.Discard, path, false, 0); err != nil {
		t.Error(err)
	}
}
