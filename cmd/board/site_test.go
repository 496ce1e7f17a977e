//go:build !js

package main

import (
	"os"
	"path/filepath"
	"testing"
)

// TestOnlySitesAreReplaced writes a site to where something is: only a folder that has
// nothing but a site as it was written is replaced.
func TestOnlySitesAreReplaced(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "program")
	mine := func(path string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("mine"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	mine(program)
	site := filepath.Join(dir, "site")
	for range 2 {
		if err := write(site, program, program, "1"); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(site, link); err != nil {
		t.Fatal(err)
	}
	if err := write(link, program, program, "2"); err != nil {
		t.Error(err)
	}
	if to, err := os.Readlink(link); err != nil || to != site {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	for out, file := range map[string]string{
		program:                     program,
		filepath.Join(dir, "notes"): filepath.Join(dir, "notes", "sw.js", "notes.txt"),
		filepath.Join(dir, "own"):   filepath.Join(dir, "own", "sw.js"),
		filepath.Join(dir, "other"): filepath.Join(dir, "other", "index.html"),
		site:                        filepath.Join(site, "assets", "mine.svg"),
		link:                        filepath.Join(site, "index.html"),
		os.DevNull:                  program,
	} {
		mine(file)
		if err := write(out, program, program, "3"); err == nil {
			t.Errorf("%s is replaced", out)
		}
		if got, err := os.ReadFile(file); string(got) != "mine" {
			t.Errorf("%s is %q, %v", file, got, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(dir, ".site-*")); len(left) > 0 || err != nil {
		t.Errorf("%v are left, %v", left, err)
	}
}
