package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/support/npm"
	"github.com/carozero/carozero/nn/onnx"
)

func TestRuntimeInstallErrors(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.tgz")
	if err := os.WriteFile(empty, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"runtime nonsense", statusUsage, "install, show"},
		{"runtime install x", statusUsage, "unexpected argument"},
		{"runtime install --from ftp://x/y.tgz --dir " + dir, statusUsage, "http://"},
		{"runtime install --from https:// --dir " + dir, statusUsage, "http://"},
		{"runtime install --from " + empty + " --dir " + dir, statusFailed, "too early"},
		{"runtime install --from " + empty + " --dir " + empty, statusFailed, "--dir"},
		{"runtime install --from no-such.tgz --dir " + dir, statusFailed, "no-such.tgz"},
	} {
		status, _, message := run(t, strings.Fields(c.args)...)
		if status != c.status || !strings.Contains(message, c.want) {
			t.Errorf("%s: status %d, %q; want %d and %q", c.args, status, message, c.status, c.want)
		}
	}
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, "")
	}
	if status, _, message := run(t, "runtime", "install"); status != statusFailed || !strings.Contains(message, "--dir") {
		t.Errorf("without a home: status %d, %q", status, message)
	}
}

func TestRuntimeInstallAndShow(t *testing.T) {
	var installed npm.Result
	if err := json.Unmarshal([]byte(mustRun(t, "runtime", "install", "--json", "--from", "no-such.tgz")), &installed); err != nil {
		t.Fatal(err)
	}
	if installed.Installed || installed.Version != onnx.PinnedVersion || installed.Path == "" {
		t.Errorf("%+v, though the tests need the library in its place", installed)
	}
	var shown report.Runtime
	if err := json.Unmarshal([]byte(mustRun(t, "runtime", "show", "--json")), &shown); err != nil {
		t.Fatal(err)
	}
	if shown.Pinned != onnx.PinnedVersion || len(shown.Places) == 0 || (shown.Error == "") != onnx.Available || (shown.Version != "") != onnx.Available {
		t.Errorf("%+v", shown)
	}
	var missing report.Runtime
	out := mustRun(t, "runtime", "show", "--json", "--onnxruntime", filepath.Join(t.TempDir(), "none"))
	if err := json.Unmarshal([]byte(out), &missing); err != nil {
		t.Fatal(err)
	}
	if missing.Error == "" || len(missing.Places) != 1 || !strings.Contains(missing.Places[0].Error, "does not exist") {
		t.Errorf("%+v", missing)
	}
}
