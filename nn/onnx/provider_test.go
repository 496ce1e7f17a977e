package onnx

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestParseProvider(t *testing.T) {
	for text, want := range map[string]Provider{
		"": "cpu", "cpu": "cpu", "cuda": "cuda", "webgpu": "webgpu",
		"cuda:gpu_mem_limit=8000000000,do_copy=1": "cuda:do_copy=1,gpu_mem_limit=8000000000",
	} {
		if got, err := ParseProvider(text); got != want || err != nil {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
	for text, words := range map[string]string{
		"abacus": "openvino", "abacus:a=b": "abacus", "cpu:a=b": "no options", "cuda:": "KEY=VALUE", "cuda:a": "KEY=VALUE",
		"cuda:a=": "KEY=VALUE", "cuda:=a": "KEY=VALUE", "cuda:a=1,": "KEY=VALUE", "cuda:a=1,a=2": "once",
		":a=b": "unknown", "cuda:device_id=1": "--device",
	} {
		_, err := ParseProvider(text)
		checkError(t, err, words)
	}
	own := Provider("cuda:prefer_nhwc=0").options(1)
	if own["device_id"] != "1" || own["prefer_nhwc"] != "0" || own["arena_extend_strategy"] != "kSameAsRequested" {
		t.Errorf("options %v", own)
	}
}

// A device without memory is told with the batch and with what to lower.
func TestRunFailure(t *testing.T) {
	for _, text := range []string{
		"Failed to allocate memory for requested buffer of size 9", "CUDA failure 2: out of memory",
		"CUBLAS_STATUS_ALLOC_FAILED",
	} {
		err := Provider(CUDA).runFailure(errors.New(text+"\n; at x.cc"), 4096)
		checkError(t, err, "4096 rows", "--batch", "gpu_mem_limit")
		if err := Provider(CPU).runFailure(errors.New(text), 8); strings.Contains(err.Error(), "device") {
			t.Error(err)
		}
	}
	checkError(t, Provider(CUDA).runFailure(errors.New("it broke"), 64), "64 rows: it broke")
}

// Libraries are opened by their names, else in Python's packages, and what is nowhere is
// told with what has it.
func TestOpenLibraries(t *testing.T) {
	python := t.TempDir()
	touch(t, python, "cublas", "lib", "libcublas.so.13")
	path := touch(t, python, "cudnn", "lib", "libcudnn.so.9")
	touch(t, python, "cufft", "lib", "libcufft.so.12")
	var opened []string
	open := func(name string) error {
		if name == "libcuda.so.1" || name == "libcudart.so.13" || name == path {
			opened = append(opened, name)
			return nil
		}
		return errors.New("no")
	}
	missing := openLibraries(open, func() []string { return []string{"/nowhere", python} })
	if !slices.Equal(opened, []string{"libcuda.so.1", "libcudart.so.13", path}) || len(missing) != 4 ||
		missing[3] != "libcufft.so.12 (pip install nvidia-cufft)" {
		t.Errorf("opened %v, missing %v", opened, missing)
	}
}
