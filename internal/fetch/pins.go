package fetch

import (
	"path"
	"slices"
	"strings"

	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/nn/onnx"
)

// Package is an npm package and the files that are installed from it.
type Package struct {
	Title         string // what it brings, for messages
	Name, Version string
	Platforms     map[string][]File // by GOOS/GOARCH; the first file is the main one
	Otherwise     string            // what to do on another platform, for messages
}

// File is a file to be installed.
type File struct {
	Name   string // its path below the folder of the installation, with slashes
	Member string // the member of the package that has it; compressed by brotli if that ends in .br
	Inside string // its path in the member, if that is an archive; "": the file is the member
	Size   int64  // in bytes
	SHA256 string // in hexadecimal, lower case
	Text   string // all of the file, where no member has it: Member, Size and SHA256 are empty
}

// ONNXRuntime returns the package with the library that carozero is tested with. A
// new version means new digests here, taken from the package, and
// [onnx.PinnedVersion]. Its messages name the option "onnxruntime" as n does.
func ONNXRuntime(n option.Naming) Package {
	library := func(member string, size int64, digest string) []File {
		return []File{{Name: path.Base(member), Member: "package/bin/napi-v6/" + member, Size: size, SHA256: digest}}
	}
	return Package{
		Title:   "ONNX Runtime",
		Name:    "onnxruntime-node",
		Version: onnx.PinnedVersion,
		Platforms: map[string][]File{
			"linux/amd64": library("linux/x64/libonnxruntime.so.1", 35164376,
				"92ba8e44d31b80a34f5e805076a044122c3be1fffe0d88ed790de7267b0b2682"),
			"linux/arm64": library("linux/arm64/libonnxruntime.so.1", 18625376,
				"33032cb5b91c12edbf028d7c69fa40a31848d66c0095448758af237d5e0b07db"),
			"darwin/arm64": library("darwin/arm64/libonnxruntime."+onnx.PinnedVersion+".dylib", 35937208,
				"76831409ce6eded92b4cb343cf422c458a60c1ea1d5f3cfa69692ab7fcc67f0f"),
			"windows/amd64": library("win32/x64/onnxruntime.dll", 23850016,
				"4bc168111012971ae1ffef36c1f29c06b026d17e9063bd17f6390359fbe32a84"),
			"windows/arm64": library("win32/arm64/onnxruntime.dll", 24420896,
				"65dd5f706f8dd42ce96f6358ef3180c3c30f390022de00b75ada6f498ba4cce1"),
		},
		Otherwise: "install version " + onnx.PinnedVersion + " or newer yourself and name it with " +
			n.FlagName("onnxruntime"),
	}
}

// platforms lists what the package has files for.
func (p Package) platforms() string {
	var names []string
	for name := range p.Platforms {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// archive is the name of the package's file in a registry.
func (p Package) archive() string { return path.Base(p.Name) + "-" + p.Version + ".tgz" }

// url is where a registry has the package.
func (p Package) url(registry string) string {
	return strings.TrimSuffix(registry, "/") + "/" + p.Name + "/-/" + p.archive()
}
