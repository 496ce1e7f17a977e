package browser

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/fetch"
)

// alone is a machine without a browser, and with an empty home and registry.
func alone(t *testing.T) (home, bin string) {
	t.Helper()
	home, bin = t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	t.Setenv("LocalAppData", filepath.Join(home, "cache"))
	t.Setenv("PATH", bin)
	t.Setenv("NPM_CONFIG_REGISTRY", "http://127.0.0.1:1")
	return home, bin
}

func TestFind(t *testing.T) {
	_, bin := alone(t)
	if path, err := Find(); err == nil || !strings.Contains(err.Error(), "make browser") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("a machine without a browser: %q, %v", path, err)
	}
	dir, err := folder()
	if err != nil {
		t.Fatal(err)
	}
	fetched := filepath.Join(dir, launcher)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	program(t, fetched)
	if path, err := Find(); path != fetched || err != nil {
		t.Errorf("%q, %v, want the fetched one", path, err)
	}
	of := filepath.Join(bin, "chromium-browser")
	program(t, of)
	if path, err := Find(); path != of || err != nil {
		t.Errorf("%q, %v, want the system's", path, err)
	}
	if path, err := Install(t.Context(),
		func(fetch.Package) { t.Error("the system has one, but one is fetched") }); path != of || err != nil {
		t.Errorf("%q, %v, want the system's", path, err)
	}
}

func program(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// What cannot be fetched leaves nothing that Find takes for a browser.
func TestInstallWithoutARegistry(t *testing.T) {
	alone(t)
	told := 0
	_, err := Install(t.Context(), func(fetch.Package) { told++ })
	if err == nil || strings.Contains(err.Error(), "\n") {
		t.Fatalf("%v", err)
	}
	if _, found := Find(); found == nil {
		t.Error("there is a browser though none was fetched")
	}
	if files, err := pinned().Files(""); err == nil && (len(files) == 0 || told != 1) {
		t.Errorf("%d files, told %d times", len(files), told)
	}
}

func TestPinsAreWellFormed(t *testing.T) {
	for platform, files := range pinned().Platforms {
		names := map[string]bool{}
		for _, f := range files {
			if names[f.Name] || !filepath.IsLocal(filepath.FromSlash(f.Name)) {
				t.Errorf("%s: file %q", platform, f.Name)
			}
			names[f.Name] = true
			if raw, err := hex.DecodeString(f.SHA256); f.Text == "" &&
				(err != nil || len(raw) != 32 || f.Size <= 0 || f.Member == "") {
				t.Errorf("%s: %+v", platform, f)
			}
		}
		if files[0].Name != launcher {
			t.Errorf("%s: the main file is %q", platform, files[0].Name)
		}
	}
}
