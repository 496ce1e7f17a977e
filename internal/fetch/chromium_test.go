package fetch

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
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

func TestFindChromium(t *testing.T) {
	_, bin := alone(t)
	if path, err := FindChromium(); err == nil || !strings.Contains(err.Error(), "make browser") ||
		strings.Contains(err.Error(), "\n") {
		t.Errorf("a machine without a browser: %q, %v", path, err)
	}
	dir, err := chromiumFolder()
	if err != nil {
		t.Fatal(err)
	}
	fetched := filepath.Join(dir, chromiumLauncher)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	program(t, fetched)
	if path, err := FindChromium(); path != fetched || err != nil {
		t.Errorf("%q, %v, want the fetched one", path, err)
	}
	of := filepath.Join(bin, "chromium-browser")
	program(t, of)
	if path, err := FindChromium(); path != of || err != nil {
		t.Errorf("%q, %v, want the system's", path, err)
	}
	if path, err := Chromium(t.Context(),
		func(Package) { t.Error("the system has one, but one is fetched") }); path != of || err != nil {
		t.Errorf("%q, %v, want the system's", path, err)
	}
}

func program(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

// What cannot be fetched leaves nothing that FindChromium takes for a browser.
func TestChromiumWithoutARegistry(t *testing.T) {
	alone(t)
	told := 0
	_, err := Chromium(t.Context(), func(Package) { told++ })
	if err == nil || strings.Contains(err.Error(), "\n") {
		t.Fatalf("%v", err)
	}
	if _, found := FindChromium(); found == nil {
		t.Error("there is a browser though none was fetched")
	}
	if files, err := chromiumPackage().Files(""); err == nil && (len(files) == 0 || told != 1) {
		t.Errorf("%d files, told %d times", len(files), told)
	}
}

func TestChromiumsPins(t *testing.T) {
	for platform, files := range chromiumPackage().Platforms {
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
		if files[0].Name != chromiumLauncher {
			t.Errorf("%s: the main file is %q", platform, files[0].Name)
		}
	}
}
