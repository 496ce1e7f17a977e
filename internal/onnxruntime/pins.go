package onnxruntime

import (
	"path"
	"slices"
	"strings"

	"github.com/carozero/carozero/nn/onnx"
)

// Package is an npm package and what is taken out of it.
type Package struct {
	Name, Version string
	Libraries     map[string]Library // by GOOS/GOARCH
}

// Library is a member of the package.
type Library struct {
	Member string // its path in the package
	Size   int64  // in bytes
	SHA256 string // in hexadecimal, lower case
}

// Pinned returns the package that carozero is tested with. A new version means
// new digests here, taken from the package, and [onnx.PinnedVersion].
func Pinned() Package {
	const bin = "package/bin/napi-v6/"
	return Package{
		Name:    "onnxruntime-node",
		Version: onnx.PinnedVersion,
		Libraries: map[string]Library{
			"linux/amd64":   {bin + "linux/x64/libonnxruntime.so.1", 35164376, "92ba8e44d31b80a34f5e805076a044122c3be1fffe0d88ed790de7267b0b2682"},
			"linux/arm64":   {bin + "linux/arm64/libonnxruntime.so.1", 18625376, "33032cb5b91c12edbf028d7c69fa40a31848d66c0095448758af237d5e0b07db"},
			"darwin/arm64":  {bin + "darwin/arm64/libonnxruntime." + onnx.PinnedVersion + ".dylib", 35937208, "76831409ce6eded92b4cb343cf422c458a60c1ea1d5f3cfa69692ab7fcc67f0f"},
			"windows/amd64": {bin + "win32/x64/onnxruntime.dll", 23850016, "4bc168111012971ae1ffef36c1f29c06b026d17e9063bd17f6390359fbe32a84"},
			"windows/arm64": {bin + "win32/arm64/onnxruntime.dll", 24420896, "65dd5f706f8dd42ce96f6358ef3180c3c30f390022de00b75ada6f498ba4cce1"},
		},
	}
}

// File is the name under which the library is installed.
func (l Library) File() string { return path.Base(l.Member) }

// platforms lists what the package has libraries for.
func (p Package) platforms() string {
	var names []string
	for name := range p.Libraries {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// archive is the name of the package's file.
func (p Package) archive() string { return p.Name + "-" + p.Version + ".tgz" }

// url is where a registry has the package.
func (p Package) url(registry string) string {
	return strings.TrimSuffix(registry, "/") + "/" + p.Name + "/-/" + p.archive()
}
