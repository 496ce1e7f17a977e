package fetch

import (
	"context"
	"fmt"
	"html"
	"io"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/nn/onnx"
)

// Package is an npm package, or a wheel of a Python package, and the files that are
// installed from it.
type Package struct {
	Title         string // what it brings, for messages
	Name, Version string
	Wheel         string            // the name of the wheel's file; "": a package of npm
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

// ONNXRuntimeCUDA returns the wheel with the library that computes on NVIDIA's GPUs, by
// CUDA 13 and cuDNN 9, which it does not have inside.
func ONNXRuntimeCUDA(n option.Naming) Package {
	file := func(name string, size int64, digest string) File {
		return File{Name: name, Member: "onnxruntime/capi/" + name, Size: size, SHA256: digest}
	}
	return Package{
		Title:   "ONNX Runtime for CUDA",
		Name:    "onnxruntime-gpu",
		Version: onnx.PinnedCUDA,
		Wheel:   "onnxruntime_gpu-" + onnx.PinnedCUDA + "-cp312-cp312-manylinux_2_28_x86_64.whl",
		Platforms: map[string][]File{
			"linux/amd64": {
				file("libonnxruntime.so."+onnx.PinnedCUDA, 29062976,
					"5a140dc17c8b60b35b2ceab0bb533e65ac54f06a208948417c1f9c31df6afc4c"),
				file("libonnxruntime_providers_shared.so", 14632,
					"086ec1d5388f64153d9c63470d126693db9a182c8ce236d3a1119068471b8a0d"),
				file("libonnxruntime_providers_cuda.so", 272049904,
					"35da2e7ed0dd0d1aec5cdb16ce11a51d06c0c48cf62d1b1c9332946a4fae14fc"),
			},
		},
		Otherwise: "install one with CUDA yourself and name it with " + n.FlagName("onnxruntime"),
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
func (p Package) archive() string {
	if p.Wheel != "" {
		return p.Wheel
	}
	return path.Base(p.Name) + "-" + p.Version + ".tgz"
}

// pack is the command that downloads the package.
func (p Package) pack() string {
	if p.Wheel != "" {
		return fmt.Sprintf("pip download --no-deps --only-binary :all: --python-version 3.12 %s==%s", p.Name, p.Version)
	}
	return fmt.Sprintf("npm pack %s@%s", p.Name, p.Version)
}

// url is where a registry has the package: a wheel where the registry's page of the package
// says, by PEP 503.
func (p Package) url(ctx context.Context, registry string) (string, error) {
	registry = strings.TrimSuffix(registry, "/") + "/" + p.Name + "/"
	if p.Wheel == "" {
		return registry + "-/" + p.archive(), nil
	}
	in, _, err := open(ctx, registry)
	if err != nil {
		return "", err
	}
	defer in.Close()
	page, err := io.ReadAll(io.LimitReader(in, 16<<20))
	if err != nil {
		return "", err
	}
	link := regexp.MustCompile(`href="([^"#]*` + regexp.QuoteMeta(p.Wheel) + `)["#]`).FindSubmatch(page)
	if link == nil {
		return "", fmt.Errorf("%s has no %s", registry, p.Wheel)
	}
	base, err := url.Parse(registry)
	if err != nil {
		return "", err
	}
	found, err := base.Parse(html.UnescapeString(string(link[1])))
	if err != nil {
		return "", err
	}
	return found.String(), nil
}
