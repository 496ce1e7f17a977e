//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// maker plants a program that stands for make: one and two wait for each other, bad
// fails, and each target says its name.
func maker(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "make")
	script := `#!/bin/sh
cd ` + dir + `
echo "$1 $2"
case $2 in
one) mkfifo a 2>/dev/null; echo x > a ;;
two) mkfifo a 2>/dev/null; read y < a ;;
bad) exit 3 ;;
esac
`
	if err := os.WriteFile(path, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// output is a file for what the targets print.
func output(t *testing.T) *os.File {
	t.Helper()
	file, err := os.OpenFile(filepath.Join(t.TempDir(), "out"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

func TestRun(t *testing.T) {
	out := output(t)
	costs, err := run(maker(t), []string{"zero", "one+two", "bad+other", "never"}, out, out)
	if err == nil || !strings.Contains(err.Error(), "bad: exit status 3") {
		t.Errorf("%v", err)
	}
	var made []string
	for _, c := range costs {
		made = append(made, c.target)
		if c.memory == 0 || (c.err != nil) != (c.target == "bad") {
			t.Errorf("%+v", c)
		}
	}
	if got := strings.Join(made, " "); got != "zero one two bad other" {
		t.Errorf("made %s", got)
	}
	text, err := os.ReadFile(out.Name())
	if lines := strings.Count(string(text), "--no-print-directory"); lines != 5 || err != nil {
		t.Errorf("%d targets were made: %s, %v", lines, text, err)
	}
	var report bytes.Buffer
	table(&report, costs)
	if !regexp.MustCompile(`(?m)^ +zero +\d+:\d\d +(\d+ MB|-) +(\d+ MB|-) +\d+ MB *$`).MatchString(report.String()) {
		t.Errorf("%s", report.String())
	}
}

// Of targets that follow one another beside others, one waits for the other, and none
// comes after one that failed.
func TestRunOneAfterTheOther(t *testing.T) {
	for stage, want := range map[string]string{
		"two+zero,one":         "two zero one", // two ends only beside one
		"zero+bad,never":       "zero bad",
		"bad,never+zero,other": "bad zero other",
	} {
		out := output(t)
		costs, err := run(maker(t), []string{stage}, out, out)
		var made []string
		for _, c := range costs {
			made = append(made, c.target)
		}
		if got := strings.Join(made, " "); got != want || (err != nil) != strings.Contains(stage, "bad") {
			t.Errorf("%s: made %s, %v, want %s", stage, got, err, want)
		}
	}
}

func TestRunWithoutMake(t *testing.T) {
	out := output(t)
	costs, err := run(filepath.Join(t.TempDir(), "none"), []string{"deps"}, out, out)
	if err == nil || len(costs) != 1 || costs[0].memory != -1 {
		t.Errorf("%+v, %v", costs, err)
	}
}

func TestSince(t *testing.T) {
	for _, c := range [][3]int64{{1, 5, 4}, {5, 1, 0}, {-1, 5, -1}, {5, -1, -1}} {
		if got := since(c[0], c[1]); got != c[2] {
			t.Errorf("from %d to %d: %d, want %d", c[0], c[1], got, c[2])
		}
	}
}
