//go:build cgo

package onnx

import (
	"flag"
	"math"
	"path/filepath"
	"testing"
)

var vulkan = flag.String("vulkan", "", "folder of a driver of Vulkan for WebGPU, with the library that loads it")

// WebGPU computes what the processor does. Without a driver it may say that it cannot.
func TestWebGPU(t *testing.T) {
	if *vulkan != "" {
		t.Setenv("VK_ICD_FILENAMES", filepath.Join(*vulkan, "vk_swiftshader_icd.json"))
		if err := openLibrary(filepath.Join(*vulkan, "libvulkan.so.1")); err != nil {
			t.Fatal(err)
		}
	}
	s, err := loadFile("good", Options{Provider: WebGPU})
	if err != nil {
		if *vulkan != "" {
			t.Error(err)
		}
		checkError(t, err, "good.onnx", "provider webgpu is not available")
		return
	}
	defer s.Close()
	want, got := fill(16), fill(16)
	if err := load(t, "good").Forward(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if err := s.Forward(t.Context(), got); err != nil {
		t.Fatal(err)
	}
	for i := range 16 {
		for j, v := range append(got.Policy(i), got.Value(i)...) {
			if w := append(want.Policy(i), want.Value(i)...)[j]; math.Abs(float64(v-w)) > 1e-4 {
				t.Errorf("row %d, output %d: %v, want %v", i, j, v, w)
			}
		}
	}
}
