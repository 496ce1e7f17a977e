package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	"github.com/carozero/carozero/internal/fetch"
	"github.com/carozero/carozero/internal/report"
	"github.com/carozero/carozero/nn/onnx"
)

// asProgram is the variable under which the test binary is the program.
const asProgram = "CAROZERO_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asTrainer {
		os.Exit(fakeTrainer(os.Args[2:]))
	}
	if os.Getenv(asProgram) != "" {
		os.Exit(execute(os.Args))
	}
	// nohup and shells without job control start the tests with signals ignored, and
	// a program inherits that. One that is caught here is not ignored there.
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if signal.Ignored(s) {
			signal.Notify(make(chan os.Signal, 1), s)
		}
	}
	os.Exit(m.Run())
}

// program returns the program as a process of its own, not yet started.
func program(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	return cmd
}

// exitOf returns the exit status of a process that has ended, -1 if a signal
// has ended it.
func exitOf(cmd *exec.Cmd) int { return cmd.ProcessState.ExitCode() }

func TestStamp(t *testing.T) {
	const hash = "38b2dffb6d26a2a3c1f0a7c7cbb4b1f9d3c2e1f0"
	for _, c := range []struct {
		what                        string
		linkedVersion, linkedCommit string
		module, revision, modified  string
		none                        bool
		wantVersion, wantCommit     string
	}{
		{what: "make", linkedVersion: "v1", linkedCommit: "abc", module: "v2", revision: hash, wantVersion: "v1",
			wantCommit: "abc"},
		{what: "install of a tag", module: "v1.2.3", wantVersion: "v1.2.3", wantCommit: "unknown"},
		{what: "build in a repository", module: "(devel)", revision: hash, modified: "true", wantVersion: "unknown",
			wantCommit: "38b2dffb6d26-dirty"},
		{what: "a clean one", module: "v0.0.0-20261121224800-38b2dffb6d26", revision: hash, modified: "false",
			wantVersion: "v0.0.0-20261121224800-38b2dffb6d26", wantCommit: "38b2dffb6d26"},
		{what: "test binary", module: "", wantVersion: "unknown", wantCommit: "unknown"},
		{what: "nothing known", none: true, wantVersion: "unknown", wantCommit: "unknown"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: c.module}}
		if c.revision != "" {
			info.Settings = []debug.BuildSetting{
				{Key: "vcs.revision", Value: c.revision}, {Key: "vcs.modified", Value: c.modified},
			}
		}
		version, commit := stamp(c.linkedVersion, c.linkedCommit, func() (*debug.BuildInfo, bool) { return info, !c.none })
		if version != c.wantVersion || commit != c.wantCommit {
			t.Errorf("%s: %s, %s; want %s, %s", c.what, version, commit, c.wantVersion, c.wantCommit)
		}
	}
}

func TestRuntimeInstall(t *testing.T) {
	installed := printed[fetch.Result](t, "runtime", "install", "--json", "--from", "no-such.tgz")
	if installed.Installed || installed.Version != onnx.PinnedVersion || installed.Path == "" {
		t.Errorf("%+v, though the tests need the library in its place", installed)
	}
	var shown, missing report.Version
	if err := json.Unmarshal([]byte(mustRun(t, "version", "--json")), &shown); err != nil ||
		(shown.RuntimeError == "") != onnx.Available || (shown.Runtime != "") != onnx.Available {
		t.Errorf("%+v, %v", shown, err)
	}
	out := mustRun(t, "version", "--json", "--onnxruntime", filepath.Join(t.TempDir(), "none"))
	if err := json.Unmarshal([]byte(out), &missing); err != nil || onnx.Available &&
		!strings.Contains(missing.RuntimeError, "does not exist") {
		t.Errorf("%+v, %v", missing, err)
	}
}
