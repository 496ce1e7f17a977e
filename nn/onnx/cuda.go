package onnx

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// PinnedCUDA is the version of ONNX Runtime with CUDA that is installed for users.
const PinnedCUDA = "1.30.0"

// cudaLibraries are what PinnedCUDA needs of CUDA 13 and cuDNN 9, each behind those that
// it needs itself, and the package that has it.
var cudaLibraries = []struct{ file, from string }{
	{"libcuda.so.1", "NVIDIA's driver, 580 or later"},
	{"libcudart.so.13", "pip install nvidia-cuda-runtime"},
	{"libcublasLt.so.13", "pip install nvidia-cublas"},
	{"libcublas.so.13", "pip install nvidia-cublas"},
	{"libcurand.so.10", "pip install nvidia-curand"},
	{"libcufft.so.12", "pip install nvidia-cufft"},
	{"libcudnn.so.9", "pip install nvidia-cudnn-cu13"},
}

// openCUDA opens the libraries that CUDA needs, once, so that ONNX Runtime finds them, and
// returns those that are missing, with what has them.
var openCUDA = sync.OnceValue(func() []string { return openLibraries(openLibrary, pythonFolders) })

// MissingLibraries returns the libraries that a provider needs and the machine lacks.
func MissingLibraries(provider string) []string {
	if provider != CUDA {
		return nil
	}
	return openCUDA()
}

// openLibraries opens each of CUDA's libraries by its name, as the system's loader finds it,
// or else in the folders.
func openLibraries(open func(path string) error, folders func() []string) (missing []string) {
	folders = sync.OnceValue(folders)
	for _, library := range cudaLibraries {
		err := open(library.file)
		if err != nil {
			for _, folder := range folders() {
				found, _ := fs.Glob(os.DirFS(folder), "*/lib/"+library.file)
				for i := 0; i < len(found) && err != nil; i++ {
					err = open(filepath.Join(folder, found[i]))
				}
			}
		}
		if err != nil {
			missing = append(missing, library.file+" ("+library.from+")")
		}
	}
	return missing
}

// pythonFolders returns where Python's packages of CUDA are.
func pythonFolders() []string {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "python3", "-c", "import nvidia; print(*nvidia.__path__, sep='\\n')").Output()
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}
