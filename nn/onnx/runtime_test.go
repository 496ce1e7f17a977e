//go:build cgo

package onnx

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestRuntimeIsOpenedOnce(t *testing.T) {
	if library.Version() < PinnedVersion || library.Path() == "" {
		t.Errorf("version %s at %s", library.Version(), library.Path())
	}
	// Searching again also tells the go command, which only listens to tests,
	// what their result depends on.
	first := search().candidates()[0]
	if path, err := first.resolve(runtime.GOOS); err == nil && path != library.Path() {
		t.Errorf("%s names %s, but %s was loaded", first.where, path, library.Path())
	}
	if again, err := open(library.Path()); err != nil || again != library {
		t.Errorf("opening the same library again: %v, %v", again, err)
	}
	if again, err := Find(Search{}); err != nil || again != library {
		t.Errorf("searching without a wish: %v, %v", again, err)
	}
	_, err := Find(Search{Flag: touch(t, t.TempDir(), "text", "another.so")})
	checkError(t, err, "already")
	if !errors.Is(err, ErrNoRuntime) {
		t.Error("the error does not wrap ErrNoRuntime")
	}
}

// Loading happens once per process, so what goes wrong with it is looked at in
// a process of its own: this test binary, which TestMain then ends with the
// error of Find.
func TestFindErrors(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Fatal("the libraries of this test are built for ELF and Mach-O")
	}
	dir := t.TempDir()
	notLibrary := touch(t, dir, "text", "libonnxruntime.so.1")
	old := build(t, dir, "old", `
		static const void *get(unsigned version) { return version > 20 ? 0 : (void *)1; }
		static const char *name(void) { return "1.20.0"; }
		static struct { const void *(*get)(unsigned); const char *(*name)(void); } base = { get, name };
		void *OrtGetApiBase(void) { return &base; }`)
	foreign := build(t, dir, "foreign", `int unrelated;`)
	for path, words := range map[string][]string{
		notLibrary:                    {notLibrary, "cannot be loaded"},
		old:                           {old, "too old", PinnedVersion},
		foreign:                       {foreign, "not ONNX Runtime"},
		filepath.Join(dir, "nothing"): {"nothing", "does not exist"},
	} {
		cmd := exec.Command(os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), "CAROZERO_ONNXRUNTIME="+path)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			t.Errorf("%s: the process ended with %v: %s", path, err, out)
			continue
		}
		checkError(t, errors.New(strings.TrimSpace(string(out))), append(words, "CAROZERO_ONNXRUNTIME", "runtime install")...)
	}
}

// build compiles a shared library; cgo, which this package needs, guarantees a
// C compiler.
func build(t *testing.T, dir, name, source string) string {
	t.Helper()
	c := filepath.Join(dir, name+".c")
	if err := os.WriteFile(c, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(dir, name+".so")
	if out, err := exec.Command("cc", "-shared", "-fPIC", "-o", library, c).CombinedOutput(); err != nil {
		t.Fatalf("cc: %v: %s", err, out)
	}
	return library
}
