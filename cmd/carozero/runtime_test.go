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
		{"runtime nonsense", statusUsage, "one of: install"},
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

func TestRuntimeInstall(t *testing.T) {
	var installed npm.Result
	if err := json.Unmarshal([]byte(mustRun(t, "runtime", "install", "--json", "--from", "no-such.tgz")), &installed); err != nil {
		t.Fatal(err)
	}
	if installed.Installed || installed.Version != onnx.PinnedVersion || installed.Path == "" {
		t.Errorf("%+v, though the tests need the library in its place", installed)
	}
	var shown, missing report.Version
	if err := json.Unmarshal([]byte(mustRun(t, "version", "--json")), &shown); err != nil || (shown.RuntimeError == "") != onnx.Available || (shown.Runtime != "") != onnx.Available {
		t.Errorf("%+v, %v", shown, err)
	}
	out := mustRun(t, "version", "--json", "--onnxruntime", filepath.Join(t.TempDir(), "none"))
	if err := json.Unmarshal([]byte(out), &missing); err != nil || onnx.Available && !strings.Contains(missing.RuntimeError, "does not exist") {
		t.Errorf("%+v, %v", missing, err)
	}
}
