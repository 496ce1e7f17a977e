package onnx

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
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
	if s.CacheDir == "" {
		return ""
	}
	if s.Provider.Name() == CUDA {
		return filepath.Join(s.CacheDir, "onnxruntime-cuda-"+PinnedCUDA)
	}
	return filepath.Join(s.CacheDir, "onnxruntime-"+PinnedVersion)
}

// candidate is one place where the library may be.
type candidate struct {
	where string // for the error message
	path  string // file, folder, or a bare name for the system's loader
	bare  bool
}

func (s Search) candidates() []candidate {
	switch {
	case s.Flag != "":
		return []candidate{{where: s.Naming.FlagName(optionKey), path: s.Flag}}
	case s.Env != "":
		return []candidate{{where: "CAROZERO_ONNXRUNTIME", path: s.Env}}
	}
	var list []candidate
	if s.ExeDir != "" {
		list = append(list, candidate{where: "beside the program", path: s.ExeDir})
	}
	if s.CacheDir != "" {
		list = append(list, candidate{where: "in the user's cache", path: s.InstallDir()})
		if _, err := os.Stat(s.InstallDir()); err == nil && s.Provider.Name() == CUDA {
			list[0], list[len(list)-1] = list[len(list)-1], list[0]
		}
	}
	return append(list, candidate{where: "on the system", path: systemName(runtime.GOOS), bare: true})
}

// systemName is what the system's loader is asked for.
func systemName(goos string) string {
	switch goos {
	case "windows":
		return "onnxruntime.dll"
	case "darwin":
		return "libonnxruntime.dylib"
	}
	return "libonnxruntime.so.1"
}

// namePatterns are the library's file names, the preferred first.
func namePatterns(goos string) []string {
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
	if c.bare {
		return c.path, nil
	}
	info, err := os.Stat(c.path)
	if err != nil {
		return "", fmt.Errorf("%s does not exist", c.path)
	}
	switch {
	case info.Mode().IsRegular():
		return c.path, nil
	case !info.IsDir():
		return "", fmt.Errorf("%s is neither a library nor a folder", c.path)
	}
	for _, pattern := range namePatterns(goos) {
		found, err := filepath.Glob(filepath.Join(escapeGlob(c.path), pattern))
		if err == nil && len(found) > 0 {
			slices.SortFunc(found, newerFirst)
			return found[0], nil
		}
	}
	return "", fmt.Errorf("%s holds no %s", c.path, namePatterns(goos)[0])
}

// newerFirst orders names with a version number by that number, descending.
func newerFirst(a, b string) int {
	digits := func(r rune) bool { return r < '0' || r > '9' }
	x, y := strings.FieldsFunc(filepath.Base(a), digits), strings.FieldsFunc(filepath.Base(b), digits)
	return slices.CompareFunc(y, x, func(p, q string) int {
		if c := cmp.Compare(len(p), len(q)); c != 0 {
			return c
		}
		return cmp.Compare(p, q)
	})
}

// escapeGlob quotes the characters of a folder that filepath.Glob reads. On
// Windows, where the backslash separates, such folders are not supported.
func escapeGlob(dir string) string {
	if runtime.GOOS == "windows" {
		return dir
	}
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// oneLine joins the lines of another library's message.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
