package onnx

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/carozero/carozero/internal/option"
)

// PinnedVersion is the version of ONNX Runtime that is installed for users, and
// the oldest that works.
const PinnedVersion = "1.24.3"

// advice returns the end of the error of a library that was not found.
func (s Search) advice() string {
	command, version := "`carozero runtime install`", PinnedVersion
	if s.Provider.Name() == CUDA {
		command, version = "`carozero runtime install --provider cuda`", PinnedCUDA
	}
	return command + " fetches version " + version + ", or name a library with " + s.Naming.FlagName(optionKey)
}

// optionKey is the key of the option that names a library: [Search.Flag].
const optionKey = "onnxruntime"

// ErrNoRuntime is wrapped by every error that says that ONNX Runtime's library
// could not be found or loaded.
var ErrNoRuntime = errors.New("no ONNX Runtime")

// Search says where to look for the library, in this order. Empty fields are skipped.
// Flag and Env name a library or the folder that holds it; if one of them is set, later
// places are not tried, because the user has chosen.
type Search struct {
	Flag     string // value of the option "onnxruntime"
	Env      string // value of CAROZERO_ONNXRUNTIME
	ExeDir   string // folder of the running program
	CacheDir string // carozero's folder in the user's cache

	// Provider is what computes. With CUDA, the library installed for it is preferred.
	Provider Provider

	// Naming names in errors the options "onnxruntime", "model"
	// and "engine".
	Naming option.Naming
}

// InstallDir returns the folder in the cache where a library that was installed
// for carozero and the provider is looked for, "" without a cache.
func (s Search) InstallDir() string {
	name := "onnxruntime-" + PinnedVersion
	if s.Provider.Name() == CUDA {
		name = "onnxruntime-cuda-" + PinnedCUDA
	}
	if s.CacheDir == "" {
		return ""
	}
	return filepath.Join(s.CacheDir, name)
}

// candidate is one place where the library may be.
type candidate struct {
	where string // for the error message
	path  string // file or folder; "": where the system's loader looks
}

func (s Search) candidates() []candidate {
	switch {
	case s.Flag != "":
		return []candidate{{s.Naming.FlagName(optionKey), s.Flag}}
	case s.Env != "":
		return []candidate{{"CAROZERO_ONNXRUNTIME", s.Env}}
	}
	var list []candidate
	if s.ExeDir != "" {
		list = append(list, candidate{"beside the program", s.ExeDir})
	}
	if s.CacheDir != "" {
		list = append(list, candidate{"in the user's cache", s.InstallDir()})
		if _, err := os.Stat(s.InstallDir()); err == nil && s.Provider.Name() == CUDA {
			list[0], list[len(list)-1] = list[len(list)-1], list[0]
		}
	}
	return append(list, candidate{where: "on the system"})
}

// libraryNames are the patterns of the library's file name on a system, the preferred first.
func libraryNames(goos string) []string {
	switch goos {
	case "windows":
		return []string{"onnxruntime.dll"}
	case "darwin":
		return []string{"libonnxruntime.*.dylib", "libonnxruntime.dylib"}
	}
	return []string{"libonnxruntime.so.1", "libonnxruntime.so.*", "libonnxruntime.so"}
}

// resolve returns the file to load, or an error that says what is missing.
func (c candidate) resolve(goos string) (string, error) {
	names := libraryNames(goos)
	if c.path == "" { // the system's loader is asked for a name
		return names[slices.IndexFunc(names, func(name string) bool { return !strings.Contains(name, "*") })], nil
	}
	info, err := os.Stat(c.path)
	if err != nil {
		return "", fmt.Errorf("%s does not exist", c.path)
	}
	if !info.IsDir() {
		return c.path, nil
	}
	for _, pattern := range names {
		if found, _ := fs.Glob(os.DirFS(c.path), pattern); len(found) > 0 {
			return filepath.Join(c.path, slices.MaxFunc(found, olderFirst)), nil
		}
	}
	return "", fmt.Errorf("%s holds no %s", c.path, names[0])
}

// olderFirst orders names with a version in them; a longer one has a longer number.
func olderFirst(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }

// oneLine joins the lines of another library's message.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
