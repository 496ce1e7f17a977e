package onnx

import (
	"fmt"
	"strings"
)

// Provider names what computes a session.
type Provider string

// The providers. All but CPU need a library that was built with them, the
// device, and its drivers.
const (
	CPU      Provider = "cpu"
	CUDA     Provider = "cuda"
	TensorRT Provider = "tensorrt"
	CoreML   Provider = "coreml"
	DirectML Provider = "directml"
	OpenVINO Provider = "openvino"
)

// Providers returns all of them, CPU first.
func Providers() []Provider {
	return []Provider{CPU, CUDA, TensorRT, CoreML, DirectML, OpenVINO}
}

// ParseProvider returns the provider of that name; "" is CPU.
func ParseProvider(name string) (Provider, error) {
	if name == "" {
		return CPU, nil
	}
	var names []string
	for _, p := range Providers() {
		if string(p) == name {
			return p, nil
		}
		names = append(names, string(p))
	}
	return "", fmt.Errorf("unknown provider %q: want one of %s", name, strings.Join(names, ", "))
}
