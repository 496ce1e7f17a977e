package onnx

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// checkError fails unless err is one line that holds every one of the words.
func checkError(t *testing.T, err error, words ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("the error has more than one line: %q", err)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error does not say %q: %v", w, err)
		}
	}
}

func touch(t *testing.T, elem ...string) string {
	t.Helper()
	path := filepath.Join(elem...)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("not a library"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestResolve(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		goos  string
		files []string
		want  string
	}{
		{"linux", []string{"libonnxruntime.so.1.24.3", "libonnxruntime.so.1", "libonnxruntime.so"}, "libonnxruntime.so.1"},
		{"linux", []string{"libonnxruntime.so.1.9.0", "libonnxruntime.so.1.24.3"}, "libonnxruntime.so.1.24.3"},
		{"linux", []string{"libonnxruntime.so"}, "libonnxruntime.so"},
		{"darwin", []string{"libonnxruntime.1.9.0.dylib", "libonnxruntime.1.24.3.dylib", "libonnxruntime.dylib"},
			"libonnxruntime.1.24.3.dylib"},
		{"windows", []string{"onnxruntime.dll"}, "onnxruntime.dll"},
		{"linux", []string{"onnxruntime.dll", "libonnxruntime.dylib"}, ""},
	} {
		sub := filepath.Join(dir, "[odd] *name", strings.Join(c.files, "+"))
		for _, f := range c.files {
			touch(t, sub, f)
		}
		got, err := candidate{path: sub}.resolve(c.goos)
		if c.want == "" {
			checkError(t, err, sub, "libonnxruntime.so.1")
		} else if err != nil || got != filepath.Join(sub, c.want) {
			t.Errorf("%s of %v: %s, %v", c.goos, c.files, got, err)
		}
	}
	file := touch(t, dir, "any.name")
	if got, err := (candidate{path: file}).resolve("linux"); got != file || err != nil {
		t.Errorf("a file: %s, %v", got, err)
	}
	_, err := candidate{path: filepath.Join(dir, "none")}.resolve("linux")
	checkError(t, err, "none", "does not exist")
}
