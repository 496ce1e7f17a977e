package onnx

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// fetcher runs fetch.sh with a cache of its own, and with npm, curl and uname
// replaced by scripts, so that nothing leaves the machine.
type fetcher struct {
	t     *testing.T
	bin   string
	cache string
	env   []string
}

func newFetcher(t *testing.T) *fetcher {
	if runtime.GOOS == "windows" {
		t.Fatal("fetch.sh is not for Windows")
	}
	f := &fetcher{t: t, bin: t.TempDir(), cache: t.TempDir()}
	f.script("uname", `[ "$1" = -s ] && echo Linux || echo x86_64`)
	f.script("npm", `echo "no network" >&2; exit 1`)
	f.script("curl", `echo "curl: no network" >&2; exit 6`)
	return f
}

func (f *fetcher) script(name, body string) {
	f.t.Helper()
	if err := os.WriteFile(filepath.Join(f.bin, name), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		f.t.Fatal(err)
	}
}

// run returns what the script wrote and whether it succeeded.
func (f *fetcher) run(args ...string) (stdout, stderr string, ok bool) {
	f.t.Helper()
	cmd := exec.Command("./fetch.sh", args...)
	cmd.Env = append(os.Environ(), "PATH="+f.bin+":"+os.Getenv("PATH"), "XDG_CACHE_HOME="+f.cache, "CAROZERO_ORT_SHA256=")
	cmd.Env = append(cmd.Env, f.env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	return strings.TrimSpace(out.String()), strings.TrimSpace(errs.String()), err == nil
}

// target is where the library must appear, and nothing else beside it.
func (f *fetcher) target() string {
	return filepath.Join(f.cache, "carozero", "onnxruntime-"+PinnedVersion, "libonnxruntime.so.1")
}

func (f *fetcher) checkEmpty() {
	f.t.Helper()
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(f.target()), "*")); err != nil || len(left) > 0 {
		f.t.Errorf("left behind: %v, %v", left, err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(f.target()), ".*")); err != nil || len(left) > 0 {
		f.t.Errorf("left behind: %v, %v", left, err)
	}
}

// lastLine is the error, after the lines about what is being done.
func lastLine(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }

func TestFetchOffline(t *testing.T) {
	f := newFetcher(t)
	_, stderr, ok := f.run()
	if ok || !strings.Contains(lastLine(stderr), "cannot download https://github.com/microsoft/onnxruntime/") ||
		!strings.Contains(lastLine(stderr), "no network") {
		t.Errorf("ok %v: %s", ok, stderr)
	}
	f.checkEmpty()
}

func TestFetchRefusesAnUnpinnedRelease(t *testing.T) {
	f := newFetcher(t)
	// The release that curl "downloads" holds another library.
	dir := t.TempDir()
	name := "onnxruntime-linux-x64-" + PinnedVersion
	touch(t, dir, name, "lib", "libonnxruntime.so."+PinnedVersion)
	archive := filepath.Join(dir, "release.tgz")
	if out, err := exec.Command("tar", "-czf", archive, "-C", dir, name).CombinedOutput(); err != nil {
		t.Fatalf("tar: %v: %s", err, out)
	}
	f.script("curl", `while [ "$1" != -o ]; do shift; done; cp '`+archive+`' "$2"`)
	sum := sha256.Sum256([]byte("not a library"))
	digest := hex.EncodeToString(sum[:])

	_, stderr, ok := f.run()
	if ok || !strings.Contains(lastLine(stderr), "CAROZERO_ORT_SHA256="+digest) {
		t.Errorf("ok %v: %s", ok, stderr)
	}
	f.checkEmpty()

	f.env = []string{"CAROZERO_ORT_SHA256=" + digest}
	stdout, stderr, ok := f.run()
	if !ok || !strings.HasSuffix(stdout, f.target()) {
		t.Fatalf("%s, %s", stdout, stderr)
	}
	// A second run only looks.
	f.script("curl", `exit 9`)
	if stdout, stderr, ok := f.run(); !ok || !strings.HasSuffix(stdout, f.target()) || stderr != "" {
		t.Errorf("again: %s, %s", stdout, stderr)
	}
	// Without the word for it the same file is not good enough.
	f.env = nil
	if _, _, ok := f.run(); ok {
		t.Error("a library with another digest was taken from the cache")
	}
}

func TestFetchRefusesADamagedPackage(t *testing.T) {
	f := newFetcher(t)
	pack := touch(t, t.TempDir(), "onnxruntime-node-"+PinnedVersion+".tgz")
	_, stderr, ok := f.run(pack)
	if ok || strings.Contains(stderr, "\n") || !strings.Contains(stderr, "SHA-256") {
		t.Errorf("ok %v: %s", ok, stderr)
	}
	// What npm brings is checked in the same way.
	f.script("npm", `cp '`+pack+`' .`)
	if _, stderr, ok := f.run(); ok || !strings.Contains(lastLine(stderr), "SHA-256") {
		t.Errorf("npm: ok %v: %s", ok, stderr)
	}
	f.checkEmpty()
}

func TestFetchUnknownPlatform(t *testing.T) {
	f := newFetcher(t)
	f.script("uname", `echo Plan9`)
	_, stderr, ok := f.run()
	if ok || strings.Contains(stderr, "\n") || !strings.Contains(stderr, "Plan9/Plan9") || !strings.Contains(stderr, "--onnxruntime") {
		t.Errorf("ok %v: %s", ok, stderr)
	}
}

func TestFetchPinsTheVersionOfThePackage(t *testing.T) {
	script, err := os.ReadFile("fetch.sh")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(script, []byte("\nversion="+PinnedVersion+"\n")) {
		t.Errorf("fetch.sh does not fetch version %s", PinnedVersion)
	}
}
